#!/bin/sh
echo "$VETRO_OPERATION $VETRO_NODE" >>"$dir/order"
