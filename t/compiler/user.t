#!/usr/bin/perl
# What people get wrong, and what they are reported: options, places of output, files that are no text, names that are nearly right.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

# The status and the message: status, what standard error begins with, a pattern in it.
sub told {
	my ($title, $status, $what, @args) = @_;
	my ($rc, $out, $err) = vetro({ limit => 300 }, @args);
	ok(!!($rc == $status && $err =~ $what), $title, "status $rc, wanted $status", $err, "wanted $what");
	return $err;
}
sub shell {
	my ($command) = @_;
	my $err = `cd $W && ( $command ) 2>&1 >/dev/null`;
	return ($? >> 8, $err);
}

# ---- options
my @commands = qw(build run check query yay tosca graph schema test bench);
for my $c (@commands) {
	my ($rc, $out) = vetro($c, '-h');
	ok(!!($rc == 0 && $out =~ /\bvetro $c /), "vetro $c -h", "status $rc", $out);
	my @words = $c eq 'graph' ? ($c, 'check') : $c eq 'schema' ? ($c, "$W/x", 'X') : ($c);
	told("vetro $c: an option that is not there", 2, qr/^vetro: unknown option --frobnicate\nhint: see 'vetro help $c'\n/, @words, '--frobnicate');
}
told('an option that is nearly right', 2, qr/unknown option --formt\nhint: did you mean --format\? 'vetro help check' lists them/, 'check', '--formt', 'x');
told('with a value', 2, qr/unknown option --max-eror=3\nhint: did you mean --max-errors\?/, 'check', '--max-eror=3', 'x');
told('letters alone count', 2, qr/unknown option --stats\nhint: see 'vetro help check'/, 'check', '--stats', 'x');
told('what other tools call it', 2, qr/unknown option --var\nhint: did you mean --input\?/, 'tosca', '--var', 'x');
told('the beginning of one', 2, qr/unknown option --slurpf\nhint: did you mean --slurpfile\?/, 'query', '--slurpf', '1');
told('the beginning of several', 2, qr/unknown option --raw\nhint: did you mean --raw-input, --rawfile or --raw-output\?/, 'query', '--raw', '1');
told('an expression that looks like an option', 2, qr/unknown option -\$\nhint: .*\nhint: what starts with - and is no option goes behind --/, 'query', '-$');
told('of run, not of build', 2, qr/hint: see 'vetro help run'/, 'run');
told('arguments behind -- without run', 2, qr/those of run/, 'build', 'x', '--', 'info');
my (undef, $help) = vetro('help');
ok(!!($help =~ /TOSCA/ && $help =~ /\.yay/ && $help =~ /\.csar/), 'help names all kinds of sources', $help);

# ---- where a binary goes
my %app = ('manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.app\nRequire:\nClasses:\n  t.Tier: Tier.yaml\n  t.Web: Web.yaml\n",
	'Classes/Tier.yaml' => <<'Y',
Namespaces: {=: t}
Name: Tier
Properties:
  name:
    Contract: $.string()
Methods:
  start:
    Scope: Public
    Body:
      - Return: $.name
Y
	'Classes/Web.yaml' => "Namespaces: {=: t}\nName: Web\nExtends: Tier\nMethods:\n  deploy:\n    Scope: Public\n    Body:\n      - Return: \$.start()\n");
my $app = package_dir('app', \%app);
spew("$W/service.yaml", "tosca_definitions_version: tosca_2_0\nservice_template: { node_templates: {}, inputs: { n: { type: integer } } }\n");
spew("$W/config.yay", "a: 1\nb: {{ a }}\n");
mkdir "$W/folder";
told('-o DIRECTORY', 1, qr/^vetro: error\[E0905\]: the binary cannot become .*: it is a directory\n  hint: -o FILE/, 'build', '-O0', $app, '-o', "$W/folder");
told('-o DIRECTORY/', 1, qr/E0905.*it is the name of a directory/, 'build', '-O0', $app, '-o', "$W/folder/");
told('-o in no directory', 1, qr/E0905.*No such file or directory/, 'build', '-O0', $app, '-o', "$W/nothing/x");
told('-o of a file in place of a directory', 1, qr/E0905.*Not a directory/, 'build', '-O0', $app, '-o', "$W/config.yay/x");
told('-o over the source', 1, qr/E0905.*it is what is built from/, 'build', "$W/service.yaml", '-o', "$W/service.yaml");
ok(-s "$W/service.yaml" < 200, 'which stays what it was');
system("mkfifo", "$W/pipe");
told('-o of what is no file', 1, qr/E0905.*no file that can be replaced/, 'build', '-O0', $app, '-o', "$W/pipe");
ok(-p "$W/pipe", 'which is still there');
symlink('/dev/null', "$W/null");
told('-o of a device, behind a link', 1, qr/E0905.*no file that can be replaced/, 'build', '-O0', $app, '-o', "$W/null");
ok(-l "$W/null" && -c '/dev/null', 'which is still there');
is(join(' ', grep { /tmp$/ } glob "$W/* $W/folder/*"), '', 'nothing partial is left');

