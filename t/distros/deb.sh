#!/bin/sh
# The packages of `make deb` in a fresh Debian 12: they install, and templates/debian/tests/command passes with them.
# usage: deb.sh DIR_OF_PACKAGES
set -eu
debs=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
set -- bookworm pkg-config
. "$here/root.sh"
mkdir "$root/debs" "$root/tests"
cp "$debs"/*.deb "$root/debs/"
rm -f "$root"/debs/*-dbgsym_*.deb
cp "$here/../../templates/debian/tests/command" "$root/tests/"
quietly sh -c 'apt-get install -y -q --no-install-recommends /debs/*.deb'
inside sh /tests/command
echo 'the packages work in a fresh Debian 12'
