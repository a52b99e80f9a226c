#!/bin/sh
# in the working directory, and beside the script
echo "words=$(cat more.txt "$(dirname "$0")/page.txt" | tr "\n" " ")" >>"$VETRO_OUTPUTS"
