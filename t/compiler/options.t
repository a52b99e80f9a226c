#!/usr/bin/perl
# Every row of the tables of commands and options: an option is taken where its row says so and refused elsewhere with a hint; help,
# manual pages and completions know it. What is wrong with a command line is reported in one wording.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache", 0700;

# The rows of a .def file: each a list of its columns, strings joined and without quotes.
sub rows {
	my ($file, $kinds) = @_;
	my $text = slurp("$top/$file");
	$text =~ s{/\*.*?\*/}{}gs;
	my %macro;
	$text =~ s{^#define (\w+) (.+)$}{ $macro{$1} = $2; '' }gem;
	$text =~ s/^#.*$//gm;
	for (1 .. 3) { for my $m (keys %macro) { $text =~ s/\b$m\b/$macro{$m}/g } }
	my @rows;
	while ($text =~ /^($kinds)\(((?:"(?:[^"\\]|\\.)*"|[^()"]|\([^()]*\))*)\)/gm) {
		my ($kind, $body) = ($1, $2);
		$body =~ s/"\s+"//g;
		push @rows, [$kind, map { s/^\s+|\s+$//gr =~ s/^"(.*)"$/$1/sr =~ s/\\n/\n/gr =~ s/\\"/"/gr }
			$body =~ /((?:"(?:[^"\\]|\\.)*"|[^,"()]|\([^()]*\))+)(?:,|$)/g];
	}
	return @rows;
}

