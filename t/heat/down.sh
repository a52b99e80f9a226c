#!/bin/bash
# Stops what up.sh (and agent.sh) started, by pid file: TERM, three
# seconds, then KILL to the whole session (SQLite/WAL and mnesia survive that).
# "down.sh --wipe" also removes databases, keys and logs.
HERE=$(cd "$(dirname "$0")" && pwd); HEAT_HOME=${HEAT_HOME:-$HERE/run}
cd "$HEAT_HOME" 2>/dev/null || exit 0
ours() { # pid file's process is alive and leads its own session, as we started it
  [ -s "pid/$1" ] && p=$(cat "pid/$1") && [ "$(ps -o sid= -p "$p" 2>/dev/null | tr -d ' ')" = "$p" ]
}
L="murano-agent heat-all heat-api heat-engine keystone rabbitmq"
for n in $L; do ours $n && kill -TERM "$p"; done
for ((i = 0; i < 30; i++)); do
  any=0; for n in $L; do ours $n && any=1; done
  [ $any = 0 ] && break; sleep 0.1
done
for n in $L epmd; do
  if ours $n; then
    # Erlang's helpers (erl_child_setup, inet_gethost, disk monitor) sit in sessions of their own
    kids=$(ps -eo pid=,ppid= | awk -v r="$p" '{c[$2]=c[$2]" "$1} function w(x,a,i,n){n=split(c[x],a," ");for(i=1;i<=n;i++){print a[i];w(a[i])}} END{w(r)}')
    kill -KILL "$p" $kids 2>/dev/null; kill -KILL -- "-$p" 2>/dev/null
  fi
  rm -f pid/$n
done
[ "${1:-}" = --wipe ] && rm -rf "$HEAT_HOME"
exit 0
