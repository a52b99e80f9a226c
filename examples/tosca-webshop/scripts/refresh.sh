#!/bin/sh
# The backend has changed: the web server fetches its page again, the shop makes its page anew.
set -eu
if [ -d "$source/www" ]; then
	cp "$address" "$source/www/index.html"
else
	rows=$(ls "$address" | sed 's|.*|<li>&</li>|' | tr -d '\n')
	sed -e "s|@TITLE@|$(cat "$source/title")|" -e "s|@ITEMS@|$rows|" "$(dirname "$0")/page.html" > "$source/page.html"
fi
