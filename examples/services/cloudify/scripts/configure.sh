#!/bin/bash
set -e
to=$(ctx download-resource files/page.txt)
{ cat "$to"; echo "$* $(ctx instance runtime_properties backend) at $(ctx instance host_ip)"; } >"$DIR/page.txt"
