#!/bin/sh
# A debugger stops at a line of a Yay configuration.
. "$(dirname "$0")/../lib/lib.sh"
cat > "$W/app.yay" <<'Y'
sites:
  - name: one
    port: 1
  - name: two
    port: 2
urls:
  for s in sites if s.port > 0:
    - https://{{ s.name }}:{{ s.port + 8000 }}/
size: {{ len(sites) }}
first: {{ urls[0] }}
Y
ok "build -g" "$VETRO" build -g -O0 -o "$W/app" "$W/app.yay"
"$VETRO" build -g --emit=c "$W/app.yay" >"$W/app.c"
like "C says which line it is of" "$(cat "$W/app.c")" '#line 8 ".*app\.yay"'
"$VETRO" build --emit=c "$W/app.yay" >"$W/plain.c"
is "only with -g" "$(grep -c '^#line' "$W/plain.c")" 0
if ! command -v gdb >/dev/null 2>&1; then
	skip "gdb stops at a line" "gdb is not installed"
	done_testing
	exit
fi
for line in 7 8 9 10; do
	gdb -batch -ex "break app.yay:$line" -ex 'run' -ex 'bt 1' --args "$W/app" -c >"$W/gdb" 2>&1
	like "gdb stops at app.yay:$line" "$(cat "$W/gdb")" "Breakpoint 1[.0-9]*, y0_.*app\.yay:$line"
done
gdb -batch -ex "break app.yay:8" -ex 'run' -ex 'continue' --args "$W/app" -c >"$W/gdb" 2>&1
is "once for each element" "$(grep -c '^Breakpoint 1[.0-9]*, y0_8' "$W/gdb")" 2
done_testing
