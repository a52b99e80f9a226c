#!/bin/sh
# Green threads below MuranoPL: order, time, locks, descriptors, depth (t/unit/unit_task.c prints TAP).
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_task" ]; then
	echo "1..0 # SKIP $build/t/unit_task is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_task"
