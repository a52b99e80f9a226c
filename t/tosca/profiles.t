#!/usr/bin/perl
# The embedded TOSCA profiles hold together: what they derive from and refer to exists, no derivation runs
# in a circle, short names are unique. vetro's own reader turns them into JSON.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $dir = "$FindBin::Bin/../../templates/tosca";
my @sections = qw(data_types artifact_types capability_types interface_types relationship_types node_types group_types policy_types);
# What a template of a version sees: its profiles.
my %worlds = (
	(map { $_ => [$_] } qw(simple-1.0 simple-1.1 simple-1.2 simple-1.3)),
	'nfv-1.0' => ['simple-1.2', 'nfv-1.0'],
	'simple-2.0' => ['implicit-2.0', 'simple-2.0'],
);

sub read_profile {
	my ($name) = @_;
	my ($status, $out, $err) = vetro('query', '-c', '$', "$dir/$name.yaml");
	return ok($status == 0, "$name is read", $err) ? decode_json($out) : {};
}

# Adds the names that a definition uses, as "SECTION NAME", to the list.
my %type_of = (properties => 'data_types', attributes => 'data_types', inputs => 'data_types', capabilities => 'capability_types',
	interfaces => 'interface_types', artifacts => 'artifact_types');
my %refers = (capability => 'capability_types', node => 'node_types', relationship => 'relationship_types', members => 'node_types',
	valid_source_types => 'node_types', valid_source_node_types => 'node_types', valid_target_types => 'capability_types',
	valid_capability_types => 'capability_types');
sub uses {
	my ($d, $list) = @_;
	for my $k (sort keys %$d) {
		my $v = $d->{$k};
		if ($type_of{$k}) {
			for my $e (values %$v) {
				push @$list, "$type_of{$k} $e->{type}" if $e->{type};
				uses($e, $list);
			}
		} elsif ($k =~ /_schema$/) {
			push @$list, "data_types $v->{type}";
			uses($v, $list);
		} elsif ($refers{$k}) {
			push @$list, "$refers{$k} $_" for ref $v ? @$v : $v;
		} elsif ($k eq 'requirements') {
			uses($_, $list) for map { values %$_ } @$v;
		}
	}
}

sub short_name {
	my ($name, $d) = @_;
	return $d->{metadata}{'vetro.name'} if ref $d->{metadata} && $d->{metadata}{'vetro.name'};
	return $name =~ s/^tosca\.(?:nodes|capabilities|relationships|datatypes|interfaces|artifacts|groups|policies)\.//r;
}

my %profile = map { $_ => read_profile($_) } qw(simple-1.0 simple-1.1 simple-1.2 simple-1.3 nfv-1.0 implicit-2.0 simple-2.0 cloudify-1.3);

for my $world (sort keys %worlds) {
	my (%type, @missing, @circles, @twice, @lower);
	for my $p (@{ $worlds{$world} }) {
		for my $s (@sections) {
			$type{"$s $_"} = $profile{$p}{$s}{$_} for keys %{ $profile{$p}{$s} || {} };
		}
	}
	my %short;
	for my $t (sort keys %type) {
		my ($section, $name) = split / /, $t;
		my @used;
		uses($type{$t}, \@used);
		push @missing, map { "$t uses $_" } grep { !$type{$_} } @used;
		my %seen;
		for (my $n = $name; defined $n; $n = $type{"$section $n"}{derived_from}) {
			push(@missing, "$t derives from $n"), last if !$type{"$section $n"};
			push(@circles, $t), last if $seen{$n}++;
		}
		my $short = short_name($name, $type{$t});
		push @twice, "$section $short" if $short{"$section $short"}++;
		push @lower, $t if $short =~ /^[a-z].*\.[A-Z]/;
	}
	ok(keys %type > 60, "$world has its types");
	is("@missing", '', "$world: every name that is used is there");
	is("@circles", '', "$world: no type derives from itself");
	is("@twice", '', "$world: short names are unique");
	is("@lower", '', "$world: short names begin with the capitalised word");
}

my $implicit = join ' ', sort keys %{ $profile{'implicit-2.0'}{data_types} };
is($implicit, 'boolean bytes float integer list map nil range scalar ' . join(' ', map { "scalar-unit.$_" } qw(bitrate frequency size time)) .
	' string timestamp version',
	'implicit-2.0 has the primitive types alone');

my $c = $profile{'cloudify-1.3'};
my @bad;
for my $s (qw(node_types relationships data_types)) {
	for my $t (keys %{ $c->{$s} }) {
		my $d = $c->{$s}{$t};
		push @bad, $t if defined $d->{derived_from} && !$c->{$s}{ $d->{derived_from} };
		push @bad, map { "$t.$_" } grep { my $y = $d->{properties}{$_}{type}; $y && !$c->{data_types}{$y} } keys %{ $d->{properties} || {} };
	}
}
is("@bad", '', 'cloudify-1.3: every name that is used is there');
done();
