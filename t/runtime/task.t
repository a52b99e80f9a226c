#!/bin/sh
# Green threads below MuranoPL: order, time, locks, descriptors, depth (t/unit/unit_task.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" task
