#!/bin/sh
# The value core: numbers, strings, containers, iteration, JSON, exceptions (t/unit/unit_value.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" value
