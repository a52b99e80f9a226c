#!/bin/sh
# The source learns the address of its backend; the backend notes its clients.
set -eu
case $operation in
pre_configure_source) echo "$address" > "$source/backend" ;;
post_configure_target) echo "$client" > "$target/client" ;;
esac
