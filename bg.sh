. /tmp/env-w1.sh
T=/tmp/w1-tools
( timeout 200 /usr/bin/python3 $T/rndf.py $VETRO 500 11; timeout 200 /usr/bin/python3 $T/rndf.py $VETRO 500 12;
for s in rnd rndset rndl; do timeout 150 /usr/bin/python3 /tmp/mw/$s.py $VETRO 250 91 | tail -3; done ) > $T/bg.log 2>&1
timeout 300 /usr/bin/python3 $T/rndc.py $VETRO 300 2 > $T/rndc2.log 2>&1
echo done >> $T/rndc2.log
