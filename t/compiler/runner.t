#!/usr/bin/perl
# The CI files of `vetro new` and of docs/ci.md, step by step as runners take them: the workflow of GitHub with its own shell, PATH,
# variables and conditions, the job of GitLab with its script, artifacts and reports; on a project that is good and on one that is not.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my ($bash, $curl, $git) = map { my $p = $_; (grep { -x } map { "$_/$p" } split /:/, $ENV{PATH})[0] } qw(bash curl git);
skip_all('there is no bash, curl or git') unless $bash && $curl && $git;
my $page = slurp("$FindBin::Bin/../../docs/ci.md");
my $program = $vetro =~ m{^/} ? $vetro : "$FindBin::Bin/../../$vetro";
delete @ENV{grep { /^GIT|^MAKE|^MFLAGS/ } keys %ENV};
chdir $W or die;
my $version = (vetro('--version'))[1] =~ /(\d+\.\d+\.\d+)/ ? $1 : 'none';

# Where VETRO_URL leads: an archive with one folder above bin, as `make dist` makes it. Its vetro is the one that is tested.
my $archive = "$W/vetro-$version.tar.gz";
mkdir "vetro-$version";
mkdir "vetro-$version/bin";
symlink $program, "vetro-$version/bin/vetro";
system('tar', '-czf', $archive, "vetro-$version") == 0 or die;

sub yaml { my ($file) = @_; return decode_json((vetro('query', '$', $file))[1]) }
# A path without a vetro of its own: a runner has none.
my $path = join ':', grep { !-e "$_/vetro" } split /:/, $ENV{PATH};

# ---- a runner of GitHub ----

