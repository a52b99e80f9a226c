#!/bin/sh
# The recorded cases of ../shared against the build in $VETRO; known failures are t/conformance.todo, and those in
# t/conformance.differs are meant: project/docs.t looks that docs/differences.md names each.
# usage: conformance.sh SUITE...   TAP on standard output.
here=$(cd "$(dirname "$0")/.." && pwd)
run=$here/../../shared/conformance/run
if [ ! -x "$run" ] || ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP ../shared/conformance or python3 is not here"
	exit 0
fi
vetro=${VETRO:-$here/../build/release/vetro}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cat "$here/conformance.todo" "$here/conformance.differs" > "$dir/todo"
# VETRO_FLAGS: options for `vetro query`, as --jit=cc or -fno-passes.
if [ -n "$VETRO_FLAGS" ]; then
	printf '#!/bin/sh\nexec "%s" "$@" %s\n' "$vetro" "$VETRO_FLAGS" > "$dir/vetro"
	chmod +x "$dir/vetro"
	vetro=$dir/vetro
fi
args=
for s in "$@"; do args="$args --suite $s"; done
"$run" --vetro "$vetro" $args --todo "$dir/todo"
