#!/bin/bash
# Installs real murano-api, murano-engine, Keystone and RabbitMQ from Debian, for `make check-engine`.  None of them is started:
# a policy-rc.d that was not there before stands in the way while they install, and goes again.
set -eu
export DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true
PKGS="keystone rabbitmq-server murano-api murano-engine python3-muranoclient uwsgi-plugin-python3 bc curl"
command -v apt-get >/dev/null || { echo "this is no Debian: $PKGS cannot be installed" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "installing $PKGS needs root" >&2; exit 1; }
if [ ! -e /usr/sbin/policy-rc.d ]; then
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
	trap 'rm -f /usr/sbin/policy-rc.d' EXIT
fi
apt-get update -q
apt-get install -y -q --no-install-recommends \
	-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold $PKGS
