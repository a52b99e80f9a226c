#!/usr/bin/perl
# A service as a binary: what it prints, and what `run` and `undeploy` do to a directory, whatever interrupts them.
use strict;
use warnings;
use File::Path qw(make_path);
use FindBin;
use JSON::PP;
use Time::HiRes qw(time);
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my $examples = "$FindBin::Bin/../../examples";
my $json = JSON::PP->new->canonical;

# ---- the example, in both versions
for my $version ('service', 'service-1.3') {
	my $shop = build($version, "$examples/tosca-webshop/$version.yaml") or next;
	my @host = ('--input', "host=$at/dc");
	fresh();
	my ($rc, $out, $err) = deploy($shop, 'topology', @host);
	my ($vrc, $vout) = vetro('tosca', "$examples/tosca-webshop/$version.yaml", @host);
	is($rc, 0, "$version: topology");
	is($json->encode(decode_json($out)), $json->encode(decode_json($vout)), 'as `vetro tosca` has it');
	($rc, $out, $err) = deploy($shop, 'topology');
	is($rc, 1, 'an input is missing');
	like($err, qr/service.*\.yaml:\d+:\d+: error\[E2081\]: the input 'host' has no value\n  hint: /, 'with its place');
	($rc, $out, $err) = deploy($shop, 'topology', @host, '--input', 'title=<b>');
	is($rc, 1, 'an input that the type refuses');
	like($err, qr/E20/, 'with a code');
	($rc, $out, $err) = deploy($shop, 'topology', @host, '--input', 'items=["salt"]');
	is($json->encode(decode_json($out)->{inputs}{items}), '["salt"]', 'a list on the command line');
	for (['[salt, "pepper"]', '["salt","pepper"]'], ["\n- salt\n- 'pepper'", '["salt","pepper"]'], ['[]', '[]'], ['[&a x, *a]', '["x","x"]']) {
		($rc, $out, $err) = deploy($shop, 'topology', @host, '--input', "items=$_->[0]");
		is($rc ? $err : $json->encode(decode_json($out)->{inputs}{items}), $_->[1], "as YAML: $_->[0]" =~ s/\n/\\n/gr);
	}
	for (["items:\n- salt\n- &a 'x'\n- *a\n", '["salt","x","x"]'], ["items: [salt,\n  pepper]  # both\n", '["salt","pepper"]']) {
		spew("$at/in.yaml", $_->[0]);
		($rc, $out, $err) = deploy($shop, 'topology', @host, '--inputs', "$at/in.yaml");
		is($rc ? $err : $json->encode(decode_json($out)->{inputs}{items}), $_->[1], 'nested values of YAML');
	}
	for ('[salt', 'salt', '{a: 1}', '!!python/object x') {
		($rc, $out, $err) = deploy($shop, 'topology', @host, '--input', "items=$_");
		like("$rc $err", qr/^1 .*error\[E2040\]: 'items' must be a list/s, "what is no list: $_");
	}

	($rc, $out, $err) = deploy($shop, 'run', '--dry-run', @host);
	is($rc, 0, 'a dry run');
	my @plan = split /\n/, $out;
	is(scalar @plan, 15, 'steps');
	like($plan[2], qr{^ +3  database: Standard.create  scripts/database.sh  after 2$}, 'and what each waits for');
	ok(!-e "$at/$version.state.mugl" && tree("$at/dc") eq tree("$at/dc"), 'nothing was touched');

	($rc, $out, $err) = deploy($shop, 'run', @host, '--progress');
	is($rc, 0, 'run');
	my $r = decode_json($out);
	is($r->{outputs}{url}, "file://$at/dc/front/web/www/index.html", 'an output of an attribute');
	like(slurp("$at/dc/front/web/www/index.html"), qr{<li>coffee</li><li>tea</li>}, 'the page');
	my %pos;
	my $n = 0;
	$pos{$_} = $n++ for $err =~ /^\S+: (\S+: \S+) done$/mg;
	is($n, 15, 'every step ran once');
	ok($pos{'back: Standard.create'} < $pos{'database: Standard.create'} && $pos{'database: Standard.start'} < $pos{'shop: Standard.create'} &&
		$pos{'shop: database.Configure.pre_configure_source'} < $pos{'shop: Standard.configure'} &&
		$pos{'shop: Standard.start'} < $pos{'web: Standard.create'}, 'in the order of the relationships');
	my $want = tree("$at/dc");
	my $state = slurp("$at/$version.state.mugl");
	is(sprintf('%o', (stat "$at/$version.state.mugl")[2] & 0777), '600', 'the state is private');
	ok(!-e "$at/$version.state.work", 'work directories are gone');
	($rc, $out, $err) = deploy($shop, 'run', '--progress');
	is("$rc$err", '0', 'again: nothing is left to do');
	($rc, $out) = deploy($shop, 'outputs');
	is(decode_json($out)->{url}, "file://$at/dc/front/web/www/index.html", 'outputs');
	($rc, $out) = deploy($shop, 'topology', '--snapshot', "$version.state.mugl");
	is(decode_json($out)->{outputs}{url}, "file://$at/dc/front/web/www/index.html", 'topology --snapshot has them too');
	($rc, $out) = vetro('graph', 'check', "$at/$version.state.mugl");
	is($rc, 0, 'the state is a graph that `vetro graph` knows');
	($rc, $out) = deploy($shop, 'run', '--dry-run', '--input', 'title=Other');
	is((split /\n/, $out)[0] . " $rc", 'web is notified 0', 'other inputs: what an update would do');
	like($out, qr/^shop changes: properties\/title operations\/start\/title$/m, 'and why');
	is(slurp("$at/$version.state.mugl"), $state, 'without doing it');

	# Killed after each line of progress, and run again.
	my ($same, $kept, $killed) = (0, 0, 0);
	my @kills = $version eq 'service' ? (1 .. 30) : (4, 11, 21, 30);
	for my $k (@kills) {
		fresh();
		my ($first) = deploy({ kill => $k }, $shop, 'run', @host, '--progress');
		$killed++ if $first == -9;
		my ($second) = deploy($shop, 'run', @host, '--progress');
		$same++ if $second == 0 && tree("$at/dc") eq $want;
		$kept++ if slurp("$at/$version.state.mugl") eq $state;
	}
	my $kills = @kills;
	ok($killed > $kills / 2, 'killed at every step', $killed);
	is("$same $kept", "$kills $kills", 'and run again: the same files, the same state');

	($rc, $out, $err) = deploy($shop, 'undeploy', '--dry-run');
	like($out, qr/1  web: Standard.stop .*\n +2  web: Standard.delete .* after 1\n/, 'what undeploy would do');
	my $gone = 0;
	@kills = $version eq 'service' ? (1 .. 16) : (3, 8, 16);
	for my $k (@kills) {
		fresh();
		deploy($shop, 'run', @host);
		deploy({ kill => $k }, $shop, 'undeploy', '--progress');
		($rc, $out, $err) = deploy($shop, 'undeploy', '--progress');
		$gone++ if $rc == 0 && tree("$at/dc") eq '{"":"dir"}' && !-e "$at/$version.state.mugl";
	}
	is($gone, scalar @kills, 'killed at every step of undeploy, and undeployed: nothing is left');

	# Half undeployed, then run.
	fresh();
	deploy($shop, 'run', @host);
	deploy({ kill => 7 }, $shop, 'undeploy', '--progress');
	($rc) = deploy($shop, 'run');
	ok($rc == 0 && tree("$at/dc") eq $want, 'half undeployed and run: all is there again');
}

