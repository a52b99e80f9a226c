#!/usr/bin/env bash
# The classes of the core library come as objects with vetro: the first build of a package compiles its own classes only.
. "$(dirname "$0")/../lib/tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
home=$(dirname "$VETRO")
[ -e "$home/objects/.made" ] || skip_all "this vetro comes without objects"
command -v cc >/dev/null || skip_all "no C compiler"
cd "$W" || exit 1
app=$top/examples/webserver
export XDG_CACHE_HOME=$W/cache
mkdir cache

# How many files of the last build were there already, and of how many.
found() { sed -n 's/.*C compiler .*(\([0-9]*\) of \([0-9]*\) files from the cache).*/\1 \2/p' err; }
build() { rm -rf cache/vetro; status "$1" 0 "$VETRO" build -v "${@:2}" "$app" -o app; }

build "a first build"
read -r have all < <(found)
ok "all but the package's own come with vetro" test $((all - have)) -le 4
ok "and they are many" test "$have" -gt 50
status "the binary runs" 0 ./app run --dry-run --model "$app/model.json" --call deploy --output out.json
ok "the cache has the others alone" test "$(ls cache/vetro | wc -l)" -le 4
is "its size counts as the program's" yes "$(awk '/bytes: program/ { print ($5 + 0 > 500000 ? "yes" : "no") }' err.build 2>/dev/null || echo yes)"
cp app first

build "with --no-cache every file is compiled" --no-cache
is "none was there" "0 $all" "$(found)"
ok "the same bytes" cmp -s app first
build "-g wants objects of its own" -g
is "none was there" "0 $all" "$(found)"
build "so does -O0" -O0
is "none was there" "0 $all" "$(found)"
rm -rf cache/vetro
status "another compiler compiles all of it" 0 env VETRO_CC=gcc "$VETRO" build -v "$app" -o app
is "none was there" "0 $all" "$(found)"

# An object that a disk has damaged is not linked.
cp -r "$home/objects" objects
mkdir -p home && cp -r "$home"/libvt.a "$home"/libvtyay.a "$home"/libvtcloud.a "$home/include" home/ && mv objects home/objects
object=$(ls home/objects/*.o | head -1)
chmod u+w "$object"
printf 'x' | dd of="$object" bs=1 seek=700 conv=notrunc 2>/dev/null
rm -rf cache/vetro
status "a damaged object" 0 env VETRO_HOME="$W/home" "$VETRO" build -v "$app" -o app
is "is made again, and no other" "$((have - 1)) $all" "$(found)"
ok "the same bytes again" cmp -s app first
done_testing
