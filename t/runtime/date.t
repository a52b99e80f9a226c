#!/bin/sh
# Formats of dates (t/unit/unit_date.c prints TAP).
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_date" ]; then
	echo "1..0 # SKIP $build/t/unit_date is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_date"
