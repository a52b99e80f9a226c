#!/bin/sh
{ echo when=later; echo "seen=$VETRO_TARGET"; } >>"$VETRO_OUTPUTS"
