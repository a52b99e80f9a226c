#!/bin/sh
# Objects: Defaults of a plan, and which receivers hold (t/unit/unit_object.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" object
