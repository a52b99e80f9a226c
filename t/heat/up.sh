#!/bin/bash
# Starts REAL Keystone 22 + Heat 19 + RabbitMQ 3.10 (Debian 12 packages, see
# install.sh) on 127.0.0.1 without systemd.  Idempotent: what already runs is
# kept, what is already initialised is not initialised again.
#
#   HEAT_HOME  state, config, logs, pid files   (default ./run next to this file)
#   HEAT_PROC  split = heat-api + heat-engine (two processes), all = heat-all
#   HEAT_BUS   rabbit | memory (memory needs HEAT_PROC=all)
#   HEAT_DB    sqlite | an SQLAlchemy URL for Heat
#   WITH_RABBIT=0  leaves RabbitMQ out (only with HEAT_BUS=memory)
#   ONLY_RABBIT=1  RabbitMQ and nothing else
#   WITH_KEYSTONE=0  no Keystone at all: Heat with the "noauth" flavor, where
#                  every token is accepted (project/user ids come from headers)
# Prints  export OS_...  lines on stdout; messages go to stderr.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
HEAT_HOME=${HEAT_HOME:-$HERE/run}
HEAT_PROC=${HEAT_PROC:-split} HEAT_BUS=${HEAT_BUS:-rabbit} HEAT_DB=${HEAT_DB:-sqlite}
WITH_RABBIT=${WITH_RABBIT:-1} WITH_KEYSTONE=${WITH_KEYSTONE:-1}
KS_PORT=${KS_PORT:-5000} HEAT_PORT=${HEAT_PORT:-8004} AMQP_PORT=${AMQP_PORT:-5672}
EPMD_PORT=${EPMD_PORT:-4369} DIST_PORT=${DIST_PORT:-25672}
ADMIN_PW=${ADMIN_PW:-vetro-admin} HEAT_PW=${HEAT_PW:-vetro-heat} REGION=${REGION:-RegionOne}
IP=127.0.0.1
PATH=/usr/sbin:/usr/bin:/sbin:/bin; export PATH PYTHONDONTWRITEBYTECODE=1
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
export no_proxy='*'
say() { printf '[%6.2fs] %s\n' "$(echo "$(date +%s.%N) - $T0" | bc)" "$*" >&2; }
T0=$(date +%s.%N)
mkdir -p "$HEAT_HOME"/{etc,log,pid,db,rabbit/mnesia,keystone}
cd "$HEAT_HOME"

alive() { [ -s "pid/$1" ] && kill -0 "$(cat "pid/$1")" 2>/dev/null; }
bg() {  # bg NAME command...: own session, detached, pid file
  local n=$1; shift
  setsid "$@" >"log/$n.out" 2>&1 </dev/null &
  echo $! >"pid/$n"
}
# SQLite without WAL gives "database is locked" as soon as two connections are
# open (Keystone threads, Heat greenthreads); journal_mode=WAL is kept in the file.
wal() { /usr/bin/python3 -c 'import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute("pragma journal_mode=wal").fetchone())' "$1" >>log/wal.out; }
# SQLite gives the number of a row that was deleted to the next one.  Heat deletes what it had cached of a resource's attributes
# twice while it updates one, and the second time that is the new properties: every later look at the stack is a 404.
no_reuse() { /usr/bin/python3 - "$1" >>log/wal.out <<'X'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
table = 'resource_properties_data'
(old,) = db.execute('select sql from sqlite_master where name = ?', (table,)).fetchone()
new = old.replace('id INTEGER NOT NULL', 'id INTEGER PRIMARY KEY AUTOINCREMENT', 1).replace(', \n\tPRIMARY KEY (id)', '')
assert 'PRIMARY KEY (id)' not in new and 'AUTOINCREMENT' in new, old
db.execute('drop table ' + table)
db.execute(new)
db.commit()
print(new)
X
}
wait_tcp() { # wait_tcp NAME PORT SECONDS
  local i; for ((i = 0; i < $3 * 10; i++)); do
    (exec 3<>"/dev/tcp/$IP/$2") 2>/dev/null && return 0
    alive "$1" || { say "$1 died:"; tail -20 "log/$1.out" >&2; return 1; }
    sleep 0.1
  done; say "$1: no answer on port $2"; return 1
}

# ---------------------------------------------------------------- RabbitMQ
if [ "$WITH_RABBIT" = 1 ] && ! alive rabbitmq; then
  cat >etc/rabbitmq.conf <<X
