#!/usr/bin/perl
# Random pipelines and random methods, written as people write them, give what python yaql and murano's engine give.
# RANDOM_SEEDS='3 4' chooses others than the one that is run here, RANDOM_COUNT how many of each: pipelines, and a tenth as many methods.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $python = '/usr/bin/python3';
my $n = $ENV{RANDOM_COUNT} // 150;

for my $seed (split ' ', $ENV{RANDOM_SEEDS} // '1') {
	for (['yaql', 'pipelines', 'pipelines', $n], ['murano.dsl', 'methods', 'methods', int(($n + 9) / 10)]) {
		my ($module, $script, $what, $count) = @$_;
		my $option = $script eq 'methods' ? '--methods' : '--count';
		skip(1, "$python has no $module") && next if (run_program({}, $python, '-c', "import $module"))[0] != 0;
		# gcc takes minutes to optimize what sanitizers add
		my @plain = $script eq "methods" && ($ENV{CONFIG} // "") =~ /asan|torture/ ? "-O0" : ();
		my ($rc, $out, $err) = run_program({}, $python, "$FindBin::Bin/../oracle/$script.py", $option, $count, "--seed", $seed, @plain, $Tap::vetro);
		ok($rc == 0 && $out =~ /^\d+ $what, \d+ raised, 0 differ$/m, "$count $what by seed $seed", substr("$out$err", 0, 3000));
	}
}
done();
