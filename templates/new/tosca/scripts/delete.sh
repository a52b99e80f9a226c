#!/bin/sh
set -eu
rm -f "$folder/index.txt"
