#!/bin/sh
# Every example builds and does what its page says.
. "$(dirname "$0")/../lib/lib.sh"

for e in hello fleet inventory; do
	ok "$e: check finds nothing" "$VETRO" check "$top/examples/$e"
	ok "$e: builds" "$VETRO" build -O0 -o "$W/$e" "$top/examples/$e"
	status "$e: runs" 0 "$W/$e" run --model "$top/examples/$e/model.json"
	cp "$W/out" "$W/$e.out"
done

get() {
	perl -MJSON::PP -e 'local $/; my $v = decode_json(<STDIN>); for (@ARGV) { $v = ref $v eq "ARRAY" ? $v->[$_] : $v->{$_} }
		print JSON::PP->new->canonical->allow_nonref->encode($v)' "$@"
}
is "hello: greets" "$(get result <"$W/hello.out")" '["Good morning, Ada!","Good morning, Grace!"]'
is "hello: the model keeps the count" "$(get model Objects count <"$W/hello.out")" 2
is "fleet: two nodes fit" "$(get result <"$W/fleet.out")" '["front","store"]'
is "fleet: log has all three" "$(get model Objects log <"$W/fleet.out")" \
	'["web front on 10.0.0.10:8080","database store on 10.0.0.11","no room for spare"]'
is "inventory: filter and project" "$(get result large <"$W/inventory.out")" '["alpha","gamma"]'
is "inventory: sum" "$(get result memory <"$W/inventory.out")" 100
is "inventory: groups" "$(get result bySite <"$W/inventory.out")" '{"north":2,"south":1}'
is "inventory: distinct and sorted" "$(get result services <"$W/inventory.out")" '["cache","db","dns","http","mail"]'
is "inventory: loop" "$(get result busiest <"$W/inventory.out")" '"gamma"'
is "inventory: order" "$(get result report <"$W/inventory.out")" '"gamma=16; alpha=8; beta=2"'

is "fleet: its tests pass" "$("$VETRO" test "$top/examples/fleet" | tail -1)" "# 5 of 5 tests passed"
is "inventory: its tests pass" "$("$VETRO" test "$top/examples/inventory" | tail -1)" "# 3 of 3 tests passed"

ok "webserver: check finds nothing" "$VETRO" check "$top/examples/webserver"
ok "webserver: builds" "$VETRO" build -O0 -o "$W/webserver" "$top/examples/webserver"
status "webserver: a dry run" 0 "$W/webserver" run --dry-run --model "$top/examples/webserver/model.json"
is "webserver: says where it is" "$(get model Objects applications 0 url <"$W/out")" '"http://172.24.4.12/"'
is "webserver: two plans for the agent" "$(get effects agent 1 plan Name <"$W/out")" '"Put to /var/www/html/index.html"'

ok "farm: check finds nothing" "$VETRO" check "$top/examples/farm"
ok "farm: builds" "$VETRO" build -O0 -o "$W/farm" "$top/examples/farm"
status "farm: a dry run" 0 "$W/farm" run --dry-run --model "$top/examples/farm/model.json"
cp "$W/out" "$W/farm.json"
is "farm: each server is installed and configured" "$("$VETRO" query -c '$.effects.agent.len()' "$W/farm.json")" 4
status "farm: one more" 0 "$W/farm" run --dry-run --model "$top/examples/farm/model.json" --object farm --call scaleOut
cp "$W/out" "$W/farm.json"
is "farm: all three are worked on" "$("$VETRO" query -c '$.effects.agent.plan.Name.orderBy($)' "$W/farm.json")" \
	'["Execute apt-get -y install nginx","Execute apt-get -y install nginx","Execute apt-get -y install nginx",'\
'"Put to /var/www/html/index.html","Put to /var/www/html/index.html","Put to /var/www/html/index.html"]'
is "farm: what was reported" "$("$VETRO" query -c '$.effects.reports.where("farm3" in $[2]).select($[2])' "$W/farm.json")" \
	'["Began installing Farm on farm3","Farm is installed on farm3","Began configuring Farm on farm3","Farm is configured at farm3"]'

# A model that does not fit.
cat >"$W/bad.json" <<'J'
{"Objects":{"?":{"type":"example.fleet.Fleet","id":"f"},
	"nodes":[{"?":{"type":"example.fleet.DatabaseNode","id":"d"},"name":"x","memory":10}]}}
J
status "fleet: a broken contract is exit 1" 1 "$W/fleet" run --model "$W/bad.json"
like "fleet: the message names the property" "$(cat "$W/out")" 'a database needs 1 GB'
done_testing
