#!/usr/bin/perl
# `vetro bench`: a user's own package, expression, configuration and service, beside whoever is installed.
use strict;
use warnings;
use FindBin qw($Bin);
use lib "$Bin/../lib";
use JSON::PP;
use Tap;

my $python = '/usr/bin/python3';
my %limit = (limit => 300);
my @quick = ('--rounds', '1', '--time', '0.01');
sub has { return system("$_[0] >/dev/null 2>&1") == 0 }

# What --json printed, by job and contestant.
sub figures {
	my ($title, @args) = @_;
	my ($rc, $out, $err) = vetro(\%limit, 'bench', @args, '--json', @quick);
	is($rc, 0, "$title: exit status") or print map { "# $_\n" } split /\n/, $err;
	my $all = eval { decode_json($out) };
	ok(ref $all eq 'ARRAY', "$title: an array", $out) or return {};
	my %of;
	for my $r (@$all) {
		$of{ $r->{job} }{ $r->{contestant} } = $r;
		my @keys = sort keys %$r;
		is("@keys", 'checked contestant input job ops peak_bytes ratio seconds', "$title: $r->{job} of $r->{contestant} has what `make bench` writes");
		ok($r->{seconds} > 0 && $r->{ratio} > 0 && $r->{checked}, "$title: and a time");
	}
	return \%of;
}

