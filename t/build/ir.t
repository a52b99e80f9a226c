#!/bin/sh
# The text form of the IR: what is printed is read back, and the binary made from it does the same.
. "$(dirname "$0")/../lib/lib.sh"
for e in hello fleet inventory; do
	ok "$e: --emit=ir" "$VETRO" build --emit=ir "$top/examples/$e"
	cp "$W/out" "$W/$e.ir"
	ok "$e: --from=ir --emit=ir" "$VETRO" build --from=ir --emit=ir "$W/$e.ir"
	cp "$W/out" "$W/$e.ir2"
	ok "$e: the text is the same" cmp "$W/$e.ir" "$W/$e.ir2"
done
ok "build from IR" "$VETRO" build -O0 --from=ir -o "$W/hello" "$W/hello.ir"
status "runs" 0 "$W/hello" run --model "$top/examples/hello/model.json"
like "says what the package says" "$(cat "$W/out")" 'Good morning, Ada!'
sed 's/= add /= nonsense /' "$W/hello.ir" >"$W/bad.ir"
status "an unknown op is refused" 1 "$VETRO" build --from=ir -o "$W/x" "$W/bad.ir"
like "with its place" "$(cat "$W/err")" 'bad.ir:[0-9]+:[0-9]+: error\[E0904\]'
sed 's/jmp L[0-9]*/jmp L99/' "$W/hello.ir" >"$W/bad.ir"
status "the verifier refuses a label that is not there" 1 "$VETRO" build --from=ir -o "$W/x" "$W/bad.ir"
like "and names function and op" "$(cat "$W/err")" 'E0901.*no such label'
sed '/= c.check/s/memory#2"/memory#1"/' "$W/fleet.ir" >"$W/bad.ir"
status "code that is nested in itself is refused" 1 "$VETRO" build --from=ir -o "$W/x" "$W/bad.ir"
like "and named" "$(cat "$W/err")" 'E0901.*Node.memory#1.*nested in itself'
sed '/= c.check/s/memory#3"/memory#1"/' "$W/fleet.ir" >"$W/bad.ir"
status "in a pattern, too" 1 "$VETRO" build --from=ir -o "$W/x" "$W/bad.ir"
is "nothing was written" "$(ls "$W/x" 2>/dev/null)" ""
mkdir -p "$W/branch/Classes"
cat >"$W/branch/manifest.yaml" <<'END'
Format: 1.4
Type: Application
FullName: b
Name: b
Classes: {b.Main: Main.yaml}
END
cat >"$W/branch/Classes/Main.yaml" <<'END'
Namespaces: {=: b}
Name: Main
Methods:
  run:
    Arguments: [{l: {Contract: [$.int()]}}]
    Body:
      - If: $l[0] > 1
        Then:
          - $l[0]: 1
        Else:
          - $l[0]: 2
      - Match:
          1:
            - $l[0]: 3
        Value: $l[0]
        Default:
          - $l[0]: 4
      - Return: $l
END
ok "branches: --emit=ir" "$VETRO" build --emit=ir "$W/branch"
sed -n '/^func @"b.Main::run" /,/^}/p' "$W/out" | grep -E '^.(jfalse|free 0 [345]$)' | cut -c2- | cut -d' ' -f1 | tr '\n' ' ' >"$W/freed"
is "what a condition has read is given back in front of the branches, which may then change it in place" "$(cat "$W/freed")" \
	"jfalse free free jfalse free free "
# Sites that belong together and integers of any width survive as text.
for p in kinds short loops; do
	"$VETRO" build --emit=ir "$top/t/data/murano/oracle-$p" >"$W/$p.ir" 2>/dev/null
	ok "oracle-$p: IR builds a binary" "$VETRO" build --from=ir -O0 -o "$W/$p.bin" "$W/$p.ir"
done
sed 's/^\(.*refuse .* at \)[0-9]*:/\19999:/' "$W/short.ir" >"$W/bad.ir"
status "a refusal without its call is refused" 1 "$VETRO" build --from=ir -O0 -o "$W/bad.bin" "$W/bad.ir"
like "and told" "$(cat "$W/err")" 'refuse without the call that it belongs to'
ok "--emit=c" "$VETRO" build --emit=c "$top/examples/hello"
like "emitted C includes vt.h and nothing else" "$(grep -h '#include' "$W/out" | sort -u)" '^#include "vt.h"$'
done_testing
