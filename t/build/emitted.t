#!/usr/bin/perl
# How much C a line of YAML makes: what a C compiler has to read and translate.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";

sub lines_of {
	my ($of, @files) = @_;
	return scalar map { split /\n/ } map { slurp($_) } grep { /$of/ } @files;
}

# Lines of C a line of YAML, of the classes of the package whose C files match.
sub ratio {
	my ($package, $of) = @_;
	my ($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/bin", '--emit-c', "$W/c", $package);
	is($rc, 0, "$package is built", $err);
	my ($c, $yaml) = (lines_of($of, files_like("$W/c/c_*.c")), lines_of(qr/./, files_like("$package/Classes/*.yaml")));
	unlink glob "$W/c/*";
	rmdir "$W/c";
	return $c / $yaml;
}

sub at_most {
	my ($what, $ratio, $most) = @_;
	ok($ratio > 1 && $ratio <= $most, "$what: at most $most lines of C a line of YAML", sprintf('%.1f', $ratio));
}

# Ten methods with a loop, a list that grows and a pipeline: dense code, and little else.
my $dense = "Namespaces: {=: t.dense}\nName: C\nProperties:\n  items:\n    Contract: [\$.int().notNull()]\n    Usage: InOut\nMethods:\n";
$dense .= <<"Y" for 0 .. 9;
  m$_:
    Arguments:
      - n: {Contract: \$.int().notNull()}
    Body:
      - \$i: 0
      - While: \$i < \$n
        Do:
          - \$i: \$i + 1
      - If: \$i > 3
        Then:
          - \$.items: \$.items + [\$i]
      - Return: \$.items.where(\$ > 2).select(\$ * 2).sum(0)
Y
my $package = package_dir('dense', { 'manifest.yaml' => "{Format: '1.4', Type: Library, FullName: t.dense, Classes: {t.dense.C: C.yaml}}\n",
	'Classes/C.yaml' => $dense });
at_most('dense methods', ratio($package, qr/c_t_odense/), 9);
at_most('an application', ratio("$top/examples/fleet", qr/c_example/), 8);
done();
