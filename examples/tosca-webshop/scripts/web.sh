#!/bin/sh
# The web server publishes the page of its backend.
set -eu
case $operation in
create) mkdir -p "$directory/www" ;;
configure) [ -s "$directory/backend" ] ;;
start)
	cp "$(cat "$directory/backend")" "$directory/www/index.html"
	: > "$directory/running"
	echo "address=$directory/www/index.html" >> "${VETRO_OUTPUTS:-/dev/stdout}"
	;;
stop) rm -f "$directory/running" ;;
delete) rm -rf "$directory" ;;
esac
