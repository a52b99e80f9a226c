#!/bin/sh
# The shop makes a page of what the database holds. connect.sh told it where that is.
set -eu
case $operation in
create) mkdir -p "$directory" ;;
configure) [ -d "$(cat "$directory/backend")" ] ;;
start)
	rows=$(ls "$(cat "$directory/backend")" | sed 's|.*|<li>&</li>|' | tr -d '\n')
	sed -e "s|@TITLE@|$title|" -e "s|@ITEMS@|$rows|" "$(dirname "$0")/page.html" > "$directory/page.html"
	echo "$title" > "$directory/title"
	: > "$directory/running"
	echo "address=$directory/page.html" >> "${VETRO_OUTPUTS:-/dev/stdout}"
	;;
stop) rm -f "$directory/running" ;;
delete) rm -rf "$directory" ;;
esac