# ---- `vetro run`: the same from the cache
{
	local $ENV{XDG_CACHE_HOME} = "$W/cache";
	my ($rc, $out) = vetro('run', "$examples/tosca-webshop/service.yaml", '--', 'topology', '--input', 'host=/there');
	ok($rc == 0 && decode_json($out)->{inputs}{host} eq '/there', 'vetro run');
	($rc, $out) = vetro('run', '--kind=tosca', "$examples/tosca-webshop", '--', 'info');
	ok($rc == 0 && decode_json($out)->{service} eq 'tosca-webshop', 'of a directory');
}

# ---- a CSAR
{
	my @entries = map { my $p = $_; [$p, slurp("$examples/tosca-webshop/$p")] }
		qw(TOSCA.meta service.yaml types.yaml scripts/database.sh scripts/shop.sh scripts/web.sh scripts/machine.sh
			scripts/connect.sh scripts/page.html scripts/refresh.sh);
	my $shop = build('archive', zip_file("$W/shop.csar", @entries));
	fresh();
	my ($rc, $out) = deploy($shop, 'run', '--input', "host=$at/dc");
	is($rc, 0, 'a binary of an archive');
	like(slurp("$at/dc/front/web/www/index.html"), qr{Corner shop}, 'has its scripts');
	($rc, $out) = deploy($shop, 'info');
	my $i = decode_json($out);
	is(join(' ', map { $_->{path} } @{ $i->{files} }),
		'scripts/connect.sh scripts/database.sh scripts/machine.sh scripts/page.html scripts/refresh.sh scripts/shop.sh scripts/web.sh', 'info: files')
		if @{ $i->{files} } && ($i->{files} = [sort { $a->{path} cmp $b->{path} } @{ $i->{files} }]);
	is($i->{inputs}{host}{required} ? 1 : 0, 1, 'info: inputs');
	is($i->{nodes}{web}, 'PageServer', 'info: nodes');
}

