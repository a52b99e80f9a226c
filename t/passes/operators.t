#!/usr/bin/perl
# A lambda that is one operator has no C function of its own: the runtime does what its program says, also where the
# program is not for what it gets. With -g it has one, so that a debugger stops there: both give the same values and errors.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my @bodies = (
	'list(1, 2, 3, 4).where($ > 2)', 'list(1, 2.5, 3).select($ * 2)', 'list(1, 2).select(10 - $)', 'list(7, -7).select($ mod 4)',
	'list(7, -7, 2.0).select($ / 2)', "list('a', 'b').select(\$ + 'x')", "list('a', 'b').select('x' + \$)", 'list([1], [2]).select($ + [3])',
	'list(1, null, true).where($ = 1)', "list('a', 1).where(\$ != 'a')", 'list(1, 2, 3).aggregate($1 * $2)', 'list(3, 1, 2).orderBy(0 - $)',
	"list(dict(a => 1), dict(a => 'x')).select(\$.a)", "list(dict(a => 1), dict(b => 2)).select(\$.a)", 'list($this, $this).select($.size)',
	"list(1, 'a').select(\$ + 1)", 'list(1, null).where($ > 0)', 'list(1, 0).select(5 / $)', 'list(1, 2, 3).all($ < 4)', 'list(1, 5).any($ >= 5)',
	'list(4611686018427387903, 1).select($ + 1)', 'list(1).select($ = null)', "list('b', 'a').orderBy(\$ + '!')", 'list(list(1, 2)).select($ * 2)',
	"list(1, 2, 3, 4).groupBy(\$ mod 2)", "list(2).toDict(\$ + 1, \$ * 2)", 'list(set(1), set(2)).where($ = set(2))', 'range(0, 40).where($ > 37)',
);
my $text = "Namespaces: {=: t.operators}\nName: C\nProperties:\n";
$text .= "  size: {Contract: \$.int(), Default: 7}\n";
$text .= "  small: {Contract: \$.int().check(\$ < 9), Default: 1, Usage: InOut}\nMethods:\n";
for my $i (0 .. $#bodies) {
	$text .= "  m$i:\n    Scope: Public\n    Body:\n      - \$x: $bodies[$i]\n      - Return: \$x\n";
}
$text .= "  put:\n    Scope: Public\n    Arguments:\n";
$text .= "      - n: {Contract: \$.int().check(\$ < 5)}\n    Body:\n      - \$.small: \$n + 3\n      - Return: \$.small\n";
my $package = package_dir('operators', { 'manifest.yaml' => "{Format: '1.4', Type: Library, FullName: t.operators, Classes: {t.operators.C: C.yaml}}\n",
	'Classes/C.yaml' => $text });
my @asked = ((map { ["m$_"] } 0 .. $#bodies), ['put', 4], ['put', 5], ['put', 1]);
my $asked = join '', map { $json->encode($_) . "\n" } { op => 'load', model => { Objects => { '?' => { type => 't.operators.C', id => 'r' } } } },
	map { { op => 'call', target => undef, method => $_->[0], args => [@$_[1 .. $#$_]] } } @asked;

# Answers, without where an error was seen.
sub answers {
	my (@options) = @_;
	my ($rc, $out, $err) = vetro('build', @options, '-o', "$W/bin", '--emit-c', "$W/c", $package);
	is($rc, 0, "@options is built", $err);
	my $c = slurp("$W/c/c_t_ooperators_oC.c");
	unlink glob "$W/c/*";
	rmdir "$W/c";
	($rc, $out, $err) = run_program({ in => $asked }, "$W/bin", 'session');
	return ($c, map { my $a = $json->decode($_);
		delete @$a{qw(trace stack)}; delete $a->{error}{trace} if ref $a->{error}; $json->encode($a) } split /\n/, $out);
}

my ($plain, @plain) = answers('-O0');
my ($debug, @debug) = answers('-O0', '-g');
my ($quick) = grep { $_ } $plain =~ /&vt_operator_body/g;
ok($quick && $plain !~ /^[dx]_t_ooperators_oC_c_cm0_h\d+\(/m, 'the runtime does lambdas of one operator');
ok($debug !~ /vt_operator_body/ && $debug =~ /^[dx]_t_ooperators_oC_c_cm0_h\d+\(/m, 'with -g they are functions');
like($plain, qr/^d_t_ooperators_oC_csmall\w*|^d_t_ooperators_oC_osmall\w*/m, 'and those of check() always are: entries name them');
is(scalar @plain, 1 + @asked, 'every call is answered');
is($plain[$_], $debug[$_] // '', $_ ? join(' ', @{ $asked[$_ - 1] }) . ($_ <= @bodies ? ": $bodies[$_ - 1]" : '') : 'load') for 0 .. $#asked + 1;
my $failed = grep { /"error"/ } @plain;
ok($failed >= 4 && $failed < @bodies / 2, 'some of them fail', $failed);
done();
