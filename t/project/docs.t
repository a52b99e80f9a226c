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
(cd "$top" && find runtime/lib/io.murano/Classes -name '*.yaml' | LC_ALL=C sort | xargs lua5.4 lua/build/coredoc.lua docs/core-library.md) >"$W/core-library.md"
ok "docs/core-library.md lists the classes that there are (make docs)" cmp "$W/core-library.md" "$top/docs/core-library.md"
for f in "$top"/README.md "$top"/docs/*.md; do
	bad=$(grep -o '](\([^)#:]*\))' "$f" | sed 's/](\(.*\))/\1/' | while read -r p; do [ -e "$(dirname "$f")/$p" ] || echo "$p"; done)
	is "$(basename "$f"): every link leads somewhere" "$bad" ""
done
missing=$(grep -v '^#' "$top/t/conformance.differs" | sed 's/^[^/]*\///' | while read -r id; do grep -qF "$id" "$top/docs/differences.md" || echo "$id"; done)
is "differences.md names every recorded case that vetro answers otherwise" "$missing" ""
# The halves share data, not code: libyaml has a file in each.
for lib in yaml.h:compiler/yaml/yaml.c,runtime/text/yaml_read.c gmp.h:runtime/core/bigint.c utf8proc.h:lua/build/unicode_tables.c \
	libtcc.h:compiler/build/tcc.c lauxlib.h:runtime/lua/host.h \
	minizip/unzip.h:compiler/murano/archive.c pcre2.h:runtime/text/regex.c \
	curl/curl.h:runtime/net/http.c amqp.h:runtime/net/amqp.c openssl/evp.h:runtime/net/sign.c expat.h:runtime/text/xml.c; do
	h=${lib%%:*} owner=$(echo "${lib#*:}" | tr , '|')
	is "$h is named in ${lib#*:} only" "$(cd "$top" && grep -l "#include <.*$h>" compiler/*/*.[ch] runtime/*/*.[ch] lua/*/*.c | grep -Ev "^($owner)$")" ""
done
done_testing
