#!/usr/bin/perl
# Sums that are made at once, and what pipelines read of objects: the same answers without the passes, and the passes say what they do.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $package = "$FindBin::Bin/../data/murano/oracle-crowd";
my @methods = qw(testRead testChangedInLoop testChangedInLambda testMissing testMixed testDropped testTexts testOrder);

sub answers {
	my ($name, @flags) = @_;
	my ($rc, undef, $err) = vetro('build', '-O0', @flags, '-o', "$W/$name", $package);
	is($rc, 0, "it builds with @flags") or diag($err);
	my $s = Session->run('{"Objects":{"?":{"type":"t.crowd.Main/0.0.0","id":"root"}}}', "$W/$name", 'session', '--expose', 'test*');
	my @said;
	for (@methods) {
		$s->call($_, '[]');
		push @said, "$_: " . $s->{raw} =~ s/\(0x[0-9a-f]+\)|[0-9a-f]{32}/ID/gr;
	}
	ok($s->stop == 0, 'and the session ends well');
	return join '', @said;
}

sub ir { return (vetro('build', '--emit=ir', @_, $package))[1] }

my $want = answers('plain', '-fno-passes');
like($want, qr/testRead: .*"value":\[9,4950,/, 'it answers');
is(answers($_->[0], @{$_}[1 .. $#$_]), $want, "the same with @{$_}[1 .. $#$_]") for ['all', '-O2'], ['no-update', '-fno-update'];

my $ir = ir('--after=update');
like($ir, qr/= add .* # one text of 5$/m, 'a sum of five texts is one');
is(scalar(() = $ir =~ m{one text of 2}g), 0, 'two are left as they are');
unlike(ir('--after=update', '-fno-update'), qr/one text of/, '-fno-update leaves them all');
done();
