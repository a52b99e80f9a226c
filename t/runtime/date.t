#!/bin/sh
# Formats of dates (t/unit/unit_date.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" date
