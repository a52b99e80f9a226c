#!/bin/sh
# What a release has: its source, what `make install` puts in place, what that is made of, and checksums of all.
# usage: dist.sh BUILD_DIR VERSION OUT_DIR
# The archives depend on the contents alone: names in order, one owner, the time of the last commit or SOURCE_DATE_EPOCH.
set -eu
build=$1 version=$2 out=$3
when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# pack DIRECTORY NAME: NAME.tar.gz of DIRECTORY in $work
pack() {
	tar -C "$work" --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - "$1" |
		gzip -9n >"$out/$2.tar.gz.tmp"
	mv "$out/$2.tar.gz.tmp" "$out/$2.tar.gz"
}
mkdir -p "$out"
for f in "$out"/vetro-* "$out/SHA256SUMS"; do
	case $f in *-static.tar.gz) ;; *) rm -f "$f" ;; esac # that of `make static` stays
done
source=vetro-$version
mkdir "$work/$source"
if git rev-parse --git-dir >/dev/null 2>&1; then
	git archive HEAD | tar -C "$work/$source" -xf -
else
	tar --exclude=./build -cf - . | tar -C "$work/$source" -xf -
fi
pack "$source" "$source"
binary=vetro-$version-$(uname -m)-linux
${MAKE:-make} -s install-files B="$build" DESTDIR="$work/$binary" prefix=/usr/local >/dev/null
pack "$binary" "$binary"
cp "$build/vetro.cdx.json" "$out/$binary.cdx.json"
cd "$out"
sha256sum vetro-* >SHA256SUMS
cat SHA256SUMS
