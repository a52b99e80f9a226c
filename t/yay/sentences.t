#!/usr/bin/perl
# What the description of Yay says, sentence by sentence: t/data/yay/sentences.txt has configurations and what they come to.
#   ==== title => JSON, or !Type of an error ## more fields of the request
#   ---- name     begins another file
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->utf8;
my (@cases, $file);
for my $line (split /(?<=\n)/, slurp("$FindBin::Bin/../data/yay/sentences.txt")) {
	if ($line =~ /^==== (.*?) => (.*?)(?: ## (.*))?\n/) {
		push @cases, { title => $1, want => $2, ask => { $3 ? %{ $json->decode($3) } : (), main => 'm', files => { m => '' } } };
		$file = 'm';
	} elsif ($line =~ /^---- (\S+)/) {
		$cases[-1]{ask}{files}{ $file = $1 } = '';
	} else {
		$cases[-1]{ask}{files}{$file} .= $line;
	}
}
for my $options ([], ['-fno-yay-fold']) {
	my (undef, $out) = vetro({ in => join('', map { $json->encode($_->{ask}) . "\n" } @cases) }, 'yay', '--batch', @$options);
	my @answers = split /\n/, $out;
	for my $c (@cases) {
		my $answer = shift @answers // '';
		my $error = $answer =~ /^\{"error"/ ? '!' . $json->decode($answer)->{error}{type} : '';
		my $got = $answer =~ /^\{"value":(.*)\}$/ ? $1 : $error;
		ok($c->{want} eq '!' ? $error : $got eq $c->{want}, join(' ', $c->{title}, @$options), "got:  $answer", "want: $c->{want}");
	}
}
done();
