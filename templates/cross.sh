#!/bin/sh
# Libraries of another machine, for `make target TARGET=TRIPLET`: Debian's packages, unpacked below DIR and not installed.
# usage: cross.sh TRIPLET DIR        to link with
#        cross.sh TRIPLET DIR run    to run with: a root for qemu-user that has the libraries which programs load
#
# apt is asked with a state of its own, so nothing of this machine changes and root is not needed.
set -eu
triplet=$1 use=${3-}
case $triplet in
aarch64-linux-gnu) arch=arm64 ;;
x86_64-linux-gnu) arch=amd64 ;;
riscv64-linux-gnu) arch=riscv64 ;;
*) echo "cross.sh: $triplet is none of aarch64-linux-gnu, riscv64-linux-gnu, x86_64-linux-gnu" >&2; exit 1 ;;
esac
dir=$(mkdir -p "$2" && cd "$2" && pwd)
[ -e "$dir/.made" ] && exit 0
command -v "$triplet-gcc" >/dev/null 2>&1 || {
	echo "missing: $triplet-gcc (Debian package gcc-$(echo "$triplet" | tr _ -))" >&2
	exit 1
}
packages='liblua5.4-dev libpcre2-dev libgmp-dev libexpat1-dev libyaml-dev libutf8proc-dev librabbitmq-dev libssl-dev zlib1g-dev
	libcurl4-openssl-dev'
state=$dir/apt
rm -rf "$state" "$dir/usr"
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/debs"
: >"$state/status"
apt() {
	apt-get -q -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" -o APT::Architecture="$arch" \
		-o APT::Architectures="$arch" -o APT::Sandbox::User=root "$@"
}
cd "$state/debs"
fetch() {
	[ "$use" = run ] || { apt download $packages; return; }
	# With all that they need; only libraries are unpacked, so that scripts go on with the programs of this machine.
	apt install -y --download-only --no-install-recommends libcurl4 libssl3 librabbitmq4 || return
	mv "$state"/cache/archives/lib*.deb .
}
{ apt update && fetch; } >"$state/log" 2>&1 || {
	tail -5 "$state/log" >&2
	echo "cross.sh: the packages for $arch cannot be had" >&2
	exit 1
}
for deb in *.deb; do dpkg-deb -x "$deb" "$dir"; done
rm -rf "$state"
touch "$dir/.made"
