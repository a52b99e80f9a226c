#!/bin/sh
# vetro run and vetro test: in memory and through cc, with the same results; what is kept, and what is not used again.
. "$(dirname "$0")/../lib/lib.sh"
cd "$W" || exit 1
hello=$top/examples/hello
XDG_CACHE_HOME=$W/cache
export XDG_CACHE_HOME
kept() { find "$XDG_CACHE_HOME/vetro" -type f ! -name trimmed 2>/dev/null | wc -l | tr -d ' '; }

# ---- in memory
status "a package runs" 0 env VETRO_CC=/nonexistent/cc "$VETRO" run -v "$hello" -- run --model "$hello/model.json"
like "and says what it is to say" "$(cat out)" 'Good morning, Ada!'
like "each file is compiled" "$(cat err)" 'libtcc [0-9.]+ s \(0 of 3 files from the cache\)'
is "objects are kept, and no binary" "$(kept)/$(find cache -type f -perm -100 | wc -l | tr -d ' ')" 3/0
status "the same again" 0 "$VETRO" run -v "$hello" -- run --model "$hello/model.json"
like "compiles none" "$(cat err)" '\(3 of 3 files from the cache\)'
cp -r "$hello" changed
sed 's/Good morning/Good evening/' "$hello/Classes/Greeter.yaml" >changed/Classes/Greeter.yaml
status "a class that changed" 0 "$VETRO" run -v changed -- run --model "$hello/model.json"
like "is compiled, and what declares the package" "$(cat err)" '\([01] of 3 files from the cache\)'
status "--no-cache" 0 env XDG_CACHE_HOME="$W/none" "$VETRO" run --no-cache "$hello" -- info
ok "keeps nothing" test ! -e none/vetro
status "--emit-c" 0 "$VETRO" run --emit-c c "$hello" -- info
like "keeps the C" "$(ls c | tr '\n' ' ')" 'Greeter.c .*main.c'
status "a configuration" 0 "$VETRO" run "$top/examples/yay/app.yay"
like "is run too" "$(cat out)" '"environment": "staging"'
status "a service" 0 "$VETRO" run "$top/examples/tosca-webshop/service.yaml" -- topology --input host=/there
like "and so is this" "$(cat out)" '"host": "/there"'
mkdir ways
cat >core.yaml <<'YAML'
Namespaces: {=: t.pkg, std: io.murano}
Name: App
Extends: std:Application
Methods:
  deploy:
    Scope: Public
    Body: {Return: 'it runs'}
YAML
package core t.pkg.App <core.yaml
echo '{"Objects": {"?": {"type": "io.murano.Environment", "id": "e"}, "name": "e", "applications": [{"?": {"type": "t.pkg.App", "id": "a"}}]}}' >core.json
# without what is new in each run
without() { sed 's/[0-9a-f]\{32\}/ID/g' "$@"; }
"$VETRO" run --no-cache core -- run --dry-run --model core.json --object a >core.1 2>/dev/null
status "many classes, shared out to processes" 0 "$VETRO" run -v core -- run --dry-run --model core.json --object a
like "each once" "$(cat err)" '\([01] of [3-9][0-9] files from the cache\)'
is "are the program that they are without a cache" "$(without out)" "$(without core.1)"
is "and nothing unfinished is left" "$(find cache -name '*.tmp')" ""

# ---- --jit
status "--jit=what is bad usage" 2 "$VETRO" run --jit=what "$hello"
status "--jit is not for build" 2 "$VETRO" build --jit=cc "$hello"
status "--jit=memory with -O2 is bad usage" 2 "$VETRO" run --jit=memory -O2 "$hello" -- info
like "and the message says why" "$(cat err)" '--jit=memory and -O exclude one another'
status "of test too" 2 "$VETRO" test --jit=fast "$top/examples/fleet"
status "-g goes through cc" 4 env VETRO_CC=/nonexistent/cc "$VETRO" run -g "$hello" -- info
status "and so does -O1" 4 env VETRO_CC=/nonexistent/cc "$VETRO" run -O1 "$hello" -- info

