#!/bin/sh
# Properties of MuGL graphs at random (t/unit/unit_mugl.c prints TAP).
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_mugl" ]; then
	echo "1..0 # SKIP $build/t/unit_mugl is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_mugl"
