#!/bin/sh
# The value core: numbers, strings, containers, iteration, JSON, exceptions (t/unit/unit_value.c prints TAP).
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_value" ]; then
	echo "1..0 # SKIP $build/t/unit_value is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_value"
