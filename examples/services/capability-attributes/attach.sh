#!/bin/sh
echo device=/dev/sdb >>"$VETRO_OUTPUTS"
