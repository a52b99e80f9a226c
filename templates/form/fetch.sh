#!/bin/sh
# Takes the form library of library.txt from npm: fetch.sh library.txt OUT.js
# The package is checked against its recorded sum, and nothing of it is run.
set -eu
list=$1 out=$2
line=$(grep -v '^#' "$list")
set -- $line
name=$1 version=$2 sum=$3 script=$4 licence=$5
command -v npm >/dev/null 2>&1 || { echo "npm is not here: the page stays without its form library" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && npm pack --silent --ignore-scripts "$name@$version" >/dev/null) || { echo "npm could not get $name@$version" >&2; exit 1; }
set -- "$tmp"/*.tgz
[ "$(sha512sum "$1" | cut -d' ' -f1)" = "$sum" ] || { echo "$name@$version is not what library.txt records" >&2; exit 1; }
tar -xzf "$1" -C "$tmp" "package/$script" "package/$licence"
mkdir -p "$(dirname "$out")"
{
	echo "/* $name $version"
	sed 's/^/ * /; s/ *$//' "$tmp/package/$licence"
	echo ' */'
	cat "$tmp/package/$script"
} >"$out.tmp"
mv "$out.tmp" "$out"
