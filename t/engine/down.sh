#!/bin/bash
# Stops what up.sh started, by pid file: TERM, five seconds, then KILL.  "--wipe" also removes databases, keys and logs.
HERE=$(cd "$(dirname "$0")" && pwd); : "${MURANO_HOME:?is not set}"
cd "$MURANO_HOME" 2>/dev/null || exit 0
ours() { # the process of a pid file is alive and leads its own session, as it was started
  [ -s "pid/$1" ] && p=$(cat "pid/$1") && [ "$(ps -o sid= -p "$p" 2>/dev/null | tr -d ' ')" = "$p" ]
}
ALL=$(cd pid && ls | grep -v -e '^epmd$' -e '^rabbitmq$' -e '^keystone$'; echo keystone rabbitmq)
for n in $ALL; do ours $n && kill -TERM "$p"; done
for ((i = 0; i < 50; i++)); do
  any=0; for n in $ALL; do ours $n && any=1; done
  [ $any = 0 ] && break; sleep 0.1
done
for n in $ALL epmd; do
  if ours $n; then
    kids=$(ps -eo pid=,ppid= | awk -v r="$p" '{c[$2]=c[$2]" "$1} function w(x,a,i,n){n=split(c[x],a," ");for(i=1;i<=n;i++){print a[i];w(a[i])}} END{w(r)}')
    kill -KILL "$p" $kids 2>/dev/null; kill -KILL -- "-$p" 2>/dev/null
  fi
  rm -f pid/$n
done
[ "${1:-}" = --wipe ] && rm -rf "$MURANO_HOME"
exit 0
