#!/usr/bin/perl
# Random texts with something replaced in them, or in the other case: few places and many, one byte and several, short texts
# and such as are read by blocks.  Perl says what is right.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->utf8->canonical;
srand 23;
my @letters = ('a', 'b', 'A', 'Z', ',', '-', ' ', 'é', '日');

sub word { my ($most, $of) = @_; return join '', map { $letters[int rand $of] } 1 .. int rand $most + 1 }

sub replaced {
	my ($text, $old, $new, $count) = @_;
	my $to = '';
	return $text if $count == 0;
	if ($old eq '') { # as Python has it: in front of each character, and at the end
		my @at = split //, $text;
		while ($count != 0) { $count--; $to .= $new; return $to unless @at; $to .= shift @at }
		return join '', $to, @at;
	}
	while ($count != 0 && (my $at = index $text, $old) >= 0) {
		$to .= substr($text, 0, $at) . $new;
		$text = substr $text, $at + length $old;
		$count--;
	}
	return $to . $text;
}

my @rows = map {
	my ($of, $count) = (rand() < .6 ? 6 : scalar @letters, rand() < .5 ? -1 : int rand 5);
	my ($text, $old, $new) = (word(rand() < .2 ? 300 : 40, $of), word(rand() < .6 ? 1 : 3, $of), word(rand() < .6 ? 1 : 3, $of));
	{ t => $text, o => $old, n => $new, c => $count, w => replaced($text, $old, $new, $count), u => uc $text, l => lc $text }
} 1 .. 6000;
spew("$W/rows.json", $json->encode(\@rows));
for my $ask ('$.t.replace($.o, $.n, $.c) != $.w', '$.t.toUpper() != $.u', '$.t.toLower() != $.l',
	'$.o != "" and $.c = -1 and $.t.split($.o).join($.n) != $.w', '[$.t.toUpper()].first().toLower() != $.l') {
	is(scalar qx{"$vetro" query -c '\$.where($ask)' < $W/rows.json}, "[]\n", "never: $ask");
}
done();