# ${{ vars.NAME }} is a variable of the repository; nothing else is known here.
sub expanded {
	my ($text, $vars) = @_;
	$text =~ s/\$\{\{\s*vars\.(\w+)\s*\}\}/$vars->{$1} \/\/ ''/ge;
	die "an expression that this runner does not know: $text" if $text =~ /\$\{\{/;
	return $text;
}
my %actions = ('actions/checkout@v4' => [], 'github/codeql-action/upload-sarif@v3' => ['sarif_file']);

my $said; # by the step that failed last
# "NAME STATUS" of each step; "skipped" behind one that failed, but for if: always().
sub github {
	my ($dir, $file, $vars) = @_;
	my $flow = yaml($file);
	my $home = "$W/home-" . (++our $homes);
	mkdir $home;
	my %global = (HOME => $home, CI => 'true', GITHUB_WORKSPACE => $dir, GITHUB_PATH => "$home/path", PATH => $path, XDG_CACHE_HOME => "$W/cache");
	my @log;
	for my $name (sort keys %{ $flow->{jobs} }) {
		my $job = $flow->{jobs}{$name};
		my $failed = 0;
		for my $step (@{ $job->{steps} }) {
			my $title = $step->{name} // $step->{uses};
			my $if = $step->{if} // 'success()';
			if ($failed && $if ne 'always()') { push @log, "$title skipped"; next }
			if ($step->{uses}) {
				my $wants = $actions{ $step->{uses} } or push @log, "$title unknown";
				push @log, map { -s "$dir/" . ($step->{with}{$_} // '') ? "$title 0" : "$title has no $_" } @{ $wants || [] };
				next;
			}
			my %env = (%global, map { $_ => expanded($step->{env}{$_}, $vars) } keys %{ $step->{env} || {} });
			spew("$W/step.sh", expanded($step->{run}, $vars));
			my ($status, $out, $err) = run_program({dir => $dir, env => \%env, limit => 300}, $bash, '-e', "$W/step.sh");
			push @log, "$title $status";
			$failed ||= $status;
			$said = "$out$err" if $status;
			$global{PATH} = join ':', (-e "$home/path" ? split /\n/, slurp("$home/path") : ()), $path;
		}
	}
	return join ', ', @log;
}

# ---- one of GitLab ----

my %gitlab_keys = map { $_ => 1 } qw(image stages default variables include workflow before_script after_script);
sub gitlab {
	my ($dir, $file, $vars) = @_;
	my $flow = yaml($file);
	my %env = (HOME => $W, CI => 'true', GITLAB_CI => 'true', PATH => "$W/vetro-$version/bin:$path", XDG_CACHE_HOME => "$W/cache");
	my @log;
	for my $name (grep { !$gitlab_keys{$_} } sort keys %$flow) {
		my $job = $flow->{$name};
		my $image = $job->{image} // $flow->{image} // 'none';
		$image =~ s/\$(\w+)/$vars->{$1} \/\/ ''/ge;
		push @log, "image $image";
		my $status = 0;
		for my $line (@{ $flow->{before_script} || [] }, @{ $job->{script} }) {
			last if $status;
			$status = (run_program({dir => $dir, env => \%env, limit => 300}, $bash, '-eo', 'pipefail', '-c', $line))[0];
			push @log, ($line =~ /(check|sarif|test|run)/ ? $1 : $line) . " $status";
		}
		my $artifacts = $job->{artifacts} || {};
		next if $status && ($artifacts->{when} // 'on_success') ne 'always';
		push @log, map { "$_ " . (-s "$dir/$_" ? 'kept' : 'missing') } @{ $artifacts->{paths} || [] }, sort values %{ $artifacts->{reports} || {} };
	}
	return join ', ', @log;
}

# ---- projects ----

sub project {
	my ($kind, $name) = @_;
	system('rm', '-rf', $name);
	is((vetro('new', $kind, $name))[0], 0, "$name: a project of $kind");
	# What a checkout brings is what was committed.
	my @git = ($git, '-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main');
	run_program({dir => $name, env => {HOME => $W}}, @git, @$_) for ['init', '-q'], ['add', '-A'], ['commit', '-qm', 'x'];
	system('rm', '-rf', "$name-checkout");
	is((run_program({env => {HOME => $W}}, @git, 'clone', '-q', $name, "$name-checkout"))[0], 0, "$name: it is checked out");
	return "$W/$name-checkout";
}
my %mistakes = (
	murano => ['Classes/App.yaml', sub { s/greet\(\$\)/greeet(\$)/ }], tosca => ['service.yaml', sub { s/type: Site$/type: Sitte/m }],
	hot => ['template.yaml', sub { s/get_param: port/get_param: prot/ }], yay => ['app.yay', sub { s/for s in site_names:/for s inn site_names:/ }],
	yaql => ['query.yaql', sub { s/where\(/where((/ }], workflow => ['workflow.yaml', sub { s/on-success: report/on-success: reprot/ }],
);
my %vars = (VETRO_URL => "file://$archive", VETRO_IMAGE => 'registry.example.org/vetro');
for my $kind (sort keys %mistakes) {
	my $dir = project($kind, "its-$kind");
	my ($hub, $lab) = ("$dir/.github/workflows/check.yml", "$dir/.gitlab-ci.yml");
	my $upload = 'github/codeql-action/upload-sarif@v3';
	is(github($dir, $hub, \%vars), "Install vetro 0, Check 0, $upload 0, Test 0, Run 0", "$kind: GitHub's steps");
	unlink "$dir/vetro.sarif";
	is(gitlab($dir, $lab, \%vars), 'image registry.example.org/vetro, sarif 0, test 0, run 0, vetro.sarif kept', "$kind: GitLab's job");
	unlink "$dir/vetro.sarif";
	my ($file, $mend) = @{ $mistakes{$kind} };
	my $good = slurp("$dir/$file");
	{ local $_ = $good; $mend->(); ok($_ ne $good, "$kind: a mistake"); spew("$dir/$file", $_) }
	is(github($dir, $hub, \%vars), "Install vetro 0, Check 2, $upload 0, Test skipped, Run skipped", "$kind: it fails the check, and is uploaded");
	like(slurp("$dir/vetro.sarif"), qr/"ruleId"/, "$kind: with what is wrong");
	unlink "$dir/vetro.sarif";
	is(gitlab($dir, $lab, \%vars), 'image registry.example.org/vetro, sarif 2, vetro.sarif kept', "$kind: so on GitLab");
}

# The files of the page, for a package at the top.
my ($hub, $lab) = $page =~ /^```yaml\n(.*?)^```/msg;
my $dir = project('murano', 'page');
spew("$W/hub.yml", $hub);
spew("$W/lab.yml", $lab);
is(github($dir, "$W/hub.yml", \%vars), 'Install vetro 0, Check 0, github/codeql-action/upload-sarif@v3 0, Test 0', 'the page: GitHub');
is(gitlab($dir, "$W/lab.yml", \%vars), 'image registry.example.org/vetro, check 0, test 0, vetro.sarif kept, junit.xml kept', 'the page: GitLab');

# An archive that is not there ends the job where it says so, and not at a later step.
for (['the page', $dir, "$W/hub.yml"], ['the project', "$W/its-yay-checkout", "$W/its-yay-checkout/.github/workflows/check.yml"]) {
	my ($whose, $at, $file) = @$_;
	unlink "$at/vetro.sarif";
	like(github($at, $file, {VETRO_URL => "file://$W/no.tar.gz"}), qr/^Install vetro [1-9]\d*, Check skipped/, "$whose: no archive");
	like(github($at, $file, {}), qr/^Install vetro [1-9]\d*, Check skipped/, "$whose: the variable was forgotten");
	like($said, qr/VETRO_URL: is a variable of the repository/, "$whose: which is said");
}
done;
