#!/usr/bin/perl
# What Heat's functions give, by version; t/data/heat-functions.jsonl has what Heat 19 answered.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $around = <<'Y';
parameters:
  m: { type: json, default: { a: { b: 1 }, l: [ x, y ], n: null } }
  s: { type: string, default: abc }
  l: { type: comma_delimited_list, default: "p, q,r" }
  n: { type: number, default: 3 }
  f: { type: number, default: 2.0 }
  b: { type: boolean, default: true }
  e: { type: comma_delimited_list, default: "" }
resources:
  z: { type: OS::Heat::RandomString }
Y
my $n = 0;
open(my $f, '<:raw', "$FindBin::Bin/../data/heat-functions.jsonl") or die "heat-functions.jsonl: $!\n";
while (my $line = <$f>) {
	my $case = $json->decode($line);
	my $file = "$W/f" . ++$n . '.yaml';
	spew($file, "heat_template_version: $case->{version}\n${around}outputs:\n  o: { value: $case->{expression} }\n");
	my ($rc, $out, $err) = vetro('tosca', '-c', '-f', 'topology', $file);
	my $title = "$case->{version} $case->{expression}";
	if ($case->{fails}) {
		ok($rc == 1 && $err =~ /error\[E20(?:40|70|71|81)\]/, "$title fails") or print "# $rc $out$err\n";
		next;
	}
	my $got = $rc == 0 ? $json->encode($json->decode($out)->{outputs}{o}) : $err;
	is($got, $json->encode($case->{value}), $title);
}
done;
