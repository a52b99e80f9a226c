#!/bin/bash
set -e
name=$(ctx node properties name)
ctx logger info "creating $name"
ctx instance runtime-properties address "$name.local:$port"
ctx instance runtime-properties clients '@[]'
