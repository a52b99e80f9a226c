#!/usr/bin/perl
# `vetro query -I`: an expression a line, as a filter and on a terminal.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

spew("$W/d.json", '{"a":[1,2],"name":"x"}');

sub answers {
	my ($title, $want, $status, $pattern, $in, @args) = @_;
	my ($st, $out, $err) = vetro({ in => $in }, 'query', '-I', '-c', @args);
	ok($st == $status && $out eq $want && $err =~ $pattern, $title, "status $st", "want $want", "got  $out", $err);
}

my $file = "$W/d.json";
answers 'an expression a line', "[1,2]\n2\n", 0, qr/^\z/, "\$.a\n\n\$.a.len()\n", $file;
answers 'the last line needs no end', "2\n", 0, qr/^\z/, '1 + 1';
answers 'without a file $ is null', "null\n", 0, qr/^\z/, "\$\n";
answers 'lines while something is open', "[2,3]\n[2,4]\n", 0, qr/^\z/, "\$.a.select(\n\$ +\n1)\n[2,\n4\n]\n", $file;
answers 'an empty line ends an expression', "3\n", 1, qr/unexpected end/, "1 +\n\n3\n";
answers 'an error does not end it', "2\n", 1, qr/KeyError.*hint: did you mean name\?/s, "\$.nmae\n1 +) \n1 / 0\n2\n", $file;
answers 'options hold', "1\n2\n", 0, qr/^\z/, "\$.a\n", '--each', $file;
answers 'variables hold', "\"v\"\n", 0, qr/^\z/, "\$x\n", '--arg', 'x', 'v';
answers ':quit', "1\n", 0, qr/^\z/, "1\n:quit\n2\n";
answers ':help of a function', "x.select(collection, selector)\njq's select is: \$.where(...)\n", 0, qr/^\z/, ":help select\n";
answers ':help of a slip', "did you mean distinct?\n", 0, qr/^\z/, ":help distict\n";
answers ':help of nothing', "no function has that name\n", 0, qr/^\z/, ":help qqqqqqqq\n";
answers ':functions', "base64decode\nbase64encode\n", 0, qr/^\z/, ":functions base\n";
answers 'an unknown command', "1\n", 1, qr/no such command/, ":frobnicate\n1\n";
answers 'too long an expression', "1\n", 1, qr/more than a MiB/, '"' . 'x' x 1100000 . "\"\n1\n";
answers 'bytes that are no UTF-8', "1\n", 1, qr/error/, "\xff\xfe\n1\n";
answers 'a missing file', '', 2, qr/nosuch/, "1\n", "$W/nosuch";
my ($st, $out, $err) = vetro({ in => '' }, 'query', '-I', '--batch');
ok($st == 2, '-I and --batch exclude one another', $st, $err);

# ---- on a terminal: a prompt, a history, status 0
if (system('command -v script >/dev/null 2>&1') == 0) {
	$ENV{VETRO_HISTORY} = "$W/history";
	($st, $out, $err) = run_program({ in => "\$.a.select(\n\$ + 1)\n\$.zz\n:quit\n", limit => 60, env => { NO_COLOR => 1 } },
		'script', '-qec', "'$Tap::vetro' query -I -c '$file'", '/dev/null');
	ok($st == 0 && $out =~ /yaql> / && $out =~ /   \.\.\. / && $out =~ /\[2,3\]/ && $out =~ /KeyError/, 'a terminal', $st, $out);
	is(slurp("$W/history"), "\$.a.select( \$ + 1)\n\$.zz\n", 'the history');
	ok(((stat "$W/history")[2] & 077) == 0, 'nobody else reads the history');
} else {
	skip('a terminal', 'there is no script(1)');
}
done();
