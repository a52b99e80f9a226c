#!/usr/bin/perl
# The tokens of Yay texts, also those that the reference was recorded with; the tree; growth.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use Time::HiRes 'time';
use lib "$FindBin::Bin/../lib";
use Tap;

# Kinds and values without places, as [KIND, value or undef]...
sub tokens {
	my ($text) = @_;
	spew("$W/t.yay", $text);
	my ($status, $out) = vetro('yay', '--emit=tokens', "$W/t.yay");
	return ($status, [map { /^(\d+):(\d+) (\S+)(?: (.*))?$/ ? [$3, defined $4 ? JSON::PP->new->allow_nonref->decode($4) : undef, $1, $2] : () } split /\n/,
		$out]);
}
sub shape { join ' ', map { my ($k, $v) = @$_; $k =~ /^(?:VALUE|NEWLINE|IDENTIFIER|STRING|INTEGER|FLOAT|MULTILINE)$/ ? "$k=" . ($v // '') : $k } @_ }

my (undef, $t) = tokens("a: x {{ b }}\nc:\n- 1\nd: |\n  t\n");
is(shape(@$t), "VALUE=a COLON VALUE=x  LDBRACE IDENTIFIER=b RDBRACE NEWLINE=\n VALUE=c COLON NEWLINE=\n INDENT HYPHEN VALUE=1 NEWLINE=\n DEDENT "
	. "VALUE=d COLON MULTILINE=| VALUE=t NEWLINE=\n MULTILINE_END NEWLINE=\n", 'tokens of all states');
is("$t->[5][2]:$t->[5][3]", '1:11', 'with their places');

my $cases = "$FindBin::Bin/../../../shared/conformance/yay/lexer.jsonl";
if (open(my $f, '<', $cases)) {
	while (my $line = <$f>) {
		my $c = decode_json($line);
		my ($status, $got) = tokens($c->{source});
		if ($c->{error}) {
			is($status, 1, $c->{id});
			next;
		}
		pop @$got if $c->{source} !~ /\n *\z/; # a line's end is always there
		is(shape(@$got), shape(@{ $c->{tokens} }), $c->{id});
	}
} else {
	skip('recorded tokens', '../shared is not here');
}

spew("$W/t.yay", "set a = b or c\nx:\n  - {{ f(1, k=2) }}\n");
is((vetro('yay', '--emit=ast', "$W/t.yay"))[1], <<'T', 'the tree');
body  @1:1
  set  @1:1
    name "a"  @1:5
    or  @1:9
      name "b"  @1:9
      name "c"  @1:14
  map  @2:1
    entry "x"  @2:1
      body  @3:3
        list  @3:3
          item  @3:3
            invoke  @3:3
              name "f"  @3:8
              number "1"  @3:10
              kwarg "k"  @3:13
                number "2"  @3:15
T

# ---- growth is linear: ten times the input in less than thirty times the time
sub seconds {
	my ($text) = @_;
	spew("$W/t.yay", $text);
	my $best = 1e9;
	for (1 .. 3) {
		my $from = time;
		my ($status) = vetro('yay', '-c', "$W/t.yay");
		return 1e9 if $status;
		my $took = time - $from;
		$best = $took if $took < $best;
	}
	return $best;
}
for my $g (['keys', sub { join '', map { "key$_: value $_\n" } 1 .. $_[0] }, 3000],
	['references', sub { join '', map { "k$_: {{ v$_ }}\nv$_: $_\n" } 1 .. $_[0] }, 2000],
	['items', sub { "a:\n  for i in range($_[0]):\n    - {{ i + 1 }}\n" }, 5000], ['merges', sub { join '', map { "a:\n  k$_: $_\n" } 1 .. $_[0] }, 300],
	['conditions', sub { join '', "c: 1\n", map { "if c:\n  k$_: $_\n" } 1 .. $_[0] }, 200]) {
	my ($name, $make, $size) = @$g;
	my ($small, $large) = (seconds($make->($size)), seconds($make->(10 * $size)));
	ok($large < 30 * $small + 0.2, "$name: linear", sprintf('%d: %.3f s, %d: %.3f s', $size, $small, 10 * $size, $large));
}
done();
