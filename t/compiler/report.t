#!/usr/bin/perl
# One form of diagnostics for all commands and binaries: code, place, excerpt, notes, hint, colour, nothing that a terminal obeys; and a page for each code.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

# Is every line of it one that the renderer makes?
my $place = qr/(?:[^\n:]+:(?:\d+:\d+:)?)/;
sub has_form {
	my ($text) = @_;
	my $more = qr/(?:    [^\n]*\n)*/;
	my $excerpt = qr/ *\d+ \| [^\n]*\n      \| *\^?~*\n/;
	my $message = qr/$place (?:(?:error|warning)\[\w+\]|note): [^\n]*\n(?:    [^\n]*\n)*?(?:$excerpt)?/;
	return $text =~ /\A(?:$message|  (?:note|hint): [^\n]*\n$more|\d+ errors?[^\n]*\n)+\z/;
}

# What a user sees: code, place, excerpt or not, hint or not.
sub shows {
	my ($title, $err, $code, $at, %more) = @_;
	$err =~ s{\Q$W/\E}{}g;
	ok(has_form($err), "$title: the form", $err);
	my ($first) = $err =~ /\A([^\n]*)/;
	ok($first =~ /^\Q$at\E (?:error|warning)\[\Q$code\E\]: ./, "$title: place and code", "want $at [$code]", $err);
	ok($err =~ $more{excerpt}, "$title: the excerpt", $err) if $more{excerpt};
	ok($err =~ $more{note}, "$title: the note", $err) if $more{note};
	ok($err =~ $more{hint}, "$title: the hint", $err) if $more{hint};
	ok((vetro('explain', $code))[0] == 0, "$title: `vetro explain` knows the code");
}

sub run {
	my ($binary, @args) = @_;
	local $ENV{LANG} = 'C';
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		chdir $W;
		open(STDIN, '<', '/dev/null') && open(STDOUT, '>', "$W/out") && open(STDERR, '>', "$W/err") or exit 126;
		exec { $binary } $binary =~ s{.*/}{}r, @args or exit 127;
	}
	waitpid($pid, 0);
	return ($? >> 8, map { Tap::slurp($_) } "$W/out", "$W/err");
}

# ---- vetro query
shows('query, grammar', (vetro('query', '-n', '1 == 2'))[2], 'E4110', '<expression>:1:4:', excerpt => qr/\n    1 \| 1 == 2\n      \|    \^\n/,
	hint => qr/\n  hint: equality is =\n\z/);
shows('query, a name', (vetro('query', '-n', "[1].\n  lenn()"))[2], 'E4102', '<expression>:2:3:', excerpt => qr/\n    2 \|   lenn\(\)\n      \|   \^\n/,
	hint => qr/\n  hint: did you mean len\?\n\z/);
spew("$W/e.yaql", "\$ /\n\t0");
shows('query -f', (vetro('query', '-n', '-f', "$W/e.yaql"))[2], 'E4103', 'e.yaql:1:3:', excerpt => qr{\n    1 \| \$ /\n      \|   \^\n});
shows('query, a document of a stream', (vetro({ in => "1\n0\n" }, 'query', '1 / $'))[2], 'E4007', '<expression>:1:3:',
	note => qr/\n<stdin>:2:1: note: in document 2\n\z/);
spew("$W/broken.json", "{\n\t\"\xc3\xa9\": 1,,\n}");
shows('query, JSON of a file', (vetro('query', '$', "$W/broken.json"))[2], 'E4021', 'broken.json:2:9:',
	excerpt => qr/\n    2 \|     "\xc3\xa9": 1,,\n      \|            \^\n\z/);
