#!/usr/bin/perl
# Methods of tens of thousands of lines are translated: no pass looks at all of a method for each of its ops. As long as one did,
# the literals took more than the limit; pipelines and handlers are there to show that they stay cheap.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $least = $vetro =~ m{/(?:asan|torture|debug)/} ? 5 : 1; # what is not optimised gets less to do

sub translated {
	my ($what, $body) = @_;
	my $dir = "$W/long";
	mkdir $_ for $dir, "$dir/Classes";
	spew("$dir/manifest.yaml", "Format: 1.4\nType: Library\nFullName: t.long\nName: L\nDescription: l\nAuthor: a\nTags: []\nClasses: {t.L: L.yaml}\n");
	spew("$dir/Classes/L.yaml", "Namespaces: {=: t}\nName: L\nMethods:\n  m:\n    Arguments: [{x: {Contract: \$.int().notNull()}}]\n    Body:\n$body");
	my ($rc, $out, $err) = vetro({ limit => 100 }, 'build', '--emit=c', $dir);
	ok($rc == 0 && $out =~ /_cm\(vt_rt/, $what, $rc, substr $err, 0, 300);
}

my $n = 60_000 / $least;
translated("a dict of $n entries", "      - Return:\n" . join '', map { "          k$_: {a: $_, b: \$x}\n" } 1 .. $n);
translated("a list of $n dicts", "      - Return:\n" . join '', map { "          - {a: $_, b: \$x}\n" } 1 .. $n);
$n = 12_000 / $least;
translated("$n pipelines", "      - \$a: []\n" . join('', map { "      - \$a: \$a + [$_].select(\$ + 1)\n" } 1 .. $n) . "      - Return: \$a\n");
translated("$n statements that catch", "      - \$a: 0\n"
	. join('', map { "      - Try: [{\$a: \$a + $_}]\n        Catch: [{As: e, Do: [{\$a: 0}]}]\n" } 1 .. $n) . "      - Return: \$a\n");

# Nor does a check look at each pair of methods: when one did, these took minutes.
$n = 40_000 / $least;
spew("$W/long/Classes/L.yaml", "Namespaces: {=: t}\nName: L\nMethods:\n"
	. join '', map { my $to = $_ - 1; "  m$_: {Body: [{Return: !yaql \"\$.m$to()\"}]}\n" . ($_ % 10_000 ? '' : "  M$_: {Body: [{Return: 1}]}\n") } 1 .. $n);
my ($rc, $out, $err) = vetro({ limit => 60 }, 'check', "$W/long");
my @twins = "$out$err" =~ /differs from "m\d+" by case only/gi;
ok(@twins == int($n / 10_000), "a class of $n methods: who differs by case only", $rc, substr "$out$err", 0, 300);
done();
