#!/usr/bin/perl
# `deploy run`: a run that fails loses no model, and the output is there whole or not at all.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $binary = "$W/gc.bin";
my ($rc, $out, $err) = vetro('build', '-O0', '-o', $binary, "$FindBin::Bin/../data/murano/gc");
ok($rc == 0, 'the package builds', $err);

# The answer in the output file, and the status.
sub run {
	my ($model, @options) = @_;
	spew("$W/model.json", $model);
	my $status = system("'$binary' run --model '$W/model.json' --output '$W/out/answer.json' @options 2>'$W/err'");
	my $text = slurp("$W/out/answer.json");
	return ($status >> 8, $text eq '' ? undef : $json->decode($text), $text);
}
mkdir "$W/out";
sub files { opendir my $d, "$W/out" or return ''; return join ' ', sort grep { !/^\./ } readdir $d }

my $bad = '{"Attributes":[],"Objects":{"?":{"id":"root","type":"t.gc.Main"},"things":[{"?":{"id":"x","type":"t.gc.Nope"}}]}}';
my ($status, $answer) = run($bad, '--call testDropped');
is($status, 1, 'a model that does not load: the status');
is($answer->{error}{type}, 'NoPackageForClassFound', 'the error');
is($json->encode($answer->{model}), $bad, 'the model is what it was');

my $good = '{"Objects":{"?":{"id":"root","type":"t.gc.Main"},"things":[{"?":{"id":"x","type":"t.gc.Thing"},"name":"X"}]}}';
($status, $answer) = run($good, '--call testDropped');
is($status, 1, 'a method that is no action');
is($answer->{error}{type}, 'MethodNotExposed', 'the error');
is($answer->{model}{Objects}{things}[0]{name}, 'X', 'the model is there');
($status, $answer) = run($good, '--call failing');
is($answer->{error}{message}, 'after a change', 'an action that fails');
is($answer->{model}{Objects}{things}[0]{name}, 'changed', 'what it did is in the model');

my $before = slurp("$W/out/answer.json");
($status, undef, my $text) = run('{"Objects":', '--call testDropped');
is($status, 1, 'a model that is no JSON');
is($text, $before, 'leaves the output of the last run alone');
is(files(), 'answer.json', 'no other file is left');
done();
