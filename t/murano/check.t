#!/usr/bin/perl
# The checker: every package below t/data/check must give exactly the diagnostics its files announce.
# A line's end says what is expected there: #! CODE COLUMN, once or more. Codes of other phases are not compared.
use strict;
use warnings;
use JSON::PP;
use File::Find;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap qw(ok is is_lines done $vetro);
use Time::HiRes qw(time);

my $data = "$FindBin::Bin/../data/check";
my $ours = qr/^(E0[5-8]\d\d|W10[2-5]\d|W106[2-7]|W107[01256789]|W108[013])$/;

sub check {
	my (@args) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid) {
		open(STDERR, '>', '/dev/null');
		exec { $vetro } $vetro, 'check', '--pedantic', '--format', 'json', @args or exit 127;
	}
	my @lines = <$out>;
	close $out;
	# Prefixes that nothing uses stand in most of these packages; the one about them says so.
	return ($? >> 8, grep { $_->{code} ne 'W1064' || "@args" =~ /W1064/ } map { decode_json($_) } grep { /^\{/ } @lines);
}

sub announced {
	my ($dir) = @_;
	my @want;
	find({ no_chdir => 1, wanted => sub {
		return unless -f && /\.yaml$/;
		my ($name) = m{([^/]+)$};
		open(my $f, '<', $_) or die "$_: $!";
		while (my $line = <$f>) {
			push @want, "$1 $name:$.:$2" while $line =~ /#! (\w+) (\d+)/g;
		}
	} }, $dir);
	return sort @want;
}

opendir(my $d, $data) or die "$data: $!";
my @packages = sort grep { !/^\./ } readdir $d;
my %covered;
for my $name (@packages) {
	my @want = announced("$data/$name");
	my $model = "$data/$name/model.yaml";
	my ($status, @diags) = check("$data/$name", -e $model ? ('--model', $model) : ());
	my @got = sort map { "$_->{code} " . ($_->{file} =~ m{([^/]+)$})[0] . ":$_->{line}:$_->{col}" } grep { $_->{code} =~ $ours } @diags;
	$covered{$_->{code}}++ for @diags;
	my %seen;
	@got = grep { !$seen{$_}++ } @got;
	ok("@want" eq "@got", "$name: what and where", "want: @want", "got:  @got");
	my $fails = grep { $_->{severity} eq 'error' } @diags;
	ok($status == ($fails ? 1 : 0), "$name: exit status", "status $status with $fails errors");
	if ($name =~ /^[EW]\d+$/) { # others, clean and results, are about no code of their own
		ok(scalar(grep { $_->{code} eq $name && length $_->{message} } @diags), "$name is reported for the package of that name");
	}
}

