#!/usr/bin/perl
# What the checker warns of does fail: every test method of the packages below that has a warning of these codes is called,
# and must end in an error, unless it catches it itself.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use Session;

my $fails = qr/^W10(29|31|36|40|41|42|43|44|45)$/;
my $checked = 0;

for my $name (qw(calls properties statements contracts exceptions classes)) {
	my $dir = "$FindBin::Bin/../data/murano/$name";
	next unless -d $dir;
	my ($status, $out) = vetro('check', '--format', 'json', $dir);
	my @diags = grep { $_->{code} =~ $fails && $_->{file} =~ m{/Main\.yaml$} } map { decode_json($_) } grep { /^\{/ } split /\n/, $out;
	ok($status <= 1 && $out !~ /"code":"E/, "$name: nothing keeps it from loading", $status, $out);
	next unless @diags;
	open(my $f, '<', "$dir/Classes/Main.yaml") or die $!;
	my @lines = <$f>;
	my $session;
	my %seen;
	for my $d (@diags) {
		my ($class, $method, $first) = ('Main', undef, 0);
		for my $i (0 .. $d->{line} - 1) {
			$class = $1 if $lines[$i] =~ /^Name: (\S+)/;
			($method, $first) = ($1, $i) if $lines[$i] =~ /^  (\w+):/;
		}
		my $text = '';
		for (my $i = $first; $i < @lines && ($i == $first || $lines[$i] !~ /^(  \w|\S)/); $i++) {
			$text .= $lines[$i];
		}
		next if $class !~ /\bMain$/ || !$method || $method !~ /^test/ || $seen{$method}++ || $text =~ /\bTry:/ || $text =~ /Arguments:/;
		if (!$session) {
			$session = Session->start($name, qq({"Objects":{"?":{"type":"t.$name.Main","id":"root"},"input":1}}));
			ok($session->{last}{ok}, "$name loads", $session->{raw});
		}
		my $answer = $session->call($method);
		ok(exists $answer->{error}, "$name, $method: $d->{code} $d->{message}", $session->{raw});
		$checked++;
	}
}
ok($checked > 20, 'some were called', $checked);
done();
