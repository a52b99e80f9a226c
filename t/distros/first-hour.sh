#!/bin/sh
# The first hour of somebody who has README.md and a bare Debian 12: each command, what it prints, and how long it took, as a page.
# usage: first-hour.sh > docs/first-hour.md     as root; MIRROR is where packages come from
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
set -- bookworm
. "$here/root.sh"
# A clone of what is committed, where a newcomer would clone from a server.
git -C "$top" archive HEAD | (mkdir "$root/source" && tar -C "$root/source" -xf -)
begin=$(date +%s)
folder=/ # where apt may put what it fetches
clock() { awk -v s="$1" 'BEGIN { if (s < 60) printf "%d s", s; else printf "%d min %d s", s / 60, s % 60 }'; }

# Processor time of all that was run so far, in seconds, into $cpu: the last line of `times` is the children's. A subshell has
# none of its own.
count_cpu() {
	times >"$root/tmp/times"
	cpu=$(awk 'END { split($1, u, /[ms]/); split($2, s, /[ms]/); printf "%d", 60 * (u[1] + s[1]) + u[2] + s[2] }' "$root/tmp/times")
}

say() { printf '\n%s\n' "$*"; }
# step LINES COMMAND: the command and the last LINES of what it prints. LINES 0: all of it.
step() {
	lines=$1 command=$2 from=$(date +%s)
	count_cpu
	before=$cpu
	inside sh -c "cd $folder && $command" >"$root/tmp/out" 2>&1 || { cat "$root/tmp/out" >&2; echo "failed: $command" >&2; exit 1; }
	took=$(($(date +%s) - from))
	count_cpu
	used=$((cpu - before))
	printf '\n```text\n$ %s\n' "$command"
	total=$(wc -l <"$root/tmp/out")
	if [ "$lines" != 0 ] && [ "$total" -gt "$lines" ]; then
		echo "... ($((total - lines)) lines)"
		tail -n "$lines" "$root/tmp/out"
	else
		cat "$root/tmp/out"
	fi
	printf '```\n'
	[ "$took" -lt 2 ] || printf '\nIt took %s, and %s of processor time.\n' "$(clock $took)" "$(clock $used)"
}

cat <<'P'
# A first hour

This is what somebody sees who has a bare Debian 12, git, make and [README.md](../README.md). The
script `t/distros/first-hour.sh` ran the commands below as root and wrote this page. debootstrap had
just made the Debian. Nothing else was typed. Long outputs are shortened to their ends.
P
printf '\nThe machine had %s processors, and packages came from a mirror nearby. Its load was %s at the\n' "$(nproc)" \
	"$(cut -d' ' -f1 /proc/loadavg)"
echo 'beginning. Above the number of processors other work takes its share, and the times get longer.'
say '## The machine'
step 2 'apt-get install -y --no-install-recommends git make ca-certificates'
say '## vetro'
folder=/root
say 'A clone of the source. Here the server is a folder.'
inside sh -c 'cd /source && git init -q . && git config user.email you@example.org && git config user.name you && git add -A && git commit -qm source'
step 0 'git clone -q /source vetro && ls vetro'
folder=/root/vetro
step 4 'make deps'
step 4 'make'
step 1 'make install | tail -1; vetro --version'
say '## The first commands'
step 0 "vetro query -c '\$.Objects.servers.where(\$.cpu > 4).select(\$.name)' examples/inventory/model.json"
step 0 'vetro test examples/fleet'
step 0 'vetro build examples/hello -o hello'
step 0 './hello run --model examples/hello/model.json -f text'
say '## A deployment, without a cloud'
step 0 'vetro build examples/webserver -o web'
step 0 './web run --dry-run --progress --model examples/webserver/model.json -o answer.json'
step 0 "vetro query -c '\$.effects.agent.plan.Name' answer.json"
say '## A project of your own'
folder=/root
step 0 'vetro new murano shop'
step 0 'cd shop && make check test run'
say 'A mistake is told with its place:'
step 0 "cd shop && sed -i 's/\\\$.greeting, \\\$name/\$.greting, \$name/' Classes/App.yaml && vetro check . || :"
step 0 "cd shop && sed -i 's/greting/greeting/' Classes/App.yaml && vetro check . && vetro test ."
say '## How long it took'
printf '\n%s in all, from the bare Debian to here.\n' "$(clock $(($(date +%s) - begin)))"
say '`make demo` from a fresh clone, with the packages at hand, took 76 s on two idle processors.'