# The names of commands, without groups and what help does not show.
sub names { map { $_->[2] =~ s/,.*//sr } grep { $_->[0] eq 'COMMAND' && ($_->[4] // 'NULL') ne 'NULL' } @_ }

sub is_at { my ($command, $where) = @_; return $command eq $where || index($command, "$where ") == 0 }

# Each option of a table, each command: `own` runs the program with arguments.
sub table {
	my ($title, $commands, $options, $own) = @_;
	my @commands = names(rows($commands, 'COMMAND|GROUP'));
	my @options = grep { $_->[0] =~ /OPTION|ALSO/ } rows($options, 'OPTION|ALSO|HEADING|EXCLUSIVE');
	ok(@commands > 5 && @options > 10, "$title: tables are read", scalar @commands, scalar @options);
	my (@odd, @wrong, @silent);
	for my $o (@options) {
		my (undef, $kind, $field, $where, $names) = @$o;
		next if $kind eq 'SWITCHES';
		my @at = split /, /, $where;
		for my $w (@at) { push @odd, "$field: $w" if !grep { is_at($_, $w) } @commands }
		for my $c (@commands) {
			my $valid = grep { is_at($c, $_) } @at;
			for my $n ($valid ? split ' ', $names : $names =~ /(\S+)/) {
				push @silent, "$c $n" if $valid && index((runs($own, (split ' ', $c)[0], '--help'))[1], $n) < 0;
				my $other = grep { my $r = $_; (grep { $_ eq $n } split ' ', $r->[4]) && grep { is_at($c, $_) } split /, /, $r->[3] } @options;
				next if $other && !$valid; # the row of that command looks at it
				# A value is missing, or the next option is not there: the option itself is known then.
				my ($rc, $out, $err) = runs($own, split(' ', $c), $kind eq 'FLAG' ? ($n, '--frobnicate') : $n);
				my $known = $err !~ /unknown option \Q$n\E(?:\s|$)/;
				push @wrong, "$c $n: $rc $err" if $rc != 2 || $out ne '' || $err !~ /\nhint: / || !$valid != !$known;
			}
		}
	}
	is("@odd", '', "$title: every row names commands that there are");
	is(join("\n", @wrong[0 .. ($#wrong > 4 ? 4 : $#wrong)]), '', "$title: every option is known where its row says so, and only there");
	is("@silent", '', "$title: help names every option");
	return (\@commands, \@options);
}
my %told;
sub runs { my ($own, @args) = @_; return @{$told{join "\0", $own, @args} //= [$own->(@args)]} }

my ($commands, $options) = table('vetro', 'compiler/cmd/commands.def', 'compiler/cmd/options.def', sub { vetro(@_) });

# ---- binaries
spew("$W/service.yaml", "tosca_definitions_version: tosca_2_0\nservice_template: { node_templates: {}, inputs: { n: { type: integer } } }\n");
spew("$W/config.yay", "a: 1\nb: {{ a }}\n");
my $app = package_dir('app', { 'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.app\nClasses: {t.App: App.yaml}\n",
	'Classes/App.yaml' => "Namespaces: {=: t}\nName: App\nMethods:\n  deploy:\n    Body: []\n" });
for (['deploy', $app], ['service', "$W/service.yaml"], ['config', "$W/config.yay"]) {
	my ($rc, undef, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/$_->[0]", $_->[1]);
	ok($rc == 0, "$_->[0] is built", $err);
}
sub binary { my ($name) = @_; return sub { local $Tap::vetro = "$W/$name"; vetro(@_) } }
table('a package', 'runtime/program/commands.def', 'runtime/program/options.def', binary('deploy'));
table('a service', 'runtime/program/service_commands.def', 'runtime/program/service_options.def', binary('service'));

# ---- values and mistakes
for (['deploy', 'run'], ['deploy', 'time']) {
	my ($rc, $out, $err) = binary($_->[0])->($_->[1]);
	is("$rc$out$err", "2$_->[0]: $_->[1] needs --model=FILE\nhint: see '$_->[0] help $_->[1]'\n", "$_->[1] without a model");
}
for (['deploy', 't.app 0.0.0'], ['service', 'service'], ['config', 'config']) {
	is((binary($_->[0])->('--version'))[1] =~ s/built by vetro \S+\)/built by vetro V)/r, "$_->[1] (built by vetro V)\n", "version of $_->[0]");
}
sub refused {
	my ($what, @args) = @_;
	my ($rc, $out, $err) = vetro(@args);
	ok($rc == 2 && $out eq '' && $err =~ $what, "vetro @args", "status $rc", $err, "wanted $what");
}
refused(qr/^vetro: --max-depth takes a whole number from 1 to 1000, not 1001\nhint: see 'vetro help check'/, 'check', '--max-depth=1001', 'x');
refused(qr/--max-depth takes .*, not -1\n/, 'check', '--max-depth', '-1', 'x');
refused(qr/--max-depth takes .*, not 0x10\n/, 'check', '--max-depth=0x10', 'x');
refused(qr/--max-errors takes .*, not 99999999999999999999999\n/, 'check', '--max-errors=99999999999999999999999', 'x');
refused(qr/--max-errors takes .*, not ''\n/, 'check', '--max-errors=', 'x');
refused(qr/--timeout takes a number from 0 to 1000000, not 1e7\n/, 'test', '--timeout=1e7', 'x');
refused(qr/--timeout takes .*, not nan\n/, 'test', '--timeout=nan', 'x');
refused(qr/--timeout takes .*, not 1\.2\.3\n/, 'test', '--timeout', '1.2.3', 'x');
refused(qr/--kind takes muranopl, tosca, yay, mistral or orquesta, not tosac\nhint: did you mean tosca\?/, 'check', '--kind', 'tosac', 'x');
refused(qr/--set takes PATH=VALUE, not =1\n/, 'yay', '--set', '=1', 'x');
refused(qr/-o is given twice: x and y\n/, 'build', '-o', 'x', '-oy', 'z');
refused(qr/--after and --before exclude one another\n/, 'build', '--emit=ir', '--before=fuse', '--after=fuse', 'x');
refused(qr/--after goes with --emit=ir\n/, 'build', '--after=fuse', 'x');
refused(qr/--before goes with --emit=ir\n/, 'build', '--emit=c', '--before=fuse', 'x');
refused(qr/--after takes fuse, .* or subset, not yay-fold\n/, 'build', '--emit=ir', '--after=yay-fold', 'x');
refused(qr/--jit=memory and -g exclude one another\n/, 'run', '-g', '--jit=memory', 'x');
refused(qr/--jq goes with --query\n/, 'bench', '--jq=.', 'x');
# A line of usage with an option holds where that is given.
refused(qr/unexpected argument: x\n/, 'yay', '--batch', 'x');
refused(qr/unexpected argument: y\n/, 'bench', '--query=1', 'x', 'y');
refused(qr/no FILE given: yay FILE\.\.\.\n/, 'yay', '-c');
refused(qr/no FILE given: bench --query=EXPR FILE\n/, 'bench', '--query=1');
refused(qr/no EXPR given: query EXPR \[FILE\]\.\.\.\n/, 'query', '-n');
refused(qr/unknown option --jit=cc\n.*\nhint: --jit belongs to: run, schema, test, query\n/, 'check', '--jit=cc', 'x');
refused(qr/--slurp takes no value, as 1\n/, 'query', '--slurp=1', '1');
refused(qr/unknown option -x\n/, 'query', '-rxc', '1');
refused(qr/unknown option -fno-frobnicate\n/, 'query', '-fno-frobnicate', '1');
refused(qr/a name and a value belong to --arg\n/, 'query', '--arg', 'x');
refused(qr/a value is missing after -o\n/, 'build', 'x', '-o');
refused(qr/no CLASS given: schema SOURCE CLASS/, 'schema', 'x');
refused(qr/unexpected argument: z\n/, 'graph', 'diff', 'x', 'y', 'z');
refused(qr/graph needs a command: there are check, /, 'graph');
refused(qr/graph does not know chek\nhint: did you mean 'check'\?\n/, 'graph', 'chek');
refused(qr/needs a command\n/);
my $long = 'x' x 100_000;
refused(qr/unknown option --x/, 'query', "--$long");
refused(qr/unknown option -/, 'query', "-\xff");
is((vetro({ in => '{"a": "b"}' }, 'query', '-rc', '$.a'))[1], "b\n", 'letters together');
is((vetro('query', '-n', '--', '-1'))[1], "-1\n", 'behind -- nothing is an option');
is((vetro('query', '-nf', "$W/expr"))[0], 1, 'the last letter may take a value');
spew("$W/expr", "1 + 1\n");
is((vetro('query', '-n', "-f$W/expr"))[1], "2\n", 'which may stand behind it at once');
is((vetro('query', '-n', '-fno-passes', '-ffuse', '1'))[1], "1\n", '-fNAME is an optimisation, not a file');
is((vetro('query', '-n', '--arg', 'a', '--help', '$a'))[1], "\"--help\"\n", 'a value that looks like an option');
is((vetro('yay', '--as', 'int', '--as=string', '--select=a', "$W/config.yay"))[1], "\"1\"\n", 'the last choice counts');

# ---- help, pages
my ($rc, $out) = vetro('help');
is(join(' ', grep { !/ / && $out !~ /^  \Q$_\E(?:\s|$)/m } @$commands), '', 'help lists every command');
is(join("\n", map { $_->[0] =~ tr/\n// ? () : grep { length > 100 } split /\n/, (vetro('help', $_->[0]))[1] }
	map { [(split ' ')[0]] } @$commands), '', 'in lines of 100 columns');
my @pages = split /\n/, (vetro('man'))[1];
is(join(' ', sort map { s{.*/|\.1\z}{}gr } files_like("$top/docs/man/*.1")), join(' ', sort @pages), 'each manual page is in docs/man (make docs)');
is(join(' ', grep { my $p = 'vetro-' . (split ' ')[0]; !grep { $_ eq $p } @pages } grep { $_ ne 'man' && $_ ne 'bench-worker' } @$commands), '',
	'each command has one');
is((vetro('man', 'vetro-nothing'))[0], 2, 'others have none');
for my $page (@pages) {
	is((vetro('man', $page))[1], slurp("$top/docs/man/$page.1"), "docs/man/$page.1 is what the tables say (make docs)");
}

# ---- the examples of the pages run
mkdir "$W/bin";
symlink $vetro =~ m{^/} ? $vetro : "$top/$vetro", "$W/bin/vetro";
mkdir "$W/out";
my %shown = map { $_ => slurp("$top/docs/man/$_.1") =~ s/\\-/-/gr =~ s/\\&//gr =~ s/\\e/\\/gr } @pages;
my ($ran, %seen) = (0);
system('cp', '-r', "$top/examples", "$W/examples") == 0 or die; # runs leave their state beside the package
for (slurp("$top/compiler/cmd/examples.def") =~ /^EXAMPLE\((.*?)\)$/msg) {
	my ($command, undef, @lines) = map { s/\\(.)/$1 eq 'n' ? "\n" : $1/ger } /"((?:[^"\\]|\\.)*)"/g;
	my $text = join '', @lines;
	$seen{$command}++;
	ok(index($shown{"vetro-$command"}, $text =~ s/^# //r) >= 0, "the page of $command shows it");
	next if $text =~ /^# /;
	my ($st, $said, $err) = run_program({ dir => "$W/examples", env => { PATH => "$W/bin:$ENV{PATH}", out => "$W/out", XDG_CACHE_HOME => "$W/cache" } },
		'sh', '-e', '-c', $text);
	ok($st == 0, "$command: " . ($text =~ s/\n.*//sr), $err);
	$ran++;
}
ok($ran > 15, "examples were run: $ran");
is(join(' ', grep { !$seen{ s/^vetro-//r } } grep { !/^vetro(?:-deploy|-service|-config|-agent)?\z/ } @pages), '', 'each command has an example');

# ---- completions
for (['vetro', '_vetro', sub { vetro(@_) }, 'completion'], ['deploy', '_deploy', binary('deploy'), 'completion'],
	['service', '_service', binary('service'), 'completion'], ['config', '_config', binary('config'), '--completion']) {
	my ($name, $function, $own, $how) = @$_;
	for my $shell (qw(bash zsh fish)) {
		my ($st, $text, $err) = $own->($how, $shell);
		ok($st == 0 && $err eq '' && length $text > 300, "$name $how $shell", $st, $err);
		spew("$W/$name.$shell", $text);
		if (grep { -x "$_/$shell" } split /:/, $ENV{PATH}) {
			is(scalar(`$shell -n '$W/$name.$shell' 2>&1`), '', "which $shell reads");
		} else {
			ok(1, "which $shell reads # SKIP $shell is not installed");
		}
	}
}
sub completes { my ($title, $want, $name, @words) = @_; is(complete_words($name, @words), $want, $title) }
sub complete_words {
	my ($name, @words) = @_;
	my $line = join ' ', map { "'" . s/'/'\\''/gr . "'" } @words;
	spew("$W/complete.sh", "cd '$W/there' || exit\ncompopt() { :; }\nsource '$W/$name.bash'\nCOMP_WORDS=($line)\nCOMP_CWORD=$#words\n_$name\n" .
		"((\${#COMPREPLY[@]})) && printf '%s\\n' \"\${COMPREPLY[@]}\"\n");
	return join ' ', sort split /\n/, `bash '$W/complete.sh' 2>&1`;
}
mkdir "$W/there";
mkdir "$W/there/folder";
spew("$W/there/file name.yaml", '');
completes('commands', 'query', 'vetro', 'vetro', 'qu');
completes('commands of a group', 'check', 'vetro', 'vetro', 'graph', 'ch');
completes('options', '--max-depth --max-errors --max-file --max-value', 'vetro', 'vetro', 'check', '--max');
completes('options of a command in a group', '--delete-first', 'vetro', 'vetro', 'graph', 'diff', '--del');
completes('an optimisation', '-fno-fuse', 'vetro', 'vetro', 'query', '-fno-fu');
completes('values', 'json', 'vetro', 'vetro', 'check', '--format', 'j');
completes('values behind =', 'sarif', 'vetro', 'vetro', 'check', '--format', '=', 's');
completes('another list of the same option', 'junit', 'vetro', 'vetro', 'test', '--format', 'j');
completes('files', 'file name.yaml folder', 'vetro', 'vetro', 'tosca', 'f');
completes('folders', 'folder', 'vetro', 'vetro', 'build', '--emit-c', 'f');
completes('nothing for a number', '', 'vetro', 'vetro', 'check', '--max-depth', '');
completes('shells', 'zsh', 'vetro', 'vetro', 'completion', 'z');
completes('what help is about', 'tosca', 'vetro', 'vetro', 'help', 'tos');
completes('commands of a binary', 'session', 'deploy', 'deploy', 'ses');
completes('options of a binary', '--dry-run', 'deploy', 'deploy', 'run', '--dr');
completes('of a service', 'undeploy', 'service', 'service', 'und');
completes('formats of a service', 'topology', 'service', 'service', 'topology', '-f', 'top');
completes('options of a configuration', '--select --set', 'config', 'config', '--se');
completes('types of a configuration', 'int iterable', 'config', 'config', '--as', 'i');
# ---- one meaning everywhere: --color, --indent, --tab
spew("$W/broken.yaml", "tosca_definitions_version: tosca_2_0\nservice_template: { node_templates: {}, x: 1 }\n");
spew("$W/broken.yay", "a: {{ b }}\n");
spew("$W/broken.mugl", '{"x"');
spew("$W/two.mugl", '{"vertices":{"v":{"a":1}}}');
for (['check', "$W/broken.yaml"], ['tosca', "$W/broken.yaml"], ['yay', "$W/broken.yay"], ['query', '-n', '1 +'],
	['graph', 'check', "$W/broken.mugl"], ['build', '-o', "$W/no", "$W/broken.yaml"], ['run', "$W/broken.yaml"],
	['schema', "$W/broken.yaml", 'x'], ['test', $app, '--lua', "$W/none.lua"]) {
	is(join(' ', map { (vetro(@$_))[2] =~ /\e\[/ ? 1 : 0 } [@$_], [@$_, '--color=always'], [@$_, '--color=always', '--color', 'never']),
		'0 1 0', "colours of @$_[0 .. ($_->[0] eq 'graph' ? 1 : 0)]");
}
for (['deploy', 'run', '--model', "$W/none"], ['deploy', 'diff', "$W/none", "$W/none"], ['config', 'no.such']) {
	my ($name, @args) = @$_;
	my ($plain, $tinted) = map { (binary($name)->(@$_))[2] } [@args], [@args, '--color=always'];
	ok($plain ne '' && $plain !~ /\e/, "$name $args[0]: no colours where nobody looks", $plain);
	is($tinted =~ s/\e\[[\d;]*m//gr, $plain, 'and with --color the same text');
}
spew("$W/list.yaml", "a: [1]\n");
spew("$W/list.yay", "a:\n  - 1\n");
my $tree = sub { my ($by) = @_; "{\n$by\"a\": [\n$by${by}1\n$by]\n}\n" };
for my $how (['query', '$', "$W/list.yaml"], ['yay', "$W/list.yay"]) {
	my ($first, @rest) = @$how;
	is((vetro($first, '--indent=3', @rest))[1], $tree->('   '), "$first --indent");
	is((vetro($first, '--tab', @rest))[1], $tree->("\t"), "$first --tab");
	is((vetro($first, @rest))[1], $tree->('  '), "$first as it is");
	is((vetro($first, '--indent', 0, @rest))[1], (vetro($first, '-c', @rest))[1], "$first --indent 0 is one line");
}
like((vetro('tosca', '--indent=1', '--input', 'n=1', "$W/service.yaml"))[1], qr/\A\{\n "/, 'tosca --indent, where nobody looks');
like((vetro('tosca', '--list', '--tab', "$W/service.yaml"))[1], qr/\A\{\n\t"inputs": \{\n\t\t"n"/, 'tosca --list --tab');
my $service = binary('service');
like(($service->('info', '--indent=1'))[1], qr/\A\{\n "service"/, 'info --indent of a service');
like(($service->('topology', '--input', 'n=1', '--tab'))[1], qr/\A\{\n\t"/, 'topology --tab');
is(($service->('info', '-c'))[1] =~ tr/\n//, 1, 'info -c is one line');
like((binary('deploy')->('schema', 't.App', '', '--indent=5'))[1], qr/\A\{\n     "/, 'schema --indent of a package');
is((binary('config')->('--tab'))[1], "{\n\t\"a\": 1,\n\t\"b\": 1\n}\n", 'a configuration with --tab');
refused(qr/--indent takes 0, .* or 7, not 8\nhint: /, 'query', '--indent', 8, '1');
refused(qr/--color takes auto, always or never, not yes\n/, 'check', '--color=yes', 'x');
# What a binary is called may be anything.
my $odd = "a'b;\$(touch hacked)\n#";
link("$W/config", "$W/$odd");
for my $shell (qw(bash zsh fish)) {
	local $Tap::vetro = "$W/$odd";
	my ($st, $text) = vetro('--completion', $shell);
	spew("$W/odd.$shell", $text);
	ok($st == 0, "a strange name: $shell");
}
is(scalar(`cd '$W/there' && bash -c 'source ../odd.bash' 2>&1`), '', 'bash reads it');
ok(!-e "$W/there/hacked", 'and does nothing of it');
done();
