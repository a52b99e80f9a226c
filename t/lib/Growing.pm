# Methods that change a variable or property step by step, for tests of growth: four times the steps take four times the
# instructions.
package Growing;
use strict;
use warnings;
use JSON::PP;
use Tap;
use Exporter 'import';
our @EXPORT = qw(in_try grow_evenly);

# The statement as the body of a Try.
sub in_try { return "- Try:\n              - $_[0]\n            Catch:\n              As: e\n              Do: []" }

# Builds a package of that name, with these Properties and Methods besides; a pair a method: what $d begins with, the statement.
sub grow_evenly {
	my ($name, $declared, @grow) = @_;
	my $methods = '';
	for my $k (0 .. $#grow) {
		my ($start, $value) = @{ $grow[$k] };
		$value = "- $value" if $value !~ /^- /;
		$value =~ s/^(\s*- )?(\$\S+): (.+)$/($1 \/\/ '') . qq{$2: !yaql "$3"}/gme;
		$methods .= "  grow$k:\n    Scope: Public\n    Arguments: [{n: {Contract: \$.int()}}]\n    Body:\n      - \$d: !yaql '$start'\n" .
			"      - For: i\n        In: range(\$n)\n        Do:\n          $value\n      - Return: 1\n";
	}
	my $package = package_dir($name, {
		'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.$name\nName: $name\nClasses: {t.$name.Main: Main.yaml}\n",
		'Classes/Main.yaml' => "Namespaces: {=: t.$name}\nName: Main\n$declared$methods",
	});
	spew("$W/m.json", qq({"Objects":{"?":{"type":"t.$name.Main","id":"r"}}}));
	my ($rc, undef, $err) = vetro({}, 'build', '-O0', '-o', "$W/$name.bin", $package);
	ok($rc == 0, 'it is built', $err) or return;
	for my $k (0 .. $#grow) {
		my $call = sub { "$W/$name.bin run --model $W/m.json --call grow$k --args '{\"n\":$_[0]}'" };
		my $title = join ' from ', reverse @{ $grow[$k] };
		is(JSON::PP->new->decode(scalar qx(@{[$call->(40)]}))->{result}, 1, $title =~ s/\s+/ /gr);
		skip(1, 'nobody counts instructions here') && next if !counts_instructions();
		my ($least, $few, $all) = map { instructions($call->($_)) } 500, 1500, 6000;
		ok($few > $least && $all - $few < 6.5 * ($few - $least), 'linear', "$least instructions for 500, $few for 1,500, $all for 6,000");
	}
}

1;