# ---- what cannot be trusted, or is damaged
mkdir -p open/vetro
chmod 777 open/vetro
status "a cache that others can write to" 0 env XDG_CACHE_HOME="$W/open" "$VETRO" run -v "$hello" -- info
like "is reported of" "$(cat err)" 'only you can write to'
is "and gets nothing" "$(ls open/vetro)" ""
status "no HOME and no cache directory" 0 env -u XDG_CACHE_HOME -u HOME "$VETRO" run "$hello" -- info
rm -rf cache
"$VETRO" run "$hello" -- info >good
runs() { # NAME HOW-MANY-FROM-THE-CACHE PATTERN
	status "$1" 0 "$VETRO" run -v "$hello" -- info
	is "$1: the program is right" "$(cat out)" "$(cat good)"
	like "$1: what is used again" "$(cat err)" "\\($2 of 3 files from the cache"
	[ -z "$3" ] || like "$1: that is reported" "$(cat err)" "$3"
}
set -- cache/vetro/*.o
dd if=/dev/urandom of="$1" bs=1 count=1 seek=100 conv=notrunc 2>/dev/null
runs "a byte that changed" 2 'is damaged; it is made again'
truncate -s 700 "$1"
runs "an object that is too short" 2 damaged
: >"$1"
runs "an empty one" 2 damaged
mv "$1" other && cp "$2" "$1"
runs "one under the name of another" 2 damaged
runs "and then" 3
chmod 660 "$1"
runs "one that others can write to" 2
chmod 600 "$1"
rm "$1" && ln -s "$2" "$1"
runs "a link" 2
for f in cache/vetro/*.o; do rm "$f"; mkdir "$f"; done
runs "objects that cannot be kept" 0
rmdir cache/vetro/*.o
chmod 500 cache/vetro
status "a cache that cannot be written" 0 "$VETRO" run "$hello" -- info
is "runs all the same" "$(cat out)" "$(cat good)"
chmod 700 cache/vetro

# ---- the same through cc
if command -v "${VETRO_CC:-cc}" >/dev/null 2>&1; then
	cat >"way.yaml" <<'YAML'
Namespaces: {=: t.pkg}
Name: Way
Properties:
  n: {Contract: $.int().notNull(), Default: 3, Usage: InOut}
Methods:
  deploy:
    Scope: Public
    Body:
      - $.n: $.n * 7
      - $x: range(5).where($ mod 2 = 0).select({key => $, text => str($ / 2.0)})
      - $sorted: list(3, 1, 2).orderBy(-$)
      - Return: [$x, $.n, $.deep(100), $sorted]
  deep:
    Arguments: [n: {Contract: $.int()}]
    Body:
      - If: $n = 0
        Then: {Return: 'down'}
      - Return: $.deep($n - 1)
  deeper:
    Scope: Public
    Body: {Return: $.deep(1000000)}
  fails:
    Scope: Public
    Body:
      - Try: [Return: $.inner(1)]
        Catch: [{With: t.Other, Do: []}]
  inner:
    Arguments: [by: {Contract: $.int()}]
    Body: {Return: 5 / ($by - 1)}
  contract:
    Scope: Public
    Body: {Return: $.inner(abc)}
  throws:
    Scope: Public
    Body:
      - Throw: Problem
        Message: 'what went wrong'
YAML
	package way t.pkg.Way <way.yaml
	echo '{"Objects": {"?": {"type": "t.pkg.Way", "id": "w"}}}' >way.json
	both() { # NAME ARGS...
		name=$1
		shift
		rm -f *.state.mugl # the first run says where it is
		"$VETRO" run --jit=memory way -- "$@" >1.out 2>1.err </dev/null
		one=$?
		rm -f *.state.mugl
		"$VETRO" run --jit=cc way -- "$@" >2.out 2>2.err </dev/null
		is "$name: the status" "$one" $?
		is "$name: the output" "$(cat 1.out)" "$(cat 2.out)"
		is "$name: errors" "$(cat 1.err)" "$(cat 2.err)"
	}
	both "a run" run --model way.json
	like "it has a result" "$(cat 1.out)" '"text":"1.0"'
	for m in contract throws deeper nothing fails; do both "$m" run --model way.json --call $m; done
	like "a failure has its trace" "$(cat 1.err)" 'Class.yaml:29:20: error\[E'
	like "with the method" "$(cat 1.err)" "note: in method inner of type"
	both "a schema" schema t.pkg.Way deploy
	both "no such file" run --model none.json
	both "no such option" run --what
	both "no command"
	both "a snapshot" run --model way.json --snapshot s.mugl
	both "settings in YAML" run --model way.json --settings way.yaml
	is "a binary is in the cache" "$(find cache -type f -perm -100 | wc -l | tr -d ' ')" 1
	status "the next run needs no C compiler" 0 env VETRO_CC=cc PATH="$PATH" "$VETRO" run -v --jit=cc way -- info
	ok "and compiles nothing" sh -c '! grep -q "C compiler" err'
	binary=$(find cache -type f -perm -100)
	dd if=/dev/urandom of="$binary" bs=1 count=8 seek=5000 conv=notrunc 2>/dev/null
	status "a binary that was damaged" 0 "$VETRO" run -v --jit=cc way -- info
	like "is made again" "$(cat err)" 'is damaged; it is made again'
	like "which is reported" "$(cat err)" 'C compiler'
	echo '#!/bin/sh' >"$binary" && chmod 700 "$binary"
	status "another program in its place" 0 "$VETRO" run --jit=cc way -- info
	like "is not run" "$(cat out)" 't.pkg.Way'
	status "another package with other options" 0 "$VETRO" run --jit=cc -O1 way -- info
	is "has a binary of its own" "$(find cache -type f -perm -100 | wc -l | tr -d ' ')" 2
	for p in "$top/examples/fleet" "$top/t/data/testpkg MockTest FailTest"; do
		for way in memory cc; do "$VETRO" test --jit=$way $p 2>&1 | without >$way.out; done
		is "vetro test ${p##*/}: the same both ways" "$(cat memory.out)" "$(cat cc.out)"
	done
