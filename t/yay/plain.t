#!/usr/bin/perl
# Data that is what it is written as: its value needs no places. What stands beside it, around it or below it must come
# to the same as it would with them, and a large file must not take many times its size.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $n = 0;

# The value of one document as JSON, or its messages.
sub yay {
	my ($text, @args) = @_;
	spew(my $file = "$W/d" . $n++ . '.yay', $text);
	my ($rc, $out, $err) = vetro('yay', '-c', @args, $file);
	chomp $out;
	return $rc ? $err : $out;
}
sub gives { my ($text, $json, $what) = @_; is(yay($text), $json, $what) }

# ---- what is plain ------------------------------------------------------------------------------------------
gives("a: 1\nb: x\nc:\nd: {}\ne: []\n", '{"a":1,"b":"x","c":"","d":{},"e":[]}', 'scalars of all kinds');
gives("a: 007\nb: 1e3\nc: +5\nd: 1_000\ne: -\nf: été\n", '{"a":7,"b":1000.0,"c":5,"d":1000,"e":"-","f":"été"}', 'numbers and what only looks like one');
gives("a: |\n  one\n\n  two\nb: |\n  5\n", '{"a":"one\n\ntwo\n","b":"5\n"}', 'blocks are texts');
gives("a:\n  b:\n    c: 1\n  d:\n    - 1\n    - e: 2\n      f: 3\n    - - x\n", '{"a":{"b":{"c":1},"d":[1,{"e":2,"f":3},"- x"]}}', 'nested ones');
gives("- 1\n- a: 1\n  b: 2\n-  x\n", '[1,{"a":1,"b":2},"x"]', 'a list at the root');
gives(join('', map { "k$_: $_\n" } 1 .. 100), '{' . join(',', map { "\"k$_\":$_" } 1 .. 100) . '}', 'more keys than small mappings have');

# ---- beside what is not -------------------------------------------------------------------------------------
gives("a: 1\nb: {{ a + 1 }}\nc:\n  d: {{ b }}\n  e: 5\n", '{"a":1,"b":2,"c":{"d":2,"e":5}}', 'expressions in between');
gives("a:\n  x: 1\n  y: 2\na:\n  y: 3\n", '{"a":{"x":1,"y":3}}', 'a key that stands twice');
gives("a:\n  - 1\nextend a:\n  - 2\n", '{"a":[1,2]}', 'a list that is extended');
gives("b:\n  a: 1\n  a: 2\nc: 3\n", '{"b":{"a":2},"c":3}', 'a key that stands twice further down');
gives("a:\n  set q = 4\n  b: 1\n", '{"a":{"b":1}}', 'a block that defines names');
spew("$W/below.yay", "a:\n  x: 1\nl:\n  - 1\nt: 5\nonly: {}\n");
gives("include 'below.yay'\na:\n  y: 2\nl:\n  - 2\nt: 6\n", '{"a":{"x":1,"y":2},"l":[2],"t":6,"only":{}}', 'plain data over a file below');
gives("include 'below.yay'\na: {}\nt:\n", '{"a":{"x":1},"l":[1],"t":"","only":{}}', '{} adds nothing to what lies below it, a blank replaces it');
spew(my $above = "$W/above.yay", "a:\n  x: 3\n  z: 4\n");
is((vetro('yay', '-c', "$W/below.yay", $above))[1], qq({"a":{"x":3,"z":4},"l":[1],"t":5,"only":{}}\n), 'two layers');
gives("a:\n  b: 1\nc: {{ a }}\nd: {{ a.b }}\n", '{"a":{"b":1},"c":{"b":1},"d":1}', 'a mapping that is looked into and given whole');
is(yay("a:\n  - 1\n  - b: 2\nc: 1\n", '--select', 'a'), '[1,{"b":2}]', 'a part of it');

# ---- large ones ---------------------------------------------------------------------------------------------
# Keys by hash: among many, the last of those that are equal, and none that is not there.
my @many = map { "key$_: $_\n" } 1 .. 3000;
is(yay(join('', "key7: old\n", @many, "x: {{ key7 }}\ny: {{ key2999 }}\nz: {{ nokey else 'none' }}\n"), '--select', 'x'), 7, 'the last of equal keys');
is(yay(join('', @many, "x: {{ key1500 }}\n"), '--select', 'x'), 1500, 'a key of many');
is(yay(join('', @many, "z: {{ nokey else 'none' }}\n"), '--select', 'z'), '"none"', 'one that is not there');
like(yay(join('', @many), '--max-places', 1000), qr{has more than 1000 places}, 'the limit of places counts what has none');
like(yay(join('', @many), '--max-steps', 1000), qr{more than 1000 steps}, 'as does that of steps');

