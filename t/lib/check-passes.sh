#!/bin/sh
# The recorded cases of MuranoPL and YAQL without any optimisation, without each, and with each alone: TAP.
# usage: VETRO=... t/lib/check-passes.sh [PASS...]
here=$(cd "$(dirname "$0")/.." && pwd)
passes=${*:-$(sed -n '/^#define VC_PASSES/,/[^\\]$/s/^	X([A-Z_]*, *"\([a-z-]*\)".*/\1/p' "$here/../compiler/base/base.h" | grep -v '^yay-')}
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
n=0 failed=0

# one FLAGS...
one() {
	VETRO_FLAGS=$* sh "$here/lib/conformance.sh" muranopl yaql >"$out" 2>&1
	n=$((n + 1))
	if grep -q '^1\.\.0' "$out"; then
		echo "ok $n # SKIP ../shared/conformance or python3 is not here"
	elif grep '^not ok' "$out" | grep -qv '# TODO' || ! grep -q '^ok' "$out"; then
		failed=$((failed + 1))
		echo "not ok $n - $*"
		grep '^not ok' "$out" | grep -v '# TODO' | head -20 | sed 's/^/# /'
	else
		echo "ok $n - $*: $(grep -c '^ok' "$out") cases"
	fi
}
one -fno-passes
for p in $passes; do
	one "-fno-$p"
	case $p in
	grow) one -fno-passes -fborrow -fgrow ;; # alone these do nothing
	bind | int-method) one -fno-passes -fcalls "-f$p" ;;
	escape) one -fno-passes -ffuse -fdirect -fcapture -fescape ;;
	*) one -fno-passes "-f$p" ;;
	esac
done
echo "1..$n"
[ $failed = 0 ]
