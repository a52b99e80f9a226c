#!/usr/bin/perl
# Answers of murano 14.0.0 to packages of ours that look into every corner: t/data/murano/oracle-*. Each test* method has a
# session of its own; its answer, the model after it and what the end of the run destroys are lines of expected.jsonl, which
# t/oracle/compare.py --record writes. ORACLE=1 asks murano again, where it is installed, and shows what differs.
# types: statics, extension methods, Meta classes, reflection, casts. contract: contracts as arguments and properties.
# objects: models, ObjectsCopy, dump(), attributes, new(), GC. flow: Parallel, locks, exceptions, blocks, bind(), patch().
# crowd: pipelines over objects, objects dropped and kept, sums of texts.
# sums: str() in sums of texts, objects that are copied with constants, groups of regular expressions.
# loops: pipelines over short lists: what takes the items, sources of all kinds, order and errors, lambdas in lambdas.
# steps: more steps of such pipelines, and what they do when it is asked for.
# kinds: what sites keep of extension methods, Static properties, new(), functions and casts of objects; arguments given away.
# sites: what sites keep of properties of several classes, Static properties, casts and contexts of let(), with() and def().
# accept: values that a contract hands on as they are, new() of dicts, switchCase(), values that lambdas have read.
# parents: casts that are only called, super() written out, Parallel of branches that only compute.
# owners: attributes, find() and new() by name of many classes, Defaults of each object, VarArgs with KwArgs, join(), texts turned round.
# rings: changes whose arguments are what is changed, or what that stands in.
# cuts: parts of lists, sums of what was made for them, keys that are looked for, list() of iterators.
# spans: skip().take(), sets of few members, integers beyond 62 bits, defaults of get(), keys() that are walked, order of texts.
# few: keys of all kinds in small dicts, lists of new keys, writes of properties by contract tables, what the next op alone reads.
# single: single functions of values of all kinds at one site, For over range() with a step, new() of classes with .init.
# legacy: format 1.0. lambda: contract functions in lambdas. classes: arguments, private properties, metadata inheritance in format 1.3.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;

# As compare.py has them: without what is new in each run, without the actions of the root, which are the test methods.
sub comparable {
	my ($answer, $load) = @_;
	my %a = %$answer;
	$a{error} = { map { $_ => $a{error}{$_} } qw(type message) } if exists $a{error};
	for my $part (ref $a{value} eq 'HASH' ? values %{ $a{value} } : ()) {
		delete $part->{'?'}{_actions} if ref $part eq 'HASH' && ref $part->{'?'} eq 'HASH';
	}
	$a{traces} = [sort map { $json->encode($_) } @{ $a{traces} }] if $load && $a{traces};
	delete $a{traces} unless @{ $a{traces} || [] };
	my $text = $json->encode(\%a);
	$text =~ s/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/ID/g;
	$text =~ s/\(\d{10,}\)/(ADDR)/g;
	return $text;
}

sub root_model {
	my ($dir) = @_;
	return slurp("$dir/model.json") if -e "$dir/model.json";
	my $manifest = slurp("$dir/manifest.yaml");
	my ($version) = $manifest =~ /^Version: (\S+)/m;
	my ($class) = $manifest =~ /^Classes:\s*\{?\s*([^\s:\{]+)/m;
	return '{"Objects":{"?":{"type":"' . $class . '/' . ($version // '0.0.0') . '","id":"root"}}}';
}

# [what, request as JSON] in the order of a session
sub requests {
	my ($method, $model) = @_;
	return (['load', "{\"op\":\"load\",\"model\":$model}"], ['call', $json->encode({ op => 'call', target => undef, method => $method, args => [] })],
		['model', '{"op":"serialize_model"}'], ['end', '{"op":"finalize"}']);
}

@Session::options = ('--virtual-time');
for my $dir (files_like("$FindBin::Bin/../data/murano/oracle-*")) {
	my ($name) = $dir =~ m{([^/]+)$};
	my ($model, $n, @bad, %first) = (root_model($dir), 0);
	my @lines = map { $json->decode($_) } split /\n/, slurp("$dir/expected.jsonl");
	for my $want (@lines) {
		$first{$_} //= $want->{$_} for qw(load model end);
		next if $ENV{VETRO_TORTURE_SEED} && $want->{method} =~ /^testPar/; # branches run in any order
		$n++;
		my $s = Session->start($name);
		for my $r (requests($want->{method}, $model)) {
			my ($what, $line) = @$r;
			$first{$what} //= $want->{$what};
			my $got = comparable($s->send($line), $what eq 'load');
			my $expected = $want->{$what} // ($what eq 'load' ? next : $first{$what});
			$expected = comparable($expected, $what eq 'load');
			push @bad, "$want->{method}, $what:", "got:  $got", "want: $expected" if $got ne $expected;
		}
		push @bad, "$want->{method}: status" if $s->stop != 0;
	}
	ok($n && !@bad, "$name: $n methods", @bad);
	if ($ENV{ORACLE}) {
		my $out = `/usr/bin/python3 $FindBin::Bin/../oracle/compare.py --vetro $Tap::vetro $dir 2>&1`;
		print map { "# $_\n" } grep { /^test|^  (vetro|murano):|methods,/ } split /\n/, $out;
	}
}
done();
