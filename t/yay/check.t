#!/usr/bin/perl
# `vetro check` of Yay configurations: every error of one run, as text, JSON and SARIF. The exit statuses of `vetro yay`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;

# The problems of texts, the first one being checked: "CODE line:col" in order; a file's name where it is another one.
sub check {
	my ($main, $others, @options) = @_;
	spew("$W/main.yay", $main);
	spew("$W/$_", $others->{$_}) for keys %{ $others // {} };
	my ($st, $out, $err) = vetro('check', '--format', 'json', "$W/main.yay", @options);
	my @rows = map { my $d = $json->decode($_); my $f = $d->{file} // ''; $f =~ s{.*/}{};
		"$d->{code} " . ($f eq 'main.yay' ? '' : "$f ") . "" . ($d->{line} // 0) . ":" . ($d->{col} // 0) } split /\n/, $out;
	return join(', ', @rows) . " [$st]";
}

is(check("a: 1\nb: {{ a }}\n"), ' [0]', 'a configuration that is right');
is(check("a: {{ no }}\nb: {{ a }}\nc:\n  - {{ 1 // 0 }}\n  - x: {{ \"x\" - 1 }}\n    y: {{ nope.z }}\nd: {{ e }}\ne: {{ d }}\nf: 1\n"),
	'E3004 1:4, E3010 4:13, E3005 5:11, E3004 6:11, E3006 7:4 [1]', 'every error is reported, and each of them once');
is(check("a: 1\nb:2\nc: {{ no }}\n"), 'E3003 2:4 [1]', 'a text ends at its first syntax error');
is(check("include \"b.yay\"\nx: {{ y }}\n", { 'b.yay' => "y: {{ z }}\nw: {{ 'q' * 'r' }}\n" }), 'E3004 b.yay 1:4, E3005 b.yay 2:7 [1]', 'what is included');
is(check("include \"nope.yay\"\nx: 1\n"), 'E3009 1:1 [1]', 'an include that is not there');
is(check("x: 1\nif y:\n    z: 1\n"), 'E3004 2:4 [1]', 'a condition');
is(check("prototype P:\n    a: {{ b }}\nnew P as p:\n    c: 1\n"), 'E3004 2:8 [1]', 'a prototype that is used');
is(check("new Box as b:\n    w: 2\n"), 'E3004 1:5 [1]', 'a class that is not bound');
spew("$W/box.lua", "vetro.register { name = 'Box', params = 'p: any', fn = function(p) return { area = p.w * p.h } end }");
is(check("new Box as b:\n    w: 2\n    h: 3\n", {}, '--lua', "$W/box.lua"), ' [0]', '--lua has class bindings');
spew("$W/bad.lua", "x = ");
like(check("a: 1\n", {}, '--lua', "$W/bad.lua"), qr/^E3011/, 'Lua that is none');
is(check("b: {{ a }}\n", { 'base.yay' => "a: 1\n" }), 'E3004 1:4 [1]', 'a layer alone');
{
	my ($st, $out, $err) = vetro('check', "$W/base.yay", "$W/main.yay");
	is($st, 0, 'files are layers');
	spew("$W/l.yay", "include \"lib.yay\"\n");
	spew("$W/dir/lib.yay", "k: 1\n");
	($st, $out, $err) = vetro('check', '-I', "$W/dir", "$W/l.yay");
	is($st, 0, '-I: where included files are') or print "# $err\n";
	spew("$W/odd", "a: {{ b }}\n");
	($st, $out, $err) = vetro('check', '--kind', 'yay', "$W/odd");
	like($err, qr/odd:1:4: error\[E3004\].*\n.*a: \{\{ b \}\}\n/, '--kind yay, and text with the line');
	($st, $out, $err) = vetro('check', '--format', 'sarif', "$W/odd", '--kind=yay');
	my $sarif = eval { $json->decode($out) };
	is($sarif->{runs}[0]{results}[0]{ruleId}, 'E3004', 'SARIF');
	is($st, 1, 'SARIF: status');
	spew("$W/many.yay", join('', map { "k$_: {{ no$_ }}\n" } 1 .. 50));
	($st, $out, $err) = vetro('check', '--format=json', '--max-errors=5', "$W/many.yay");
	is(scalar(grep { /E3004/ } split /\n/, $out), 5, '--max-errors');
	($st, $out, $err) = vetro('check', '--format=json', "$W/many.yay");
	is(scalar(grep { /E3004/ } split /\n/, $out), 50, 'fifty errors are fifty');
	spew("$W/old.yay", "% include \"dir/lib.yay\"\n");
	($st, $out, $err) = vetro('check', '-Werror', "$W/old.yay");
	is($st, 1, '-Werror: an old spelling');
	($st, $out, $err) = vetro('check', "$W/old.yay");
	is($st, 0, 'which is a warning else') or print "# $err\n";
}
is(check("yay:\n    a: 1\nl:\n" . join('', map { "  - {{ x$_ }}\n" } 1 .. 3)), 'E3004 4:3, E3004 5:3, E3004 6:3 [1]', 'items of a list');

# ---- files that an include names by a constant, and that are not there
spew("$W/dir/there.yay", "t: 1\n");
spew("$W/gone.yay", "a: 1\nif a == 2:\n  include \"gone\" + \".yay\"\n  include \"no.yay\"\n  include \"there.yay\"\n  include a + \".yay\"\n");
{
	my ($st, $out, $err) = vetro('check', '-I', "$W/dir", "$W/gone.yay");
	is("$st " . join(' ', $err =~ /gone\.yay:(\d+:\d+): warning\[W3002\]: there is no file '(.*?)'$/mg), '0 4:3 no.yay',
		'where nothing comes by, that is a warning') or print "# $err\n";
	($st, $out, $err) = vetro('build', '--emit=c', '-I', "$W/dir", "$W/gone.yay");
	ok($st == 0 && $err =~ /gone\.yay:4:3: warning\[W3002\]/, 'of vetro build too', $err);
	spew("$W/gone.yay", "include \"no.yay\"\n");
	($st, $out, $err) = vetro('check', "$W/gone.yay");
	ok($st == 1 && $err =~ /E3009/ && $err !~ /W3002/, 'else the error is reported and no warning', $err);
	spew("$W/gone.yay", "search \"dir\"\nif 1 == 2:\n  include \"no.yay\"\n");
	($st, $out, $err) = vetro('check', "$W/gone.yay");
	is("$st$err", '0', 'nor is there one where the document searches');
}

# ---- exit statuses of vetro yay
spew("$W/ok.yay", "a: 1\n");
for (['0', 'done', "$W/ok.yay"], ['0', 'a default', "$W/ok.yay", '--select', 'b', '--default', '2'], ['1', 'nothing there', "$W/ok.yay", '--select', 'b'],
	['1', 'no such file', "$W/none.yay"], ['1', 'no Yay', "$W/odd.lua"], ['2', 'no file named', ], ['2', 'an option that is none', '--nope', "$W/ok.yay"],
	['2', 'a format that is none', '-f', 'xml', "$W/ok.yay"], ['2', 'a type that is none', '--as', 'xml', "$W/ok.yay"],
		['2', 'a value that is missing', "$W/ok.yay", '--select'],
	['2', 'a bad override', "$W/ok.yay", '--set', 'x']) {
	my ($want, $what, @args) = @$_;
	spew("$W/odd.lua", "x:y\n");
	my ($st, $out, $err) = vetro('yay', @args);
	is($st, $want, "vetro yay: $what is $want");
	ok($want eq '0' ? $err eq '' : $err ne '' && $out eq '', "vetro yay: $what: what is said where", $out, $err);
}
for ('yay', 'check', 'build') {
	my ($st, $out) = vetro('help', $_);
	ok($st == 0 && $out =~ /yay/i, "vetro help $_ is about Yay");
}

# Thousands of warnings, or a hundred errors with their hints, share one copy of the text.
if ($vetro =~ m{/(?:asan|torture)/}) { skip('memory of warnings', 'the sanitizers reserve more than any limit') }
else {
	for (['warnings', 'W3005', 400, '[80, 443]'], ['errors', 'E3004', 100, '{{ nothing }}']) {
		my ($what, $code, $n, $value) = @$_;
		spew("$W/many.yay", join '', map { sprintf "key_%05d: %s\n", $_, $_ <= $n ? $value : 'a text that takes room ' . 'x' x 60 } 1 .. 30_000);
		my ($st, undef, $err) = run_program({ limit => 300 }, 'sh', '-c', 'ulimit -v 700000; exec "$@"', 'sh', $vetro, 'check', "$W/many.yay");
		my $told = () = $err =~ /$code/g;
		is("$told", $n, "$n $what in a file of 3 MB: each is told, with the memory of a few files");
	}
}
done();
