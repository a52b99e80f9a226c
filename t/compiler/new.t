#!/usr/bin/perl
# `vetro new KIND NAME`: a project of each kind checks, tests and runs by its own commands, and what is there is never overwritten.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache", 0700;
chdir $W or die;
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
my $program = $vetro =~ m{^/} ? $vetro : "$FindBin::Bin/../../$vetro";

sub make_target { run_program({}, 'make', '-C', $_[0], '--no-print-directory', "VETRO=$program", @_[1 .. $#_]) }

# What `make run` prints, by kind; what breaks the project, and the code that tells so.
my %kinds = (
	murano => [qr/"Hello, Grace!"/, 'Classes/App.yaml', 's/greet\(\$\)/greeet(\$)/'],
	tosca => [qr/site: Standard\.create/, 'service.yaml', 's/type: Site$/type: Sitte/m'],
	hot => [qr/http:\/\/www:80\//, 'template.yaml', 's/get_param: port/get_param: prot/'],
	yay => [qr/www\.staging\.example\.org/, 'app.yay', 's/for s in site_names:/for s inn site_names:/'],
	yaql => [qr/"who": "Grace"/, 'query.yaql', 's/where\(/where((/'],
	workflow => [qr/greet.*report/s, 'workflow.yaml', 's/on-success: report/on-success: reprot/'],
);
for my $kind (sort keys %kinds) {
	my ($runs, $file, $mistake) = @{$kinds{$kind}};
	for my $name ("my-$kind", 'null') {
		my $dir = "$kind-of/$name";
		mkdir "$kind-of";
		my ($rc, $out, $err) = vetro('new', $kind, $dir);
		is($rc, 0, "$kind: a project $name is made");
		like($out, qr/cd \Q$dir\E && make check test run/, "$kind: it says how to go on");
		is(scalar(grep { slurp($_) =~ /\@(?:NAME|CLASS)\@/ } grep { -f } files_like("$dir/*"), files_like("$dir/*/*")), 0, "$kind: no mark is left");
		($rc, $out, $err) = make_target($dir, 'check', 'sarif', 'test');
		is($rc, 0, "$kind $name: checks and tests") or print "# $out$err\n";
		my ($code, $text, $more) = make_target($dir, 'run');
		is($code, 0, "$kind $name: runs");
		like($text, $runs, "$kind $name: what it answers");
		like(slurp("$dir/vetro.sarif"), qr/"results": ?\[\s*\]/, "$kind $name: SARIF without a finding");
	}
	my $dir = "$kind-of/my-$kind";
	for my $f ('.github/workflows/check.yml', '.gitlab-ci.yml', '.gitignore', 'README.md') { ok(-s "$dir/$f", "$kind: $f is there") }
	ok(-x "$dir/hooks/pre-commit", "$kind: the hook can be run");
	# CI reads its files as YAML.
	is((vetro('query', '$', "$dir/.github/workflows/check.yml"))[0], 0, "$kind: the workflow of GitHub is YAML");
	is((vetro('query', '$', "$dir/.gitlab-ci.yml"))[0], 0, "$kind: so is GitLab's");
	my $text = slurp("$dir/$file");
	my $broken = eval "local \$_ = \$text; $mistake; \$_";
	ok($broken ne $text, "$kind: a mistake can be made");
	spew("$dir/$file", $broken);
	my ($rc, $out, $err) = make_target($dir, 'check');
	like("$rc $err", qr/^2 .*\Q$file\E:\d+:\d+: (?:error|warning)\[/s, "$kind: check finds it at its place");
	($rc) = make_target($dir, 'sarif');
	is($rc, 2, "$kind: SARIF fails as well");
	like(slurp("$dir/vetro.sarif"), qr/"ruleId"/, "$kind: and has it");
	# Nothing that exists is overwritten.
	($rc, $out, $err) = vetro('new', $kind, $dir);
	is($rc, 1, "$kind: a second one of the name is refused");
	like($err, qr/cannot make \Q$dir\E: there is something of this name.*\nhint: /, "$kind: with a hint");
	is(slurp("$dir/$file"), $broken, "$kind: the file is as it was");
}

# A test of a project can fail.
spew('yaql-of/null/tests/expected.json', "[]\n");
is((make_target('yaql-of/null', 'test'))[0], 2, 'a test fails where the answer is another');

# ---- names
for my $bad ('', '.', '..', '-x', '1st', 'a b', "a'b", 'a"b', 'a$b', 'a;b', "a\nb", 'a.b', "gr\xc3\xbc\xc3\x9fe", 'x' x 61, '@NAME@', 'a\\b') {
	my ($rc, $out, $err) = vetro('new', 'yaql', '--', $bad);
	is($rc, 2, "no name: " . ($bad =~ s/\n/\\n/r));
	like($err, qr/a name has up to 60 letters.*\nhint: /s, 'and what one is');
}
is((vetro('new', 'yaql', 'x' x 60))[0], 0, 'a name of 60 letters');
is((vetro('new', 'muranopl', 'web_shop-2/'))[0], 0, 'a slash at the end does not matter');
like(slurp('web_shop-2/manifest.yaml'), qr/FullName: com\.example\.WebShop2\n/, 'the class is called by the name');
my ($rc, $out, $err) = vetro('new', 'toska', 'x');
is($rc, 2, 'an unknown kind');
like($err, qr/there is no kind toska \(did you mean tosca\?\): murano, tosca, hot, yay, yaql, workflow/, 'and which there are');

# ---- places
($rc, $out, $err) = vetro('new', 'yay', 'no/such/shop');
is($rc, 1, 'the folder around it is not there');
like($err, qr{cannot make no/such/shop: No such file or directory\nhint: the folder that it is to be in}, 'and it says so');
spew('file', "mine\n");
mkdir 'empty';
mkdir 'elsewhere';
symlink 'elsewhere', 'link';
is((vetro('new', 'yay', 'file'))[0], 1, 'a file stays');
is(slurp('file'), "mine\n", 'as it was');
is((vetro('new', 'yay', 'link'))[0], 1, 'a link stays');
ok(!glob('elsewhere/*'), 'and nothing is written through it');
is((vetro('new', 'yay', 'empty'))[0], 0, 'an empty folder is filled');
ok(-s 'empty/app.yay', 'with the project');
opendir my $d, '.' or die;
ok(!(grep { /\.\w{6}$/ } readdir $d), 'nothing is left of those that were refused');
done;
