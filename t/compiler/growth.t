#!/usr/bin/perl
# What a package costs to check and translate grows with it, and not with its square: counted in instructions.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use Tap;

skip_all('nobody counts instructions here') unless counts_instructions();
my $dir = tempdir(CLEANUP => 1);

sub package_of {
	my ($name, %files) = @_;
	my $at = "$dir/$name";
	mkdir $_ for $at, "$at/Classes", "$at/UI";
	spew("$at/$_", $files{$_}) for sort keys %files;
	return $at;
}
my %manifest = (
	Library => "Format: 1.4\nType: Library\nFullName: q\nVersion: 0.1.0\nClasses:\n  q.A: A.yaml\n",
	Application => "Format: 1.4\nType: Application\nFullName: q.App\nName: q\nVersion: 0.1.0\nClasses:\n  q.A: A.yaml\nUI: ui.yaml\n",
);
my $head = "Namespaces: {=: q, std: io.murano}\nName: A\n";

# The files of a package of that size.
my %make = (
	'variables of a method' => sub {
		my ($n) = @_;
		my $body = join '', map { "      - \$v$_: " . ($_ ? '$v' . ($_ - 1) . ' + 1' : '1') . "\n" } 0 .. $n - 1;
		return ('manifest.yaml' => $manifest{Library}, 'Classes/A.yaml' => "${head}Methods:\n  walk:\n    Scope: Public\n    Body:\n$body");
	},
	'pairs of methods that call each other' => sub {
		my ($n) = @_;
		my $pairs = join '', map { my $o = $_ ^ 1; "  m$_:\n    Body:\n      - \$.m$o()\n" } 0 .. $n - 1;
		my $both = "  both:\n    Body:\n      - Parallel:\n          - \$.m0()\n          - \$.m1()\n";
		return ('manifest.yaml' => $manifest{Library}, 'Classes/A.yaml' => "${head}Methods:\n$pairs$both");
	},
	'methods that all call one, which calls them' => sub {
		my ($n) = @_;
		my $all = join '', map { "  m$_:\n    Body:\n      - \$.hub()\n" } 1 .. $n;
		my $hub = "  hub:\n    Body:\n" . join '', map { "      - \$.m$_()\n" } 1 .. $n;
		return ('manifest.yaml' => $manifest{Library}, 'Classes/A.yaml' => "${head}Methods:\n$all$hub");
	},
	'fields of a form' => sub {
		my ($n) = @_;
		my $props = join '', map { "  p$_:\n    Contract: \$.string()\n" } 1 .. $n;
		my $uses = join '', map { "  p$_: \$.f.p$_\n" } 1 .. $n;
		my $fields = join '', map { "        - name: p$_\n          type: string\n          label: P\n          required: false\n" } 1 .. $n;
		return ('manifest.yaml' => $manifest{Application}, 'Classes/A.yaml' => "${head}Extends: std:Application\nProperties:\n$props",
			'UI/ui.yaml' => "Version: 2.3\nApplication:\n  ?:\n    type: q.A\n${uses}Forms:\n  - f:\n      fields:\n$fields");
	},
	'templates of a form' => sub {
		my ($n) = @_;
		my $props = join '', map { "  p$_:\n    Contract: \$.string()\n" } 1 .. $n;
		my $uses = join '', map { "  p$_: \$t$_\n" } 1 .. $n;
		my $all = join '', map { "  t$_: x\n" } 1 .. $n;
		return ('manifest.yaml' => $manifest{Application}, 'Classes/A.yaml' => "${head}Extends: std:Application\nProperties:\n$props",
			'UI/ui.yaml' => "Version: 2.3\nTemplates:\n${all}Application:\n  ?:\n    type: q.A\n${uses}Forms:\n  - f:\n      fields: []\n");
	},
);

