#!/bin/sh
# Digests (t/unit/unit_digest.c prints TAP); their values are looked at in t/unit/unit_tosca.c.
build=${BUILD:-$(dirname "$0")/../../build/release}
if [ ! -x "$build/t/unit_digest" ]; then
	echo "1..0 # SKIP $build/t/unit_digest is not built: make check-quick builds it"
	exit 0
fi
exec "$build/t/unit_digest"