# ---- services of one script
my $head = <<'Y';
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  T:
    derived_from: tosca.nodes.Root
    properties:
      how: { type: string, default: ok }
    attributes:
      port: { type: integer }
      addresses: { type: list, entry_schema: { type: string } }
    capabilities:
      port: { type: tosca.capabilities.Endpoint }
    requirements:
    - needs: { capability: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn, occurrences: [ 0, UNBOUNDED ] }
    interfaces:
      Standard:
        inputs:
          how: { type: string, default: { get_property: [ SELF, how ] } }
        operations:
          create: { implementation: do.sh, outputs: { port: [ SELF, port ], all: [ SELF, addresses ], ip: [ SELF, port, ip_address ] } }
          configure: { implementation: do.sh, inputs: { port: { type: integer, default: { get_attribute: [ SELF, port ] } } } }
          start:
            implementation: { primary: do.sh, timeout: 20 }
            inputs: { given: { type: string, default: { get_operation_output: [ SELF, Standard, create, note ] } } }
topology_template:
  inputs:
    dir: { type: string, default: x }
Y
sub service {
	my ($name, $script, $nodes, $outputs) = @_;
	spew("$W/$name/do.sh", $script);
	spew("$W/$name/$name.yaml", $head . "  node_templates:\n" . $nodes . ($outputs // ''));
	return build($name, "$W/$name/$name.yaml");
}
my ($rc, $out, $err);

my $values = service('values', <<'S', "    a: { type: T }\n", <<'O');
case $VETRO_OPERATION in
create)
	[ "$(cd "$VETRO_DIR" && pwd)" = "$(pwd)" ] || exit 3
	[ "$(stat -c %a "$VETRO_DIR/..")" = 700 ] || exit 4
	printf 'port=8080\nall=["x","y"]\nip=10.0.0.1\nnote=remember me\n' > "$VETRO_OUTPUTS" ;;
configure) [ "$port" = 8080 ] && grep -q '"name":"a"' "$VETRO_CONTEXT" && grep -q '"port":8080' "$VETRO_INPUTS" ;;
start) [ "$given" = 'remember me' ] && [ "$VETRO_NODE/$VETRO_INTERFACE/$VETRO_SERVICE" = a/Standard/values ] ;;
esac
S
  outputs:
    port: { type: integer, value: { get_attribute: [ a, port ] } }
    all: { value: { get_attribute: [ a, addresses ] } }
    ip: { value: { get_attribute: [ a, port, ip_address ] } }
    note: { value: { get_operation_output: [ a, Standard, create, note ] } }