listeners.tcp.1 = $IP:$AMQP_PORT
log.file = $HEAT_HOME/log/rabbit.log
log.file.level = warning
disk_free_limit.absolute = 50MB
X
  echo '[].' >etc/enabled_plugins
  export ERL_EPMD_ADDRESS=$IP ERL_EPMD_PORT=$EPMD_PORT HOME=$HEAT_HOME/rabbit
  export RABBITMQ_NODENAME=vetro@localhost RABBITMQ_CONFIG_FILE=$HEAT_HOME/etc/rabbitmq.conf \
    RABBITMQ_ENABLED_PLUGINS_FILE=$HEAT_HOME/etc/enabled_plugins \
    RABBITMQ_MNESIA_BASE=$HEAT_HOME/rabbit/mnesia RABBITMQ_LOG_BASE=$HEAT_HOME/log \
    RABBITMQ_DIST_PORT=$DIST_PORT RABBITMQ_CONF_ENV_FILE=/dev/null \
    RABBITMQ_PID_FILE=$HEAT_HOME/rabbit/server.pid \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none" \
    RABBITMQ_ALLOW_INPUT=1 RABBITMQ_LOGS=$HEAT_HOME/log/rabbit.log
  alive epmd || bg epmd epmd -address $IP -port "$EPMD_PORT"
  # ALLOW_INPUT makes the script exec the Erlang VM (our pid = the broker's pid);
  # stdin is /dev/null, so -noinput is given by hand.
  bg rabbitmq /usr/lib/rabbitmq/bin/rabbitmq-server -noinput
fi

if [ "${ONLY_RABBIT:-0}" = 1 ]; then wait_tcp rabbitmq "$AMQP_PORT" 60; say "rabbitmq: listening"; echo "export AMQP_URL=amqp://guest:guest@$IP:$AMQP_PORT/"; exit 0; fi

# ---------------------------------------------------------------- Keystone
if [ "$WITH_KEYSTONE" = 1 ]; then
  cat >etc/keystone.conf <<X
