#!/bin/sh
# What messages show of values and secrets (t/unit/unit_secret.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" secret