# Every code of these groups has a package.
open(my $def, '<', "$FindBin::Bin/../../runtime/core/diag.def") or die;
for (<$def>) {
	next unless /^DIAG\((\w+),/ && $1 =~ $ours;
	ok($covered{$1}, "$1 has a test");
}

# The table of results is searched by halves, and has functions of the registry only.
{
	local $/;
	open(my $f, '<', "$FindBin::Bin/../../compiler/check/types_rows.c") or die $!;
	my ($table) = <$f> =~ /results\[\] = \{(.*?)\n\};/s;
	my @symbols = $table =~ /"(\w+)"/g;
	my $rows = join '', map { open(my $r, '<', $_) or die $!; <$r> } glob "$FindBin::Bin/../../runtime/lib/*.fn";
	ok("@symbols" eq join(' ', sort @symbols), 'results are sorted');
	my @gone = grep { $rows !~ /^\tc vt_lib_$_$/m } @symbols;
	ok(!@gone, 'and are of functions that exist', @gone);
}

# Hints name what was meant.
sub hint {
	my ($name, $code, $pattern) = @_;
	my (undef, @diags) = check("$data/$name");
	my @hints = map { $_->{hint} // '' } grep { $_->{code} eq $code } @diags;
	ok(scalar(grep { /$pattern/ } @hints), "$name: hint like $pattern", @hints);
}
# Notes name the place where what is meant was declared.
sub note {
	my ($name, $pattern) = @_;
	my (undef, @diags) = check("$data/$name");
	my @notes = map { @{ $_->{notes} } } grep { $_->{code} eq $name } @diags;
	ok(scalar(grep { /A\.yaml:\d+:\d+: $pattern$/ } @notes), "$name: note like $pattern", @notes);
}
note($_, 'declared in class "check\.\w+"') for qw(W1029 W1041 W1042 W1043 W1048);
note('W1041', 'declared in class "check\.A"');
hint('E0601', 'E0601', 'check\.Base|Base');
hint('E0602', 'E0602', 'std:Object');
hint('E0701', 'E0701', '"If"');
hint('E0701', 'E0701', '\$x: ');
hint('E0702', 'E0702', '"Then"');
hint('E0706', 'E0706', 'Break:');
hint('E0801', 'E0801', '"string"');
hint('W1020', 'W1020', '"Default"');
hint('W1021', 'W1021', '"Action"');
hint('W1036', 'W1036', '"helper"');
hint('W1036', 'W1036', 'text|"helper"');
hint('W1038', 'W1038', '\"\$count"');
hint('W1038', 'W1038', 'the property is \$\.size');
hint('W1040', 'W1040', '"name"');
hint('W1040', 'W1040', 'it is a method: run\(\)');
hint('W1042', 'W1042', '"speed"');
hint('W1044', 'W1044', 'str\(\)');
hint('W1045', 'W1045', 'select\(\$\.deploy');
hint('W1046', 'W1046', 'it has 0 items');
hint('W1046', 'W1046', 'key "a" is missing');
hint('W1049', 'W1049', '"name"');
hint('W1050', 'W1050', 'NotReady');

# ---- packages made here
my $work = tempdir(CLEANUP => 1);
sub write_package {
	my ($name, $type, $classes) = @_;
	make_path("$work/$name/Classes");
	my $list = '';
	for my $file (sort keys %$classes) {
		$list .= "  t.$_: $file\n" for $classes->{$file} =~ /^Name: (\w+)/mg;
		open(my $f, '>', "$work/$name/Classes/$file") or die $!;
		print $f "Namespaces: {'=': t, t: t, std: io.murano, res: io.murano.resources, conf: io.murano.configuration}\n$classes->{$file}";
		close $f;
	}
	open(my $f, '>', "$work/$name/manifest.yaml") or die $!;
	print $f "Format: MuranoPL/1.4\nType: $type\nFullName: t.$name\nVersion: 1.0.0\nClasses:\n$list";
	close $f;
	return "$work/$name";
}
sub found {
	my ($type, $yaml, @more) = @_;
	my (undef, @diags) = check(write_package('typed', $type, { 'A.yaml' => $yaml }), @more);
	return join ' ', map { "$_->{code}:" . ($_->{line} - 1) } @diags;
}

# What stands in a contract beside the contract functions is checked like any other expression.
is(found('Library', <<'Y'), join(' ', map { "W1027:$_" } 3 .. 8, 11), 'expressions inside of contracts');
Name: A
Properties:
  a: {Contract: $.join(nosuch1())}
  b: {Contract: $.(nosuch2())}
  c: {Contract: nosuch3($)}
  d: {Contract: $ or nosuch4($)}
  e: {Contract: $.int() + nosuch5(1)}
  f: {Contract: nosuch6().notNull()}
  g:
    Contract:
      $.string(): [$.join(nosuch7())]
Y

# A contract function is none in a predicate, nor behind the contract.
is(found('Library', <<'Y'), 'W1027:4 W1027:9', 'where contract functions are known');
Name: A
Properties:
  a: {Contract: $.check($ > 0).join(notNull($))}
  b: {Contract: $.check(notNull($))}
  c: {Contract: $.join(notNull($))}
Methods:
  run:
    Body:
      - owned(1)
Y
my (undef, @ends) = check(write_package('ends', 'Library',
	{ 'A.yaml' => "Name: A\nProperties:\n  a: {Contract: \$.strin()}\n  b: {Contract: \$.string(5)}\n" }));
is(join(' ', map { "$_->{code}:$_->{col}-$_->{end_col}" } @ends), 'E0801:19-24 E0803:26-27', 'where what is wrong in a contract ends');

my (undef, @calls) = check(write_package('calls', 'Library', { 'A.yaml' => <<'Y' }));
Name: A
Properties:
  a: {Contract: $.string(5)}
  b:
    Contract: $.check($ > 0, a, b)
  c: {Contract: $.check()}
  d: {Contract: $.class()}
  e: {Contract: $.template(defaultType => A)}
Y
is_lines([map { join "; ", $_->{message}, $_->{hint} // () } @calls], [split /\n/, <<'Y'], 'what is wrong with the arguments');
contract string() takes no arguments
contract check() takes no such argument
contract check() lacks its predicate; write check($ > 0), for instance
contract class() lacks its class; write class(ns:Name)
contract template() lacks its class; write template(ns:Name)
Y

# The program is complete when all of it is an application: then a member has to be somewhere in it.
my $family = <<'Y';
Name: A
Properties:
  b: {Contract: $.class(B).notNull()}
Methods:
  run:
    Body:
      - $.b.below()
      - $.b.beside()
      - $.b.nowhere()
---
Name: B
---
Name: C
Extends: B
Methods:
  below: {Body: []}
---
Name: D
Methods:
  beside: {Body: []}
Y
is(found('Application', $family, '--closed'), 'W1036:8 W1036:9', 'closed: no class that is a B has the method');
is(found('Application', $family), 'W1036:9', 'open: an application may meet classes from elsewhere, too');
is(found('Library', $family), 'W1036:9', 'a library: no class has it');
is(found('Application', "$family---\nName: E\nExtends: [B, D]\n"), 'W1036:9', 'a class that joins B with another brings its methods');
is(found('Application', $family . <<'Y', '--closed'), 'W1036:8', 'an extension may bring it');
---
Name: F
Methods:
  nowhere: {Usage: Extension, Arguments: [{b: {Contract: $}}], Body: []}
Y

# The core library.
is(found('Application', <<'Y'), 'W1036:9 W1042:11 W1065:13 W1040:13 W1045:14 W1029:15 W1065:16', 'classes of the core library are known');
Name: A
Extends: std:Application
Properties:
  host: {Contract: $.class(res:Instance).notNull()}
Methods:
  deploy:
    Body:
      - $.host.deploy()
      - $.host.deplyo()
      - conf:Linux.runCommand($.host.agent, ls, helpText => listing)
      - conf:Linux.runCommand($.host.agent, ls, hlpText => listing)
      - $._address: $.host.ipAddresses.first()
      - $._other: $.host.ipAdresses
      - $.host.ipAddresses.deploy()
      - $.host.name: other
      - $._reporter: $.find(std:Environment).reporter.report($this, $._address)
Y

# Ways a variable comes to its type, and what must stay silent.
is(found('Application', <<'Y'), '', 'nothing is said of what may work');
Name: A
Properties:
  any: {Contract: $}
  text: {Contract: $.string()}
  maybe: {Contract: $.class(A)}
  all: {Contract: [$.class(A)]}
  map: {Contract: {$.string(): $.int()}}
Methods:
  run:
    Arguments:
      - x: {Contract: $}
      - n: {Contract: $.int()}
    Body:
      - $r: null
      - If: $n > 1
        Then: {$r: $.text}
        Else: {$r: [1]}
      - $a: $r.len()
      - $b: $.any + $.text
      - $c: $.any.foo.bar
      - $d: $.maybe?.run(1, 2)
      - $e: $.all.select($.text).where($ != null).join(', ')
      - $f: $.map.get(a) + $n
      - $g: $.map.a + $.map['b']
      - $h: $.all.text
      - $i: dict(a => 1, 'b' => $n).items().select($[0] + '!')
      - $j: $x.anything
      - $k: list(1, 2).aggregate($1 + $2)
      - $l: cast($this, A).run(1, 2)
      - $m: $.text.len() * 2 + $n mod 3
      - $o: switch($n > 1 => $.text.len(), true => $n) + 1
      - $p: coalesce($n, 5) + 1
      - $q: format('{0}{1}', $.text, $n) + str($n)
      - $s: $.all.first(null)?.text
      - $t: (now() - now()).days + 1
      - $u: $.all.toDict($.text, $.n0)
      - $v: list(list(1, 2), [3]).selectMany($).sum() + 1
      - $w: $n in [1, 2] and $.text in [a] or a in $.text
      - $y: new(A, text => 5, all => $this, map => {a => '1'})
      - $y.run(1, '2')
      - $z: list($a, $b, $c, $d, $e, $f, $g, $h, $i, $j, $k, $l, $m, $o, $p, $q, $s, $t, $u, $v, $w).len()
      - $.n0: $z
      - Return: def(twice, $x * 2) -> twice(5) + let(five => 5) -> $five + with(1, 2) -> $2
Y

# A whole program in one look: the way of a type through a collection, a loop, a new object.
is(found('Application', <<'Y'), 'W1040:11 W1044:13 W1041:14 W1043:16', 'types go through calls, lambdas, loops and new()');
Name: A
Properties:
  all: {Contract: [$.class(A).notNull()]}
  text: {Contract: $.string().notNull()}
Methods:
  run:
    Arguments:
      - n: {Contract: $.int().notNull()}
    Body:
      - For: a
        In: $.all.where($.text != null).orderBy($.txt)
        Do:
          - $x: $a.text - 1
          - $a.run()
          - $first: $.all.first()
          - $first.run([$x])
Y

# Private fields have the types that the class gives them.
is(found('Application', <<'Y'), 'W1036:14 W1065:16 W1044:16 W1036:19', 'fields that are written, but not declared');
Name: A
Extends: std:Application
Methods:
  .init:
    Body:
      - $._env: $.find(std:Environment).require()
      - $._count: 0
      - $._mixed: null
      - $._dict: {}
  deploy:
    Body:
      - $._env: $.find(std:Environment)
      - $._env.reporter.report($this, text)
      - $._env.reporter.reprot($this, text)
      - $._count: $._count + 1
      - $._text: $._count + text
      - $._mixed: 'a'
      - $._dict.key: $._mixed.len()
      - $._mixed.lne()
      - $._dict[a].b: 1
      - Return: $._dict.a.b + $._dict.key.foo()
Y

# Methods of the old formats.
{
	my (undef, @diags) = check(write_package('other', 'Application', { 'A.yaml' => "Name: A\nMethods:\n  run: {Body: [{Return: x.substr(1)}]}\n" }));
	like_hint($diags[0]{hint}, qr/another Format than the 1\.4/);
}
sub like_hint { ok($_[0] =~ $_[1], "a hint like $_[1]", $_[0]) }

# Targets read what they start from.
is(found('Library', <<'Y'), '', 'variables in targets are read');
Name: A
Properties:
  shared: {Contract: $, Usage: Static}
Methods:
  run:
    Body:
      - $name: 't.A'
      - type($name).shared: 1
      - $i: 0
      - $j: 1
      - $.list[$i].x[$j]: 1
Y

# Types themselves.
is(found('Library', <<'Y'), 'W1040:14 W1040:15 W1045:16 W1036:17', 'static members of classes');
Name: A
Properties:
  own: {Contract: $}
  shared: {Contract: $.int(), Usage: Static, Default: 1}
Methods:
  each: {Body: []}
  all: {Usage: Static, Arguments: [{x: {Contract: $.int()}}], Body: []}
  run:
    Body:
      - :A.all(:A.shared)
      - t:A.all(type(A).shared)
      - $this.all($.shared)
      - :A.shared: 5
      - :A.all(:A.own)
      - :A.all(:A.shred)
      - :A.each()
      - :A.al()
Y

# Assignments to a variable that a loop reads before.
is(found('Application', <<'Y'), 'W1044:10', 'a type flows round a loop');
Name: A
Methods:
  run:
    Body:
      - $i: 0
      - $text: ''
      - While: $i < 3
        Do:
          - $i: $i + 1
          - $text: $text + $i
      - Return: $text
Y

# Unreachable.
is(found('Application', <<'Y'), 'W1026:14 W1025:22 W1025:29', 'what always leaves, and a Catch that an earlier one covers');
Name: A
Methods:
  run:
    Arguments: [{n: {Contract: $}}]
    Body:
      - Try:
          - Throw: [one, two]
            Message: m
        Catch:
          - With: [one, two]
            Do: []
          - With: std:other
            Do: {Return: 3}
          - With: two
            Do: {Return: 2}
      - Try:
          - Return: 1
        Catch:
          - As: e
            Do: {Throw: $e.name, Message: x}
        Finally: []
      - Return: 2
  match:
    Arguments: [{n: {Contract: $}}]
    Body:
      - Match: {1: {Return: a}, 2: {Return: b}}
        Value: $n
        Default: {Return: c}
      - Return: 2
Y

# Hostile: long calls, deep expressions, many variables.
my $deep = '(' x 150 . '$.nosuch()' . ')' x 150;
is(found('Application', "Name: A\nMethods:\n  run:\n    Body:\n      - $deep\n      - \$.run(" . join(', ', 1 .. 500) . ")\n"), 'W1036:5',
	'deep and long expressions');
my $many = join '', map { "      - \$v$_: [\$v" . ($_ ? $_ - 1 : 0) . ", $_]\n" } 0 .. 2000;
is(found('Application', "Name: A\nMethods:\n  run:\n    Body:\n$many      - Return: \$v2000\n"), '', 'types that nest as deep as the program is long');

# Time: ten times the classes must not take much more than ten times as long.
sub seconds {
	my ($n) = @_;
	my $text = join "---\n", map {
		"Name: C$_\nExtends: C" . int($_ / 2) . "\nProperties:\n  p$_: {Contract: \$.class(C" . int($_ / 3) . ").notNull()}\n" .
		"Methods:\n  m$_:\n    Arguments: [{x: {Contract: \$.int().notNull()}}]\n    Body:\n" .
		"      - \$y: \$x + 1\n      - \$.m" . int($_ / 2) . "(\$y)\n      - \$.p$_.p" . int($_ / 3) . ".m0(1)\n      - Return: \$.m$_(\$y)\n"
	} 1 .. $n;
	my $dir = write_package("many$n", 'Library',
		{ 'A.yaml' => "Name: C0\nProperties:\n  p0: {Contract: \$}\nMethods:\n  m0: {Arguments: [{x: {Contract: \$}}], Body: []}\n---\n$text" });
	my $best;
	for (1 .. 3) {
		my $from = time;
		my ($status, @diags) = check($dir);
		my $took = time - $from;
		$best = $took if !defined $best || $took < $best;
		ok(0, "$n classes are fine", map { "$_->{line}: $_->{message}" } @diags[0 .. 3]) if $status || @diags;
	}
	return $best;
}
my ($small, $large) = (seconds(500), seconds(5000));
ok($large < 30 * $small + 0.5, 'the time of a check grows with the program, not faster', sprintf('500 classes %.3f s, 5000 classes %.3f s', $small, $large));

# The other formats.
my $formats = write_package('formats', 'Application', { 'A.yaml' => "Name: A\nMethods:\n  run:\n    Body:\n      - \$x: \$.nothing()\n" });
open(my $sarif, '-|', $vetro, 'check', '--pedantic', '--format', 'sarif', $formats) or die $!;
my $doc = decode_json(do { local $/; <$sarif> });
close $sarif;
is(join(' ', map { "$_->{ruleId}:$_->{locations}[0]{physicalLocation}{region}{startColumn}" }
	grep { $_->{ruleId} ne 'W1064' } @{ $doc->{runs}[0]{results} }), 'W1039:9 W1036:15', 'SARIF');
is((check('-Werror', $formats))[0], 1, '-Werror');

# Texts that were meant as expressions: a variable, or a call with one. Prose and prices are none.
my %text = ('max($n, 1' => 1, '$n +' => 1, 'len($.items))' => 1, 'format($_x' => 1, 'Cost(in $), about 5' => 0, 'costs(5$' => 0, 'f(1' => 0, 'a ($n' => 0,
	'use $HOME, or' => 0);
for my $t (sort keys %text) {
	my $dir = write_package('text', 'Library', { 'A.yaml' => "Name: A\nMethods:\n  run:\n    Body:\n      - Return: $t\n" });
	my (undef, @diags) = check($dir);
	is(scalar(grep { $_->{code} eq 'W1004' } @diags), $text{$t}, "text: $t");
}

done();