[DEFAULT]
log_file = $HEAT_HOME/log/keystone.log
[database]
connection = sqlite:///$HEAT_HOME/db/keystone.sqlite?timeout=60
[fernet_tokens]
key_repository = $HEAT_HOME/keystone/fernet
[fernet_receipts]
key_repository = $HEAT_HOME/keystone/fernet
[credential]
key_repository = $HEAT_HOME/keystone/credential
[token]
expiration = 86400
[identity]
password_hash_rounds = 4
[oslo_policy]
policy_dirs = /etc/keystone/policy.d
X
  if [ ! -e keystone/done ]; then
    say "keystone: db_sync, keys, bootstrap"
    K="keystone-manage --config-file $HEAT_HOME/etc/keystone.conf"
    mkdir -p keystone/fernet keystone/credential; chmod 700 keystone/*
    $K db_sync >>log/keystone-setup.out 2>&1
    wal db/keystone.sqlite
    # what `keystone-manage fernet_setup / credential_setup` write (4 s each): Fernet keys 0 and 1
    for k in fernet/0 fernet/1 credential/0 credential/1; do
      (umask 077; head -c32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '\n' >keystone/$k)
    done
    $K bootstrap --bootstrap-password "$ADMIN_PW" --bootstrap-username admin \
      --bootstrap-project-name admin --bootstrap-role-name admin \
      --bootstrap-service-name keystone --bootstrap-region-id "$REGION" \
      --bootstrap-admin-url http://$IP:$KS_PORT/v3 --bootstrap-public-url http://$IP:$KS_PORT/v3 \
      --bootstrap-internal-url http://$IP:$KS_PORT/v3 >>log/keystone-setup.out 2>&1
    touch keystone/done
  fi
  if ! alive keystone; then
    say "keystone: start"
    export OS_KEYSTONE_CONFIG_FILES=$HEAT_HOME/etc/keystone.conf
    bg keystone uwsgi_python311 --plugins python3 --http-socket $IP:$KS_PORT --master \
      --processes 1 --threads 1 --enable-threads --lazy-apps --buffer-size 65535 --listen 64 \
      --die-on-term --need-app --rem-header Content-Length --add-header 'Connection: close' \
      --disable-logging --wsgi-file /usr/bin/keystone-wsgi-public
  fi
fi

# ---------------------------------------------------------------- Heat: config, DB
case $HEAT_DB in sqlite) DBURL="sqlite:///$HEAT_HOME/db/heat.sqlite?timeout=60" ;; *) DBURL=$HEAT_DB ;; esac
case $HEAT_BUS in memory) BUS="kombu+memory:////" ;; *) BUS="rabbit://guest:guest@$IP:$AMQP_PORT/" ;; esac
if [ "$WITH_KEYSTONE" = 1 ]; then FLAVOR= DEFER=; else FLAVOR=$'[paste_deploy]\nflavor = noauth\n' DEFER='deferred_auth_method = password'; fi
auth() { cat <<X
auth_type = password
auth_url = http://$IP:$KS_PORT/v3
username = heat
password = $HEAT_PW
user_domain_id = default
X
}
cat >etc/heat.conf <<X
[DEFAULT]
log_file = $HEAT_HOME/log/heat.log
transport_url = $BUS
auth_encryption_key = 0123456789abcdef0123456789abcdef
region_name_for_services = $REGION
num_engine_workers = 1
convergence_engine = ${HEAT_CONVERGENCE:-true}
server_keystone_endpoint_type = public
stack_user_domain_name = heat
stack_domain_admin = heat_domain_admin
stack_domain_admin_password = $HEAT_PW
heat_metadata_server_url = http://$IP:8000
heat_waitcondition_server_url = http://$IP:8000/v1/waitcondition
periodic_interval = 3600
$DEFER
rpc_response_timeout = 120
[database]
connection = $DBURL
sqlite_synchronous = false
[heat_api]
bind_host = $IP
bind_port = $HEAT_PORT
workers = ${HEAT_API_WORKERS:-1}
[heat_all]
enabled_services = engine,api
[keystone_authtoken]
$(auth)
project_name = service
project_domain_id = default
www_authenticate_uri = http://$IP:$KS_PORT/v3
region_name = $REGION
service_token_roles_required = true
[trustee]
$(auth)
[clients]
endpoint_type = publicURL
[clients_keystone]
auth_uri = http://$IP:$KS_PORT
[oslo_policy]
policy_dirs = /etc/heat/policy.d
[oslo_messaging_rabbit]
heartbeat_timeout_threshold = 0
$FLAVOR
X
if [ ! -e db/heat.done ]; then
  say "heat: db_sync"
  heat-manage --config-file etc/heat.conf db_sync >>log/heat-setup.out 2>&1 &
  HEATDB=$!
fi
if [ "$WITH_KEYSTONE" = 1 ]; then
  wait_tcp keystone "$KS_PORT" 60
  if [ ! -e keystone/heat.done ]; then
    say "keystone: heat user, domain, roles, endpoints"
    /usr/bin/python3 "$HERE/seed.py" "http://$IP:$KS_PORT/v3" "$ADMIN_PW" "$HEAT_PW" \
      "http://$IP:$HEAT_PORT/v1/%(tenant_id)s" "$REGION" >>log/keystone-setup.out 2>&1
    touch keystone/heat.done
  fi
fi
if [ -n "${HEATDB:-}" ]; then wait "$HEATDB"; [ "$HEAT_DB" = sqlite ] && { wal db/heat.sqlite; no_reuse db/heat.sqlite; }; touch db/heat.done; fi

# ---------------------------------------------------------------- Heat: processes
[ "$WITH_RABBIT" = 1 ] && { wait_tcp rabbitmq "$AMQP_PORT" 60; say "rabbitmq: listening"; }
if [ "$HEAT_PROC" = all ]; then
  alive heat-all || { say "heat-all: start"; bg heat-all heat-all --config-file etc/heat.conf; }
  API=heat-all
else
  alive heat-engine || { say "heat-engine: start"; bg heat-engine heat-engine --config-file etc/heat.conf; }
  alive heat-api || { say "heat-api: start"; bg heat-api heat-api --config-file etc/heat.conf; }
  API=heat-api
fi
wait_tcp $API "$HEAT_PORT" 90
say "heat-api: listening"

# ---------------------------------------------------------------- ready = the engine answers an RPC call
/usr/bin/python3 "$HERE/ready.py" "http://$IP:$KS_PORT/v3" "$ADMIN_PW" \
  "http://$IP:$HEAT_PORT" "$WITH_KEYSTONE" 90 >etc/ids
say "heat-engine: answers"
. etc/ids
cat <<X
export OS_AUTH_URL=http://$IP:$KS_PORT/v3 OS_IDENTITY_API_VERSION=3
export OS_USERNAME=admin OS_PASSWORD=$ADMIN_PW OS_PROJECT_NAME=admin
export OS_USER_DOMAIN_ID=default OS_PROJECT_DOMAIN_ID=default OS_REGION_NAME=$REGION
export OS_PROJECT_ID=$PROJECT_ID HEAT_URL=http://$IP:$HEAT_PORT/v1/$PROJECT_ID
export AMQP_URL=amqp://guest:guest@$IP:$AMQP_PORT/
X
