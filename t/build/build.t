#!/bin/sh
# vetro build and vetro run: options, exit statuses, and what is left behind when something fails.
. "$(dirname "$0")/../lib/lib.sh"
cd "$W" || exit 1
hello=$top/examples/hello
XDG_CACHE_HOME=$W/cache
export XDG_CACHE_HOME

ok "the binary is named after the package" "$VETRO" build -O0 "$hello"
is "hello is there" "$(ls hello)" hello
status "build -v" 0 "$VETRO" build -v -O0 -o b "$hello"
like "translation is shown apart" "$(cat err)" 'vetro: translation [0-9.]+ s'
like "from the C compiler" "$(cat err)" 'vetro: C compiler [0-9.]+ s \([0-9]+ of [0-9]+ files from the cache\), linker [0-9.]+ s'
status "--emit-c keeps the C and builds nothing" 0 "$VETRO" build --emit-c c "$hello"
like "one file a class, and main.c" "$(ls c | tr '\n' ' ')" 'Greeter.c .*main.c'
status "no C compiler is exit 4" 4 env VETRO_CC=/nonexistent/cc "$VETRO" build -o x "$hello"
like "and says so" "$(cat err)" 'E0903.*cannot run the C compiler'
status "a C compiler that fails is exit 4" 4 env VETRO_CC=false "$VETRO" build -o x "$hello"
is "nothing is left" "$(ls | grep -c '^x')" 0
echo keep >old
status "a failed build" 4 env VETRO_CC=false "$VETRO" build -o old "$hello"
is "keeps the file that was there" "$(cat old)" keep
status "an output that cannot be written is exit 1" 1 "$VETRO" build -O0 -o /nonexistent/dir/x "$hello"
status "an error in the input is exit 1" 1 "$VETRO" build -o x /nonexistent
status "bad usage is exit 2" 2 "$VETRO" build --frob "$hello"
like "with a hint" "$(cat err)" 'hint:'
status "no source is exit 2" 2 "$VETRO" build
status "an option without its value is exit 2" 2 "$VETRO" build "$hello" -o
status "vetro run --jit=cc builds and runs" 0 "$VETRO" run --jit=cc "$hello" -- run --model "$hello/model.json"
like "what the package says" "$(cat out)" 'Good morning, Ada!'
is "the binary is in the cache" "$(find "$W/cache/vetro" -type f -perm -100 | wc -l | tr -d ' ')" 1
status "a second run builds nothing" 0 env TMPDIR=/nonexistent "$VETRO" run --jit=cc "$hello" -- info
mkdir -p open/vetro
chmod 777 open/vetro
status "a cache that others can write to is not used" 4 env XDG_CACHE_HOME="$W/open" "$VETRO" run --jit=cc "$hello" -- info
like "and the message says why" "$(cat err)" 'only you can write to'
status "no HOME and no cache directory" 4 env -u XDG_CACHE_HOME -u HOME "$VETRO" run --jit=cc "$hello" -- info
mkdir two
cp -r "$hello/." two
printf 'Name: Broken\nMethods:\n  m:\n    Body:\n      - Whiel: $x\n' >two/Classes/Greeter.yaml
status "a package with errors builds nothing" 1 "$VETRO" build -o y two
is "no output" "$(ls y 2>/dev/null)" ""
# Names and texts of a package are data, never C.
mkdir -p evil/Classes
printf 'Format: 1.4\nType: Library\nFullName: evil\nClasses:\n  evil.E: E.yaml\n' >evil/manifest.yaml
cat >evil/Classes/E.yaml <<'YAML'
Namespaces:
  =: evil
Name: E
Methods:
  "x*/ int injected = 1; /*":
    Body:
      - Return: 1
  'a"b\':
    Arguments:
      - 'q"*/': {Contract: $}
    Body:
      - Return: "\"; system(\"id\"); /* ??/"
YAML
ok "hostile names build" "$VETRO" build -g -O0 --emit-c evilc -o evilb evil
is "and stay inside strings and mangled names" "$(grep -c 'int injected = 1; /\*$\|^ *system' evilc/*E.c)" 0
done_testing
