#!/bin/sh
# First boot, part one: the agent is found or installed, and becomes a service.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export PATH

say() {
	echo "murano: $*" >&2
}

# put BASE64 FILE MODE: the file is there as a whole or not at all.
put() {
	mkdir -p "${2%/*}" && (umask 077 && printf %s "$1" | base64 -d >"$2.part") &&
		chmod "$3" "$2.part" && mv -f "$2.part" "$2" || say "cannot write $2"
}

has() {
	command -v "$1" >/dev/null 2>&1
}

# Pythons that a distribution looks after refuse what pip brings, but for an environment of its own.
install_agent() {
	source=$(printf %s '%AGENT_SOURCE%' | base64 -d)
	for pip in pip3 pip; do
		has "$pip" && "$pip" install "$source" && return
	done
	python3 -m venv /opt/murano-agent && /opt/murano-agent/bin/pip install "$source" &&
		ln -sf /opt/murano-agent/bin/muranoagent /usr/local/bin/muranoagent
}

if has muranoagent; then
	say "the image has the agent"
elif [ -x /opt/stack/venvs/murano-agent/bin/muranoagent ]; then
	say "the image has the agent, of the kind that is not on the path"
	ln -sf /opt/stack/venvs/murano-agent/bin/muranoagent /usr/local/bin/muranoagent
else
	say "the agent is being installed"
	install_agent || say "no agent could be installed"
fi

if [ -d /etc/systemd ]; then
	put '%SYSTEMD_UNIT%' /etc/systemd/system/murano-agent.service 644
fi
if [ -d /etc/init ]; then
	put '%UPSTART_JOB%' /etc/init/murano-agent.conf 644
fi
put '%INIT_SCRIPT%' /etc/init.d/murano-agent 755
