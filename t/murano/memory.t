#!/bin/sh
# Tests of MuranoPL programs once more, with programs that libtcc compiled into memory: t/lib/in-memory.sh. The recorded
# cases and t/murano/oracle.t go that way in `make check-conformance`.
here=$(cd "$(dirname "$0")/.." && pwd)
IN_MEMORY=${VETRO:-$here/../build/debug/vetro}
VETRO=$here/lib/in-memory.sh
XDG_CACHE_HOME=$(mktemp -d)
export IN_MEMORY VETRO XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
set -- murano/check-runs murano/parallel passes/straight passes/signals murano/contracts murano/statements murano/properties murano/calls murano/model \
	murano/exceptions murano/gc murano/versions murano/resources cloud/scenarios
echo "1..$#"
n=0 failed=0
for t in "$@"; do
	n=$((n + 1))
	if perl "$here/$t.t" >"$XDG_CACHE_HOME/out" 2>/dev/null; then echo "ok $n - $t"; else
		echo "not ok $n - $t"
		sed -n '/^not ok/,/^ok/p' "$XDG_CACHE_HOME/out" | sed 's/^/# /' | head -40
		failed=1
	fi
done
exit $failed
