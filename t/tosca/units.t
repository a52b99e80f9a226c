#!/bin/sh
# Values of the TOSCA engine without a template: types, comparisons, functions (t/unit/unit_tosca.c prints TAP).
exec sh "$(dirname "$0")/../lib/unit.sh" tosca
