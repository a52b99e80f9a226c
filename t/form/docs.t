#!/usr/bin/perl
# The examples of the chapter in docs/forms.md: its definition, and what the commands print.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my ($chapter) = slurp("$FindBin::Bin/../../docs/forms.md") =~ /^## Forms that packages bring\n(.*?)(?=^## |\z)/ms;
my ($definition) = ($chapter // '') =~ /^```yaml\n(.*?)^```/ms;
ok(defined $definition, 'the chapter has a definition') or done(), exit;
spew("$W/ui.yaml", $definition);
my @blocks = $chapter =~ /^```console\n(.*?)^```/msg;
ok(@blocks > 1, 'and commands');
for my $block (@blocks) {
	for my $example (split /^(?=\$ )/m, $block) {
		my ($command, $want) = split /\n/, $example, 2;
		my ($first, @args) = split ' ', $command =~ s/^\$ //r;
		is($first, 'vetro', 'a command of vetro');
		my (undef, $out) = vetro({ dir => $W, merge => 1 }, @args);
		is($out, $want, "vetro @args");
	}
}
blocks_are_read('docs/forms.md', $definition, @blocks);
done();
