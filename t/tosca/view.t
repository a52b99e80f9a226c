#!/usr/bin/perl
# `graph view`, `plan --html` and `status --html`: one page that fetches nothing, and what it shows in a browser.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Browser;
use Deploy;
use Tap;

my ($rc, $out, $err);
my $json = JSON::PP->new->canonical;
my $hostile = '</script><script>document.title = "broken"</script><img src=x onerror=alert(1)> & "quoted" \u2028';
mkdir "$W/svc";
spew("$W/svc/shop.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
capability_types: { Door: { derived_from: tosca.capabilities.Node, properties: { port: { type: integer } } } }
node_types:
  Db: { derived_from: tosca.nodes.Root, capabilities: { door: { type: Door } } }
  Shop:
    derived_from: tosca.nodes.Root
    properties: { title: { type: string } }
    requirements: [ db: { capability: Door, relationship: tosca.relationships.DependsOn } ]
    interfaces: { Standard: { operations: { configure: note.sh } } }
topology_template:
  inputs: { title: { type: string, default: TITLE } }
  node_templates:
    db: { type: Db, capabilities: { door: { properties: { port: 5432 } } } }
    shop: { type: Shop, properties: { title: { get_input: title } }, requirements: [ db: db ] }
  groups: { all: { type: tosca.groups.Root, members: [ db, shop ] } }
  outputs: { title: { value: { get_property: [ shop, title ] } } }
Y
my $text = slurp("$W/svc/shop.yaml");
my $quoted = encode_json([$hostile]) =~ s/^\[|\]$//gr;
spew("$W/svc/shop.yaml", $text =~ s/TITLE/$quoted/r);
spew("$W/svc/note.sh", "true\n");
($rc, $out, $err) = vetro('graph', 'view', "$W/svc/shop.yaml", '-o', "$W/shop.html");
is("$rc$out$err", '0', 'a page of a service');
my $page = slurp("$W/shop.html");
like($page, qr/<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /,
	'it may run its own script only');
is(join(' ', $page =~ m{(?:https?:)?//[\w.]+\.\w+}g), '', 'it names nothing to fetch');
is(scalar(() = $page =~ /<script/g), 2, 'data do not become markup');
($rc, $out, $err) = vetro('tosca', "$W/svc/shop.yaml", '-f', 'html');
is($out, $page, '`vetro tosca -f html` is the same');

spew("$W/own.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates: { m: { type: Compute },"
	. " s: { type: SoftwareComponent, requirements: [ host: m, dependency: w ] }, w: { type: WebServer, requirements: [ host: m ] } }\n");
is((vetro('graph', 'view', "$W/own.yaml", '-o', "$W/own.html"))[0], 0, 'a page of types that derive from others');

my $mugl = { vertices => { net => { type => 'x:Net', properties => {} },
	db => { type => 'x:Db', properties => { nets => [ { '#ref' => 'net' } ], text => $hostile } } } };
spew("$W/g.mugl", encode_json($mugl));
is((vetro('graph', 'view', "$W/g.mugl", '-o', "$W/g.html"))[0], 0, 'a page of a graph');
my $model = { Objects => { '?' => { id => 'one', type => 'a.Env' }, name => 'e', apps => [ { '?' => { id => 'two', type => 'a.App/1@a' }, env => 'one' } ] } };
spew("$W/m.json", encode_json($model));
is((vetro('graph', 'view', "$W/m.json", '-o', "$W/m.html"))[0], 0, 'a page of an object model');
($rc, $out, $err) = vetro('graph', 'view', "$W/none.mugl");
is("$rc$out", '1', 'a file that is not there') or print "# $err\n";
spew("$W/bad.mugl", '{"vertices": {"a": {"p": [{"#ref": "b"}]}}}');
($rc, $out, $err) = vetro('graph', 'view', "$W/bad.mugl");
like("$rc $err", qr/^1 .*unknown_ref.*at p\[0\]/s, 'a graph with an error');

if (grep { -x "$_/dot" } split /:/, $ENV{PATH}) {
	for my $f ("$W/svc/shop.yaml", "$W/g.mugl") {
		($rc, $out, $err) = vetro('graph', 'view', '-f', 'svg', $f);
		like("$rc $out", qr/^0 <\?xml.*<svg.*<\/svg>\s*$/s, "-f svg: $f");
	}
} else {
	skip('-f svg', 'there is no dot');
}
{
	local $ENV{PATH} = "$W/bin";
	($rc, $out, $err) = vetro('graph', 'view', '-f', 'svg', "$W/g.mugl");
	like("$rc $err", qr/^1 .*install graphviz/s, 'without Graphviz');
}

# ---- plan and status
my $bin = build('shop', "$W/svc/shop.yaml");
fresh();
($rc, $out, $err) = deploy($bin, 'plan', '-f', 'json', '--html', "$W/plan.html");
is($json->encode(decode_json($out)->{changes}), '{"db":"is new","shop":"is new"}', 'a plan as JSON');
is(decode_json($out)->{steps}[0]{step}, 'Standard.configure', 'with its steps');
ok(!-e "$at/shop.state.mugl", 'nothing is written');
is((deploy($bin, 'status', '-f', 'json', '-c'))[1], qq({"service":"shop","status":"undeployed","nodes":{}}\n), 'the status of nothing');
is((deploy($bin, 'status', '--html', "$W/none.html"))[0], 1, 'of which there is no page');
deploy($bin, 'run');
($rc, $out, $err) = deploy($bin, 'status', '--html', "$W/status.html");
is("$rc $out", "0 shop: deployed\n  db: started\n  shop: started\n", 'a status');
($rc, $out, $err) = deploy($bin, 'plan', '--input', 'title=b', '-f', 'json', '--html', "$W/change.html");
like(decode_json($out)->{changes}{shop}, qr{^changes: properties/title}, 'the plan of a change');
is((deploy($bin, 'plan'))[1], "nothing is left to do\n", 'a plan without work');
spew("$W/svc/note.sh", "echo said; test ! -e $W/fails\n");
$bin = build('shop', "$W/svc/shop.yaml");
spew("$W/fails", '');
($rc, $out, $err) = deploy($bin, 'run', '--input', 'title=b', '--html', "$W/failed.html");
is($rc, 1, 'a run that fails');
unlink "$W/fails";
($rc, $out, $err) = deploy($bin, 'run', '--input', 'title=b', '--html', "$W/run.html");
is($rc, 0, 'and goes on') or print "# $err\n";
($rc, $out, $err) = deploy($bin, 'logs', 'shop', '--html', "$W/logs.html");
is("$rc $out", "0 ==> shop.Standard.configure <==\nsaid\n", 'logs') or print "# $err\n";
($rc, $out, $err) = deploy($bin, 'run', '--dry-run', '--html', "$W/dry.html");
like("$rc $err", qr/^2 .*--html does not go with --dry-run\n  hint: `shop plan --html FILE`/, 'a dry run has no page');
ok(!-e "$W/dry.html", 'and writes none');
($rc, $out, $err) = deploy($bin, 'undeploy', '--html', "$W/undeploy.html");
is($rc, 0, 'undeploy');
($rc, $out, $err) = deploy($bin, 'logs', '--html', "$W/bare.html");
is($rc, 0, 'logs of what is gone') or print "# $err\n";
for my $file (qw(failed run logs undeploy bare)) {
	my $page = slurp("$W/$file.html");
	like($page, qr/default-src 'none'/, "$file: a page with a policy");
	is(join(' ', $page =~ m{(?:https?:)?//[\w.]+\.\w+}g), '', "$file: which names nothing to fetch");
	is(sprintf('%o', (stat "$W/$file.html")[2] & 0777), '600', "$file: for its owner only");
}

# ---- looked at
if (my $why = Browser::missing()) {
	skip('in a browser', $why);
	done();
	exit;
}
my $b = Browser->start($W);
sub panel { return $b->script('return document.getElementById("panel").innerText') }
sub key { $b->script('document.getElementById("view").dispatchEvent(new KeyboardEvent("keydown", { key: arguments[0], bubbles: true }))', $_[0]) }
sub look {
	my ($file, $ready) = @_;
	$b->open_page("file://$W/$file.html");
	is($b->script('return document.documentElement.dataset.ready'), $ready, "$file: nodes and edges");
}
look('shop', '3 3');
is($b->script('return document.title'), 'shop.yaml', 'the title');
like(panel(), qr/<\/script><script>document\.title/, 'markup of values is text');
$b->type('#search', '5432');
like(panel(), qr/^1 found.*\bdb\b/s, 'a value is found');
$b->script('document.getElementById("search").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }))');
like(panel(), qr/^db\s+Db.*CAPABILITY DOOR.*5432.*IS NEEDED BY \(1\)\s+shop \(db\)/s, 'and gone to');
key('ArrowUp');
like(panel(), qr/^shop\s+Shop.*NEEDS \(1\)\s+db \(door\) \x{2192} db/s, 'a key goes to who needs it');
key('ArrowDown');
like(panel(), qr/^db\s/, 'and back');
key('d');
is($b->script('return document.documentElement.className'), 'dark', 'dark');
look('own', '3 3');
$b->type('#search', 'm');
$b->script('document.getElementById("search").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }))');
like(panel(), qr/^m\s+Compute\s/, 'the type is its own, and not the first of its ancestors by name');
look('g', '2 1');
look('m', '2 2');
look('plan', '3 3');
like(panel(), qr/1\. shop: Standard\.configure/, 'steps of a plan');
look('change', '3 3');
$b->type('#search', 'shop');
$b->script('document.getElementById("search").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }))');
like(panel(), qr{changes: properties/title}, 'what changes of a node');
look('status', '3 3');
like(panel(), qr/STATES\s+started\s+2/, 'states');

look('failed', '3 3');
like(panel(), qr/^shop\s+3 nodes, 3 edges\s+failed in [\d.]+ m?s\s+shop: exit status 1.*STEPS \(1\)\s+shop: Standard\.configure\s+failed, [\d.]+ m?s/s,
	'a run that failed: when, why and where');
look('run', '3 3');
like(panel(), qr/deployed in [\d.]+ m?s\s+STEPS \(1\)\s+shop: Standard\.configure\s+[\d.]+ m?s/s, 'a run: its steps with their times');
like($b->script('return document.querySelector(".bar i").style.width'), qr/^\d+(?:\.\d+)?%$/, 'as bars');
look('logs', '3 3');
like(panel(), qr/^shop\s+3 nodes, 3 edges\s+shop\s+==> shop\.Standard\.configure <==\s+said\s/s, 'logs first');
is($b->script('return document.body.className'), 'logs', 'with more room');
look('bare', '0 0');
like(panel(), qr/^shop\s+LOG\s+==> shop\.Standard\.configure <==/, 'logs of what is gone');
ok($b->script('return getComputedStyle(document.querySelector("main")).display === "none"'), 'without a picture of nothing');

# ---- edges run between nodes and never behind one; names stand clear of nodes and of each other
my ($seed, %wild) = (1);
my $next = sub { $seed = ($seed * 1103515245 + 12345) % 2**31; return int($seed / 65536) % $_[0] };
for my $i (0 .. 89) {
	my %to = map { ("to$_" => { '#ref' => 'v' . $next->($i < 80 ? 90 : $i + 1) }) } 0 .. $next->(4);
	$wild{"v$i"} = { type => "t:T$i", properties => \%to };
}
spew("$W/wild.mugl", encode_json({ vertices => \%wild }));
is((vetro('graph', 'view', "$W/wild.mugl", '-o', "$W/wild.html"))[0], 0, 'a graph with circles');
my $clear = <<'JS';
const { nodes, edges, route, labelAt, W, H, GY } = document.getElementById('view').layout;
const bad = [], placed = new Map(), boxes = [];
const hit = (x, y, n) => x > n.x + 1 && x < n.x + W - 1 && y > n.y + 1 && y < n.y + H - 1;
const cubic = (a, b, c, d, t) => a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t * t * (1 - t) + d * t ** 3;
for (const e of edges) {
	const at = route(e), points = [], arc = at.length === 4 && at[1] === at[3];
	for (let i = 0; i + 3 < at.length; i += 4) for (let t = 0; t <= 1; t += 1 / 16) {
		const mid = arc ? at[1] - GY * .9 : (at[i + 1] + at[i + 3]) / 2;
		points.push([cubic(at[i], at[i], at[i + 2], at[i + 2], t), cubic(at[i + 1], mid, mid, at[i + 3], t)]);
	}
	for (let i = 2; i + 3 < at.length; i += 4) if (at[i] !== at[i + 2]) bad.push('slanted: ' + e.from.id);
	for (const [x, y] of points) for (const n of nodes) if (hit(x, y, n)) bad.push(e.from.id + ' to ' + e.to.id + ' behind ' + n.id);
	for (let i = 2; i + 3 < at.length; i += 4) for (const n of nodes)
		if (hit(at[i], (at[i + 1] + at[i + 3]) / 2, n)) bad.push(e.from.id + ' through ' + n.id);
	const label = labelAt(e, 60, placed);
	if (label) boxes.push([label[0], label[1] - 10, label[0] + 60, label[1] + 2]);
}
for (const b of boxes) for (const n of nodes) if (b[0] < n.x + W && b[2] > n.x && b[1] < n.y + H && b[3] > n.y) bad.push('a name on ' + n.id);
boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => { if (a[0] < b[2] && a[2] > b[0] && a[1] === b[1]) bad.push('a name on another'); }));
return edges.length + ' ' + boxes.length + ' ' + bad.slice(0, 5).join('; ');
JS
for my $file (qw(shop own wild)) {
	$b->open_page("file://$W/$file.html");
	my ($edges, $names, $bad) = split / /, $b->script($clear), 3;
	is($bad, '', "$file: no edge and no name behind a node");
	ok($names > 0 && $names <= $edges, "$file: names of edges") or print "# $names of $edges\n";
}

# ---- many
sub vertex { my ($i) = @_; return { type => 't:T', properties => $i ? { up => { '#ref' => 'n' . int(($i - 1) / 3) } } : {} } }
spew("$W/many.mugl", encode_json({ vertices => { map { ("n$_" => vertex($_)) } 0 .. 9999 } }));
is((vetro('graph', 'view', "$W/many.mugl", '-o', "$W/many.html"))[0], 0, '10,000 vertices');
look('many', '10000 9999');
$b->type('#search', 'n9999');
like(panel(), qr/^1 found/, 'are searched');
is(join("\n", map { $_->{message} } @{ $b->log }), '', 'nothing was complained of');
done();
