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

# ---- lines that are edited: keys, and what has to be shown then
spew("$W/keys.json", '{"alpha":[1,2],"beta":{"gamma":3},"al2":5}');
spew("$W/history", "100 + 1\n");
sub typed {
	my ($title, $columns, $want, @given) = @_;
	# What is typed before the prompt is there is the terminal's to edit.
	my @steps = map { ($_, $_->[1] =~ /^\r\n.|\^C/s ? ['', 'yaql> '] : ()) } @given;
	my ($s, $o, $e) = run_program({ in => to_json(\@steps), limit => 300, env => { NO_COLOR => 1, VETRO_HISTORY => "$W/history" } },
		'python3', "$FindBin::Bin/terminal.py", $columns, $Tap::vetro, qw(query -I -c), "$W/keys.json");
	is($o, "$want\n", $title) or print "# $e\n";
}

sub to_json { # a list of pairs of texts
	my ($steps) = @_;
	my $text = sub { '"' . join('', map { /[ -!#-\[\]-~]/ ? $_ : sprintf '\u%04x', ord } split //, $_[0]) . '"' };
	return '[' . join(',', map { '[' . join(',', map { $text->($_) } @$_) . ']' } @$steps) . ']';
}

if (system('python3 -c "import pty" 2>/dev/null') == 0) {
	my $end = ["\x04", "\r\n"]; # ctrl-D
	typed 'a line', 80, 'ok 0', ['', 'yaql> '], ["1 + 1\r", "\r\n2\r\n"], $end;
	typed 'what is typed before the prompt is there', 80, 'ok 0', ['range(3000000).sum()' . "\r", "\r\n"], ["12x\x7f3\e[D\e[D\e[3~\r", "\r\n13\r\n"], $end;
	typed 'the cursor goes back and forth', 80, 'ok 0', ['', 'yaql> '], ["23\e[D1\e[C4\e[H9\e[F5\r", "\r\n921345\r\n"],
		["bc\x01a\x05d\x02\x02\x06X\r", "\r\n\"abcXd\"\r\n"], $end;
	typed 'text goes', 80, 'ok 0', ['', 'yaql> '], ["12x\x7f3\e[D\e[D\e[3~\r", "\r\n13\r\n"], ["1 + 23\x17\x15" . "7\r", "\r\n7\r\n"],
		["4 + 5\x01\x0b\x19\r", "\r\n9\r\n"], ["ab cd\x01\ed" . "x\r", "\r\n"], $end;
	typed 'earlier lines', 80, 'ok 0', ['', 'yaql> '], ["7 + 7\r", "\r\n14\r\n"], ["\e[A\x7f" . "8\r", "\r\n15\r\n"],
		["5\e[A\e[A\e[B\e[B1\r", "\r\n51\r\n"], ["100\x12\r", "\r\n101\r\n"], $end;
	typed 'keys and functions are completed', 80, 'ok 0', ['', 'yaql> '], ['$.be' . "\t", '$.beta'], [".gam\t\r", "\r\n3\r\n"],
		['$.al' . "\t", 'al2    all    alpha'], ["p\t.toLi\t()\r", "\r\n[1,2]\r\n"], [":h\t\r", 'An expression is evaluated'],
		['', 'yaql> '], $end;
	typed 'a line is given up', 80, 'ok 0', ['', 'yaql> '], ["1 +\r", '   ... '], ["2\x03", "^C\r\n"], ["3\r", "\r\n3\r\n"], $end;
	typed 'characters of several bytes', 80, 'ok 0', ['', 'yaql> '],
		["\"\x{e4}\x{4e2d}\x{f6}\e[D\x7f\x05\"\r", "\r\n\"\x{e4}\x{f6}\"\r\n"], $end;
	typed 'a line that is longer than the terminal', 30, 'ok 0', ['', 'yaql> '], ['1' . ' + 1' x 20 . "\x01\x05\r", "\r\n21\r\n"], $end;
	local $ENV{VETRO_TERM} = 'dumb';
	typed 'a terminal that cannot do it', 80, 'ok 0', ['', 'yaql> '], ["1 + 1\n", "2\r\n"], ['', 'yaql> '], [":quit\n", "\r\n"];
	my $kept = slurp("$W/history");
	ok($kept =~ /^100 \+ 1\n1 \+ 1\n/ && $kept =~ /^100 \+ 1\n.*^100 \+ 1$/ms, 'all of them are in the history', $kept);
} else {
	skip('lines that are edited', 'python3 is not at hand');
}
done();
