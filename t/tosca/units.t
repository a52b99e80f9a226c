#!/bin/sh
# Values of the TOSCA engine without a template: types, comparisons, functions (t/unit/unit_tosca.c prints TAP).
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_tosca" ]; then
	echo "1..0 # SKIP $build/t/unit_tosca is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_tosca"
