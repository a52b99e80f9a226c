#!/usr/bin/perl
# Every row of docs/from-jq.md: the arguments of `vetro query` give what the page says, and so does jq where it is installed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Text::ParseWords qw(shellwords);
use Tap;

$ENV{HOME} = '/home/you';
my $jq = `jq --version 2>/dev/null` =~ /^jq-1\.[67]/;

# The codes of a cell; `\|` is how a table writes a bar.
sub codes { my ($cell) = @_; $cell =~ s/\\\|/|/g; return $cell =~ /`([^`]*)`/g }
sub text { my $t = join "\n", @_; return "$t\n" }
sub arguments { my ($cell) = @_; return $cell =~ /^-/ ? shellwords($cell) : $cell }

my $rows = 0;
for my $line (split /\n/, slurp("$FindBin::Bin/../../docs/from-jq.md")) {
	my ($title, @cell) = map { s/^ | $//gr } (split /(?<!\\)\|/, $line)[1 .. 5] if $line =~ /^\|(?:.*(?<!\\)\|){5}$/;
	next if !@cell || $cell[0] !~ /^`/;
	my ($theirs, $ours) = map { (codes($_))[0] } @cell[0, 1];
	my ($in, $want) = map { text(codes($_)) } @cell[2, 3];
	my ($st, $out, $err) = vetro({ in => $in }, 'query', '-c', arguments($ours));
	ok($st == 0 && $out eq $want && $err eq '', "$title: $ours", "status $st", "want $want", "got  $out", $err);
	$rows++;
	if (!$jq) { skip("jq $theirs", 'jq 1.6 or 1.7 is not installed'); next }
	($st, $out, $err) = run_program({ in => $in }, 'jq', '-c', arguments($theirs));
	ok($st == 0 && $out eq $want, "jq $theirs", "status $st", "want $want", "got  $out", $err);
}
ok($rows >= 60, "the tables have rows: $rows");
done();
