#!/bin/sh
# A debugger stops at a line of the YAML.
. "$(dirname "$0")/../lib/lib.sh"
if ! command -v gdb >/dev/null 2>&1; then
	skip "gdb stops at a YAML line" "gdb is not installed"
	done_testing
	exit
fi
ok "build -g" "$VETRO" build -g -O0 -o "$W/hello" "$top/examples/hello"
line=$(grep -n 'count: ' "$top/examples/hello/Classes/Greeter.yaml" | tail -1 | cut -d: -f1)
gdb -batch -ex "break Greeter.yaml:$line" -ex 'run' -ex 'bt 2' --args "$W/hello" run --model "$top/examples/hello/model.json" >"$W/gdb" 2>&1
like "gdb stops at Greeter.yaml:$line" "$(cat "$W/gdb")" "Breakpoint 1, m_.*Greeter.yaml:$line"
# docs/debugging.md says so
gdb -batch -ex "break Greeter.yaml:31" -ex run -ex next -ex 'bt 1' --args "$W/hello" run --model "$top/examples/hello/model.json" >"$W/gdb" 2>&1
like "next goes to the next statement" "$(cat "$W/gdb")" "#0 .*Greeter.yaml:32"
done_testing
