#!/usr/bin/perl
# Objects of several classes at one site, what is only asked for its truth, texts of one character, dicts with one key more and ranges that become
# lists: the same answers with and without the passes. t/murano/oracle.t has them from murano.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $package = "$FindBin::Bin/../data/murano/oracle-turns";
my @methods = map { "test$_" } qw(Turns Stranger Asked Letters Set Ranges Repeated Few);

sub answers {
	my ($name, @flags) = @_;
	my ($rc, undef, $err) = vetro('build', @flags, '-o', "$W/$name", $package);
	is($rc, 0, "it builds with @flags: $err");
	my $s = Session->run('{"Objects":{"?":{"type":"t.turns.Main/0.0.0","id":"root"}}}', "$W/$name", 'session', '--expose', 'test*');
	my @said;
	for (@methods, @methods) {    # the second time its sites know what comes
		$s->call($_, '[]');
		push @said, "$_: " . $s->{raw} =~ s/\(0x[0-9a-f]+\)|[0-9a-f]{32}/ID/gr;
	}
	ok($s->stop == 0, 'and the session ends well');
	return join '', @said;
}

my $want = answers('plain', '-O0', '-fno-passes');
like($want, qr/testAsked: .*"value":\["n","not","m","both",/, 'it answers');
is(answers("all$_", "-O$_"), $want, "the same with all passes at -O$_") for 0, 1, 2;
is(answers('no-flow', '-O0', '-fno-flow'), $want, 'the same with -fno-flow');

my $ir = (vetro('build', '--emit=ir', '--after=flow', $package))[1];
ok((() = $ir =~ /# only asked for its truth/g) > 8, 'conditions ask calls and properties for their truth');
my $c = (vetro('build', '--emit=c', $package))[1];
like($c, qr/^#define s\d+ vt_one_character\[32\]$/m, 'a text of one character is the one that the runtime has');
like($c, qr/vt_entry_at\(rt, &sites\[\d+\], IC\(\d+\), \w+\)/, 'a call looks for what other classes have found there');
done();
