#!/bin/sh
# What runs tasks, in a torture build with several seeds; then t/murano/torture.t with many allocations that fail.
# usage: torture.sh BUILD    SEEDS and TORTURE_RUNS: see t/files.mk
here=$(cd "$(dirname "$0")/.." && pwd)
export VETRO="$1/vetro" BUILD="$1" CONFIG=asan VETRO_LIMIT="${VETRO_LIMIT:-600}"
failed=0
# Recorded orders of effects: eventlet's, where nothing but its queue decides (objects of one rank end side by side).
ordered='test_concurrent_explicit|TestMacros.test_parallel|test_runtime_property_not_destroyed'
for VETRO_TORTURE_SEED in $SEEDS; do
	export VETRO_TORTURE_SEED
	echo "== seed $VETRO_TORTURE_SEED"
	prove -j2 "$here"/build/examples.t "$here"/passes/*.t $(ls "$here"/murano/*.t | grep -v -e /torture.t -e /valgrind.t) || failed=1
	log=$(mktemp) || exit 1
	sh "$here/lib/conformance.sh" muranopl > "$log"
	grep '^not ok' "$log" | grep -v '# TODO' | grep -Ev "$ordered" && failed=1
	sed -n 's/^# \(muranopl\)/\1/p' "$log"
	rm -f "$log"
done
unset VETRO_TORTURE_SEED
prove -v "$here/murano/torture.t" || failed=1
exit $failed
