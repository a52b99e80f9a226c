#!/bin/sh
# Every operation may be repeated: after an interruption it is run again.
set -eu
case $operation in
create) mkdir -p "$directory" ;;
delete) rmdir "$directory" 2>/dev/null || [ ! -e "$directory" ] ;;
esac
