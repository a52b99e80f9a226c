#!/usr/bin/perl
# docs/ci.md: the hook keeps a commit back, and the steps of the CI files do what the page says, each in a fresh repository.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

skip_all('there is no git') if system('git --version >/dev/null 2>&1');
my $page = slurp("$FindBin::Bin/../../docs/ci.md");
my $program = $vetro =~ m{^/} ? $vetro : "$FindBin::Bin/../../$vetro";
delete @ENV{grep { /^GIT_|^MAKE|^MFLAGS/ } keys %ENV};
@ENV{qw(XDG_CACHE_HOME HOME GIT_CONFIG_NOSYSTEM PATH)} = ("$W/cache", $W, 1, "$W/bin:$ENV{PATH}");
mkdir $_, 0700 for "$W/cache", "$W/bin";
symlink $program, "$W/bin/vetro";
chdir $W or die;

sub git { run_program({dir => 'shop'}, 'git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', @_) }

# A commit of the package with the hook of the page, and of the one that `vetro new` brings along.
my ($hook) = $page =~ /^```sh\n(.*?)^```/ms;
for my $case (['the page', $hook], ['the project', undef]) {
	my ($whose, $text) = @$case;
	system('rm', '-rf', 'shop');
	is((vetro('new', 'murano', 'shop'))[0], 0, "$whose: a project");
	if (defined $text) { spew('shop/hooks/pre-commit', $text); chmod 0755, 'shop/hooks/pre-commit' }
	git('init', '-q');
	git('config', 'core.hooksPath', 'hooks');
	git('add', '-A');
	my ($rc, $out, $err) = git('commit', '-qm', 'a good one');
	is($rc, 0, "$whose: what has no errors is committed") or print "# $out$err\n";
	my $good = slurp('shop/Classes/App.yaml');
	(my $bad = $good) =~ s/\$\.greeting, \$name/\$.greting, \$name/;
	ok($bad ne $good, "$whose: a mistake is made");
	spew('shop/Classes/App.yaml', $bad);
	git('add', '-A');
	($rc, $out, $err) = git('commit', '-qm', 'a bad one');
	is($rc, 1, "$whose: an error keeps the commit back");
	like("$out$err", qr/App\.yaml:\d+:\d+: error.*greting/s, "$whose: and is shown");
	spew('shop/Classes/App.yaml', $good);
	is((git('commit', '-qm', 'still staged'))[0], 1, "$whose: what is staged counts, not what is mended beside it");
	is((git('commit', '-q', '--no-verify', '-m', 'past it'))[0], 0, "$whose: --no-verify goes past it");
	git('add', '-A');
	is((git('commit', '-qm', 'mended'))[0], 0, "$whose: the mended one is committed");
}

# The command that the page begins with.
my ($begin) = $page =~ /^```console\n(.*?)^```/ms;
my ($command, $says) = ($begin // '') =~ /^\$ vetro (.*)\n(.*)\z/s;
system('rm', '-rf', 'shop2');
is((vetro(split ' ', $command =~ s/shop/shop2/r))[1], $says =~ s/shop/shop2/gr, 'the page begins with a project');

# The steps of both files, on a project with an error and without.
my @steps = $page =~ /^\s+(?:run:|-) (vetro .*)$/mg;
is(scalar @steps, 4, 'two steps of two files');
blocks_are_read('docs/ci.md', $begin, $hook, $page =~ /^```yaml\n(.*?)^```/msg);
my ($check) = grep { /sarif/ } @steps;
my ($test) = grep { /junit/ } @steps;
is(scalar(grep { $_ ne $check && $_ ne $test } @steps), 0, 'which are the same');
is((run_program({dir => 'shop'}, 'sh', '-ec', $check))[0], 0, 'the check passes');
is((run_program({dir => 'shop'}, 'sh', '-ec', $test))[0], 0, 'the tests pass');
like(slurp('shop/junit.xml'), qr/<testsuites tests="2" failures="0"/, 'and are reported');
spew('shop/Classes/App.yaml', slurp('shop/Classes/App.yaml') =~ s/\$\.greeting, \$name/\$.greting, \$name/r);
is((run_program({dir => 'shop'}, 'sh', '-ec', $check))[0], 1, 'a mistake fails the step');
my ($rc, $uri) = vetro('query', '-r', '$.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri', 'shop/vetro.sarif');
like($uri, qr{^Classes/App\.yaml\n$}, 'and SARIF names the file from the top of the repository');
done;
