#!/bin/sh
# Blocks of a heap (t/unit/unit_heap.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" heap
