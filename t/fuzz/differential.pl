#!/usr/bin/perl
# Recorded cases in other words: differential.pl VETRO SECONDS
#
# A case's expression is put into forms that do not change its answer (a list's only element, a variable, a lambda's
# result, a branch of switch), one into the other, its data likewise, and the batch must answer as it was recorded.
# The cases are those of ../shared where it is, else the examples of the registry. FUZZ_SEED chooses another course.
use strict;
use warnings;
use FindBin;
use IPC::Open2;
use JSON::PP;

my ($vetro, $seconds) = @ARGV;
my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $shared = "$FindBin::Bin/../../../shared/conformance/yaql";
my ($seed, $end) = ($ENV{FUZZ_SEED} || 1, time + ($seconds // 20));
srand $seed;
$| = 1;

sub read_cases {
	my ($file) = @_;
	open(my $f, '<', $file) or return;
	return grep { !$_->{volatile} && !$_->{parse_error} } map { { %{ $json->decode($_) }, line => $_ } } <$f>;
}

my @cases = map { read_cases("$shared/$_.jsonl") } qw(reference generated);
my $source = '../shared';
if (!@cases) {
	my ($dir) = $vetro =~ m{^(.*)/} ? $1 : '.';
	@cases = read_cases("$dir/gen/registry_examples.jsonl");
	@cases = grep { ($_->{layer} // '') eq 'std' } @cases;
	$source = "the registry's examples";
}
if (!@cases) {
	print "differential: skipped, there are no recorded cases\n";
	exit 0;
}

# The forms. Those with a lambda make $ another value first, so an expression that uses $ gets it back by $_data.
my @forms = (
	sub { "($_[0])" },
	sub { "[$_[0]].single()" },
	sub { "[0].select($_[1]).first()" },
	sub { "let(zz_ => $_[0]) -> \$zz_" },
	sub { "switch(false => 1 / 0, true => $_[0])" },
	sub { "coalesce(null, $_[0])" },
	sub { "[[$_[0]]].first()[0]" },
	sub { "{zz_ => $_[0]}.zz_" },
	sub { "[1].where(true).select($_[1]).toList()[0]" },
	sub { "def(zz_, $_[1]) -> zz_(0)" },
	sub { "selectCase(true).switchCase($_[0])" },
	sub { "with($_[0]) -> \$1" },
);

# Inside of a lambda $ is another value; the request's data are a variable there.
sub inner {
	my ($expr) = @_;
	return "(let(\$zz_data) -> ($expr))";
}

# A list stays what it is through these; an iterator may run once only, so it gets no form that looks at it twice.
sub disguise {
	my ($c) = @_;
	my ($expr, $lambda, $used) = ($c->{expr}, 0, '');
	for (0 .. int rand 3) {
		my $form = $forms[rand @forms];
		$expr = $form->("($expr)", inner("($expr)"));
	}
	return "let(zz_data => \$) -> $expr";
}

my %plain = map { $_ => 1 } qw(line id expr expect data options context delegates touch unordered name layer);

# Errors keep their type in all forms but coalesce's; null would be taken for nothing there. Dialects without => and
# limits that count what the forms add are left out.
sub usable {
	my ($c) = @_;
	return if grep { !$plain{$_} } keys %$c;
	return if !exists $c->{expect} || !defined $c->{expect};
	return if $c->{unordered} || ($c->{context} || {})->{legacy} || $c->{expr} =~ /\$[1-9_a-z]|->|#|\bnow\(|random/;
	return if $json->encode($c->{expect}) =~ /"\$(?:gen|context|set|setlist)|object at/;
	return 1;
}

# The recorded line itself with the other expression, since Perl keeps neither floats nor the order of keys.
sub request {
	my ($c, $expr) = @_;
	my ($line, $text) = ($c->{line}, $json->encode($expr));
	chomp $line;
	$line =~ s/"expr": ?"(?:[^"\\]|\\.)*"/"expr":$text/;
	$line =~ s/"yaql\.(?:limitIterators|memoryQuota)": ?-?\d+/"yaql.convertInputData": true/g;
	return $line;
}

@cases = grep { usable($_) } @cases;
my $pid = open2(my $out, my $in, $vetro, 'query', '--batch', '--timeout', '20');

sub ask {
	print $in $_[0], "\n";
	$in->flush;
	my $answer = <$out> // die "differential: the batch ended at\n  $_[0]\n";
	return $json->decode($answer);
}

my ($n, @bad) = (0);
CASE: while (time < $end) {
	my $c = $cases[rand @cases];
	my $want = $json->encode($c->{expect});
	my $line = request($c, disguise($c));
	for my $again (1, 2) {
		my $got = ask($line);
		$n++;
		next if exists $got->{value} && $json->encode($got->{value}) eq $want;
		push @bad, "  $line\n    recorded $c->{expr}\n    wanted $want\n    got    " . $json->encode($got) . "\n";
		last CASE if @bad >= 10;
		last;
	}
}
close $in;
waitpid($pid, 0);
push @bad, "  the batch ended with status $?\n" if $?;
printf "differential: %d questions about %d cases of %s\n", $n, scalar @cases, $source;
print "differ (FUZZ_SEED=$seed):\n", @bad if @bad;
exit(@bad ? 1 : 0);
