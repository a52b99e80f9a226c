#!/bin/bash
# Starts the Debian murano-agent 10.0.0 against the RabbitMQ of up.sh.
#   AGENT_KEY=file   PEM public key of the engine (turns signature checks on)
#   AGENT_SHIM=0     the agent exactly as packaged (cannot store a plan: see the shim)
set -eu
HERE=$(cd "$(dirname "$0")" && pwd); HEAT_HOME=${HEAT_HOME:-$HERE/run}
AMQP_PORT=${AMQP_PORT:-5672} IN=${IN_QUEUE:-e0123-h4567} OUT=${OUT_QUEUE:--execution-results-probe}
PATH=/usr/sbin:/usr/bin:/sbin:/bin
mkdir -p "$HEAT_HOME"/{etc,log,pid,agent}; cd "$HEAT_HOME"
[ -s pid/murano-agent ] && kill -0 "$(cat pid/murano-agent)" 2>/dev/null && exit 0
{ cat <<X
[DEFAULT]
debug = True
log_file = $HEAT_HOME/log/murano-agent.log
storage = $HEAT_HOME/agent
X
[ -n "${AGENT_KEY:-}" ] && { echo 'engine_key ='; sed 's/^/\t/' "$AGENT_KEY"; }
cat <<X
[rabbitmq]
host = 127.0.0.1
port = $AMQP_PORT
login = guest
password = guest
virtual_host = /
ssl = False
input_queue = $IN
result_routing_key = $OUT
X
} >etc/murano-agent.conf
if [ "${AGENT_SHIM:-1}" = 1 ]; then RUN="/usr/bin/python3 $HERE/agent_shim.py"; else RUN=/usr/bin/muranoagent; fi
PYTHONDONTWRITEBYTECODE=1 setsid $RUN --config-file etc/murano-agent.conf >log/murano-agent.out 2>&1 </dev/null &
echo $! >pid/murano-agent
