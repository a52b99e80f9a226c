#!/usr/bin/perl
# The reference of keynames: each example of templates/tosca-keynames.txt does what it says, the page has all of it, and `vetro explain` knows each keyname.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
my $top = "$FindBin::Bin/../..";
my $json = JSON::PP->new->canonical->allow_nonref;
my @entries = reference_entries("$top/templates/tosca-keynames.txt");

# Writes the files of an entry into a folder of their own; the names of the service and of those that stand in for its nodes.
sub put_files {
	my ($dir, $e) = @_;
	my @services = ("$dir/service.yaml");
	mkdir $dir;
	for (@{ $e->{part} }) {
		my ($kind, $more, $text) = @$_;
		push @services, "$dir/$more" if $kind eq 'others';
		next unless $kind =~ /^(?:service|file)$/;
		my $path = $kind eq 'file' ? $more : 'service.yaml';
		my $at = $dir;
		for (split /\//, $path =~ s{/?[^/]*\z}{}r) { $at .= "/$_"; mkdir $at }
		spew("$dir/$path", $text);
	}
	return @services;
}

my $k = 0;
for my $e (@entries) {
	my @services = put_files("$W/e" . $k++, $e);
	my ($want) = grep { $_->[0] =~ /^(?:shows|refused|accepted)$/ } @{ $e->{part} };
	ok($want && @services, "$e->{name}: has an example with a result") or next;
	my ($rc, $out, $err) = vetro('check', $services[0]);
	if ($want->[0] eq 'refused') {
		my ($code, $message) = split / /, $want->[1], 2;
		$message //= "";
		($rc, $out, $err) = vetro('tosca', @services) if $rc == 0;
		ok($rc == 1 && $err =~ /error\[$code\d*\]: .*\Q$message\E/, "$e->{name}: how its example is refused", $err);
		next;
	}
	is("$rc $err", '0 ', "$e->{name}: its example is right");
	next if $want->[0] eq 'accepted';
	my ($expr, $value) = split / => /, $want->[1];
	($rc, $out, $err) = vetro('tosca', @services);
	my ($st, $got) = vetro({ in => $out }, 'query', '-c', $expr);
	is($st == 0 ? $json->encode($json->decode($got)) : $err, $json->encode($json->decode($value)), "$e->{name}: what comes out");
}

# ---- the page, and what `vetro explain` says ----

my ($rc, $out) = run_program({}, 'lua5.4', "$top/lua/build/language.lua", "$top/templates/tosca-keynames.txt");
is($rc, 0, 'the page can be made');
is($out, slurp("$top/docs/tosca-keynames.md"), 'and is the one in docs (make docs)');

my %is = map { $_ => 1 } map { split /, / } map { $_->{name} } @entries;
my %needed = map { $_ => 1 } map { /^KEY\(\w+, "([^"?]+)"(?!.*TK_LENIENT)/ ? $1 : () } split /\n/, slurp("$top/compiler/tosca/keys.def");
ok(keys %needed > 100, 'the front end has keynames');
is(join(' ', grep { !$is{$_} } sort keys %needed), '', 'each keyname of the front end has an entry');
# What triggers and activities have inside is read where it is used, and not by the table.
$needed{$_} = 1 for qw(constraint period evaluations method requirement call_operation operation set_state delegate inline workflow);
is(join(' ', grep { !$needed{$_} } sort keys %is), '', 'and each entry is of keynames that it has');
for my $name (sort keys %needed) {
	($rc, $out) = vetro('explain', $name);
	ok($rc == 0 && $out =~ /^\Q$name\E: a keyname of TOSCA\n\n.*^[A-Z].*\.$/ms && $out =~ /^    tosca_definitions_version: /m, "explain $name", $out);
}
($rc, $out) = vetro('explain', 'occurrences');
like($out, qr/^requirement definition|^  requirement definition \(1\.0/m, 'explain still says where a keyname stands');
like($out, qr/Before 2\.0: how many relationships/, 'and what it means');
# Functions and constraints too, with their $ or without it.
my %functions = map { $_ => 1 } slurp("$top/runtime/tosca/fn.def") =~ /^FN\("(\w+)", (?!HOT,)/mg;
ok(keys %functions > 40, 'the table of functions is read');
my @unknown = grep { (vetro('explain', $_))[1] !~ /: (?:a function|a constraint) of TOSCA$|: Heat, /m } sort keys %functions;
ok(!@unknown, 'explain knows each function and constraint', @unknown);
like((vetro('explain', '$get_input'))[1], qr/^get_input: a function of TOSCA\n\nget_input: \[name, path\.\.\.\]/, 'as it is written in 2.0');
like((vetro('explain', 'get_atribute'))[2], qr/did you mean get_attribute\?/, 'and who comes near');
like((vetro('explain', 'checksum'))[1], qr/^    tosca_definitions_version.*^  The file index\.html/ms, 'further files of an example have their names');
done;
