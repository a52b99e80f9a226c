#!/bin/sh
# The recorded cases of ../shared against the build in $VETRO; known failures are t/conformance.todo.
# usage: conformance.sh SUITE...   TAP on standard output.
here=$(cd "$(dirname "$0")" && pwd)
run=$here/../../shared/conformance/run
if [ ! -x "$run" ] || ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP ../shared/conformance or python3 is not here"
	exit 0
fi
args=
for s in "$@"; do args="$args --suite $s"; done
exec "$run" --vetro "${VETRO:-$here/../build/release/vetro}" $args --todo "$here/conformance.todo"
