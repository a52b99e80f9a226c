#!/bin/sh
# An archive of a static vetro and of what its binaries are linked with: a machine needs a C compiler to build, and nothing to run.
# usage: static.sh BUILD_DIR VERSION OUT_DIR LIBRARY...
# LIBRARY: what comes along as lib/vetro/lib/libLIBRARY.a. The same commit and libraries give the same bytes.
set -eu
build=$1 version=$2 out=$3
shift 3
when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
name=vetro-$version-$(uname -m)-linux-static
tree=$work/$name
${MAKE:-make} -s install-files B="$build" DESTDIR="$tree" prefix= >/dev/null
rm -rf "$tree"/lib/libvetro* "$tree/lib/pkgconfig" "$tree/include" "$tree/share/man/man3"
install -m 755 "$build/static/vetro" "$tree/bin/vetro"
"${STRIP:-strip}" "$tree/bin/vetro"
"${STRIP:-strip}" -D -g "$tree"/lib/vetro/*.a
install -m 644 LICENSE README.md "$tree/"
mkdir "$tree/lib/vetro/lib"
for l; do
	file=$(${CC:-gcc} -print-file-name="lib$l.a")
	[ -e "$file" ] || { echo "static.sh: there is no lib$l.a" >&2; exit 1; }
	install -m 644 "$file" "$tree/lib/vetro/lib/"
done
mkdir -p "$out"
tar -C "$work" --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - "$name" |
	gzip -9n >"$out/$name.tar.gz.tmp"
mv "$out/$name.tar.gz.tmp" "$out/$name.tar.gz"
ls -l "$out/$name.tar.gz"
