#!/usr/bin/perl
# --memory and --timeout of binaries: of a package, a service and a configuration. Values of MuranoPL that double with each step, deep
# recursion on a small stack, journals after a time-out, and the examples of docs/limits.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Deploy;
use JSON::PP;
use Tap;

my $top = "$FindBin::Bin/../..";
my $data = "$FindBin::Bin/../data";
my $asan = $vetro =~ m{/(?:asan|torture)/} || ($ENV{CONFIG} // '') =~ /asan|torture/;
my $json = JSON::PP->new->canonical->allow_nonref;
my $memory = qr/^5 \S+: error\[E0991\]: it needs more memory than --memory allows, \d+ MiB\n  hint: .*\n\z/;
my $time = qr/^6 (?:.*\n)*?\S+: error\[E0992\]: it takes longer than --timeout allows, [\d.]+ s\n  hint: --timeout SECONDS allows more\n/;

# ---- a package
package_dir('grow', { 'manifest.yaml' => "Format: '1.4'\nType: Application\nFullName: t.grow\nClasses: { t.grow.G: G.yaml }\n", 'Classes/G.yaml' => <<'Y' });
Name: t.grow.G
Methods:
  list:
    Scope: Public
    Body:
      - $l: [1, 2]
      - While: (true)
        Do:
          - $l: $l + $l
  text:
    Scope: Public
    Body:
      - $s: ab
      - While: (true)
        Do:
          - $s: $s + $s
  integer:
    Scope: Public
    Body:
      - $i: 3
      - While: (true)
        Do:
          - $i: $i * $i
  property:
    Scope: Public
    Body:
      - $.setAttr(l, [1, 2])
      - While: (true)
        Do:
          - $.setAttr(l, $.getAttr(l) + $.getAttr(l))
  down:
    Scope: Public
    Arguments: [ n: { Contract: $.int().notNull() } ]
    Body:
      - Return: $.down($n + 1)
  forever:
    Scope: Public
    Body:
      - $i: 0
      - While: (true)
        Do:
          - $i: ($i + 1) mod 1000
  asleep:
    Scope: Public
    Body:
      - sleep(1000)
Y
my $grow = build('grow', '-O1', "$W/grow");
spew("$W/grow.json", '{"Objects":{"?":{"id":"g","type":"t.grow.G"}}}');
sub grow { my ($o, @args) = @_; return run_program({ limit => 300, %$o }, $grow, 'run', '--model', "$W/grow.json", @args) }
if ($asan) { skip('--memory', 'the sanitizers reserve more than any limit') }
else {
	for my $method ('list', 'text', 'property') {
		my ($rc, undef, $err) = grow({}, '--call', $method, '--memory', 192);
		like("$rc $err", $memory, "a program that doubles a $method: --memory");
	}
	# What the engine refuses by itself is an error of the program.
	for my $method ('integer') {
		my ($rc, undef, $err) = grow({}, '--call', $method, '--memory', 192);
		like("$rc $err", qr/$memory|^1 .*(?:OverflowError|MemoryError|RecursionError|too large)/s, "a program that doubles a $method: --memory");
	}
	my ($rc, undef, $err) = grow({ env => { VETRO_MEMORY => 192 } }, '--call', 'list');
	like("$rc $err", $memory, 'VETRO_MEMORY');
}
for my $method ('forever', 'asleep') {
	my ($rc, undef, $err) = grow({}, '--call', $method, '--timeout', '0.3');
	like("$rc $err", $time, "$method: --timeout");
}
like(join(' ', (grow({ env => { VETRO_TIMEOUT => 1 } }, '--call', 'asleep'))[0, 2]), $time, 'VETRO_TIMEOUT');
for (['session'], ['call', 't.grow.G', 'forever'], ['schema', 't.grow.G'], ['info']) {
	my ($rc, undef, $err) = run_program({ limit => 300 }, $grow, @$_, '--timeout', 'x');
	like("$rc $err", qr/^2 .*--timeout takes a number/s, "$_->[0] has --timeout");
	($rc, undef, $err) = run_program({ limit => 300 }, $grow, @$_, '--memory', 'x');
	like("$rc $err", qr/^2 .*--memory takes a number/s, "and --memory");
}

# ---- journals are whole after a time-out
my $cloud = build('cloud', '-O0', "$data/murano/cloud");
spew("$W/app.json", '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[{"?":{"id":"app","type":"t.cloud.App"},'
	. '"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i"}}],'
	. '"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}');
spew("$W/scenario.json", '{"state":"' . "$W/state.json" . '"}');
sub many { return run_program({ limit => 600 }, $cloud, 'run', '--scenario', "$W/scenario.json", '--model', "$W/app.json", '--snapshot', "$W/s.mugl",
	'--object', 'app', '--call', 'many', '--args', '[60]', @_) }
sub plans { my $s = $json->decode(slurp("$W/state.json")); return join ' ', map { "$_=$s->{agents}{$_}{plans}" } sort keys %{ $s->{agents} || {} } }
many();
my $whole = plans();
unlink "$W/state.json", "$W/s.mugl";
my ($late, $rc, $out, $err) = (0);
for my $seconds (0.02, 0.05, 0.1, 0.2, 0.4) {
	($rc, $out, $err) = many('--timeout', $seconds);
	last if $rc == 0;
	$late++;
	ok($rc == 6 && $err =~ /E0992/, "a run that takes longer than $seconds s", $err);
	my @lines = -e "$W/s.mugl.journal" ? split /^/, slurp("$W/s.mugl.journal") : ();
	ok(!(grep { !/^\{"crc":"[0-9a-f]{8}","seq":\d+,.*\}\n\z/ } @lines), 'leaves a journal of whole records', @lines ? $lines[-1] : ());
}
ok($late || !$rc, 'time is over at least once, or the machine is quick');
($rc, $out, $err) = many() if $rc;
is($rc, 0, 'it goes on from there') or print "# $err\n";
is(plans(), $whole, 'and does nothing twice');
ok(!-e "$W/s.mugl.journal", 'the journal goes');

# ---- a service
sub service_file {
	my ($inputs, $output) = @_;
	return "tosca_definitions_version: tosca_2_0\nservice_template:\n  node_templates: {}\n  inputs:\n$inputs  outputs: { o: { value: $output } }\n";
}
my $chain = "    p0: { type: string, default: " . 'a' x 1000 . " }\n" . join '', map {
	"    p$_: { type: string, default: { \$concat: [ { \$get_input: p@{[$_ - 1]} }, { \$get_input: p@{[$_ - 1]} } ] } }\n" } 1 .. 15;
spew("$W/wide.yaml", service_file($chain, '{ $get_input: p15 }'));
my $wide = build('wide', '-O0', "$W/wide.yaml");
if ($asan) { skip('--memory of a service', 'the sanitizers reserve more than any limit') }
else {
	for my $command ('topology', 'run') {
		($rc, $out, $err) = run_program({ limit => 300, dir => $W }, $wide, $command, '--memory', 40);
		like("$rc $err", $memory, "a service: $command --memory");
	}
}
spew("$W/slow.sh", "#!/bin/sh\necho begin \$VETRO_ATTEMPT >>$W/slow.log\n[ \$VETRO_ATTEMPT -gt 1 ] && exit 0\necho \$\$ >$W/slow.pid\nexec sleep 1000\n");
spew("$W/slow.yaml", <<'Y');
tosca_definitions_version: tosca_2_0
interface_types: { Life: { operations: { create: {} } } }
node_types:
  N: { interfaces: { Standard: { type: Life, operations: { create: { implementation: { primary: slow.sh } } } } } }
service_template: { node_templates: { n: { type: N } } }
Y
my $slow = build('slow', '-O0', "$W/slow.yaml");
($rc, $out, $err) = deploy($slow, 'run', '--timeout', 3);
like("$rc $err", $time, 'a service: run --timeout is for the whole run');
unlike($err, qr/it took more than/, 'and no operation failed by it');
my $pid = slurp("$W/slow.pid") || 0;
ok($pid && (!kill(0, $pid) || slurp("/proc/$pid/stat") =~ /\) Z /), 'what it had started has ended');
is($json->decode($out || '{}')->{status}, 'interrupted', 'the result says so');
($rc, $out, $err) = deploy($slow, 'run', '--timeout', 300, '--operation-timeout', 200);
is("$rc " . ($json->decode($out || '{}')->{status} // ''), '0 deployed', 'the next run goes on') or print "# $err\n";
is(slurp("$W/slow.log") =~ s/\n/ /gr, 'begin 1 begin 2 ', 'with the next attempt');
($rc, $out, $err) = deploy($slow, 'undeploy', '--timeout', 'x');
like("$rc $err", qr/^2 .*--timeout takes a number/s, 'undeploy has --timeout');

# ---- a configuration
spew("$W/wide.yay", "p0: " . 'a' x 1000 . "\n" . join '', map { "p$_: {{ p@{[$_ - 1]} }}{{ p@{[$_ - 1]} }}\n" } 1 .. 15);
my $yay = build('yay', '-O0', "$W/wide.yay");
if ($asan) { skip('--memory of a configuration', 'the sanitizers reserve more than any limit') }
else {
	($rc, $out, $err) = run_program({ limit => 300 }, $yay, '--memory', 40);
	like("$rc $err", $memory, 'a configuration: --memory');
}
like(join(' ', (run_program({ limit => 300 }, $yay, '--timeout', 'x'))[0, 2]), qr/^2 .*--timeout takes a number/s, 'a configuration has --timeout');

spew("$W/powers.yay", "n: 10000000\n" . join '', map { "p$_: {{ len(str(3 ** (n + $_))) }}\n" } 1 .. 200);
my $powers = build('powers', '-O0', "$W/powers.yay");
($rc, $out, $err) = run_program({ limit => 300 }, $powers, '--timeout', 1);
like("$rc $err", $time, 'a configuration: --timeout');

# ---- deep recursion on small and usual stacks
if ($asan) { skip('small stacks', 'the sanitizers need larger ones') }
else {
	my @deep = ([ $grow, 'run', '--model', "$W/grow.json", '--call', 'down', '--args', '[0]' ], [ $grow, 'run', '--model', "$W/deep.json" ],
		[ $wide, 'topology', '--inputs', "$W/deep.json" ], [ $yay, '--set', 'p1=' . '[' x 900 . ']' x 900 ]);
	spew("$W/deep.json", '{"Objects":' . '{"a":' x 900 . '1' . '}' x 900 . '}');
	for (@deep) {
		my @small = run_program({ limit => 600, dir => $W }, 'sh', '-c', 'ulimit -s 64; exec "$@"', 'sh', @$_);
		my @usual = run_program({ limit => 600, dir => $W }, @$_);
		my $what = join(' ', map { length > 60 ? substr($_, 0, 20) . '...' : s{.*/}{}r } @$_);
		ok($usual[0] >= 0 && $usual[0] < 3, "$what ends with a message", "status $usual[0]", $usual[2]);
		is("$small[0] $small[2]", "$usual[0] $usual[2]", 'ulimit -s 64: as ever');
	}
	($rc, $out, $err) = run_program({ limit => 600 }, 'sh', '-c', 'ulimit -s 64; exec "$@"', 'sh', @{ $deep[0] });
	like($err, qr/RecursionError|maximum recursion depth/, 'a method that calls itself for ever is told so');
}

# ---- the examples of docs/limits.md
my $place = "$W/docs";
mkdir $place;
mkdir "$place/bin";
symlink($vetro =~ m{^/} ? $vetro : "$top/$vetro", "$place/bin/vetro") or die;
my $text = slurp("$top/docs/limits.md");
my ($block) = $text =~ /^```text\n(.*?)^```$/ms;
spew("$place/service.yaml", slurp("$W/wide.yaml") =~ s/^    p\d\d.*\n//mgr =~ s/p15/p1/r);
spew("$place/model.json", slurp("$W/grow.json"));
package_dir('quick', { 'manifest.yaml' => "Format: '1.4'\nType: Application\nFullName: t.quick\nClasses: { t.grow.G: G.yaml }\n",
	'Classes/G.yaml' => "Name: t.grow.G\nMethods:\n  deploy:\n    Scope: Public\n    Body:\n      - Return: 1\n" });
vetro({ limit => 300 }, 'build', '-O0', '-o', "$place/app", "$W/quick");
my @examples = grep { /\S/ } split /\n/, $block // '';
ok(@examples >= 3, 'docs/limits.md has examples');
for (@examples) {
	my ($rc, undef, $err) = run_program({ limit => 600, dir => $place, env => { PATH => "$place/bin:$ENV{PATH}" } }, 'sh', '-c',
		$asan ? s/--memory \d+|VETRO_MEMORY=\d+//r : $_);
	is($rc, 0, "docs/limits.md: $_") or print "# $err\n";
}
my %codes = $text =~ /^\| (\d) \| (E\d{4}) \|/mg;
is_json(\%codes, { 5 => 'E0991', 6 => 'E0992' }, 'its statuses are those above');
done();
