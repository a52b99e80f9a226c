#!/bin/sh
# The scripts of examples/tosca-webshop in the order of a deployment. Each runs twice: one that was
# interrupted runs again.
. "$(dirname "$0")/../lib/lib.sh"

scripts=$top/examples/tosca-webshop/scripts
host="$W/data centre"
address=
op() { # TITLE SCRIPT NAME=VALUE...
	title=$1
	script=$2
	shift 2
	: >"$W/outputs"
	ok "$title" env -i PATH="$PATH" VETRO_OUTPUTS="$W/outputs" "$@" "$scripts/$script.sh"
	ok "$title, again" env -i PATH="$PATH" VETRO_OUTPUTS="$W/outputs" "$@" "$scripts/$script.sh"
	address=$(sed -n 's/^address=//p' "$W/outputs" | tail -n 1)
}
# tier SCRIPT DIRECTORY [BACKEND-DIRECTORY BACKEND-ADDRESS]
tier() {
	op "$1: create" "$1" operation=create directory="$2"
	[ -z "$3" ] || op "$1: pre_configure_source" connect operation=pre_configure_source source="$2" target="$3" client="$1" address="$4"
	op "$1: configure" "$1" operation=configure directory="$2" items='tea coffee'
	[ -z "$3" ] || op "$1: post_configure_target" connect operation=post_configure_target source="$2" target="$3" client="$1" address="$4"
	op "$1: start" "$1" operation=start directory="$2" title='Corner shop'
}

op 'front: create' machine operation=create directory="$host/front"
op 'back: create' machine operation=create directory="$host/back"
tier database "$host/back/database" '' ''
tier shop "$host/back/shop" "$host/back/database" "$address"
tier web "$host/front/web" "$host/back/shop" "$address"

is "the address is that of the page" "$address" "$host/front/web/www/index.html"
like "the page has the title" "$(cat "$address")" '<h1>Corner shop</h1>'
like "the page lists the items" "$(cat "$address")" '<li>coffee</li><li>tea</li>'
is "the database knows its client" "$(cat "$host/back/database/client")" shop

status "a machine with tiers is not deleted" 1 env -i PATH="$PATH" operation=delete directory="$host/back" "$scripts/machine.sh"
for t in front/web back/shop back/database; do
	op "$t: stop" "${t#*/}" operation=stop directory="$host/$t"
	op "$t: delete" "${t#*/}" operation=delete directory="$host/$t"
done
op 'front: delete' machine operation=delete directory="$host/front"
op 'back: delete' machine operation=delete directory="$host/back"
is "nothing is left" "$(ls "$host")" ''
done_testing
