#!/bin/sh
# Pages that are made from tables are fresh, and documents name no path that is not there.
. "$(dirname "$0")/../lib/lib.sh"
gen=${BUILD:-$top/build/debug}/gen/functions.md
if [ -f "$gen" ]; then
	ok "docs/functions.md is what the registry says (make docs)" cmp "$gen" "$top/docs/functions.md"
else
	skip "docs/functions.md is fresh" "no build in $gen"
fi
lua5.4 "$top/lua/build/irdoc.lua" "$top/compiler/ir/ops.def" "$top/docs/IR.md" >"$W/IR.md"
ok "docs/IR.md lists the ops that there are (make docs)" cmp "$W/IR.md" "$top/docs/IR.md"
lua5.4 "$top/lua/build/toscadoc.lua" "$top/runtime/tosca/fn.def" >"$W/tosca-functions.md"
ok "docs/tosca-functions.md lists the functions that there are (make docs)" cmp "$W/tosca-functions.md" "$top/docs/tosca-functions.md"
classes=$(cd "$top" && for l in io.murano io.murano.applications; do find runtime/lib/$l/Classes -name '*.yaml' | LC_ALL=C sort; done)
(cd "$top" && echo "$classes" | xargs lua5.4 lua/build/coredoc.lua docs/core-library.md) >"$W/core-library.md"
ok "docs/core-library.md lists the classes that there are (make docs)" cmp "$W/core-library.md" "$top/docs/core-library.md"
# ---- links, also those to a heading
pages=$(cd "$top" && echo README.md docs/*.md docs/internals/*.md)
for f in $pages; do
	bad=$(grep -o '](\([^):]*\))' "$top/$f" | sed 's/](\([^#)]*\).*)/\1/' | while read -r p; do
		[ -e "$top/$(dirname "$f")/$p" ] || echo "$p"; done)
	is "$f: every link leads somewhere" "$bad" ""
done

# ---- width: lines of 100 characters, but for tables, for what stands between ``` and for a link by itself
wide_lines() { # FILE
	perl -CSD -ne 'if (/^```/) { $code = !$code } elsif (!$code && !/^ *[|]/ && !/^[-* ]*\[[^]]*\]\([^)]*\)$/) { chomp; print "$. " if length > 100 }' "$1"
}
for f in $pages; do
	is "$f: lines have at most 100 columns" "$(wide_lines "$top/$f")" ""
done

# ---- a page for each room
while read -r kind half rooms; do
	[ "$kind" = layers ] || continue
	for room in $rooms; do
		ok "the room $half/$room has a page" test -s "$top/docs/internals/$half-$room.md"
		ok "the page of $half/$room is in the index" grep -qF "]($half-$room.md)" "$top/docs/internals/README.md"
	done
done <"$top/t/project/rooms.txt"

# ---- paths in the pages of rooms: a file of the table is in the room, or is a path from the top
for f in $(cd "$top" && echo docs/internals/*-*.md); do
	room=$(basename "$f" .md | sed 's/-/\//')
	bad=$(sed -n '/^## Files/,/^## [^F]/p' "$top/$f" | grep '^| `' | cut -d'|' -f2 |
		grep -o '`[a-zA-Z_0-9*][a-zA-Z_0-9*/]*[.][^`]*`' | tr -d '`' | while read -r p; do
		ls "$top/$room"/$p >/dev/null 2>&1 || ls "$top"/$p >/dev/null 2>&1 || echo "$p"; done)
	is "$f: the files in its table are there" "$bad" ""
	bad=$(grep -o '`\(compiler\|runtime\|t\|lua\|templates\)/[^` ]*`' "$top/$f" | tr -d '`' | sed 's/CODE.*/*/; s/NAME.*/*/; s/:.*//' | while read -r p; do
		ls $top/$p >/dev/null 2>&1 || echo "$p"; done)
	is "$f: the paths that it names are there" "$bad" ""
done
# What a page shows was printed by a tree that is whole, wherever it was.
is "no page shows where it was made" "$(cd "$top" && grep -nE '/build/(release|debug|asan) is of another version' docs/*.md docs/*/*.md)" ""
missing=$(grep -v '^#' "$top/t/conformance.differs" | sed 's/^[^/]*\///' | while read -r id; do grep -qF "$id" "$top/docs/differences.md" || echo "$id"; done)
is "differences.md names every recorded case that vetro answers otherwise" "$missing" ""
# The halves share data, not code: libyaml has a file in each, and the layout needs what is between its events.
for lib in yaml.h:compiler/yaml/yaml.c,compiler/fmt/tree.c,compiler/fmt/same.c,runtime/text/yaml_read.c \
	gmp.h:runtime/core/bigint.c utf8proc.h:lua/build/unicode_tables.c \
	libtcc.h:compiler/build/tcc.c lauxlib.h:runtime/lua/host.h \
	minizip/unzip.h:compiler/murano/archive.c pcre2.h:runtime/text/regex.c \
	curl/curl.h:runtime/net/http.c amqp.h:runtime/net/rabbitmq.h openssl/evp.h:runtime/net/sign.c expat.h:runtime/text/xml.c; do
	h=${lib%%:*} owner=$(echo "${lib#*:}" | tr , '|')
	is "$h is named in ${lib#*:} only" "$(cd "$top" && grep -l "#include <.*$h>" compiler/*/*.[ch] runtime/*/*.[ch] lua/*/*.c | grep -Ev "^($owner)$")" ""
done
done_testing
