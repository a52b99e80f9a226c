#!/bin/sh
# The JSON reader and writer (t/unit/unit_json.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" json