# ---- binaries
my %binary = (app => $app, service => "$W/service.yaml", config => "$W/config.yay");
for my $name (sort keys %binary) {
	my ($rc, undef, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/$name.bin", $binary{$name});
	ok($rc == 0, "$name is built", $err);
	local $Tap::vetro = "$W/$name.bin";
	for my $args (['--help'], ['-h'], ['help'], $name eq 'config' ? ['a', '--help'] : ['run', '--help'], $name eq 'config'
		? ['-c', '--help'] : ['help', 'run']) {
		my ($st, $out) = vetro(@$args);
		ok(!!($st == 0 && $out =~ /^usage: /), "$name @$args", "status $st");
	}
	my (undef, $version) = vetro('--version');
	like($version, qr/built by vetro \d/, "$name --version");
	my @bad = vetro($name eq 'config' ? () : 'info', '--frobnicate');
	ok(!!($bad[0] == 2 && $bad[2] =~ /^\Q$name.bin\E: unknown option.*--frobnicate/), "$name: an option that is not there", @bad);
	if (-c '/dev/full') {
		for my $args ('help', '--version', $name eq 'config' ? '' : 'info') {
			my ($st, $said) = shell("./$name.bin $args >/dev/full");
			ok(!!($st == 1 && $said =~ /^\Q$name.bin\E: standard output: No space left/), "$name $args: a full disk", "status $st", $said);
		}
	}
}
{
	local $Tap::vetro = "$W/config.bin";
	is((vetro('--set=a=7', '--as=int', 'b'))[1], "7\n", 'values behind =');
	my ($rc, undef, $err) = vetro('--as');
	ok(!!($rc == 2 && $err =~ /a value is missing after --as/), 'a value that is missing', $err);
}
if (-c '/dev/full') {
	for (['help', 'help'], ['yay', "yay '$W/config.yay'"], ['query', 'query -n 1'], ['tosca', "tosca '$W/service.yaml' --input n=1"],
		['explain', 'explain E0101']) {
		my ($st, $said) = shell("'$vetro' $_->[1] >/dev/full");
		ok(!!($st == 1 && $said =~ /standard output: No space left/), "vetro $_->[0]: a full disk is status 1", "status $st", $said);
	}
}

# ---- packages: one mistake, one message
my $made = 0;
sub mistake {
	my ($title, $file, $change, $count, $what, $hint) = @_;
	my %f = %app;
	if (ref $change) { $change->(\%f) } else { $f{$file} = $change }
	my $p = package_dir('m' . ++$made, \%f);
	my ($rc, undef, $err) = vetro('check', $p);
	my $n = () = $err =~ /: (?:error|warning)\[/g;
	ok(!!($n == $count && $err =~ $what && (!$hint || $err =~ $hint)), $title, "$n messages, wanted $count", $err);
}
(my $shifted = $app{'Classes/Tier.yaml'}) =~ s/^    Contract/   Contract: 1\n    Contract/m;
mistake('a class that is no YAML: those that extend it keep quiet', 'Classes/Tier.yaml', $shifted, 1, qr/Tier\.yaml:\d+:\d+: error\[E0201\]/);
mistake('a class that is no text', 'Classes/Tier.yaml', "Name: caf\xe9\n", 1, qr/E0109/, qr/hint: save the file as UTF-8/);
mistake('an empty class', 'Classes/Tier.yaml', '', 1, qr/E0409/);
mistake('a file that is not there', '', sub { delete $_[0]{'Classes/Tier.yaml'} }, 1, qr/E0408.*Classes\/Tier\.yaml\n(?:.*\n){2}1 error/);
mistake('one whose name is nearly right', '', sub { $_[0]{'manifest.yaml'} =~ s/: Tier.yaml/: Teir.yaml/ }, 1, qr/E0408/, qr/did you mean Tier\.yaml\?/);
mistake('a class that the manifest lacks', '', sub { $_[0]{'manifest.yaml'} =~ s/  t\.Tier.*\n// }, 1, qr/E0601.*"t\.Tier"/,
	qr/name it below Classes in the manifest, which does not know the file Classes\/Tier\.yaml/);
mistake('a class that is nowhere has no far-fetched hint', '', sub { $_[0]{'Classes/Web.yaml'} =~ s/Extends: Tier/Extends: Zbox/ }, 1,
	qr/E0601.*"t\.Zbox" is not found\n.*\n.*\n(?!  hint)/);
my $field = sub { my ($name, $more) = @_; sub { $_[0]{'Classes/Tier.yaml'} =~ s/- Return: .*/- \$.$name: x$more\n      - Return: \$.name/;
	$_[0]{'Classes/Tier.yaml'} =~ s/(Contract: .*)/$1\n    Usage: InOut/ } };
mistake('a property that is written under another name', '', $field->('nmae', ''), 1, qr/W1039\]: nothing reads "\$\.nmae"/, qr/did you mean "name"\?/);
mistake('which is fine where something reads it', '', $field->('nmae', "\n      - \$_a: \$.nmae"), 0, qr/^$/);
mistake('or no property is called nearly so', '', $field->('cache', ''), 0, qr/^$/);
mistake('a block by another name', '', sub { $_[0]{'Classes/Tier.yaml'} =~ s/- Return: .*/- While: true\n        Body:\n          - Break:/ }, 2,
	qr/E0703.*E0702/s, qr/did you mean "Do"\?/);
mistake('a function that is nearly right', '', sub { $_[0]{'Classes/Tier.yaml'} =~ s/Return: \$\.name/Return: fromat("{0}", \$.name)/ }, 1, qr/W1027/,
	qr/did you mean format\?/);

spew("$W/web.json", '{"?": {"type": "t.Web", "id": "w"}}');

# ---- ^C: nothing stays in $TMPDIR, and the status is the signal's
sub interrupted {
	my ($title, $signal, @args) = @_;
	mkdir "$W/tmp";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		setpgrp(0, 0);
		$ENV{TMPDIR} = "$W/tmp";
		open(STDOUT, '>', '/dev/null') && open(STDERR, '>', '/dev/null') or exit 126;
		exec { $vetro } $vetro, @args or exit 127;
	}
	my @made;
	for (1 .. 600) {
		@made = glob("$W/tmp/vetro-*/*");
		last if @made;
		select(undef, undef, undef, 0.01);
	}
	kill $signal, $signal eq 'INT' ? -$pid : $pid;
	waitpid($pid, 0);
	my $status = $?;
	my @left = glob("$W/tmp/* $W/late*");
	ok(!!(@made && !@left && ($status & 127) == ($signal eq 'INT' ? 2 : 15)), $title, "status $status, left: @left");
}
my $slow = "$FindBin::Bin/../../examples/fleet";
# What kill -9 leaves the next build takes away, and nothing that somebody still works in.
{
	my $pid = fork // die "fork: $!";
	mkdir "$W/tmp";
	if (!$pid) {
		$ENV{TMPDIR} = "$W/tmp";
		open(STDOUT, '>', '/dev/null') && open(STDERR, '>', '/dev/null') or exit 126;
		exec { $vetro } $vetro, 'build', '--no-cache', '-O2', '-o', "$W/late", $slow or exit 127;
	}
	my @made;
	for (1 .. 600) {
		@made = glob("$W/tmp/vetro-*");
		last if @made && glob("$made[0]/*");
		select(undef, undef, undef, 0.01);
	}
	my @build = ('build', '--no-cache', '-O0', '-o', "$W/other", "$FindBin::Bin/../../examples/hello");
	kill 'STOP', $pid;
	vetro({ env => { TMPDIR => "$W/tmp" } }, @build);
	ok(@made && -d $made[0], 'the directory of a build that is under way stays');
	kill 'KILL', $pid;
	waitpid($pid, 0);
	ok(@made && -d $made[0], 'kill -9 leaves it');
	my ($rc) = vetro({ env => { TMPDIR => "$W/tmp" } }, @build);
	ok($rc == 0 && !glob("$W/tmp/*"), 'and the next build takes it away');
}
interrupted('^C while the C compiler works', 'INT', 'build', '--no-cache', '-O2', '-o', "$W/late", $slow);
interrupted('SIGTERM then', 'TERM', 'build', '--no-cache', '-O2', '-o', "$W/late", $slow);
interrupted('^C while a benchmark runs', 'INT', 'bench', '--query', '$', "$W/web.json", '--time', '30');

# ---- functions of the host
spew("$W/one.lua", "local hidden = 1\nvetro.register { name = 'one', params = '', fn = function() return hidden end }\n");
spew("$W/two.lua", "\n\nvetro.register { name = \"two\", params = '', fn = function() return hidden.x end }\n");
my $hosted = package_dir('hosted', { %app, 'Classes/Web.yaml' => <<'Y' });
Namespaces: {=: t}
Name: Web
Extends: Tier
Methods:
  deploy:
    Scope: Public
    Body:
      - Return: one() + two()
Y
my $said = told('two Lua files: each has its own lines and locals', 1, qr/LuaError: \S+two\.lua:3: .*'hidden'/, 'run', $hosted, '--lua', "$W/one.lua", '--lua',
	"$W/two.lua", '--', 'run', '--model', "$W/web.json");
ok($said !~ /W1027/, 'whose functions are known', $said);
spew("$W/broken.lua", "vetro.register {\n name = 'x' params = '' }\n");
told('what is no Lua is reported by the build', 1, qr/^vetro: error\[E0114\]: \S+broken\.lua:2: /,
	'build', '-O0', '-o', "$W/x", $app, '--lua', "$W/broken.lua");
told('a model without Objects', 1, qr/: \S+none\.json has no Objects, so it is no model\n  hint: did you mean "Objects"\?$/m,
	'run', $app, '--', 'run', '--model', do { spew("$W/none.json", '{"objects": {}}'); "$W/none.json" });

for (['--state', '--snapshot'], ['--inputs', '--model'], ['--method', '--call'], ['--verbose', '--progress'], ['--objekt', '--object']) {
	my ($written, $meant) = @$_;
	told("$written of a program", 2, qr/unknown option $written\nhint: did you mean $meant\?/, 'run', $app, '--', 'run', $written, 'x');
}
told('nothing is like it', 2, qr/unknown option --force\nhint: see '/, 'run', $app, '--', 'run', '--force');

# ---- YAQL
sub expression {
	my ($expr, $hint) = @_;
	my ($rc, undef, $err) = vetro('query', '-n', $expr);
	my $said = $err =~ /\n  hint: (.*)\n\z/ ? $1 : '';
	ok($rc == 1 && $said eq $hint, "query $expr", "said '$said', wanted '$hint'", $err);
}
expression('$.whree($ > 1)', 'did you mean where?');
expression('lenn($)', 'did you mean len?');
expression('$.range()', 'it is a function: range(...)');
expression('where($)', 'it is called on a value: x.where(...)');
expression('$.a == 1', 'equality is =');
expression('$.a && 1', 'it is the word and');
expression('$.a || 1', 'it is the word or');
expression('!$.a', 'it is the word not');
expression('$.a <> 1', 'inequality is !=');
expression('$.a % 2', 'the remainder is mod');
expression("\$.a = 'x", 'the quote is not closed');
expression('$.zzzzzzz()', '');
expression('1 +', 'something is missing before this place');

# ---- Yay
sub configuration {
	my ($title, $text, $code, $hint, @args) = @_;
	spew("$W/bad.yay", $text);
	my ($rc, undef, $err) = vetro('yay', "$W/bad.yay", @args);
	my $said = $err =~ /\n  hint: (.*)\n/ ? $1 : '';
	ok(!!($err =~ /\[$code\]/ && $said eq $hint), $title, "said '$said', wanted '$hint'", $err);
}
configuration('a name', "database: 1\nb: {{ databse }}\n", 'E3004', "did you mean 'database'?");
configuration('a member', "d:\n  port: 1\nb: {{ d.prot }}\n", 'E3004', "did you mean 'port'?");
configuration('a function', "b: {{ lenn([]) }}\n", 'E3004', "did you mean 'len'?");
configuration('a part that is selected', "front: 1\n", 'E3004', "did you mean 'front'?", '--select', 'frnt');
configuration('a prototype', "prototype Site:\n  a: 1\nx:\n  new Siet:\n    b: 1\n", 'E300[46]', "did you mean 'Site'?");
configuration('new of nothing', "new Nope:\n  a: 1\n", 'E3006', "nothing defines 'Nope', so only what comes of this line itself could");
configuration('call of something else', "macro nobody:\n  a: 1\ncall nobdy:\n  a: 1\n", 'E3006', "nothing defines 'nobdy'; did you mean 'nobody'?");
configuration('a circle has no such hint', "a: {{ b }}\nb: {{ a }}\n", 'E3006', '');
configuration('a template that does not end', "a: {{ b }\n", 'E3002', 'a template ends with }}');
configuration('one equals sign', "if a = 1:\n  b: 1\na: 1\n", 'E3002', 'equality is ==');
configuration('set with a colon', "a: 1\nset x: 1\n", 'E3002', 'it is written set NAME = EXPRESSION');
configuration('a colon in a condition is another thing', "if a: 1 :\n  b: 1\n", 'E300[12]', '');
configuration('a file without quotes', "include parts/base.yay\n", 'E3004', 'the name of a file stands in quotes: "parts/base.yay"');
configuration('a member that is missing is no file', "b: {{ base.yam }}\n", 'E3004', '');
configuration('true as a name', "a: {{ true }}\n", 'E3004', 'there are no booleans and no null: true in data is a text; conditions take 1 and 0, or 1 == 1');
configuration('true as a number', "a: true\nb: {{ not a }}\n", 'E3005', 'there are no booleans: true is a text; write 1 or 0');
told('a command of graph', 2, qr/hint: did you mean 'check'\?/, 'graph', 'chek', 'x');
configuration('a tab', "a:\n\tb: 1\n", 'W3003', 'indent with blanks');
told('which check reports too', 0, qr/:2:1: warning\[W3003\]/, 'check', "$W/bad.yay");
for my $line ('for x in range(3)', 'if 1 == 1', 'new Site', 'call M', 'create "X"', 'else', 'select kind') {
	configuration("behind a dash: $line", "a:\n  - $line:\n      b: 1\n", 'W3004',
		'loops and conditions make items without a dash; an object of `new` gets a key, and the item is {{ key }}');
}
spew("$W/good.yay", "a:\n  - format: 1\n    newer: 2\n    elsewhere: 3\n  - 'if x'\nb:\n  for x in [1]:\n    - {{ x }}\n");
my (undef, undef, $none) = vetro('check', "$W/good.yay");
is($none, '', 'keys that begin alike, texts, and directives in their place are no such');

# ---- TOSCA
sub template {
	my ($title, $body, $count, $what, $hint) = @_;
	spew("$W/bad.yaml", "tosca_definitions_version: tosca_2_0\n$body");
	my ($rc, undef, $err) = vetro('tosca', "$W/bad.yaml");
	my $n = () = $err =~ /: error\[/g;
	ok(!!($rc == 1 && $n == $count && $err =~ $what && index($err, "  hint: $hint\n") >= 0), $title, "$n errors, wanted $count", $err);
}
my $two = "service_template:\n  node_templates:\n    vm: { type: Machine }\n    app: { type: SoftwareComponent, requirements: [ { host: vm } ] }\n";
template('a type of the profile that is not imported',
	"node_types: { Machine: { derived_from: Compute } }\nservice_template: { node_templates: { vm: { type: Machine } } }\n",
	1, qr/E2020.*'Compute'/, 'imports: [ { profile: org.oasis-open.simple:2.0 } ] brings it');
template('an operator of it', "data_types: { P: { derived_from: integer, validation: { \$in_range: [ \$value, [ 1, 9 ] ] } } }\n",
	1, qr/E2071/, 'it is one of the operators that imports: [ { profile: org.oasis-open.simple:2.0 } ] brings');
template('a profile that is nearly right: what needs it keeps quiet',
	"imports: [ { profile: org.oasis-open.simpel:2.0 } ]\nnode_types: { Machine: { derived_from: Compute } }\n$two",
	1, qr/E2013/, "did you mean 'org.oasis-open.simple:2.0'?");
template('a type without which nothing fits keeps the rest quiet',
	"imports: [ { profile: org.oasis-open.simple:2.0 } ]\nnode_types: { Machine: { derived_from: tosca.nodes.Compute } }\n$two",
	1, qr/E2020/, "did you mean 'Compute'? names like this one are those of TOSCA 1.0 to 1.3");
my $flow = <<'Y'
interface_types: { Backup: { operations: { dump: {} } } }
node_types: { N: { interfaces: { Backup: { type: Backup } } } }
service_template:
  node_templates: { n: { type: N } }
  workflows:
    w:
      steps:
Y
	. "        one: { target: n, activities: [ { call_operation: %s } ], on_success: [ %s ] }\n" .
		"        two: { target: n, activities: [ { call_operation: Backup.dump } ] }\n";
template('an operation', sprintf($flow, 'Backup.dmp', 'two'), 1, qr/E2050/, "did you mean 'dump'?");
template('an interface', sprintf($flow, 'Backp.dump', 'two'), 1, qr/E2050/, "did you mean 'Backup'?");
template('a step', sprintf($flow, 'Backup.dump', 'tow'), 1, qr/E2020/, "did you mean 'two'?");
done();
