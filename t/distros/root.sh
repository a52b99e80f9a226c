# Sourced: a fresh Debian in a folder, taken away at the end.  usage: . root.sh SUITE PACKAGE...
# Needs root and debootstrap. MIRROR is where packages come from, Debian's own without it.
suite=$1
shift
[ "$(id -u)" = 0 ] || { echo 'this makes a Debian of its own, which takes root' >&2; exit 2; }
command -v debootstrap >/dev/null || { echo 'missing: debootstrap (Debian package debootstrap)' >&2; exit 2; }
root=$(mktemp -d)
leave() {
	umount "$root/proc" 2>/dev/null || :
	rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM
# A script of that suite may be newer than debootstrap here; all of them are one.
script=/usr/share/debootstrap/scripts/$suite
[ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
debootstrap --variant=minbase "$suite" "$root" "${MIRROR:-http://deb.debian.org/debian}" "$script" >"$root.log" 2>&1 || {
	tail -5 "$root.log" >&2
	exit 1
}
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
mount -t proc proc "$root/proc"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
quietly() { inside "$@" >"$root/tmp/log" 2>&1 || { tail -20 "$root/tmp/log" >&2; exit 1; }; }
quietly apt-get update -q
[ $# = 0 ] || quietly apt-get install -y -q --no-install-recommends "$@"
