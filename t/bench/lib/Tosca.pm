package Tosca;
# TOSCA: nodes in a chain of requirements, whose values go from one end to the other, resolved and evaluated by vetro;
# beside the events of libyaml, which are the least that reading the file takes, and tosca-parser, which resolves
# only what names a node and evaluates nothing of the chain.
use strict;
use warnings;
use Bench;
use File::Basename qw(dirname);
use Text;

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

# One run of a process, start included: the smallest service tells how much that is.
sub once {
	my (@command) = @_;
	return sub {
		my $use = run({}, @command) // die "@command: failed\n";
		return { %$use, seconds => smaller($use) };
	};
}

sub chain {
	my ($n, $bare, $theirs) = @_;
	my $file = "$dir/chain$n.yaml";
	write_chain($file, $n);
	my %with = (vetro => once($Bench::vetro, 'tosca', '-f', 'topology', $file), libyaml => once("$Bench::drivers/events", $file));
	$with{'tosca-parser'} = once($python, "$here/tosca_side.py", $file) if $theirs && $n <= 1000;
	my $m = Text::rounds_of(\%with);
	my $got = $json->decode($m->{vetro}{out});
	die "tosca-chain: the value did not arrive\n" unless $got->{outputs}{label} eq 'end' && keys %{$got->{nodes}} == $n;
	die "tosca-chain: tosca-parser saw other nodes\n" if $m->{'tosca-parser'} && $m->{'tosca-parser'}{out} !~ /^$n$/m;
	my $input = sprintf '%s nodes in a chain, %.3g MB, start of the process included', commas($n), (-s $file) / 1e6;
	my $of_nodes = $m->{vetro}{peak_bytes} - $bare;
	my %note = (vetro => sprintf('memory %.1f times the file; apart from the process of a service of one node, %.1f times', $m->{vetro}{peak_bytes} / -s $file, $of_nodes / -s $file),
		libyaml => 'events alone', 'tosca-parser' => 'does not evaluate the chain');
	show('node', map { record('tosca-chain', $input, $_, $m->{$_}, $n, $m->{vetro}{seconds} / $n, $note{$_}) } grep { $m->{$_} } 'vetro', 'libyaml', 'tosca-parser');
	printf "  %9s        %s\n", '', $note{vetro};
}

sub all {
	return unless wanted('tosca-chain');
	my $theirs = available('tosca-parser', 'python3-tosca-parser', $python, '-c', 'import urllib.error; from toscaparser.tosca_template import ToscaTemplate');
	attempt('tosca-chain', sub {
		# What the process weighs by itself: program, libraries, profile.
		write_chain("$dir/chain1.yaml", 1);
		my $bare = once($Bench::vetro, 'tosca', '-f', 'topology', "$dir/chain1.yaml")->()->{peak_bytes};
		chain($_, $bare, $theirs) for 100, 1000, 10000, 100000;
	});
}

1;
