#!/bin/sh
# The source in a fresh Debian with another compiler: it builds, and quick tests of each language pass. Newer libraries may warn.
# usage: source.sh SUITE gcc|clang
set -eu
suite=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
set -- "$suite" make git "$compiler" perl
. "$here/root.sh"
mkdir "$root/src"
git -C "$here/../.." archive HEAD | tar -C "$root/src" -xf -
quietly make -C /src deps
inside sh -c "cd /src && make -s CC=$compiler all" || exit 1
inside sh -c 'cd /src && VETRO=$PWD/build/release/vetro BUILD=$PWD/build/release CONFIG=release prove \
	t/murano/language.t t/compiler/fmt.t t/compiler/new.t t/yaql/*.t t/build/run.t t/tosca/deploy.t'
echo "the source works in a fresh Debian $suite with $compiler"
