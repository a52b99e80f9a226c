#!/usr/bin/perl
# `$x: $x.f(..).g(..)` in a method changes $x where it is: four times the items take four times the instructions. What can be seen
# stays: arguments that read $x, and the value of $x where the second call fails and something catches that.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my @grow = ( # what $d begins with, the value; what is left of it after 40 items
	['{}', '$d.set(str($i), 1).set(x, $i)', 41], ['set()', '$d.add($i).remove($i - 3000000)', 40],
	['set()', '$d.union(set($i)).difference(set(-$i - 1))', 40], ['{}', '$d.set(str($i), 1).delete(x)', 40],
	['[]', '$d.append($i).append($i + 1, 5)', 120], ['[]', '$d + [$i] + [$i, 1]', 120], ['{}', '$d + {str($i) => 1} + {x => $i}', 41],
	['{}', '$d.mergeWith({str($i) => 1}).mergeWith({x => $i}).set(y, 1)', 42], ['range(9000).toList()', '$d.delete(0).append($i).toList()', 9000],
	['range(9000).toList()', '$d.skip(1).append($i).toList()', 9000], ['range(9000).toList()', '$d.skip(1).toList().append($i)', 9000],
);
my @same = ( # statements, what the method returns then
	['$d: {a => 1}', '$d: $d.set(b, 2).set(c, $d.len())', '{"a":1,"b":2,"c":1}'],
	['$d: {a => 1}', '$d: $d.set(b, $d.len()).set(c, 2)', '{"a":1,"b":1,"c":2}'],
	['$d: [1]', '$d: $d.append($d.len()).append($d.len())', '[1,1,1]'],
	['$d: [1]', '$d: $d + [$d.len()] + [$d.len()]', '[1,1,1]'],
	['$d: {a => 1}', "\$e: \$d\n      - \$d: \$d.set(b, 2).delete(a)\n      - \$d: [\$d, \$e]", '[{"b":2},{"a":1}]'],
	['$d: {a => 1}', "Try:\n        - \$d: \$d.set(b, 2).mergeWith({b => []})\n        Catch:\n          As: e\n          Do: []", '{"a":1}'],
	['$d: set(1)', '$d: $d.add(2).union(set(3, 4)).remove(1).toList()', '[2,3,4]'],
	['$d: [3, 1, 2]', '$d: $d.append(0).take(3)', '[3,1,2]'],
	['$d: [3, 1, 2]', '$d: $d.skip(1).append([7]).limit(3).toList()', '[1,2,[7]]'],
	['$d: null', "Try:\n        - \$d: \$d.set(b, 2).set(c, 3)\n        Catch:\n          As: e\n          Do:\n            - \$d: caught", '"caught"'],
);
my $methods = '';
for my $k (0 .. $#grow) {
	my ($start, $value) = @{ $grow[$k] };
	$methods .= "  grow$k:\n    Scope: Public\n    Arguments: [{n: {Contract: \$.int()}}]\n    Body:\n      - \$d: !yaql '$start'\n" .
		"      - For: i\n        In: range(\$n)\n        Do:\n          - \$d: !yaql '$value'\n      - Return: \$d.len()\n";
}
for my $k (0 .. $#same) {
	my ($first, $then) = @{ $same[$k] };
	$methods .= "  same$k:\n    Scope: Public\n    Body:\n      - $first\n      - $then\n      - Return: \$d\n" =~ s/^(\s*- \$\w: )(\S.*)$/$1!yaql '$2'/gmr;
}
my $package = package_dir('chains', { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => "Namespaces: {=: t.chains}\nName: Main\nMethods:\n$methods" });
Format: 1.4
Type: Library
FullName: t.chains
Name: chains
Classes: {t.chains.Main: Main.yaml}
M
spew("$W/m.json", '{"Objects":{"?":{"type":"t.chains.Main","id":"r"}}}');
my ($rc, undef, $err) = vetro({}, 'build', '-O0', '-o', "$W/chains.bin", $package);
ok($rc == 0, 'it is built', $err) or done();
my $call = sub { my ($method, $args) = @_; "$W/chains.bin run --model $W/m.json --call $method --args '$args'" };
for my $k (0 .. $#same) {
	my ($first, $then, $want) = @{ $same[$k] };
	is($json->encode($json->decode(scalar qx(@{[$call->("same$k", '{}')]}))->{result}), $want, "$first; $then" =~ s/\s+/ /gr);
}
for my $k (0 .. $#grow) {
	my ($start, $value, $left) = @{ $grow[$k] };
	is($json->decode(scalar qx(@{[$call->("grow$k", '{"n":40}')]}))->{result}, $left, "$value from $start");
	skip(1, 'nobody counts instructions here') && next if !counts_instructions();
	my ($least, $few, $all) = map { instructions($call->("grow$k", "{\"n\":$_}")) } 500, 1500, 6000;
	my $step = ($few - $least) / 1000; # where the 9,000 were copied it would be tens of thousands
	ok($step > 0 && $step < 5000 && $all - $few < 6.5 * ($few - $least), 'linear', "$least instructions for 500, $few for 1,500, $all for 6,000");
}
done();
