#!/usr/bin/perl
# memoryQuota. Each line of data/quota.jsonl names the smallest quota with which the reference evaluates the expression,
# recorded on Debian's python3: with it the expression goes through, with one byte less it does not.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $over = 'MemoryQuotaExceededException';

# The answers of one batch.
sub batch {
	my ($rc, $out, $err) = vetro({ in => join('', map { $json->encode($_) . "\n" } @_), limit => 300 }, 'query', '--batch',
		'--timeout', '60');
	print "# $err" if $err ne '';
	return map { $json->decode($_) } split /\n/, $out;
}

sub request {
	my ($case, $quota) = @_;
	my %r = (expr => $case->{expr}, data => $case->{data});
	$r{options} = { limitIterators => 2000, %{ $case->{options} || {} }, memoryQuota => $quota };
	return \%r;
}

sub type_of {
	my ($answer) = @_;
	return !defined $answer ? 'nothing' : exists $answer->{value} ? 'value' : $answer->{error}{type};
}

open(my $f, '<', "$FindBin::Bin/../data/quota.jsonl") or die "data/quota.jsonl: $!";
my @cases = map { $json->decode($_) } <$f>;
my @answers = batch(map { (request($_, $_->{quota}), request($_, $_->{quota} - 1)) } @cases);
my @wrong;
for my $i (0 .. $#cases) {
	my ($c, $with, $without) = ($cases[$i], type_of($answers[2 * $i]), type_of($answers[2 * $i + 1]));
	next if $with eq ($c->{error} // 'value') && $without eq $over;
	push @wrong, "$c->{expr} with $c->{quota}: $with; with one less: $without";
}
ok(!@wrong && @answers == 2 * @cases, scalar(@cases) . ' recorded quotas', @wrong > 20 ? @wrong[0 .. 19] : @wrong);

# expression, quota, what comes of it
my @order = (
	# a value that is too large goes before an error that the call itself would raise
	['("x" * 500).noSuchMethod()', 400, $over],
	['("x" * 100).noSuchMethod()', 400, 'NoMethodRegisteredException'],
	['["x" * 500, 1 / 0]', 400, $over],
	['[1 / 0, "x" * 500]', 400, 'ZeroDivisionError'],
	['len("x" * 200)', 248, $over],
	['len("x" * 200)', 249, 'value'],
	# what is never evaluated costs nothing
	['switch(true => 1, false => "x" * 5000)', 400, 'value'],
	['true or "x" * 5000', 400, 'value'],
	['range(1000).select($ * 2).where($ > 1997).first()', 400, 'value'],
	# 0 and less: no quota
	['("x" * 100000).len()', 0, 'value'],
	['("x" * 100000).len()', -5, 'value'],
	# nothing is built that the quota forbids
	['"x" * 2000000000', 100000, $over],
	["[1, 2, 3, 4] * 2000000000", 100000, $over],
	['sequence().distinct()', 100000, $over],
	['sequence().groupBy($)', 100000, $over],
	['sequence().memorize().last()', 100000, $over],
	['sequence().toDict($)', 100000, $over],
	['generate(0, true, $ + 1, decycle => true).last()', 100000, $over],
	['generateMany(0, [$, $ + 1]).last()', 100000, $over],
	['range(60).aggregate($1 * $1, 7)', 10000, $over],
	['range(60).aggregate($1 + $1, x)', 10000, $over],
	['def(f, $ + $ + f($ + $)) -> f(x)', 10000, $over],
);
my @got = batch(map { request({ expr => $_->[0], options => { limitIterators => -1 } }, $_->[1]) } @order);
for my $i (0 .. $#order) {
	my ($expr, $quota, $want) = @{ $order[$i] };
	is(type_of($got[$i]), $want, "$expr within $quota");
}
my ($over_one) = grep { type_of($_) eq $over } @got;
is($over_one->{error}{message}, 'Expression consumed too much memory', 'the message');

my ($rc, $out, $err) = vetro('query', '-n', '--options', '{"memoryQuota": 100}', '"x" * 100');
ok($rc == 1 && $out eq '', 'the command fails', $out);
like($err, qr/^<expression>:1:\d+: error\[E4113\]: $over: Expression consumed too much memory\n/, 'and says why');
done();