# Fewer of these, which cost more each: only their translation.
my $lists = "    Arguments:\n      - n: {Contract: \$.int()}\n      - l: {Contract: [\$.int()]}\n    Body:\n";
sub in_a_method {
	my ($statement) = @_;
	return sub {
		my ($n) = @_;
		return ('manifest.yaml' => $manifest{Library},
			'Classes/A.yaml' => "${head}Methods:\n  walk:\n$lists" . join '', map { $statement->($_) } 1 .. $n);
	};
}
sub classes {
	my ($class) = @_;
	return sub {
		my ($n) = @_;
		return ('manifest.yaml' => "Format: 1.4\nType: Library\nFullName: q\nVersion: 0.1.0\nClasses:\n" .
				join('', map { "  q.C$_: C$_.yaml\n" } 1 .. $n),
			map { ("Classes/C$_.yaml" => "Namespaces: {=: q}\nName: C$_\n" . $class->($_)) } 1 .. $n);
	};
}
my %translate = (
	'classes with pipelines' => classes(sub { "Methods:\n  walk:\n$lists      - Return: \$l.where(\$ > \$n).select(\$ * 2).sum(0)\n" }),
	'classes that extend others' => classes(sub {
		($_[0] > 1 ? "Extends: C@{[int($_[0] / 2)]}\n" : '') . "Methods:\n  m$_[0]:\n    Body:\n      - Return: \$.m1()\n" }),
	'methods with pipelines' => sub {
		my ($n) = @_;
		return ('manifest.yaml' => $manifest{Library},
			'Classes/A.yaml' => "${head}Methods:\n" .
				join '', map { "  m$_:\n$lists      - Return: \$l.where(\$ > $_).select(\$ * 2).sum(0)\n" } 1 .. $n);
	},
	'pipelines of a method' => in_a_method(sub { "      - \$a: \$l.where(\$ > $_[0]).select(\$ * 2).sum(0)\n" }),
	'groups of a method' => in_a_method(sub {
		"      - \$a: \$l.where(\$ > \$n).select({a => \$, b => \$n}).groupBy(\$.a mod 3, \$.b).orderBy(\$[0])\n" }),
	'functions of a method' => in_a_method(sub { "      - \$a: def(f, switch(\$ <= 0 => 0, true => 1 + f(\$ - 1))) -> f($_[0])\n" }),
	'handlers of a method' => in_a_method(sub {
		"      - Try:\n          - \$a: \$l[$_[0]]\n" .
			"        Catch:\n          - With: io.murano.Exception\n            As: e\n            Do:\n              - \$b: \$e.message\n" }),
);

my $least = instructions("$vetro check " . package_of('least', 'manifest.yaml' => $manifest{Library}, 'Classes/A.yaml' => $head));
ok($least > 0, 'instructions are counted');
for my $kind (sort keys %make) {
	(my $name = $kind) =~ tr/ ,/_/d;
	my @at = map { package_of("$name$_", $make{$kind}->($_)) } 800, 3200;
	for my $command ('check', 'build --emit=c') {
		my ($few, $many) = map { instructions("$vetro $command $_") - $least } @at;
		ok($few > 0 && $many < 5 * $few, "$command: $kind", "$few instructions for 800, $many for 3,200");
	}
}
for my $kind (sort keys %translate) {
	(my $name = $kind) =~ tr/ //d;
	my @at = map { package_of("$name$_", $translate{$kind}->($_)) } 150, 600;
	my ($few, $many) = map { instructions("$vetro build --emit=c $_") - $least } @at;
	ok($few > 0 && $many < 5 * $few, "translation: $kind", "$few instructions for 150, $many for 600");
}
# A class that extends the one before has all of them as parents, so a chain of n has n * n / 2.
my $chain = classes(sub {
	($_[0] > 1 ? "Extends: C@{[$_[0] - 1]}\n" : '') . "Methods:\n  m$_[0]:\n    Body:\n      - Return: \$.m1()\n"
});
my ($short, $long) = map { instructions("$vetro build --emit=c " . package_of("chain$_", $chain->($_))) - $least } 100, 200;
ok($short > 0 && $long < 5 * $short, 'translation: a chain of parents', "$short instructions for 100, $long for 200");
done();
