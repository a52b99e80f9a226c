#!/bin/sh
# The JSON reader and writer (t/unit/unit_json.c prints TAP).
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_json" ]; then
	echo "1..0 # SKIP $build/t/unit_json is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_json"