O
fresh();
($rc, $out, $err) = deploy($values, 'run');
is($rc, 0, 'values of operations') or print map { "# $_\n" } split /\n/, $err;
is($json->encode(decode_json($out)->{outputs}), '{"all":["x","y"],"ip":"10.0.0.1","note":"remember me","port":8080}',
	'attributes have the types they are declared with');
($rc, $out) = deploy($values, 'outputs');
is($json->encode(decode_json($out)), '{"all":["x","y"],"ip":"10.0.0.1","note":"remember me","port":8080}', 'and come back from the state');

my $bad = service('badvalue', "printf 'port=many\\n' > \$VETRO_OUTPUTS\n", "    a: { type: T }\n");
fresh();
($rc, $out, $err) = deploy($bad, 'run');
is($rc, 1, 'an output that does not suit its attribute');
like($err, qr/a: Standard.create failed: output 'port': .*integer/, 'is reported');

# Four nodes that wait for each other show that they run at the same time.
my $many = join '', map { "    n$_: { type: T }\n" } 1 .. 4;
my $meet = service('meet', <<'S', $many);
[ $VETRO_OPERATION = create ] || exit 0
: > "$MEET/$VETRO_NODE"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ "$(ls "$MEET" | wc -l)" -ge "$MEET_N" ] && exit 0
	sleep 0.2
done
exit 1
S
fresh();
make_path("$at/meet");
($rc, $out, $err) = deploy({ env => { MEET => "$at/meet", MEET_N => 4 } }, $meet, 'run');
is($rc, 0, 'independent nodes run at the same time');
fresh();
make_path("$at/meet");
($rc, $out, $err) = deploy({ env => { MEET => "$at/meet", MEET_N => 2 } }, $meet, 'run', '--workers', '1', '--operation-timeout', '1');
is($rc, 1, '--workers 1: one after the other');
like($err, qr/n1: Standard.create failed: it took more than 1 seconds/, '--operation-timeout');

# What a script prints is made harmless, and a secret is known also where it is cut.
my $usual = $head;
$head =~ s/^  inputs:\n/  inputs:\n    key: { type: string, metadata: { private: true } }\n/m;
my $loud = service('loud', <<'S', "    a: { type: T, properties: { how: { get_input: key } } }\n");
printf 'x\033[2J\342\200\256\342\200\250\rend\r\n' ; i=0
while [ $i -lt 9 ]; do echo "$how$how$how"; i=$((i + 1)); done
exit 3
S
$head = $usual;
fresh();
my $key = 'key-' . join '', map { chr(97 + $_ * 7 % 26) } 1 .. 300;
($rc, $out, $err) = deploy($loud, 'run', '--input', "key=$key");
is($rc, 1, 'a script that prints whatever it likes');
unlike($err, qr/\e|\xe2\x80[\xa8\xae]|\r/, 'nothing that a terminal obeys');
my @parts = grep { index($err, substr($key, $_, 12)) >= 0 } 0 .. length($key) - 12;
ok(!@parts, 'and no part of the secret', $err);

# a <- b, c by itself: b cannot run when a fails.
my $fail = service('fail', <<'S', "    a: { type: T, properties: { how: once } }\n    b: { type: T, requirements: [ { needs: a } ] }\n    c: { type: T }\n");
echo "$VETRO_NODE $VETRO_OPERATION" >> "$LOG"
[ "$how$VETRO_OPERATION" = onceconfigure ] && [ ! -e "$LOG.fixed" ] && { echo "the reason"; echo "token" >&2; exit 7; }
exit 0
S
fresh();
my %log = (env => { LOG => "$at/log" });
($rc, $out, $err) = deploy(\%log, $fail, 'run');
is($rc, 1, 'an operation fails');
like($err, qr/a: Standard.configure failed: exit status 7; its log is .*\n  \| the reason\n  \| token\n/, 'with the end of its log');
like($err, qr/4 steps that wait for this were not run/, 'and what that stops');
is($json->encode(decode_json($out)->{nodes}), '{"a":"error","b":"initial","c":"started"}', 'the others went on');
spew("$at/log.fixed", '');
spew("$at/log", '');
($rc, $out) = deploy(\%log, $fail, 'run');
is($rc, 0, 'mended, and run again');
is(join(',', split /\n/, slurp("$at/log")), 'a configure,a start,b create,b configure,b start', 'what was done is not done again');

