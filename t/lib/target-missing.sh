#!/bin/sh
# Says what check-target lacks on this machine; status 1: something.
# usage: target-missing.sh TRIPLET
missing=0
for need in "$1-gcc gcc-$(echo "$1" | tr _ -)" "qemu-${1%%-*}-static qemu-user-static"; do
	command -v "${need% *}" >/dev/null 2>&1 && continue
	echo "missing: ${need% *} (Debian package ${need#* })" >&2
	missing=1
done
exit $missing
