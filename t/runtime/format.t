#!/bin/sh
# The compiler's own printf (t/unit/unit_format.c prints TAP).
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_format" ]; then
	echo "1..0 # SKIP $build/t/unit_format is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_format"