# Long ones are written as they are made: here they stand for values that are used, too, and for more than one place.
my $list = join '', map { "  - k: $_\n    t: text $_\n" } 1 .. 40;
my $listed = '[' . join(',', map { qq({"k":$_,"t":"text $_"}) } 1 .. 40) . ']';
my $map = join '', map { "  k$_: $_\n" } 1 .. 40;
my $mapped = '{' . join(',', map { qq("k$_":$_) } 1 .. 40) . '}';
gives("a:\n$list", qq({"a":$listed}), 'a long list');
gives("a:\n$map", qq({"a":$mapped}), 'a long mapping');
gives("a:\n$list" . "b: {{ a }}\nc: {{ a }}\nd: {{ [a[1].k, len(a)] }}\n", qq({"a":$listed,"b":$listed,"c":$listed,"d":[2,40]}),
	'a long list that is given three times and looked into');
gives("a:\n$map" . "b: {{ a }}\nc:\n  - {{ a }}\n  - {{ a.k3 + 1 }}\n", qq({"a":$mapped,"b":$mapped,"c":[$mapped,4]}), 'a long mapping, likewise');
gives("a:\n$list" . "extend a:\n  - {{ 1 + 1 }}\n", '{"a":' . ($listed =~ s/\]$/,2]/r) . '}', 'a long list that is extended');
gives("a:\n$map" . "a:\n  k2: x\n", '{"a":' . ($mapped =~ s/"k2":2/"k2":"x"/r) . '}', 'a long mapping that is merged');
gives($list =~ s/^  //mgr, $listed, 'a long list at the root');
gives("a:\n" . join('', map { "  l$_:\n" . $list =~ s/^/  /mgr } 1 .. 20),
	'{"a":{' . join(',', map { qq("l$_":$listed) } 1 .. 20) . '}}', 'long ones in a long one');
is(yay("a:\n$list", '--select', 'a[39]'), '{"k":40,"t":"text 40"}', 'an item of one');
spew(my $long = "$W/long.yay", "a:\n  - x\n" . join '', map { "  - n$_:\n" } 1 .. 30);
is((vetro('yay', $long))[1],
	"{\n  \"a\": [\n    \"x\"," . join(',', map { "\n    {\n      \"n$_\": \"\"\n    }" } 1 .. 30) . "\n  ]\n}\n", 'line by line');
spew($long, "a:\n$list");
is((vetro('yay', '-c', '--max-steps', $_, $long))[1] ne '', $_ > 200, "nothing is written beyond the limit, $_ steps") for 100, 1000;

# Random configurations of plain parts and others, long and short: as they are printed, and as a value that is made whole.
sub scalar_text {
	my ($seen) = @_;
	my $r = rand;
	return int rand 1000 if $r < 0.3;
	return ('x', 'two words', '1.5', 'null', '{}', '[]')[rand 6] if $r < 0.85 || !$seen;
	return (map { "{{ $_ }}" } 'a0', "a0 else 1", '[a0, 1]', "'t' + 'u'", '1 + 1', rand() < 0.01 ? 'nosuch' : '7', 'a' . int rand $seen)[rand 7];
}

sub part {
	my ($indent, $deep, $seen) = @_;
	return ' ' . scalar_text($seen) . "\n" if $deep == 0 || rand() < 0.4;
	my $n = (2, 5, 15, 16, 17, 40)[rand 6];
	my $list = rand() < 0.5;
	return "\n" . join '', map { ' ' x $indent . ($list ? '-' : rand() < 0.02 ? 'k1:' : "k$_:") . inner($indent, $deep, $seen, $list) } 1 .. $n;
}

# An item is a scalar or a mapping of its line and those behind it.
sub inner {
	my ($indent, $deep, $seen, $list) = @_;
	my $plain = rand() < 0.8 ? 0 : $seen;
	return part($indent + 2, $deep - 1, $plain) if !$list;
	return ' ' . scalar_text($plain) . "\n" if rand() < 0.5;
	return " n: " . scalar_text($plain) . "\n" . ' ' x ($indent + 2) . 'm:' . part($indent + 4, $deep - 1, $plain);
}
srand($ENV{PLAIN_SEED} // 7);
for my $try (1 .. $ENV{PLAIN} // 40) {
	my $text = join '', map { "a$_:" . part(2, 2, $_) . (rand() < 0.1 ? "extend a$_:\n  - {{ 1 + 2 }}\n" : '') } 0 .. int rand 5;
	spew($long, $text);
	my @form = rand() < 0.5 ? ('-c') : ('--tab');
	my ($passing, $whole) = map { join '|', vetro('yay', @form, @$_, $long) } [], ['--as', 'safe_value'];
	is($passing, $whole, "a random configuration, $try") || diag($text);
}

# ---- what the lexer finds is told before what the grammar does, wherever it stands -------------------------------
like(yay("a: 1\n  b: 2\nc: \"open\n"), qr{:3:4: error\[E3001\]: this quote is not closed}, 'a quote behind a line that does not fit');
like(yay("a: 1\n  b: 2\nc: closed\n"), qr{:2:3: error\[E3002\]: Unexpected indent}, 'the line that does not fit');
like(yay("a:\n  b: 1\n c: 2\n}\n"), qr{:3:2: error\[E3001\]: inconsistent indentation}, 'an indentation');

# ---- memory: what is added for each byte of a file ----------------------------------------------------------
# Bytes of the greatest resident size of a process; undef: nobody here can tell.
sub peak {
	my ($rc, $kb) = run_program({}, 'python3', '-c', 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); '
		. 'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)', $Tap::vetro, 'yay', '-c', $_[0]);
	return $rc ? undef : 1024 * $kb;
}
my %kinds = (
	'keys' => sub { "key$_[0]: value $_[0]\n" },
	'records' => sub { "svc$_[0]:\n  image: img$_[0]:latest\n  port: $_[0]\n  env:\n    A: x$_[0]\n" },
	'pairs' => sub { "- name: name$_[0]\n  port: $_[0]\n" },
	'singles' => sub { "- name: name$_[0]\n" },
	'expressions' => sub { $_[0] % 10 ? "key$_[0]: value $_[0]\n" : "key$_[0]: \"{{ key1 }} and {{ key2 }}\"\n" },
);
for my $kind (qw(records pairs)) { # one expression makes no copy of the rest
	my $plain = $kinds{$kind};
	$kinds{"$kind and an expression"} = sub { $_[0] == 5 ? ($kind eq 'pairs' ? "- name: x{{ 1 + 1 }}\n" : "svc5: {{ 1 + 1 }}\n") : $plain->(@_) };
}
my %most = ('records and an expression' => 9, 'pairs and an expression' => 13, keys => 8, records => 9, pairs => 11, singles => 12, expressions => 18);
# Items that lists share stay shared: twice as many of them are twice as many references.
my $twice = join '', "l0:\n  - name: one\n    tags:\n      - a\n      - b\n", map { my $k = $_ - 1; "l$_: {{ l$k }}\nextend l$_: {{ l$k }}\n" } 1 .. 17;
spew("$W/twice.yay", $twice . "n: {{ l17 }}\n");
for my $kind (sort keys %kinds) {
	my (@peak, @size);
	for my $n (30000, 90000) {
		spew(my $file = "$W/$kind$n.yay", join '', map { $kinds{$kind}->($_) } 1 .. $n);
		push @peak, peak($file);
		push @size, -s $file;
	}
	skip(1, 'without python3, or a build with memory of its own') && next if !defined $peak[1] || ($ENV{CONFIG} // 'debug') =~ /asan|torture/;
	my $more = ($peak[1] - $peak[0]) / ($size[1] - $size[0]);
	ok($more < $most{$kind}, "$kind: at most $most{$kind} bytes for one of the file", sprintf("%.1f", $more));
}
my ($shared, $plain) = (peak("$W/twice.yay"), peak("$W/keys30000.yay"));
($ENV{CONFIG} // 'debug') =~ /asan|torture/ || !defined $shared ? skip(1, 'as above')
	: ok($shared < 2 * $plain, 'lists that share their items', "$shared and $plain bytes");
done();
