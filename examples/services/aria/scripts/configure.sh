#!/bin/bash
set -e
ctx logger info "Downloading to $dir"
ctx download-resource "$dir/index.html" index.html
