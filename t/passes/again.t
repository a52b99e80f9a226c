#!/usr/bin/perl
# What a site remembers from its first call decides how it goes on: each method of packages of t/data/murano/oracle-* is called
# three times in one session, and answers each time as the same package does that was built without passes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
@Session::options = ('--virtual-time');

sub built {
	my ($dir, $as, @options) = @_;
	my ($rc, $out, $err) = vetro('build', '-O0', @options, '-o', "$W/$as", $dir);
	is($rc, 0, "$as builds") or print "# $out$err\n";
	return "$W/$as";
}

# Ids and addresses are new in each run.
sub answer {
	my ($s, $request) = @_;
	my $text = $json->encode($s->send($json->encode($request)));
	$text =~ s/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/ID/g;
	$text =~ s/\(\d{10,}\)/(ADDR)/g;
	return $text;
}

for my $name (qw(accept early few given kinds made members places rings short turns updates)) {
	my $dir = "$FindBin::Bin/../data/murano/oracle-$name";
	my ($class) = slurp("$dir/manifest.yaml") =~ /^Classes:\s*\{?\s*([^\s:\{]+)/m;
	my ($version) = slurp("$dir/manifest.yaml") =~ /^Version: (\S+)/m;
	my $model = -e "$dir/model.json" ? slurp("$dir/model.json")
		: '{"Objects":{"?":{"type":"' . $class . '/' . ($version // '0.0.0') . '","id":"root"}}}';
	my %method = map { $json->decode($_)->{method} => 1 } split /\n/, slurp("$dir/expected.jsonl");
	my @all = map { built($dir, "$name$_->[0]", @{ $_->[1] }) } ['', []], ['-plain', ['-fno-passes']];
	my @bad;
	for my $method (sort keys %method) {
		my @s = map { Session->run($model, $_, 'session', '--expose', 'test*', '--virtual-time') } @all;
		for my $turn (1 .. 3) {
			my ($got, $want) = map { answer($_, { op => 'call', target => undef, method => $method, args => [] }) } @s;
			push @bad, "$method, call $turn:", "got:  $got", "want: $want" if $got ne $want;
		}
		push @bad, "$method: status" if grep { $_->stop != 0 } @s;
	}
	ok(!@bad, "$name: " . keys(%method) . ' methods, each three times', @bad);
}
done();
