#!/usr/bin/perl
# Services with one mistake each: t/data/tosca-mistakes has a service that is right, and changes to it. Each is told by what
# `say` has, at the line that was changed (or at `line`), and `near` is what the hint names.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

spew("$W/$_", "#!/bin/sh\n") for 'create.sh', 's.sh', 'run.sh';
for my $file (files_like("$FindBin::Bin/../data/tosca-mistakes/*.yaml")) {
	my ($right, $kind) = (slurp($file), $file =~ m{([^/]+)\.yaml$});
	spew("$W/s.yaml", $right);
	my ($rc, $out, $err) = vetro("check", "$W/s.yaml");
	is("$rc$out$err", '0', "$kind: nothing is wrong at first") or print "# $out$err";
	for (split /\n/, slurp($file =~ s/yaml$/jsonl/r)) {
		my $change = decode_json($_);
		my $at = index($right, $change->{from});
		die "$kind: there is no $change->{from}\n" if $at < 0;
		my $text = $right;
		substr($text, $at, length $change->{from}) = $change->{to};
		my ($line, @old, @new) = (0);
		@old = split /\n/, $right;
		@new = split /\n/, $text;
		$line++ while $old[$line] eq $new[$line];
		spew("$W/s.yaml", $text);
		($rc, $out, $err) = vetro('check', '--format=json', "$W/s.yaml");
		my @said = map { decode_json($_) } grep { /^\{/ } split /\n/, $out . $err;
		my $title = "$kind: " . $new[$line] =~ s/^\s+//r;
		my $where = $change->{line} // $line + 1;
		is(join(' ', map { "$_->{code}\@$_->{line}" } @said), join(' ', map { "$_\@$where" } split / /, $change->{say}), $title);
		like($said[0]{hint} // '', qr/did you mean '\Q$change->{near}\E'\?/, "$title: the hint") if $change->{near};
	}
}
done();
