#!/bin/sh
# Optimisations change nothing that can be seen: the same answers with all on, all off, and each off.
. "$(dirname "$0")/../lib/lib.sh"

flags='-fno-passes -fno-fuse -fno-direct -fno-records -fno-joins -fno-flow -fno-lambda-programs'
cases=$here/data/passes.jsonl

"$VETRO" query --batch <"$cases" | sed "s/0x[0-9a-f]*/0x/" >"$W/on"
is "every case is answered" "$(wc -l <"$W/on")" "$(wc -l <"$cases")"
for f in $flags; do
	"$VETRO" query --batch $f <"$cases" | sed "s/0x[0-9a-f]*/0x/" >"$W/off"
	ok "the same answers with $f" diff "$W/on" "$W/off"
done

like "a chain of stages is one pipe" "$("$VETRO" query --emit=ir '$.where($ > 1).select($ * 2)')" 'pipe'
is "not with -fno-fuse" "$("$VETRO" query --emit=ir -fno-fuse '$.where($ > 1)' | grep -c pipe)" 0
like "a direct lambda" "$("$VETRO" query --emit=c '$.groupBy($.a)')" '^d_query'
is "not with -fno-direct" "$("$VETRO" query --emit=c -fno-direct '$.groupBy($.a)' | grep -c '^d_query')" 0
is "not one that keeps its scope" "$("$VETRO" query --emit=c '$.select(let(x => $))' | grep -c '^d_query')" 0
status "an unknown pass" 2 "$VETRO" query -fno-such 1
like "is an unknown option" "$(cat "$W/err")" 'fno-such'

# Lua that hides a function of the library may look at the scope of the call.
cat >"$W/look.lua" <<'L'
vetro.register{name = "len", kind = "method", params = "s: any", fn = function() return vetro.var() end}
L
is "the host sees the scope of a call" "$(echo '["a","bc"]' | "$VETRO" query -c --lua "$W/look.lua" '$.select($.len())')" '["a","bc"]'

# The recorded cases.
for f in $flags; do
	VETRO_FLAGS=$f sh "$here/lib/conformance.sh" yaql >"$W/tap" 2>&1
	if grep -q '^1..0' "$W/tap"; then
		n=$((n + 1))
		echo "ok $n # SKIP ../shared is not here"
	else
		like "the recorded cases are asked with $f" "$(grep -c '^ok' "$W/tap")" '^[0-9]{4,}$'
		is "and pass" "$(grep '^not ok' "$W/tap" | grep -vc '# TODO')" 0
	fi
done

# MuranoPL: what packages do without any pass; t/passes/straight.t has each pass that concerns methods by itself.
VETRO_PASSES=-fno-passes
export VETRO_PASSES
for t in murano/parallel murano/contracts murano/statements murano/properties murano/calls murano/exceptions; do
	ok "$t without passes" sh -c 'perl "$0" >"$1" && ! grep -q "^not ok" "$1"' "$here/$t.t" "$W/tap"
done
done_testing
