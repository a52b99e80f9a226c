#!/bin/sh
# Short texts by blocks, at the end of a page (t/unit/unit_blocks.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" blocks
