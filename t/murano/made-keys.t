#!/usr/bin/perl
# Keys that were made so that their hashes meet, where files come in: a reader that compares each with all others needs minutes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

open(my $f, '<', "$FindBin::Bin/../unit/unit_value.c") or die "unit_value.c: $!";
my @pairs = map { /^\t\{"(\S{16})", "(\S{16})"\},$/ ? [$1, $2] : () } <$f>;
my $n = 1 << @pairs;
ok($n == 65536, 'there are 65,536 such texts', scalar @pairs);
sub made { my ($i) = @_; return join('', map { $pairs[$_][$i >> $_ & 1] } 0 .. $#pairs) }

sub fine {
	my ($title, $want, @args) = @_;
	my ($rc, $out, $err) = vetro({ limit => 60 }, @args);
	ok($rc == 0 && $out =~ $want, $title, "status $rc", substr($out, 0, 300), substr($err, 0, 300));
}
spew("$W/keys.json", '{' . join(',', map { '"' . made($_) . "\":$_" } 0 .. $n - 1) . '}');
spew("$W/list.json", '[' . join(',', map { '"' . made($_) . '"' } 0 .. $n - 1) . ']');
spew("$W/keys.yaml", join('', map { made($_) . ": $_\n" } 0 .. $n - 1));
spew("$W/nan.yaml", ".nan: 1\n" x $n);
spew("$W/large.yaml", join('', map { '1' . '0' x 400 . sprintf('%05d', $_) . ": 1\n" } 0 .. 20000));
spew("$W/anchors.yaml", join('', map { '- &' . made($_) . " 1\n" } 0 .. 20000));
spew("$W/keys.yay", join('', map { made($_) . ": $_\n" } 0 .. $n - 1));
spew("$W/templates.yaml", "tosca_definitions_version: tosca_2_0\nnode_types:\n  N: {}\nservice_template:\n  node_templates:\n"
	. join('', map { '    ' . made($_) . ": {type: N}\n" } 0 .. 9999));
fine('an object of JSON', qr/^$n$/, 'query', '$.len()', "$W/keys.json");
fine('distinct()', qr/^$n$/, 'query', '$.distinct().len()', "$W/list.json");
fine('groupBy()', qr/^$n$/, 'query', '$.groupBy($).len()', "$W/list.json");
fine('toDict()', qr/^$n$/, 'query', '$.toDict($).len()', "$W/list.json");
fine('toSet()', qr/^$n$/, 'query', '$.toSet().len()', "$W/list.json");
fine('join()', qr/^$n$/, 'query', 'let(a => $.select({k => $}).toList()) -> $a.join($a, $1.k = $2.k, $1).count()', "$W/list.json");
fine('a mapping of YAML', qr/^$n$/, 'query', '--yaml', '$.len()', "$W/keys.yaml");
fine('keys that are no numbers', qr/^$n$/, 'query', '--yaml', '$.len()', "$W/nan.yaml");
fine('keys beyond every double', qr/^20001$/, 'query', '--yaml', '$.len()', "$W/large.yaml");
fine('anchors', qr/^20001$/, 'query', '--yaml', '$.len()', "$W/anchors.yaml");
for (['1: a, 1.0: b, true: c', 1], ['9223372036854775807: a, 9223372036854775808.0: b', 2], ['9223372036854775808: a, 9223372036854775808.0: b', 1],
	['9007199254740993: a, 9007199254740992.0: b', 2], ['-0.0: a, 0: b', 1], [('9' x 400) . ': a, .inf: b', 2],
		['.nan: a, .nan: b', 2], ['null: a, ~: b', 1]) {
	my ($text, $keys) = @$_;
	is((vetro({ in => "{$text}" }, 'query', '--yaml', '$.len()'))[1], "$keys\n", "keys of $keys values: " . substr($text, 0, 50));
}
fine('a configuration in Yay', qr/\b65535\b/, 'yay', "$W/keys.yay");
fine('templates of TOSCA', qr/^/, 'check', "$W/templates.yaml");
done();
