#!/bin/sh
# Names of characters in strings: \N{NAME}, what Python's unicodedata knows of them, and hostile names.
. "$(dirname "$0")/../lib/lib.sh"
unit=${BUILD:-$top/build/debug}/t/unit_uniname

query() { "$VETRO" query "$1" </dev/null 2>&1; }

is "a name in a string" "$(query '"\N{HEBREW LETTER ALEF}"')" '"א"'
is "case does not matter" "$(query '"<\N{snowman}>"')" '"<☃>"'
is "an alias" "$(query '"\N{LF}".len()')" 1
is "an ideograph and a syllable" "$(query "'\\N{CJK UNIFIED IDEOGRAPH-4E2D}\\N{HANGUL SYLLABLE GA}'")" '"中가"'
like "a named sequence is no character" "$(query '"\N{KEYCAP DIGIT ONE}"')" 'unknown Unicode character name'
like "a name that is none" "$(query '"\N{HEBREW LETTER ALEFF}"')" 'unknown Unicode character name'
is "no name: no escape" "$(query '"\N{}"')" '"\\N{}"'
long=$(printf '%02000d' 0)
like "a very long name" "$(query "\"\\N{$long}\"")" 'unknown Unicode character name'
like "control bytes" "$(query "$(printf '"\\N{SNOW\001MAN}"')")" 'unknown Unicode character name'

if [ ! -x "$unit" ]; then
	skip "names one by one" "$unit is not built: make check-quick builds it"
	done_testing
	exit
fi
ok "names one by one" "$unit"
# Every character that has a name there, in two cases, and its aliases as far as Python knows them.
cat >"$W/names.py" <<'END'
import sys, unicodedata
for cp in range(0x110000):
    name = unicodedata.name(chr(cp), None)
    if name and (not 0x4e10 <= cp < 0x9f00 or cp % 7 == 0):
        print("%s\t%x" % (name, cp))
        print("%s\t%x" % (name.lower(), cp))
        for other in (name + " ", name[:-1] + "$", name + "X QQQ"):
            print("%s\t-" % other)
for line in open(sys.argv[1]) if len(sys.argv) > 1 else ():
    cp, name = (line.split(";") + [""])[:2]
    try:
        if not line.startswith("#") and len(unicodedata.lookup(name)) == 1:
            print("%s\t%x" % (name, ord(unicodedata.lookup(name))))
    except KeyError:
        pass
END
if ! command -v python3 >/dev/null 2>&1; then
	skip "names as Python knows them" "no python3"
else
	aliases=/usr/share/unicode/NameAliases.txt
	[ -e "$aliases" ] || aliases=
	python3 "$W/names.py" $aliases >"$W/names"
	ok "names as Python knows them" "$unit" - <"$W/names"
fi
done_testing
