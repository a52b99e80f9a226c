#!/usr/bin/perl
# What stops a hostile expression: time, memory, depth, the size of one value. Status, message, and that it does stop.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $big = 'CollectionTooLargeException|MemoryError|MemoryQuotaExceededException|OverflowError';

# Does the command end with status 1 (6 and 5 where --timeout and --memory say no), this message and nothing on standard output?
sub stops {
	my ($title, $want, @args) = @_;
	my ($rc, $out, $err) = vetro({ limit => 60 }, 'query', '-n', @args);
	my $status = $want =~ /E4301/ ? 6 : $want =~ /E4302/ ? 5 : 1;
	ok($rc == $status && $out eq '' && $err =~ $want, "$title: $args[-1]", "status $rc", $err, "want $want");
}

# What is no regular language is tried out; all else takes time in proportion to the text.
my ($code, $answer) = vetro({ limit => 60 }, 'query', '-n', '--timeout', '10', 'regex("(a+)+$").matches("a" * 40 + "b")');
ok($code == 0 && $answer eq "false\n", 'a regular expression without memory ends by itself', "status $code", $answer);

# ---- time: whatever runs
for my $expr (
	'sequence().where(false)', 'sequence().select($).where($ < 0).first(null)', 'cycle([1]).where($ > 1)',
	'generate(0, true, $ + 1).where($ < 0)', 'repeat(1).where($ > 1)',
	'regex("(a+)+\\\\1$").matches("a" * 40 + "b")',
	'range(30000).join(range(30000), $1 = -1, 1).len()',
	'pow(3, pow(2, 27)).toString().len()',
	'def(f, f($)) -> sequence().where(f(1))',
) {
	my ($rc, $out, $err) = vetro({ limit => 60 }, 'query', '-n', '--timeout', '1', $expr);
	ok($rc == ($err =~ /E4301/ ? 6 : 1) && $out eq '' && $err ne '', "ends in time: $expr", "status $rc", $err);
}
stops('time', qr/^vetro query: error\[E4301\]: the expression took longer than --timeout allows/, '--timeout', '0.5', 'sequence().where(false)');

# ---- depth
stops('depth', qr/^<expression>:1:8: error\[E4012\]: RecursionError: maximum recursion depth exceeded/, 'def(f, f($)) -> f(1)');
stops('depth of an expression', qr/nested deeper|too deep/, '(' x 5000 . '1' . ')' x 5000);

# ---- one value
stops('a string', qr/^<expression>:1:\d+: error\[E4\d+\]: ($big)/, '"x" * 4000000000');
stops('a list', qr/^<expression>:1:\d+: error\[E4\d+\]: ($big)/, '[1, 2] * 4000000000');
stops('a list of a list', qr/^<expression>:1:\d+: error\[E4\d+\]: ($big)/, '([1] * 20000000) * 20000000');
stops('an integer', qr/^<expression>:1:\d+: error\[E4\d+\]: ($big)/, 'pow(10, pow(10, 12))');
stops('a shift', qr/^<expression>:1:\d+: error\[E4\d+\]: ($big)/, 'shiftBitsLeft(1, 1000000000000)');

# ---- memory; the sanitizers reserve more than any limit
if (($ENV{CONFIG} // '') ne 'asan') {
	for my $expr ('("x" * 2000000000).len()', 'range(20000000).toList().len()', '([1] * 20000000).len()') {
		stops('memory', qr/\Avetro query: error\[E4302\]: MemoryError: the expression took more memory than --memory allows\n\z/,
			'--memory', '100', $expr);
	}
	my ($rc, $out, $err) = vetro('query', '-n', '--memory', '200', 'range(1000).sum()');
	ok($rc == 0 && $out eq "499500\n", 'what has enough memory runs', $out . $err);
	($rc, $out, $err) = vetro('query', '-n', '--memory', '200', '1 / 0');
	ok($rc == 1 && $err =~ /^<expression>:1:3: error\[E4007\]: ZeroDivisionError/, 'and fails as it does', $err);
}

# ---- a batch answers each line whatever the others did
my ($rc, $out, $err) = vetro({ in => join("\n", map { "{\"expr\": \"$_\"}" } 'sequence().where(false)', '1 + 1',
	'def(f, f($)) -> f(1)', '2 + 2') . "\n" }, 'query', '--batch', '--timeout', '1');
my @line = split /\n/, $out;
like($line[0], qr/"TimeoutError"/, 'a line that does not end');
is($line[1], '{"value":2}', 'the next line');
like($line[2], qr/"RecursionError"/, 'a line without depth');
is($line[3], '{"value":4}', 'the last line');

# ---- options of the engine
for my $bad (['{"limitIterators": "x"}', qr/limitIterators wants an integer/], ['{"memoryQuota": 1.5}', qr/memoryQuota wants an integer/],
	['{"memoryQuota": true}', qr/memoryQuota wants an integer/], ['{"nothing": 1}', qr/unknown option nothing/],
	['[1]', qr/no object/], ['{', qr/--options/]) {
	($rc, $out, $err) = vetro('query', '-n', '--options', $bad->[0], '1');
	ok($rc == 2 && $out eq '' && $err =~ $bad->[1], "options $bad->[0]", "status $rc", $err);
}

# options, expression, input, what is printed
for my $o (
	['{}', 'set(1, 2)', 'null', '[1,2]'],
	['{"iterableDicts": true}', '$.select($)', '{"a": 1}', '["a"]'],
	['{"convertInputData": false}', '$.insert(0, 7)', '[1]', '[7,1]'],
	['{"convertOutputData": false}', '$.a', '{"a": [1]}', '[1]'],
	['{"limitIterators": 2}', '$.len()', '[1, 2]', '2'],
	['{"yaql.limitIterators": 2}', '$.limit(2)', '[1, 2]', '[1,2]'],
) {
	($rc, $out, $err) = vetro({ in => $o->[2] }, 'query', '-c', '--options', $o->[0], $o->[1]);
	ok($rc == 0 && $out eq "$o->[3]\n", "$o->[1] with $o->[0]", "status $rc", $out, $err);
}
done();
