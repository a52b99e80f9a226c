#!/bin/sh
# A program of t/unit over the runtime library, which prints TAP. usage: unit.sh NAME
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_$1" ]; then
	echo "1..0 # SKIP $build/t/unit_$1 is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_$1"
