#!/bin/sh
# The table of symbols.c for a static vetro, as C: every global name of the runtime's archive.
# usage: static-names.sh NM ARCHIVE
set -eu
names=$("$1" --defined-only -g "$2" 2>/dev/null | awk 'NF == 3 && $2 ~ /^[TDRB]$/ && $3 ~ /^vt_/ {print $3}' | LC_ALL=C sort -u)
echo '/* made by templates/static-names.sh */'
for n in $names; do echo "extern const char $n[];"; done
echo 'struct vc_static_name {const char *name; const void *address;};'
echo 'const struct vc_static_name vc_static_names[] = {'
for n in $names; do echo "	{\"$n\", $n},"; done
echo '};'
echo 'const unsigned vc_nstatic_names = sizeof vc_static_names / sizeof *vc_static_names;'
