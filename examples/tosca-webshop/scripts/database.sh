#!/bin/sh
# The database: a table is a directory, an item a file in it.
set -eu
case $operation in
create) mkdir -p "$directory/items" ;;
configure)
	rm -f "$directory/items/"*
	for item in $items; do
		: > "$directory/items/$item"
	done
	;;
start)
	: > "$directory/running"
	echo "address=$directory/items" >> "${VETRO_OUTPUTS:-/dev/stdout}"
	;;
stop) rm -f "$directory/running" ;;
delete) rm -rf "$directory" ;;
esac
