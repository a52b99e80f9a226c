#!/usr/bin/perl
# Answers of murano 14.0.0 to packages of ours: every test* method of a package against a line of its expected*.jsonl.
# catalogue: metadata (ME1 to ME5), reflection, extension methods (M5, C8), dump (S6), bind, patch, logger, casts.
# classes: usages of properties (PR1 to PR8), configuration (K14), attributes (O8), statics (M4).
# formats: what differs between 1.0 and 1.4. Resources and decryptData(): murano/resources.t.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;

sub comparable {
	my ($answer) = @_;
	my %a = exists $answer->{error} ? (error => { map { $_ => $answer->{error}{$_} } qw(type message) }) : (value => $answer->{value});
	my $text = $json->encode(\%a);
	$text =~ s/\b[0-9a-f]{32}\b/ID/g;
	$text =~ s/\(\d{10,}\)/(ADDR)/g;
	return $text;
}

sub answers {
	my ($title, $s, $file) = @_;
	my (@bad, $n);
	for my $line (split /\n/, slurp($file)) {
		my $want = $json->decode($line);
		my $method = delete $want->{method};
		my ($got, $expected) = (comparable($s->call($method)), comparable($want));
		$n++;
		push @bad, "$method:", "got:  $got", "want: $expected" if $got ne $expected;
	}
	ok($n && !@bad, "$title: $n answers", @bad);
	is($s->stop, 0, "$title: nothing is left at the end");
}

my $data = "$FindBin::Bin/../data/murano";
sub model { my ($type, $more) = @_; return "{\"Objects\":{\"?\":{\"type\":\"$type\",\"id\":\"root\"}$more}}" }
answers('metadata, reflection, functions', Session->start('catalogue', model('t.catalogue.Main/1.2.3', ',"cfg":"model"')), "$data/catalogue/expected.jsonl");
answers('properties, statics, configuration', Session->start('classes', model('t.classes.Main', ',"given":"model","cfg":"model"'),
	'{"t.classes.Main":{"cfg":"fromcfg","inp":"cfginp","given":"cfggiven","cfgInt":"7"}}'), "$data/classes/expected.jsonl");
for my $format ('1.0', '1.1', '1.2', '1.3', '1.4') {
	my $dir = "$W/formats-$format";
	mkdir $dir;
	mkdir "$dir/Classes";
	(my $manifest = slurp("$data/formats/manifest.yaml")) =~ s{^Format: .*}{Format: MuranoPL/$format}m;
	spew("$dir/manifest.yaml", $manifest);
	spew("$dir/Classes/Main.yaml", slurp("$data/formats/Classes/Main.yaml"));
	answers("format $format", Session->start($dir, model('t.formats.Main', '')), "$data/formats/expected-$format.jsonl");
}
done();
