#!/bin/sh
# Properties of MuGL graphs at random (t/unit/unit_mugl.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" mugl
