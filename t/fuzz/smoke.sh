#!/bin/sh
# Builds one fuzz target with the sanitizers and runs it: smoke.sh BUILD_DIR TARGET.c SECONDS
set -eu
build=$1 target=$2 seconds=$3
here=$(dirname "$0")
name=$(basename "$target" .c)
bin=$build/fuzz-$name
crash=$build/crash-$name
objects=$(ls "$build"/compiler/*.o | grep -v /main.o)
gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -Icompiler -Iruntime -o "$bin" "$here/driver.c" "$target" \
	$objects "$build"/gen/yaql_lex.o "$build"/gen/yaql_parse.o "$build"/gen/assets.o "$build"/libvt.a \
	-rdynamic -lyaml -ltcc -lminizip -lz -llua5.4 -lpcre2-8 -lutf8proc -lgmp -lm -ldl
case $name in
mpl) seeds=$(ls t/data/check/*/Classes/*.yaml examples/*/Classes/*.yaml) ;;
ir) for e in hello fleet inventory; do "$build/vetro" build --emit=ir examples/$e >"$build/$e.ir" 2>/dev/null; done
	seeds="$build/hello.ir $build/fleet.ir $build/inventory.ir" ;;
json) seeds=$(ls examples/*/model.json) ;;
*) seeds=$here/$name.txt ;;
esac
printf '%s: ' "$name"
"$bin" "$seconds" "$crash" $seeds || { echo "crash; the input is $crash"; exit 1; }