# ---- a package ----
my $package = package_dir('p', { 'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: p\nClasses:\n  p.P: P.yaml\n", 'Classes/P.yaml' => <<'Y' });
Namespaces:
  =: p
Name: P
Properties:
  n:
    Contract: $.int().notNull()
    Usage: InOut
    Default: 0
Methods:
  deploy:
    Usage: Action
    Body:
      - $.n: $.n + 1
      - Return: [$.n, 'done']
  add:
    Scope: Public
    Arguments:
      - by: {Contract: $.int().notNull()}
    Body:
      - $.n: $.n + $by
      - Return: $.n
  fails:
    Scope: Public
    Body:
      - Throw: Broken
        Message: it is broken
Y
spew("$W/model.json", '{"?": {"type": "p.P", "id": "root"}, "n": 5}');
my $f = figures('package', $package, '--model', "$W/model.json");
ok($f->{'bench-call'}{vetro}, 'the call is measured');
ok($f->{'bench-load'}{vetro}, 'loading is');
ok($f->{'bench-start'}{vetro}, 'the start is');
ok($f->{'bench-call'}{vetro}{peak_bytes} > 100_000, 'memory is measured');
like($f->{'bench-call'}{vetro}{input}, qr/model\.json: deploy, 1 call a run/, 'the figure names its input');
if (has("$python -c 'import murano.dsl'")) {
	ok($f->{'bench-call'}{murano}, 'murano takes part, and comes to the same');
	ok(($f->{'bench-call'}{murano}{ratio} // 0) > 10, 'and takes longer');
} else {
	skip($_, "python3-murano is not installed") for 1, 2;
}
$f = figures('arguments', $package, '--model', "$W/model.json", '--call', 'add', '--args', '{"by": 3}', '-n', '20', '--object', 'root');
like($f->{'bench-call'}{vetro}{input}, qr/add, 20 calls a run/, 'calls a run are reported');
my ($rc, $out, $err) = vetro(\%limit, 'bench', $package, '--model', "$W/model.json", '--call', 'fails', @quick);
is($rc, 1, 'a call that fails: exit status');
like($err, qr/it is broken/, 'and its error');
is($out, '', 'and no figure');

# ---- an expression ----
spew("$W/data.json", '{"items": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": "z"}]}');
my $expr = '$.items.where($.a > 1).select($.b)';
$f = figures('expression', '--query', $expr, "$W/data.json", '--jq', '[.items[] | select(.a > 1) | .b]');
ok($f->{'bench-query'}{vetro}{seconds} < 0.1, 'an evaluation is measured');
for (['jq', 'jq -n 1'], ['gojq', 'gojq -n 1'], ['yaql', "$python -c 'import yaql'"]) {
	my ($who, $test) = @$_;
	if (has($test)) { ok($f->{'bench-query'}{$who}, "$who takes part") } else { skip($who, 'not installed') }
}
if (has('jq -n 1')) {
	($rc, $out, $err) = vetro(\%limit, 'bench', '--query', $expr, "$W/data.json", '--jq', '.items', @quick);
	is($rc, 1, 'another result: exit status');
	like($err, qr/results of vetro and jq differ/, 'is reported');
	($rc, $out, $err) = vetro(\%limit, 'bench', '--query', $expr, "$W/data.json", '--jq', '.items | nosuch', @quick);
	is($rc, 0, 'a program that jq cannot run: exit status');
	like($err, qr/jq is left out: it cannot run what --jq gives/, 'is reported');
	like($out, qr/\bvetro\b/, 'and the others are measured');
} else {
	skip($_, "jq is not installed") for 1 .. 5;
}
spew("$W/data.yaml", "items:\n- {a: 1, b: x}\n- {a: 7, b: y}\n");
$f = figures('a YAML document', '--query', $expr, "$W/data.yaml");
ok($f->{'bench-query'}{vetro}, 'is read');
($rc, $out, $err) = vetro(\%limit, 'bench', '--query', '$.items.nothing()', "$W/data.json", @quick);
is($rc, 1, 'an expression that fails: exit status');
like($err, qr/nothing/, 'and why');
($rc, $out) = vetro(\%limit, 'bench', '--query', '$.items.len()', "$W/data.json", @quick);
like($out, qr/^one evaluation.*\n(?:.*times.*\n)*\s+vetro\s+[0-9.]+ [num]?s/m, 'as text ratios come first');

# ---- others ----
spew("$W/c.yay", "a: 1\nb: {{ a + 1 }}\n");
$f = figures('yay', "$W/c.yay");
ok($f->{'bench-yay'}{vetro}, 'a configuration is measured');
spew("$W/s.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n    n: { type: tosca.nodes.Root }\n");
$f = figures('tosca', "$W/s.yaml");
ok($f->{'bench-tosca'}{vetro}, 'a service is measured');

# ---- mistakes ----
for (
	['no source', [], qr/no SOURCE given/, 2],
	['no model', [$package], qr/a package needs --model/, 2],
	['no file', ['--query', '1'], qr/no FILE given: bench --query=EXPR FILE/, 2],
	['two files', ['--query', '1', 'a', 'b'], qr/unexpected argument: b\n/, 2],
	['--jq alone', ['--jq', '.', $package], qr/--jq goes with --query/, 2],
	['-n 0', [$package, '-n', '0'], qr/-n takes a whole number from 1 to \d+, not 0/, 2],
	['-n 1.5', [$package, '-n', '1.5'], qr/whole number/, 2],
	['--time never', [$package, '--time', 'never'], qr/--time takes a number/, 2],
	['an option', [$package, '--frobnicate'], qr/unknown option --frobnicate/, 2],
	['a value', [$package, '--model'], qr/a value is missing after --model/, 2],
	['a kind', [$package, '--kind', 'perl', '--model', "$W/model.json"], qr/--kind takes muranopl, tosca or yay, not perl/, 2],
	['a model for yay', ["$W/c.yay", '--model', "$W/model.json"], qr/are for packages/, 2],
	['a source that is not there', ["$W/none"], qr/none: No such file/, 1],
	['a model that is not there', [$package, '--model', "$W/none.json"], qr/none\.json: No such file/, 1],
	['a model that is none', [$package, '--model', "$W/s.yaml"], qr/s\.yaml/, 1],
) {
	my ($title, $args, $want, $status) = @$_;
	($rc, $out, $err) = vetro(\%limit, 'bench', @$args);
	is($rc, $status, "$title: exit status");
	like($err, $want, "$title: message");
}
($rc, $out) = vetro('help', 'bench');
like($out, qr/--query EXPR.*--jq PROGRAM/s, 'help');
done();
