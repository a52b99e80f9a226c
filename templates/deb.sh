#!/bin/sh
# Debian packages of this tree, with lintian's word on them where it is installed.
# usage: deb.sh VERSION OUT_DIR
# The source is what git has at HEAD, or the tree itself where there is no git.  Nothing is signed.
set -eu
version=$1 out=$2
for tool in dpkg-buildpackage:dpkg-dev dh:debhelper dh_python3:dh-python; do
	command -v "${tool%%:*}" >/dev/null 2>&1 || {
		echo "missing: ${tool%%:*} (Debian package ${tool#*:})" >&2
		echo "hint: apt-get install dpkg-dev debhelper dh-python lintian" >&2
		exit 1
	}
done
rm -rf "$out"
mkdir -p "$out"
source=vetro-$version
mkdir "$out/$source"
if git rev-parse --git-dir >/dev/null 2>&1; then
	when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
	git archive HEAD | tar -C "$out/$source" -xf -
else
	when=${SOURCE_DATE_EPOCH:-0}
	tar --exclude=./build --exclude=./.git -cf - . | tar -C "$out/$source" -xf -
fi
tar -C "$out" --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - "$source" |
	gzip -9n >"$out/vetro_$version.orig.tar.gz"
cp -R templates/debian "$out/$source/debian"
cp templates/vetro-engine.service "$out/$source/debian/vetro-engine.service"
(cd "$out/$source" && SOURCE_DATE_EPOCH=$when dpkg-buildpackage -us -uc >../build.log 2>&1) || {
	tail -40 "$out/build.log" >&2
	echo "hint: the whole log is $out/build.log" >&2
	exit 1
}
rm -rf "${out:?}/$source"
ls "$out"/*.deb
command -v lintian >/dev/null 2>&1 || { echo 'lintian is not installed: nothing looked at the packages'; exit 0; }
# Root runs it in a container, where it may not drop to another user.
lintian --fail-on error,warning --allow-root "$out"/*.changes
