#!/bin/bash
# Starts the REAL murano-api 14 (and, unless MURANO_ENGINES=0, python murano-engine) of Debian 12 on
# loopback without systemd, with its own Keystone and RabbitMQ, on SQLite.  Idempotent: what already runs
# is kept, what is already initialised is not initialised again.
#
#   MURANO_HOME     state, configuration, logs, pid files (required)
#   MURANO_ENGINES  number of python murano-engine processes (1; 0 = none: for another engine)
#   ENGINE_WORKERS  [engine] engine_workers of each of them (1)
#   NETWORK_DRIVER  nova (nothing is asked of Neutron before a machine is made) | neutron (the catalogue must have a network endpoint)
#   USE_TRUSTS      true (the default of murano) | false
#   MURANO_DB       sqlite | an SQLAlchemy URL
#   MURANO_DURABLE  true: amqp_durable_queues for api and engine (false, the default of oslo.messaging 14)
#   TOKEN_SECONDS   how long a token lives (86400)
#   NOTIFY          messagingv2 | noop: with the default of oslo.messaging (none) NO report of an engine reaches the api
#   EXT=1           no Keystone and no RabbitMQ of its own: OS_AUTH_URL, OS_PASSWORD (of admin) and AMQP_URL say
#                   where they are - as t/heat/up.sh prints them, so that applications may use Heat
#   ENGINE_AMQP_PORT, API_AMQP_PORT   another port for one side (a recorder in between); default: AMQP_PORT
# Prints  export ...  lines on stdout (what the murano client reads, and MURANO_CONF of the engine); messages go to stderr.
# Packages: keystone rabbitmq-server murano-api murano-engine python3-muranoclient uwsgi-plugin-python3 bc curl
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
: "${MURANO_HOME:?is not set}"
MURANO_ENGINES=${MURANO_ENGINES:-1} ENGINE_WORKERS=${ENGINE_WORKERS:-1} API_WORKERS=${API_WORKERS:-1}
USE_TRUSTS=${USE_TRUSTS:-true} MURANO_DB=${MURANO_DB:-sqlite} MURANO_DURABLE=${MURANO_DURABLE:-false} EXT=${EXT:-0}
KS_PORT=${KS_PORT:-5000} AMQP_PORT=${AMQP_PORT:-5672} MURANO_PORT=${MURANO_PORT:-8082}
EPMD_PORT=${EPMD_PORT:-4369} DIST_PORT=${DIST_PORT:-25672}
ADMIN_PW=${ADMIN_PW:-vetro-admin} MURANO_PW=${MURANO_PW:-vetro-murano} REGION=${REGION:-RegionOne}
IP=127.0.0.1 KS_URL=http://127.0.0.1:$KS_PORT/v3 AMQP=guest:guest@$IP
PATH=/usr/sbin:/usr/bin:/sbin:/bin; export PATH PYTHONDONTWRITEBYTECODE=1
if [ "$EXT" = 1 ]; then
  KS_URL=$OS_AUTH_URL ADMIN_PW=$OS_PASSWORD
  AMQP=${AMQP_URL#amqp://} AMQP=${AMQP%/}; AMQP_PORT=${AMQP##*:} AMQP=${AMQP%:*}
fi
ENGINE_AMQP_PORT=${ENGINE_AMQP_PORT:-$AMQP_PORT} API_AMQP_PORT=${API_AMQP_PORT:-$AMQP_PORT}
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
export no_proxy='*'
T0=$(date +%s.%N)
say() { printf '[%6.2fs] %s\n' "$(echo "$(date +%s.%N) - $T0" | bc)" "$*" >&2; }
mkdir -p "$MURANO_HOME"/{etc,log,pid,db,rabbit/mnesia,keystone,cache}
cd "$MURANO_HOME"
alive() { [ -s "pid/$1" ] && kill -0 "$(cat "pid/$1")" 2>/dev/null; }
bg() { # bg NAME command...: a session of its own, detached, pid file
  local n=$1; shift
  setsid "$@" >"log/$n.out" 2>&1 </dev/null &
  echo $! >"pid/$n"
}
wal() { /usr/bin/python3 -c 'import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute("pragma journal_mode=wal")' "$1"; }
wait_tcp() { # wait_tcp NAME PORT SECONDS
  local i; for ((i = 0; i < $3 * 10; i++)); do
    (exec 3<>"/dev/tcp/$IP/$2") 2>/dev/null && return 0
    alive "$1" || { say "$1 died:"; tail -20 "log/$1.out" >&2; return 1; }
    sleep 0.1
  done; say "$1: no answer on port $2"; return 1
}

if [ "$EXT" = 0 ]; then
# ---------------------------------------------------------------- RabbitMQ
  export ERL_EPMD_ADDRESS=$IP ERL_EPMD_PORT=$EPMD_PORT HOME=$MURANO_HOME/rabbit
  export RABBITMQ_NODENAME=murano@localhost RABBITMQ_CONFIG_FILE=$MURANO_HOME/etc/rabbitmq.conf \
    RABBITMQ_ENABLED_PLUGINS_FILE=$MURANO_HOME/etc/enabled_plugins \
    RABBITMQ_MNESIA_BASE=$MURANO_HOME/rabbit/mnesia RABBITMQ_LOG_BASE=$MURANO_HOME/log \
    RABBITMQ_DIST_PORT=$DIST_PORT RABBITMQ_CONF_ENV_FILE=/dev/null \
    RABBITMQ_PID_FILE=$MURANO_HOME/rabbit/server.pid \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none" \
    RABBITMQ_ALLOW_INPUT=1 RABBITMQ_LOGS=$MURANO_HOME/log/rabbit.log
  # for people: . etc/rabbit.env, then /usr/lib/rabbitmq/bin/rabbitmqctl
  env | grep -E '^(RABBITMQ|ERL|HOME)' | sed 's/=\(.*\)/="\1"/; s/^/export /' >etc/rabbit.env
  if ! alive rabbitmq; then
    cat >etc/rabbitmq.conf <<X
listeners.tcp.1 = $IP:$AMQP_PORT
log.file = $MURANO_HOME/log/rabbit.log
log.file.level = info
disk_free_limit.absolute = 50MB
X
    echo '[].' >etc/enabled_plugins
    alive epmd || bg epmd epmd -address $IP -port "$EPMD_PORT"
    bg rabbitmq /usr/lib/rabbitmq/bin/rabbitmq-server -noinput
  fi

# ---------------------------------------------------------------- Keystone
  cat >etc/keystone.conf <<X
[DEFAULT]
log_file = $MURANO_HOME/log/keystone.log
[database]
connection = sqlite:///$MURANO_HOME/db/keystone.sqlite?timeout=60
[fernet_tokens]
key_repository = $MURANO_HOME/keystone/fernet
[fernet_receipts]
key_repository = $MURANO_HOME/keystone/fernet
[credential]
key_repository = $MURANO_HOME/keystone/credential
[token]
expiration = ${TOKEN_SECONDS:-86400}
[identity]
password_hash_rounds = 4
[oslo_policy]
policy_dirs = /etc/keystone/policy.d
X
  if [ ! -e keystone/done ]; then
    say "keystone: db_sync, keys, bootstrap"
    K="keystone-manage --config-file $MURANO_HOME/etc/keystone.conf"
    mkdir -p keystone/fernet keystone/credential; chmod 700 keystone/*
    $K db_sync >>log/keystone-setup.out 2>&1
    wal db/keystone.sqlite
    for k in fernet/0 fernet/1 credential/0 credential/1; do
      (umask 077; head -c32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '\n' >keystone/$k)
    done
    $K bootstrap --bootstrap-password "$ADMIN_PW" --bootstrap-username admin \
      --bootstrap-project-name admin --bootstrap-role-name admin \
      --bootstrap-service-name keystone --bootstrap-region-id "$REGION" \
      --bootstrap-admin-url $KS_URL --bootstrap-public-url $KS_URL \
      --bootstrap-internal-url $KS_URL >>log/keystone-setup.out 2>&1
    touch keystone/done
  fi
  if ! alive keystone; then
    say "keystone: start"
    export OS_KEYSTONE_CONFIG_FILES=$MURANO_HOME/etc/keystone.conf
    bg keystone uwsgi_python311 --plugins python3 --http-socket $IP:$KS_PORT --master \
      --processes 1 --threads 1 --enable-threads --lazy-apps --buffer-size 65535 --listen 64 \
      --die-on-term --need-app --rem-header Content-Length --add-header 'Connection: close' \
      --disable-logging --wsgi-file /usr/bin/keystone-wsgi-public
  fi
fi

# ---------------------------------------------------------------- murano: configuration, database
case $MURANO_DB in sqlite) DBURL="sqlite:///$MURANO_HOME/db/murano.sqlite?timeout=60" ;; *) DBURL=$MURANO_DB ;; esac
auth() { cat <<X
auth_type = password
auth_url = $KS_URL
username = murano
password = $MURANO_PW
user_domain_name = Default
project_name = service
project_domain_name = Default
www_authenticate_uri = $KS_URL
X
}
conf() { cat <<X
[DEFAULT]
bind_host = $IP
bind_port = $MURANO_PORT
log_file = $MURANO_HOME/log/murano-$1.log
debug = ${MURANO_DEBUG:-false}
transport_url = rabbit://$AMQP:$2/
home_region = $REGION
[database]
connection = $DBURL
[keystone_authtoken]
$(auth)
[murano_auth]
$(auth)
[murano]
url = http://$IP:$MURANO_PORT
api_workers = $API_WORKERS
[engine]
engine_workers = $ENGINE_WORKERS
use_trusts = $USE_TRUSTS
packages_cache = $MURANO_HOME/cache
disable_murano_agent = ${DISABLE_AGENT:-false}
[networking]
driver = ${NETWORK_DRIVER:-nova}
[rabbitmq]
host = $IP
port = $AMQP_PORT
login = guest
password = guest
[paste_deploy]
config_file = /usr/share/murano-common/murano-paste.ini
[oslo_policy]
policy_dirs = /etc/murano/policy.d
[oslo_messaging_notifications]
driver = ${NOTIFY:-messagingv2}
[oslo_messaging_rabbit]
amqp_durable_queues = $MURANO_DURABLE
X
}
conf api "$API_AMQP_PORT" >etc/murano-api.conf
conf engine "$ENGINE_AMQP_PORT" >etc/murano-engine.conf
if [ ! -e db/murano.done ]; then
  say "murano: database"
  murano-db-manage --config-file etc/murano-api.conf upgrade >>log/murano-setup.out 2>&1
  [ "$MURANO_DB" = sqlite ] && wal db/murano.sqlite
  touch db/murano.done
fi
if [ "$EXT" = 0 ]; then wait_tcp keystone "$KS_PORT" 60; fi
if [ ! -e keystone/murano.done ]; then
  say "keystone: murano user, service, endpoints, an ordinary user"
  /usr/bin/python3 "$HERE/seed.py" "$KS_URL" "$ADMIN_PW" "$MURANO_PW" "http://$IP:$MURANO_PORT" "$REGION" >>log/keystone-setup.out 2>&1
  touch keystone/murano.done
fi
if [ "$EXT" = 0 ]; then wait_tcp rabbitmq "$AMQP_PORT" 60; say "rabbitmq: listening"; fi

# ---------------------------------------------------------------- murano: processes
alive murano-api || { say "murano-api: start"; bg murano-api murano-api --config-file etc/murano-api.conf; }
for ((i = 1; i <= MURANO_ENGINES; i++)); do
  alive murano-engine$i || { say "murano-engine $i: start"; bg murano-engine$i murano-engine --config-file etc/murano-engine.conf; }
done
wait_tcp murano-api "$MURANO_PORT" 90
say "murano-api: listening"
# ---------------------------------------------------------------- the core library, once, as a public package
if [ ! -e db/core.done ]; then
  say "murano: core library"
  /usr/bin/python3 "$HERE/core.py" "$KS_URL" "$ADMIN_PW" "http://$IP:$MURANO_PORT" /usr/share/murano-common/io.murano.zip >>log/murano-setup.out 2>&1
  touch db/core.done
fi
say "ready"
cat <<X
export OS_AUTH_URL=$KS_URL OS_IDENTITY_API_VERSION=3
export OS_USERNAME=demo OS_PASSWORD=vetro-demo OS_PROJECT_NAME=demo
export OS_USER_DOMAIN_ID=default OS_PROJECT_DOMAIN_ID=default OS_REGION_NAME=$REGION
export MURANO_URL=http://$IP:$MURANO_PORT
export MURANO_CONF=$MURANO_HOME/etc/murano-engine.conf
export AMQP_URL=amqp://$AMQP:$AMQP_PORT/
X
