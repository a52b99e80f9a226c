#!/bin/sh
# First boot, part two: the agent gets the settings of this machine and is started with them.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export PATH

# keep BASE64 FILE MODE: the file is there as a whole or not at all.
keep() {
	mkdir -p "${2%/*}" && (umask 077 && printf %s "$1" | base64 -d >"$2.part") &&
		chmod "$3" "$2.part" && mv -f "$2.part" "$2" || echo "murano: cannot write $2" >&2
}

# The settings hold a password.
keep '%AGENT_CONFIG_BASE64%' /etc/murano/agent.conf 600
authority='%CA_ROOT_CERT_BASE64%'
if [ -n "$authority" ]; then
	keep "$authority" /etc/murano/certs/ca_certs 644
fi
mkdir -p /var/murano/plans

# An agent of the image may be running with other settings.
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl enable murano-agent
	systemctl restart murano-agent
else
	if command -v update-rc.d >/dev/null 2>&1; then
		update-rc.d murano-agent defaults
	elif command -v chkconfig >/dev/null 2>&1; then
		chkconfig --add murano-agent
	fi
	service murano-agent stop
	service murano-agent start
fi
