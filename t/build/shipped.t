#!/bin/sh
# The classes of the core library come as objects with vetro: the first build of a package compiles its own classes only.
. "$(dirname "$0")/../lib/lib.sh"
home=$(dirname "$VETRO")
[ -e "$home/objects/.made" ] || skip_all "this vetro comes without objects"
cd "$W" || exit 1
app=$top/examples/farm
XDG_CACHE_HOME=$W/cache
export XDG_CACHE_HOME
unset VETRO_CC
mkdir cache

# How many files of the last build were there already, and of how many.
found() { sed -n 's/.*C compiler .*(\([0-9]*\) of \([0-9]*\) files from the cache).*/\1 \2/p' err; }
build() {
	title=$1
	shift
	rm -rf cache/vetro
	status "$title" 0 "$VETRO" build -v "$@" "$app" -o app
}

build "a first build"
have=$(found | cut -d' ' -f1)
all=$(found | cut -d' ' -f2)
size=$(sed -n 's/.*bytes: program \([0-9]*\),.*/\1/p' err)
ok "all but the package's own files come with vetro" test $((all - have)) -le 4
ok "and they are many" test "$have" -gt 50
ok "they count as the program's" test "$size" -gt 500000
ok "the cache has the others alone" test "$(ls cache/vetro | wc -l)" -le 4
status "the binary runs" 0 ./app run --dry-run --model "$app/model.json" --call deploy --output out.json
cp app first

build "with --no-cache every file is compiled" --no-cache
is "none was there" "$(found)" "0 $all"
ok "the same bytes" cmp app first
build "-g wants objects of its own" -g
is "none was there for -g" "$(found)" "0 $all"
rm -rf cache/vetro
status "another compiler compiles all of it" 0 env VETRO_CC=gcc "$VETRO" build -v -O0 "$app" -o app
is "none was there for it" "$(found)" "0 $all"

# An object that a disk has damaged is not linked.
mkdir home
cp -r "$home/objects" "$home/include" "$home/libvt.a" "$home/libvtyay.a" "$home/libvtcloud.a" home/
object=$(ls home/objects/*.o | head -1)
printf 'x' | dd of="$object" bs=1 seek=700 conv=notrunc 2>/dev/null
rm -rf cache/vetro
status "a damaged object" 0 env VETRO_HOME="$W/home" "$VETRO" build -v "$app" -o app
is "is made again, and no other" "$(found)" "$((have - 1)) $all"
ok "the same bytes again" cmp app first
done_testing
