#!/usr/bin/perl
# Makes an input that a command fails on smaller: smaller.pl INPUT OUTPUT COMMAND...
# The command gets a file's name as its last argument. Pieces are left out, large ones first, as long as it still
# fails; SMALLER_SECONDS bounds the search.
use strict;
use warnings;

my ($input, $output, @command) = @ARGV;
my $end = time + ($ENV{SMALLER_SECONDS} || 60);

sub slurp {
	open(my $f, '<:raw', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return <$f> // '';
}

sub spew {
	open(my $f, '>:raw', $_[0]) or die "$_[0]: $!\n";
	print $f $_[1];
	close $f;
}

sub fails {
	spew("$output.try", $_[0]);
	my $pid = fork() // die "fork: $!\n";
	if (!$pid) {
		open(STDOUT, '>', '/dev/null');
		open(STDERR, '>', '/dev/null');
		exec { $command[0] } @command, "$output.try" or exit 0;
	}
	waitpid($pid, 0);
	return $? != 0;
}

my $text = slurp($input);
if (!fails($text)) {
	unlink "$output.try";
	print "the input alone does not fail again\n";
	exit 0;
}
for (my $size = length($text) >> 1; $size >= 1 && time < $end; $size >>= 1) {
	for (my $at = 0; $at < length($text) && time < $end;) {
		my $shorter = substr($text, 0, $at) . ($at + $size < length($text) ? substr($text, $at + $size) : '');
		if (fails($shorter)) {
			$text = $shorter;
		} else {
			$at += $size;
		}
	}
}
spew($output, $text);
unlink "$output.try";
printf "smallest: %d bytes in %s\n", length($text), $output;
print "  ", substr($text, 0, 200) =~ s/[^\x20-\x7e]/sprintf('\\x%02x', ord($&))/ger, "\n";