else
	skip "the same through cc" "there is no C compiler"
fi

# ---- where memory may not become executable: PR_SET_MDWE
hard='syscall(157, 65, 1, 0, 0, 0) == 0 or die; exec @ARGV'
if [ "$(uname -m)" = x86_64 ] && [ "$CONFIG" != asan ] && perl -e "$hard" true 2>/dev/null; then
	status "without memory for code" 0 perl -e "$hard" "$VETRO" run -v "$hello" -- info
	like "cc takes over" "$(cat err)" 'C compiler'
	is "with the same result" "$(cat out)" "$(cat good)"
	status "unless it must not" 4 perl -e "$hard" "$VETRO" run --jit=memory "$hello" -- info
	like "which is reported" "$(cat err)" 'no memory for code'
	status "tests run then too" 0 perl -e "$hard" "$VETRO" test "$top/examples/fleet"
else
	skip "memory that may not be executable" "the kernel has no such mode"
fi

# ---- a vetro without libtcc
if [ -n "$BUILD" ] && [ -e "$BUILD/VC.list" ] && [ "$CONFIG" != asan ] && [ "$CONFIG" != torture ]; then
	cd "$top" || exit 1
	ok "vetro is built without libtcc" sh -c '
		cc -std=gnu11 -O0 -DVC_NO_LIBTCC -DVETRO_VERSION="\"0.1.0\"" -I. -Iruntime/abi -I"$1/gen" -c compiler/build/tcc.c -o "$2/tcc.o" &&
		cc -rdynamic -o "$2/bare" $(sed "s#[^ ]*/compiler/build/tcc\.o#$2/tcc.o#" "$1/VC.list") -Wl,--whole-archive "$1/libvt.a" \
			-Wl,--no-whole-archive -lyaml -lminizip -lz -llua5.4 -lpcre2-8 -lutf8proc -lgmp -lexpat -lm -ldl' sh "$BUILD" "$W"
	cd "$W" || exit 1
	VETRO_HOME=$BUILD
	XDG_CACHE_HOME=$W/bare.cache
	export VETRO_HOME
	status "it runs a package" 0 ./bare run -v "$hello" -- info
	like "through cc" "$(cat err)" 'C compiler'
	is "with the same result" "$(cat out)" "$(cat good)"
	status "but not in memory" 4 ./bare run --jit=memory "$hello" -- info
	like "which is reported" "$(cat err)" 'built without libtcc'
	is "and expressions" "$(./bare query -n '1 + 1')" 2
else
	skip "a vetro without libtcc" "the objects of the build are not here"
fi
done_testing
