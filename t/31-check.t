#!/usr/bin/perl
# The checker: every package below t/data/check must give exactly the diagnostics its files announce.
# A line's end says what is expected there: #! CODE COLUMN, once or more. Codes of other phases are not compared.
use strict;
use warnings;
use JSON::PP;
use File::Find;
use FindBin;

my $vetro = $ENV{VETRO} || "$FindBin::Bin/../build/debug/vetro";
my $data = "$FindBin::Bin/data/check";
my $ours = qr/^(E0[5-8]\d\d|W10[2-4]\d)$/;
my ($n, $bad) = (0, 0);

sub ok {
	my ($good, $title, @notes) = @_;
	$n++;
	print $good ? '' : 'not ', "ok $n - $title\n";
	return if $good;
	$bad++;
	print map { "# $_\n" } @notes;
}

sub check {
	my (@args) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid) {
		open(STDERR, '>', '/dev/null');
		exec { $vetro } $vetro, 'check', '--format', 'json', @args or exit 127;
	}
	my @lines = <$out>;
	close $out;
	return ($? >> 8, map { decode_json($_) } grep { /^\{/ } @lines);
}

sub announced {
	my ($dir) = @_;
	my @want;
	find({ no_chdir => 1, wanted => sub {
		return unless -f && /\.yaml$/;
		my ($name) = m{([^/]+)$};
		open(my $f, '<', $_) or die "$_: $!";
		while (my $line = <$f>) {
			push @want, "$1 $name:$.:$2" while $line =~ /#! (\w+) (\d+)/g;
		}
	} }, $dir);
	return sort @want;
}

opendir(my $d, $data) or die "$data: $!";
my @packages = sort grep { !/^\./ } readdir $d;
my %covered;
for my $name (@packages) {
	my @want = announced("$data/$name");
	my ($status, @diags) = check("$data/$name");
	my @got = sort map { "$_->{code} " . ($_->{file} =~ m{([^/]+)$})[0] . ":$_->{line}:$_->{col}" } grep { $_->{code} =~ $ours } @diags;
	$covered{$_->{code}}++ for @diags;
	my %seen;
	@got = grep { !$seen{$_}++ } @got;
	ok("@want" eq "@got", "$name: what and where", "want: @want", "got:  @got");
	my $fails = grep { $_->{severity} eq 'error' } @diags;
	ok($status == ($fails ? 1 : 0), "$name: exit status", "status $status with $fails errors");
	if ($name ne 'clean') {
		ok(scalar(grep { $_->{code} eq $name && length $_->{message} } @diags), "$name is reported for the package of that name");
	}
}

# Every code of these groups has a package.
open(my $def, '<', "$FindBin::Bin/../compiler/diag.def") or die;
for (<$def>) {
	next unless /^DIAG\((\w+),/ && $1 =~ $ours;
	ok($covered{$1}, "$1 has a test");
}

# Hints name what was meant.
sub hint {
	my ($name, $code, $pattern) = @_;
	my (undef, @diags) = check("$data/$name");
	my @hints = map { $_->{hint} // '' } grep { $_->{code} eq $code } @diags;
	ok(scalar(grep { /$pattern/ } @hints), "$name: hint like $pattern", @hints);
}
hint('E0601', 'E0601', 'check\.Base|Base');
hint('E0602', 'E0602', 'std:Object');
hint('E0701', 'E0701', '"If"');
hint('E0701', 'E0701', '\$x: ');
hint('E0702', 'E0702', '"Then"');
hint('E0706', 'E0706', 'Break:');
hint('E0801', 'E0801', '"string"');
hint('W1020', 'W1020', '"Default"');
hint('W1021', 'W1021', '"Action"');
hint('W1036', 'W1036', '"helper"');

print "1..$n\n";
exit($bad ? 1 : 0);
