#!/bin/sh
# The printf of buffers (t/unit/unit_format.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" format
