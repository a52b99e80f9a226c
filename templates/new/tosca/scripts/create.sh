#!/bin/sh
# Inputs of the operation are in the environment.
set -eu
mkdir -p "$folder"
printf '%s\n' "$greeting" >"$folder/index.txt"
