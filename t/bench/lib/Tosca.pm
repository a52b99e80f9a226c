package Tosca;
# TOSCA: nodes in a chain of requirements, whose values go from one end to the other, resolved and evaluated by vetro;
# beside the events of libyaml, which are the least that reading the file takes, and tosca-parser, which resolves
# only what names a node and evaluates nothing of the chain.
use strict;
use warnings;
use Bench;
use File::Basename qw(dirname);

my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';

sub write_chain {
	my ($path, $n) = @_;
	open my $f, '>', $path or die "$path: $!\n";
	print $f <<'Y';
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Link:
    derived_from: tosca.nodes.Root
    properties:
      hop: { type: integer }
      label: { type: string }
    capabilities:
      link: { type: tosca.capabilities.Endpoint }
    requirements:
    - next:
        capability: tosca.capabilities.Endpoint
        relationship: tosca.relationships.ConnectsTo
        occurrences: [ 0, 1 ]
topology_template:
  inputs:
    label: { type: string, default: end }
  node_templates:
Y
	for my $i (1 .. $n) {
		printf $f "    node_%06d:\n      type: Link\n      properties:\n        hop: %d\n", $i, $i;
		printf $f "        label: { get_property: [ node_%06d, label ] }\n      requirements:\n      - next: node_%06d\n", $i + 1, $i + 1 if $i < $n;
	}
	print $f "        label: { get_input: label }\n  outputs:\n    label: { value: { get_property: [ node_000001, label ] } }\n";
	close $f or die "$path: $!\n";
}

# The least of several runs; fewer where they take long.
sub best {
	my (@command) = @_;
	my $least;
	for my $round (1 .. 5) {
		my $use = run({}, @command) // die "@command: failed\n";
		$use->{seconds} = smaller($use);
		$least = $use if !$least || $use->{seconds} < $least->{seconds};
		last if $use->{seconds} > 5;
	}
	return $least;
}

sub all {
	return unless wanted('tosca-chain');
	my $theirs = available('tosca-parser', 'python3-tosca-parser', $python, '-c', 'import urllib.error; from toscaparser.tosca_template import ToscaTemplate');
	for my $n (100, 1000, 10000, 100000) {
		my $file = "$dir/chain$n.yaml";
		write_chain($file, $n);
		my %m = (vetro => best($Bench::vetro, 'tosca', '-f', 'topology', $file), libyaml => best("$Bench::drivers/events", $file));
		my $got = $json->decode($m{vetro}{out});
		die "tosca-chain: the value did not arrive\n" unless $got->{outputs}{label} eq 'end' && keys %{$got->{nodes}} == $n;
		if ($theirs && $n <= 1000) {
			$m{'tosca-parser'} = best($python, "$here/tosca_side.py", $file);
			die "tosca-chain: tosca-parser saw other nodes\n" unless $m{'tosca-parser'}{out} =~ /^$n$/m;
		}
		my $input = sprintf '%s nodes in a chain, %.3g MB', commas($n), (-s $file) / 1e6;
		my %note = (libyaml => 'events alone', 'tosca-parser' => 'does not evaluate the chain');
		show('node', map { record('tosca-chain', $input, $_, $m{$_}, $n, $m{vetro}{seconds} / $n, $note{$_}) } grep { $m{$_} } 'vetro', 'libyaml', 'tosca-parser');
		printf "  %9.3g times  the memory of the file's size\n", $m{vetro}{peak_bytes} / -s $file;
	}
}

1;
