#!/usr/bin/perl
# The pipelines of the benchmark give what the same programs in Python give, over documents that take several batches.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../bench/lib";
use Encode ();
use File::Temp qw(tempdir);
use JSON::PP;
use Pipelines ();
use Tap;

my ($python, $records) = ('/usr/bin/python3', 200);
skip_all('no python3') unless -x $python;
my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my @jobs = (Pipelines::jobs(), Pipelines::more());
my $dir = tempdir(CLEANUP => 1);
my (%path, %data);
for my $kind (map { $_->{data} } @jobs) {
	next if $path{$kind};
	my ($rc, $out, $err) = run_program({}, $^X, "$FindBin::Bin/../bench/pipelines/gen.pl", $kind, $records);
	spew($path{$kind} = "$dir/$kind.json", $out);
	$data{$kind} = $out =~ s/\n//r;
}

my ($rc, $out, $err) = run_program({ in => join '', map { "$_->{name} $path{$_->{data}}\n" } @jobs }, $python, "$FindBin::Bin/../bench/pipelines/twins.py");
my @want = split /\n/, $out;
is(scalar @want, scalar @jobs, 'each pipeline has a program in Python') or print "# $err\n";

my $input = join '', map { '{"expr":' . $json->encode(Encode::decode('UTF-8', $_->{expr})) . ',"data":' . $data{ $_->{data} } . "}\n" } @jobs;
($rc, $out, $err) = vetro({ in => $input }, 'query', '--batch');
my @got = split /\n/, $out;
is(scalar @got, scalar @jobs, 'each pipeline is answered') or print "# $err\n";
for my $i (0 .. $#got) {
	my $got = $json->decode($got[$i]);
	$got->{error} ? is($json->encode($got->{error}), '', $jobs[$i]{name}) : is_json($got->{value}, $json->decode($want[$i] // 'null'), $jobs[$i]{name});
}
done();