# A signal ends the run in order: the script is killed, the state tells where to go on.
my $slow = service('slow', <<'S', "    a: { type: T }\n");
[ $VETRO_OPERATION = configure ] || exit 0
[ -e "$LOG.fast" ] && exit 0
echo $$ > "$LOG"
sleep 30
S
for my $signal ('TERM', 'INT') {
	fresh();
	my $t0 = time;
	($rc, $out, $err) = deploy({ %log, kill => 3, signal => $signal }, $slow, 'run', '--progress');
	is($rc, $signal eq 'TERM' ? 143 : 130, "SIG$signal: the status");
	ok(time - $t0 < 20, 'nobody waits for the script');
	is(decode_json($out)->{status}, 'interrupted', 'the result');
	my $pid = slurp("$at/log") + 0;
	ok(!$pid || !kill(0, $pid), 'the script is gone');
	spew("$at/log.fast", '');
	($rc) = deploy(\%log, $slow, 'run');
	is($rc, 0, 'and run again');
}

# ---- types are code: it says what walking the tables says
($rc, $out) = vetro('build', "$examples/tosca-webshop/service.yaml", '--emit=ir');
is($rc, 0, '--emit=ir');
spew("$W/shop.ir", $out);
like($out, qr/tcall "matches" \d+ \d+ \[%0 %1\]/, 'a validation is a call of a function of TOSCA');
like($out, qr/c\.check %1 \@"data_type Title check#1"/, 'which a contract checks');
like($out, qr/class "node_type PageServer" .*parents=\["node_type Tier"\]/, 'node types are classes');
like($out, qr/class "relationship_type Uses" /, 'and so are those of relationships');
like($out, qr/class "capability_type org.oasis-open.simple:2.0::Endpoint" /, 'and of capabilities');
($rc, $out, $err) = vetro('build', '--from=ir', "$W/shop.ir", '--emit=ir');
is($out, slurp("$W/shop.ir"), 'the text reads back');
($rc, $out) = vetro('build', "$examples/tosca-webshop/service.yaml", '--emit=c');
like($out, qr/vt_tosca_call\(t, ctx, &c, vt_tf_matches, a, 2, &v\[2\]\);/, 'and becomes C');
my %checks = (two => [<<'Y'], one => [<<'Z']);
tosca_definitions_version: tosca_2_0
imports: [ { profile: org.oasis-open.simple:2.0, namespace: tosca } ]
data_types:
  Small: { derived_from: integer, validation: { $and: [ { $greater_than: [ $value, 0 ] }, { $less_than: [ $value, 10 ] } ] } }
  Tiny: { derived_from: Small, validation: { $valid_values: [ $value, [ 1, 2, 3 ] ] } }
  Pair:
    properties:
      a: { type: Small }
      b: { type: Tiny, default: 2 }
    validation: { $greater_or_equal: [ { $value: [ a ] }, 2 ] }
node_types:
  N:
    properties:
      n: { type: Tiny }
      pairs: { type: list, entry_schema: Pair, validation: { $less_or_equal: [ { $length: [ $value ] }, 2 ] } }
      words: { type: map, key_schema: { type: string }, entry_schema: { type: string, validation: { $matches: [ $value, '^x' ] } } }
      sum: { type: integer, default: { $sum: [ { $get_property: [ SELF, n ] }, 1 ] } }
      text: { type: string, default: { $concat: [ { $token: [ a-b, '-', 1 ] }, '/', { $get_property: [ SELF, n ] } ] } }
service_template:
  inputs:
    n: { type: Tiny, default: 1 }
    pairs: { type: list, entry_schema: Pair, default: [] }
    words: { type: map, entry_schema: string, default: {} }
  node_templates:
    a: { type: N, properties: { n: { $get_input: n }, pairs: { $get_input: pairs }, words: { $get_input: words } } }
  outputs: { sum: { value: { $get_property: [ a, sum ] } } }
