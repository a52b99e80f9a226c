#!/bin/sh
# The cache of objects: what did not change is not compiled again, and nobody else can put anything there.
. "$(dirname "$0")/../lib/lib.sh"
cd "$W" || exit 1
XDG_CACHE_HOME=$W/cache
export XDG_CACHE_HOME

mkdir -p p/Classes
{
	printf 'Format: 1.4\nType: Library\nFullName: p\nClasses:\n'
	for i in 1 2 3 4; do printf '  p.C%d: C%d.yaml\n' $i $i; done
} >p/manifest.yaml
# class NUMBER EXPRESSION
class() {
	cat >"p/Classes/C$1.yaml" <<YAML
Namespaces: {=: p}
Name: C$1
Properties:
  n: {Contract: \$.int(), Default: $1, Usage: InOut}
Methods:
  m:
    Scope: Public
    Body:
      - \$.n: \$.n + 1
      - Return: $2
YAML
}
for i in 1 2 3 4; do class $i "\$.n + $i"; done
class 4 '$.n + [4].sum()' # what the library links for class 2 later on does not change then
build() { status "$1" 0 "$VETRO" build -v -O0 -o b p; shift; like "$1" "$(cat err)" "$2"; }
call() {
	printf '%s\n' "{\"op\":\"load\",\"model\":{\"Objects\":{\"?\":{\"type\":\"p.C$1\",\"id\":\"r\"}}}}" \
		'{"op":"call","target":null,"method":"m","args":[]}' | ./b session | tail -1
}

build "a first build" "compiles each file" '\(0 of ([0-9]+) files from the cache'
like "and shows what the binary consists of" "$(cat err)" 'program [0-9]+, runtime [0-9]+, libraries [0-9]+'
files=$(sed -n 's/.*(0 of \([0-9]*\) files.*/\1/p' err)
build "the same again" "compiles none" "\($files of $files files from the cache"
is "and runs as before" "$(call 2)" '{"value":5,"traces":[]}'
# One more inline cache, another statement, and a changed constant: all in one class.
class 2 '$.n + $.n + [$.n, 3].sum() + 100'
build "a class that changed" "is compiled alone" "\($((files - 1)) of $files files from the cache"
is "and is there" "$(call 2)" '{"value":112,"traces":[]}'
is "the others are as they were" "$(call 3)" '{"value":7,"traces":[]}'
"$VETRO" build --emit-c before p
class 1 '$.n + [$.n].sum()'
"$VETRO" build --emit-c after p
is "the C of other classes does not know" "$(for f in before/c*.c; do cmp -s "$f" "after/${f#*/}" || echo "$f"; done)" before/c_p_oC1.c
class 1 '$.n + 1'
status "other options" 0 "$VETRO" build -v -O1 -o b p
like "are other objects" "$(cat err)" '\(0 of '
status "--no-cache" 0 "$VETRO" build -v -O0 --no-cache -o b p
like "looks at none" "$(cat err)" '\(0 of '
status "no compiler is needed" 0 "$VETRO" build -O0 --emit-c c p
is "there are no unfinished files" "$(find cache -name '*.tmp')" ""
status "a compiler that fails" 4 env VETRO_CC=false "$VETRO" build -O0 -o x p
is "leaves none either" "$(find cache -name '*.tmp')" ""

# What may not be trusted is not used, and a build needs no cache.
mkdir -p open/vetro
chmod 777 open/vetro
status "a cache that others can write to" 0 env XDG_CACHE_HOME="$W/open" "$VETRO" build -v -O0 -o b p
is "gets nothing" "$(ls open/vetro)" ""
like "and is reported of" "$(cat err)" 'only you can write to'
mkdir real
chmod 700 real
mkdir link
ln -s "$W/real" link/vetro
status "a cache that is a link" 0 env XDG_CACHE_HOME="$W/link" "$VETRO" build -O0 -o b p
is "gets nothing either" "$(ls real)" ""
status "no HOME and no cache directory" 0 env -u XDG_CACHE_HOME -u HOME "$VETRO" build -O0 -o b p
for f in cache/vetro/*.o; do : >"$f"; done
build "objects that are empty" "are made again" '\(0 of '
is "and the binary runs" "$(call 3)" '{"value":7,"traces":[]}'
for f in cache/vetro/*.o; do truncate -s 700 "$f"; done
build "objects that are damaged" "are made again too" "\(0 of $files files from the cache"
is "and the binary runs" "$(call 3)" '{"value":7,"traces":[]}'
like "which is reported" "$(cat err)" 'is damaged; it is made again'
rm cache/vetro/*.o
build "no objects" "makes them" "\(0 of $files files from the cache"
set -- cache/vetro/*.o
printf '\377\000\377' | dd of="$1" bs=1 seek=90 conv=notrunc 2>/dev/null
cp "$2" other.o
mv other.o "$3"
build "an object with other bytes, and one under the name of another" "are not linked" "\($((files - 2)) of $files files from the cache"
is "and the binary runs" "$(call 3)" '{"value":7,"traces":[]}'
chmod g+w "$1"
build "an object that others can write to" "is not linked either" "\($((files - 1)) of $files files from the cache"
build "the next build" "finds them whole" "\($files of $files files from the cache"
for f in cache/vetro/*.o; do rm "$f"; mkdir "$f"; done
build "objects that cannot be kept" "do no harm" "\(0 of $files files from the cache"
is "and the binary runs" "$(call 3)" '{"value":7,"traces":[]}'
rmdir cache/vetro/*.o

# A shell may leave its children to the process that it becomes.
class 1 '$.n + 1000'
status "children of others" 0 sh -c 'for i in 1 2 3 4 5 6; do sleep 0.0$i & done; exec "$@"' sh "$VETRO" build -O0 -o b p
is "are not taken for compilers" "$(call 1)" '{"value":1002,"traces":[]}'

# Nor does it matter that it was started by who ignores the end of children.
class 1 '$.n + 2000'
status "signals of children ignored" 0 perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$VETRO" build -O0 -o b p
is "make no difference" "$(call 1)" '{"value":2002,"traces":[]}'

# Two at once, in one cache.
rm -f cache/vetro/*.o
"$VETRO" build -O0 -o b1 p & "$VETRO" build -O0 -o b2 p
wait $!
for f in b1 b2; do
	mv $f b
	is "two builds at once do not disturb each other: $f" "$(call 3)" '{"value":7,"traces":[]}'
done
is "and leave nothing unfinished" "$(find cache -name '*.tmp')" ""

# What was used long ago goes when there is too much.
big=cache/vetro/0000
head -c 3000000 /dev/zero >$big
touch -d '2 days ago' $big
head -c 3000000 /dev/zero >${big}new
rm -f cache/vetro/trimmed
class 4 '$.n + 40'
status "a build with little room for the cache" 0 env VETRO_CACHE_MIB=1 "$VETRO" build -O0 -o b p
is "throws out what is old" "$(ls $big 2>/dev/null)" ""
is "and keeps what is new" "$(ls ${big}new)" "${big}new"
done_testing
