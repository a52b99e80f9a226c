#!/bin/sh
# Digests (t/unit/unit_digest.c prints TAP); their values are looked at in t/unit/unit_tosca.c.
exec sh "$(dirname "$0")/../lib/unit.sh" digest