shows('query, CR as line ends', (vetro('query', '-n', "1 +\r2 +\r )"))[2], 'E4110', '<expression>:3:2:', excerpt => qr/\n    3 \|  \)\n      \|  \^\n/);
shows('query, no document', (vetro('query', '$', "$W/nosuch.json"))[2], 'E0101', 'nosuch.json:');
shows('query, time', (vetro('query', '-n', '--timeout', '0.3', 'sequence().where(false)'))[2], 'E4301', 'vetro query:');
shows('query, an expression of 100,000 blanks', (vetro('query', '-n', ' ' x 100000 . '1 / 0'))[2], 'E4007', '<expression>:1:100003:',
	excerpt => qr/\n    1 \| \.\.\. +1 \/ 0\n      \| +\^\n\z/);

# ---- vetro graph
my $graph = '{"vertices":{"a":{"type":"t","properties":{"to":{"#ref":"b"}}}}}';
shows('graph', (vetro({ in => $graph }, 'graph', 'check', '--snapshot', '-'))[2], 'unknown_ref', '<stdin>:1:57:', excerpt => qr/\n    1 \| \{"vertices"/,
	hint => qr/\n  hint: 'vetro graph repair' removes/);
shows('graph, no file', (vetro('graph', 'check', "$W/none.mugl"))[2], 'io', 'none.mugl:');
my $line = decode_json((vetro({ in => $graph }, 'graph', 'check', '--snapshot', '-f', 'json', '-'))[1]);
is(join(' ', sort keys %$line), 'about code col end_col end_line file hint line message notes severity',
	'graph as JSON: the keys of every diagnostic, and what it is about');
$line = decode_json((vetro('graph', 'check', '-f', 'json', "$W/none.mugl"))[1]);
is("$line->{line}:$line->{col} " . ref $line->{notes}, '1:1 ARRAY', 'and a file as a whole as its first character');

# ---- vetro yay and vetro tosca
spew("$W/a.yay", "port: 80\nhost: {{ prot }}\n");
shows('yay', (vetro('yay', "$W/a.yay"))[2], 'E3004', 'a.yay:2:7:', excerpt => qr/\n    2 \| host: \{\{ prot \}\}\n      \|       \^\n/);
my $service = <<'Y';
tosca_definitions_version: tosca_2_0
service_template:
  inputs: { n: { type: integer } }
  node_templates: {}
  outputs: { o: { value: { $quotient: [1, { $get_input: n }] } } }
Y
spew("$W/s.yaml", $service);
shows('tosca', (vetro('tosca', "$W/s.yaml", '--input', 'n=x'))[2], 'E2040', 's.yaml:3:13:', excerpt => qr/\n    3 \|   inputs: \{ n: \{/);

# ---- binaries
my $package = package_dir('app', { 'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.app\nClasses: {t.App: App.yaml}\n",
	'Classes/App.yaml' => <<'Y' });
Namespaces: {=: t}
Name: App
Methods:
  inner:
    Arguments:
      - by:
          Contract: $.int()
    Body:
      - Return: 1 / $by
  deploy:
    Scope: Public
    Body:
      - $.inner(0)
  throws:
    Scope: Public
    Body:
      - Throw: TooSmall
        Message: "is \e[31msmall"
  contract:
    Scope: Public
    Body:
      - $.inner(many)
  again:
    Scope: Public
    Body:
      - Try:
          - $.inner(0)
        Catch:
          - As: e
            Do:
              - Throw: Second
                Message: other
                Cause: $e
Y
spew("$W/model.json", '{"Objects": {"?": {"id": "1", "type": "t.App"}}, "ObjectsCopy": null, "Attributes": []}');
my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/deploy", $package);
is($rc, 0, 'a package is built');
($rc, $out, $err) = run("$W/deploy", 'run', '--model', 'model.json');
is($rc, 1, 'the run fails');
is(decode_json($out)->{error}{type}, 'ZeroDivisionError', 'the answer is as it was');
like($err, qr{\A\S*App\.yaml:9:17: error\[E4007\]: ZeroDivisionError: }, 'place and code of an error at run time');
$err =~ s/^deploy: the state of this deployment is in .*\n  --snapshot .*\n//m or ok(0, 'it says where the state is', $err);
ok(has_form($err), 'its form', $err);
like($err, qr/\n  note: in method inner of type t\.App\n\S*App\.yaml:13:9: note: in method deploy of type t\.App\n   13 \| \$\.inner\(0\)\n/,
	'the calls that led there, innermost first');
like($err, qr/\n  hint: 'vetro explain E4007' says more\n\z/, 'and a hint');
for my $case (['throws', 'E4226', 'App.yaml:17:9:'], ['contract', 'E4201', 'App.yaml:22:9:'], ['again', 'E4226', 'App.yaml:31:17:'],
	['nosuch', 'E4220', 'deploy:']) {
	my ($method, $code, $at) = @$case;
	($rc, $out, $err) = run("$W/deploy", 'run', '--model', 'model.json', '--call', $method);
	ok($rc == 1 && $err =~ /\A\S*\Q$at\E error\[$code\]: ./ && has_form($err), "a binary, $method", $err);
	ok($err =~ /\\u\{1b\}/ && $err !~ /\e/, 'what a message quotes is escaped', $err) if $method eq 'throws';
	like($err, qr/ note: caused by ZeroDivisionError: /, 'what was caught is reported') if $method eq 'again';
}
spew("$W/config.yay", "a: {{ b }}\nb: {{ c }}\nc: {{ a }}\nd: {{ 1 / zero }}\nzero: 0\n");
($rc) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/config", "$W/config.yay");
is($rc, 0, 'a configuration is built');
shows('a configuration, a cycle', (run("$W/config", 'a'))[2], 'E3006', 'config.yay:1:4:', note => qr/\nconfig\.yay:\d:4: note: which needs this\n/,
	hint => qr/explain E3006/);
shows('a configuration, no such place', (run("$W/config", 'nosuch'))[2], 'E3004', 'config:');
($rc) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/service", "$W/s.yaml");
is($rc, 0, 'a service is built');
shows('a service', (run("$W/service", 'topology', '--input', 'n=x'))[2], 'E2040', 's.yaml:3:13:');

# Places are offsets until they are shown: a byte order mark, all line ends, characters of two, three and four bytes.
spew("$W/w.yaml", "\xef\xbb\xbf# \xc3\xa9\xe6\x97\xa5\ntosca_definitions_version: tosca_simple_yaml_1_3\r\ndescription: \"\xc3\xa4\"\rtopology_template:\n" .
	"  inputs: { \"\xe6\x97\xa5\xf0\x9f\x98\x80\": { type: integer, default: 1 }, b: { type: integer } }\n");
($rc) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/wide", "$W/w.yaml");
is($rc, 0, 'a service of other letters is built');
shows('its places, in memory', (vetro('tosca', "$W/w.yaml", '--input', 'b=q'))[2], 'E2040', 'w.yaml:5:50:', excerpt => qr/\n      \|  {51}\^~\n/);
shows('its places, in the binary', (run("$W/wide", 'topology', '--input', 'b=q'))[2], 'E2040', 'w.yaml:5:50:');

# ---- hostile texts
my $esc = "\e[31m\x07\xc2\x9b1m\xe2\x80\xae\x7f";
for my $case (['query', '-n', "\"$esc\" + no($esc)"], ['query', '-n', '--', "\$.get(\"a\nb: error[E0101]: x\").nosuch()"], ['query', '$', "$W/a$esc"],
	['graph', 'check', "$W/no$esc"], ['yay', "$W/no$esc"], ['tosca', "$W/no$esc"], ['check', "$W/no$esc"], ['explain', $esc]) {
	($rc, $out, $err) = vetro(@$case);
	ok($rc && $err ne '' && $err !~ /[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae/, "nothing for the terminal: vetro $case->[0]",
		map { s/[^\n -~]/sprintf '<%02x>', ord $&/ger } $err);
	ok($err !~ /^b: error/m, 'and no line of its own', $err);
}
($rc, $out, $err) = vetro({ in => "{\"vertices\":{\"\xff\xfe\":{}}}" }, 'graph', 'check', '-');
ok($err !~ /\xff/ && $err =~ /\[bad_json\]/, 'bytes that are no UTF-8 are not repeated', $err);
($rc, $out, $err) = vetro('query', '$', do { spew("$W/wide.json", "[1,\n\"" . "\xe6\x97\xa5" x 200 . "\" x]"); "$W/wide.json" });
ok(length $err < 600 && $err =~ /\n    2 \| \.\.\.\xe6\x97\xa5.*\n      \| *\^\n\z/, 'wide characters are counted and cut at a border', $err);

# ---- colour
if (eval { require IO::Pty; 1 } or -x '/usr/bin/script') {
	my $terminal = sub {
		my ($env, @args) = @_;
		my $command = join ' ', map { "'" . s/'/'\\''/gr . "'" } $vetro, @args;
		my $text = qx(env -u NO_COLOR TERM=xterm $env /usr/bin/script -qec "\$(cat <<'C'\n$command\nC\n)" /dev/null 2>&1 </dev/null);
		return $text =~ s/\r//gr;
	};
	for my $case (['query', '-n', '1 +'], ['graph', 'check', "$W/none.mugl"], ['yay', "$W/a.yay"], ['tosca', "$W/s.yaml", '--input', 'n=x'],
		['check', "$W/nowhere"]) {
		like($terminal->('', @$case), qr/\e\[1;31merror\[\w+\]: \e\[0m/, "colour on a terminal: vetro $case->[0]");
		ok($terminal->('NO_COLOR=1', @$case) !~ /\e/, 'not with NO_COLOR');
	}
	ok($terminal->('TERM=dumb', 'query', '-n', '1 +') !~ /\e/, 'nor on a terminal that has none');
} else {
	ok(1, 'colour # SKIP script is not installed');
}
ok((vetro('query', '-n', '1 +'))[2] !~ /\e/, 'nor into a file');

# ---- codes of what is raised
my %code = map { /^EXCEPTION\(\w+, (E\d+), "([^"]+)"/ ? ($2 => $1) : () } split /\n/, Tap::slurp("$FindBin::Bin/../../runtime/core/exceptions.def");
my %class = reverse %code;
is(scalar keys %class, scalar keys %code, 'every class has a code of its own');
ok(keys %code > 80, 'classes are found', scalar keys %code);
my @strangers = grep { my ($st, $page) = vetro('explain', $_); $st != 0 || $page !~ /^\Q$code{$_}\E: .*^Class: \Q$_\E$/ms } sort keys %code;
is("@strangers", '', '`vetro explain CLASS` is the page of its code');
like((vetro('explain', 'zerodivisionerror'))[1], qr/^E4007: division by zero\n/, 'in small letters as well');
like((vetro('explain', 'ZeroDivisonError'))[2], qr/did you mean ZeroDivisionError\?/, 'and a slip is recognised');

# Expressions that raise them, each with the code of its class.
my @raised = (['int("x")', 'ValueError'], ['1 + "a"', 'NoMatchingFunctionException'], ['{}.a', 'KeyError'],
	['[1][5]', 'IndexError'], ['1 / 0', 'ZeroDivisionError'],
	['[].first()', 'StopIteration'], ['def(f, f($)) -> f(1)', 'RecursionError'], ['nosuch()', 'NoFunctionRegisteredException'],
	['1.nosuch()', 'NoMethodRegisteredException'],
	['5.join(",")', 'NoMatchingMethodException'], ['1 1', 'YaqlGrammarException'], ['#', 'YaqlLexicalException'],
	['regex("(")', 're.error'], ['sequence().toList()', 'CollectionTooLargeException'],
	['datetime("31.31.2020")', 'dateutil.parser._parser.ParserError'], ['pow(10, pow(10, 12))', 'OverflowError']);
for my $case (@raised) {
	my ($expr, $class) = @$case;
	my $text = (vetro('query', '-n', '--', $expr))[2];
	ok($text =~ /error\[(\w+)\]: (\S+?)(?::|$)/m && $2 eq $class && $1 eq $code{$class}, "$expr is $class", $text);
}
done();
