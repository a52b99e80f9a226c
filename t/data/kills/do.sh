# The child tells the end: it lives on when only its parent is killed.
me="$VETRO_NODE${VETRO_RELATIONSHIP:+-$VETRO_RELATIONSHIP}.$VETRO_OPERATION"
echo "$me begin $VETRO_ATTEMPT" >>"$WORLD/log"
/bin/sh -c 'sleep 0.01; echo "$1 end $2" >>"$3/log"' - "$me" "$VETRO_ATTEMPT" "$WORLD"
echo "made=$me" >"$VETRO_OUTPUTS"