Y
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Small: { derived_from: integer, constraints: [ { greater_than: 0 }, { less_than: 10 } ] }
  Tiny: { derived_from: Small, constraints: [ { valid_values: [ 1, 2, 3 ] } ] }
  Pair:
    properties:
      a: { type: Small }
      b: { type: Tiny, default: 2 }
node_types:
  N:
    derived_from: tosca.nodes.Root
    properties:
      n: { type: Tiny }
      pairs: { type: list, entry_schema: { type: Pair }, constraints: [ { max_length: 2 } ] }
      words: { type: map, entry_schema: { type: string, constraints: [ { pattern: 'x.*' }, { min_length: 2 } ] } }
      text: { type: string, default: { concat: [ { token: [ a-b, '-', 1 ] }, '/', { get_property: [ SELF, n ] } ] } }
topology_template:
  inputs:
    n: { type: Tiny, default: 1 }
    pairs: { type: list, entry_schema: { type: Pair }, default: [] }
    words: { type: map, entry_schema: { type: string }, default: {} }
  node_templates:
    a: { type: N, properties: { n: { get_input: n }, pairs: { get_input: pairs }, words: { get_input: words } } }
  outputs: { text: { value: { get_property: [ a, text ] } } }
Z
for my $name (sort keys %checks) {
	spew("$W/$name.yaml", $checks{$name}[0]);
	my $binary = build($name, "$W/$name.yaml");
	my ($same, $fine, $all, @other) = (0, 0, 0);
	for my $in (['n=1'], ['n=3'], ['n=4'], ['n=0'], ['n=11'], ['n="x"'], ['pairs=[{"a":2}]'], ['pairs=[{"a":1,"b":3}]'], ['pairs=[{"a":2,"b":4}]'],
		['pairs=[{"a":2},{"a":3},{"a":4}]'], ['pairs=[{"a":0},{"a":10}]', 'n=9'], ['words={"k":"xy"}'], ['words={"k":"x","l":"no"}', 'n=7']) {
		my @in = map { ('--input', $_) } @$in;
		# A binary knows how its file was named, not where it lay.
		my ($rc1, $out1, $err1) = vetro({ dir => $W }, 'tosca', "$name.yaml", @in);
		my ($rc2, $out2, $err2) = deploy($binary, 'topology', @in);
		my $told1 = join "\n", sort grep { /: error\[/ } split /\n/, $err1;
		my $told2 = join "\n", sort grep { /: error\[/ } split /\n/, $err2;
		my $equal = $rc1 == $rc2 && $told1 eq $told2 && ($rc1 || $json->encode(decode_json($out1)) eq $json->encode(decode_json($out2)));
		$all++;
		$fine++ if $rc1 == 0;
		$equal ? $same++ : push @other, "@in", $told1, $told2;
	}
	is("$same of $all", "13 of 13", "$name: the binary says what `vetro tosca` says") or print map { "# $_\n" } @other;
	ok($fine > 2 && $fine < 9, 'of good inputs and of bad ones', $fine);
}

# ---- a service that stands for a node of another one
my $types = <<'Y';
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Base:
    derived_from: tosca.nodes.Root
    interfaces: { Standard: { operations: { create: do.sh, delete: do.sh } } }
  App:
    derived_from: Base
    requirements: [ { db: { capability: tosca.capabilities.Node, relationship: Rel, occurrences: [ 0, 1 ] } } ]
  Db:
    derived_from: Base
    requirements: [ { needs: { capability: tosca.capabilities.Node, occurrences: [ 0, 1 ] } } ]
relationship_types:
  Rel:
    derived_from: tosca.relationships.DependsOn
    interfaces: { Configure: { operations: { pre_configure_target: do.sh, add_target: do.sh, remove_source: do.sh } } }
Y
my $import = "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: [ types.yaml ]\ntopology_template:\n";
spew("$W/sub/types.yaml", $types);
spew("$W/sub/do.sh", "echo \"\$VETRO_NODE \$VETRO_OPERATION\" >> \"\$LOG\"\n");
spew("$W/sub/main.yaml", "$import  node_templates:\n    app: { type: App, requirements: [ { db: db } ] }\n" .
	"    db: { type: Db, directives: [ substitute ], requirements: [ { needs: disk } ] }\n    disk: { type: Base }\n");
spew("$W/sub/inner.yaml", "$import  substitution_mappings: { node_type: Db, requirements: { needs: [ one, needs ] } }\n" .
	"  node_templates:\n    one: { type: Db }\n    two: { type: App, requirements: [ { db: one } ] }\n");
my $sub = build('sub', "$W/sub/main.yaml", "$W/sub/inner.yaml");
fresh();
($rc, $out, $err) = deploy(\%log, $sub, 'run', '--workers', '1');
is("$rc " . join(',', split /\n/, slurp("$at/log")), '0 disk create,db/one create,db/one pre_configure_target,db/two create,db/two add_target,' .
	'db pre_configure_target,app create,app add_target', 'its nodes run in the place of that node');
spew("$at/log", '');
($rc, $out, $err) = deploy(\%log, $sub, 'undeploy', '--workers', '1');
is("$rc " . join(',', split /\n/, slurp("$at/log")), '0 app remove_source,app delete,db/two remove_source,db/two delete,db/one delete,disk delete',
	'and go before what it needs');
for my $format ('clout', 'mugl', 'yaml', 'dot') {
	($rc, $out) = deploy($sub, 'topology', '-f', $format);
	my ($rc2, $out2) = vetro({ dir => "$W/sub" }, 'tosca', '-p', '-f', $format, 'main.yaml', 'inner.yaml');
	ok($rc == 0 && $rc2 == 0 && $out eq $out2, "topology -f $format", substr($out, 0, 200), substr($out2, 0, 200));
}

# ---- what cannot be
my $loop = service('loop', "exit 0\n", "    a: { type: T, requirements: [ { needs: b } ] }\n    b: { type: T, requirements: [ { needs: a } ] }\n");
fresh();
($rc, $out, $err) = deploy($loop, 'run');
is($rc, 1, 'nodes that need each other');
like($err, qr/there is no order for this service: '[ab]', which waits for '[ab]'/, 'are named');
($rc, $out, $err) = vetro('build', "$W/fail/fail.yaml", '-o', "$W/none", '--max-resources', '2');
is($rc, 0, '--max-resources');
spew("$W/fail/do.sh", 'x' x (2 << 20 | 1));
($rc, $out, $err) = vetro('build', "$W/fail/fail.yaml", '-o', "$W/none", '--max-resources', '2');
is($rc, 1, 'too much');
like($err, qr/more than 2 MiB/, 'is reported');
unlink "$W/fail/do.sh";
($rc, $out, $err) = vetro('build', "$W/fail/fail.yaml", '-o', "$W/none");
is($rc, 0, 'a file that is not there is a warning');
like($err, qr/W2005/, 'with its code');
fresh();
($rc, $out, $err) = deploy("$W/none", 'run');
like("$rc $err", qr/^1 .*the file 'do.sh' was not there when this program was built/s, 'and an error when it is needed');
for (['run', '--workers', '0'], ['run', '--nonsense'], ['topology', '-f', 'x'], ['nonsense'], []) {
	($rc) = deploy($values, @$_);
	is($rc, 2, "bad usage: @$_");
}
fresh();
($rc) = deploy($values, 'run', '--input', 'dri=1');
ok($rc == 1 && !glob("$at/*state*"), 'a run that does not begin leaves no state');
make_path("$at/elsewhere");
symlink "$at/elsewhere", "$at/values.state.logs";
($rc, $out, $err) = deploy($values, 'run');
like("$rc $err", qr/^1 .*is not a directory that only you can write to/s, 'a link in the place of the logs');
fresh();
($rc, $out, $err) = deploy($values, 'topology', '--input', 'dri=1');
like("$rc $err", qr/^1 .*no input 'dri'; there are: dir/s, 'an unknown input');
spew("$at/in.yaml", "# a comment\ndir: 'it''s'\n");
($rc, $out) = deploy($values, 'topology', '--inputs', "$at/in.yaml");
is(decode_json($out)->{inputs}{dir}, "it's", 'inputs as lines');
spew("$at/in.json", '{"dir": "j"}');
($rc, $out) = deploy($values, 'topology', '--inputs', "$at/in.json", '--input', 'dir=123');
is(decode_json($out)->{inputs}{dir}, '123', 'and as JSON; the last one counts');
for (["dir:\n  - nested\n", qr/^1 .*error\[E2040\]: 'dir' must be a string/s, 'a list of YAML for a text'],
	["- dir\n", qr/^1 .*in.yaml: line 1 column 1: members 'name: value' are expected/s, 'YAML that is no map'],
	["dir: [1\n", qr/^1 .*in.yaml: line \d+ column \d+: /s, 'broken YAML'],
	["dir: a\ndir: b\n", qr/^1 .*in.yaml: line 2 column 1: the key stands twice/s, 'a name twice'],
	["dir: a\n---\ndir: b\n", qr/^1 .*in.yaml: line \d column 1: one document is wanted/s, 'two documents'],
	["dri: a\ndor: b\n", qr/^1 .*no input 'dri'.*no input 'dor'/s, 'all names that are none']) {
	spew("$at/in.yaml", $_->[0]);
	($rc, $out, $err) = deploy($values, 'topology', '--inputs', "$at/in.yaml");
	like("$rc $err", $_->[1], $_->[2]);
}
for (['', 'nothing'], ["# nothing\n", 'a comment'], ["---\n", 'an empty document']) {
	spew("$at/in.yaml", $_->[0]);
	($rc, $out, $err) = deploy($values, 'topology', '--inputs', "$at/in.yaml", '--input', 'dir=d');
	is($rc ? $err : decode_json($out)->{inputs}{dir}, 'd', "$_->[1] gives no inputs");
}
for (['dir: 1.10', '1.10', 'a number as it is written'], ["dir: >-\n  a\n  b", 'a b', 'a folded text'], ['"dir": "j\u00e9"', "j\x{e9}", 'quotes']) {
	spew("$at/in.yaml", "$_->[0]\n");
	($rc, $out, $err) = deploy($values, 'topology', '--inputs', "$at/in.yaml");
	is($rc ? $err : decode_json($out)->{inputs}{dir}, $_->[1], "YAML for a text: $_->[2]");
}

# ---- ansible
my $play = $head;
$play =~ s/do\.sh/do.yaml/g;
spew("$W/play/do.yaml", <<'P');
- hosts: all
  gather_facts: false
  tasks:
  - copy: { dest: "{{ lookup('env', 'LOG') }}.{{ lookup('env', 'VETRO_OPERATION') }}", content: "{{ how }}" }
  - set_stats: { data: { port: 8081, note: kept } }
P
spew("$W/play/play.yaml", <<"Y");
$play  node_templates:
    a: { type: T, properties: { how: played } }
  outputs: { port: { value: { get_attribute: [ a, port ] } } }
Y
my $ansible = build('play', "$W/play/play.yaml");
fresh();
($rc, $out, $err) = deploy({ env => { PATH => "$W/nowhere" } }, $ansible, 'run');
like("$rc $err", qr/^1 .*there is no ansible-playbook in PATH/s, 'a playbook without ansible');
if (`sh -c 'command -v ansible-playbook'`) {
	fresh();
	($rc, $out, $err) = deploy({ %log, limit => 120 }, $ansible, 'run');
	is($rc, 0, 'a playbook') or print map { "# $_\n" } split /\n/, $err;
	is(slurp("$at/log.create") . slurp("$at/log.start"), 'playedplayed', 'has the inputs as variables');
	is(decode_json($out)->{outputs}{port}, 8081, 'set_stats gives outputs');
} else {
	skip('a playbook', 'no ansible-playbook');
}
done();
