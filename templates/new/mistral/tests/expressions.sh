#!/bin/sh
# Evaluates an expression of the workflow alone: the data of the test stand for its variables.
set -eu
action=$("$VETRO" query -r '$.get("@NAME@").tasks.greet.action' workflow.yaml)
expression=${action#*<% }
got=$(echo '{"greeting": "Hello", "name": "Ada"}' | "$VETRO" query -r "${expression% %>}")
[ "$got" = 'Hello, Ada!' ] || { echo "not ok: greet echoes $got"; exit 1; }
echo 'ok: greet echoes what it should'
