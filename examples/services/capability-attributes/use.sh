#!/bin/sh
echo "seen=$size on $device" >>"$VETRO_OUTPUTS"
