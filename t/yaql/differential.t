#!/usr/bin/perl
# Differences that random expressions showed between vetro and the reference (make check-differential), each with what the
# reference answers.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Open2;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
binmode STDOUT, ':encoding(UTF-8)';

my $pid = open2(my $out, my $in, $vetro, 'query', '--batch');

sub answer {
	my ($expr, $data) = @_;
	print $in $json->encode({ expr => $expr, data => $data }), "\n";
	$in->flush;
	return $json->decode(scalar readline($out));
}

sub gives {
	my ($title, $expr, $want, $data) = @_;
	my $got = answer($expr, $data);
	ok(exists $got->{value} && $json->encode($got->{value}) eq $json->encode($want), $title, $expr, $json->encode($got));
}

sub fails {
	my ($title, $expr, $type) = @_;
	my $got = answer($expr);
	ok(($got->{error} || {})->{type} eq $type, $title, $expr, $json->encode($got));
}

gives('ASCII words are so without regard to case as well', '$ =~ regex("(?a:\\\\w)", ignoreCase => true)', JSON::PP::false, 'ſ');
gives('and what is no ASCII word', '$ =~ regex("^(?a:\\\\W)$", ignoreCase => true)', JSON::PP::true, "\x{212a}");
gives('and the edges of ASCII words', '$ =~ regex("(?a:a\\\\b)", ignoreCase => true)', JSON::PP::true, 'aſ');
gives('and no edge', '$ =~ regex("(?a:a\\\\B)", ignoreCase => true)', JSON::PP::false, 'aſ');
gives('other words know the long s', '$ =~ regex("\\\\w", ignoreCase => true)', JSON::PP::true, 'ſ');
gives('an offset of a day is a zone until it is used', 'datetime(0, timespan(1)).hour', 0);
fails('and then an error', 'datetime(0, timespan(1)).offset', 'ValueError');
gives('an hour less is a zone', 'datetime(0, timespan(hours => 23)).hour', 23);
gives('nothing is hashed to leave an empty dict', '{}.delete([1].toList())', {});
gives('nor in deleteAll', '{}.deleteAll([[1].toList()])', {});
close $in;
waitpid($pid, 0);
ok($? == 0, 'the batch ends well');

done();
