#!/usr/bin/perl
# The tests themselves: lines that can be read, helpers in one place, and every test where make finds it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $most = 160;
my @tests = files_like("$FindBin::Bin/../*/*.t");
my @all = (@tests, files_like("$FindBin::Bin/../lib/*"));

sub none {
	my ($title, @bad) = @_;
	s{^.*/\.\./}{} for @bad;
	return ok(!@bad, $title, @bad);
}

my (@wide, @own, @documents);
my $helpers = join '|', qw(ok is like unlike is_json is_lines skip skip_all slurp spew free_port run_program done);
for my $f (@all) {
	my $n = 0;
	for my $line (split /\n/, slurp($f)) {
		$n++;
		utf8::decode($line);
		push @wide, "$f:$n: " . length $line if length($line =~ s/\t/        /gr) > $most;
		push @own, "$f:$n: $line" if $f !~ /Tap\.pm$/ && $line =~ /^sub (?:$helpers)\b/;
		push @documents, "$f:$n" if $line =~ /"[^"]*\\n---\\n[^"]*\\n---\\n[^"]*"/ && length $line > 120;
	}
}
none("lines have at most $most columns", @wide);
none('no line holds three documents', @documents);
none('what Tap.pm has is defined there only', @own);
none('every test says with what it is run', grep { slurp($_) !~ m{^#!/(?:usr/)?bin/} } @tests);
done();
