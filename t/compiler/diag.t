#!/usr/bin/perl
# Diagnostics as text, JSON lines and SARIF; a bad input for every code; `vetro explain`; the command line.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $data = "$FindBin::Bin/../data/diag";
my $head = "Format: 1.4\nType: Library\nFullName: t.pkg\nVersion: 1.0.0\n";

sub text_of {
	my ($yaml) = @_;
	spew("$W/t.yaml", $yaml);
	my (undef, undef, $err) = vetro('check', '--emit=yaml', "$W/t.yaml");
	$err =~ s{\Q$W/\E}{}g;
	return $err;
}

# ---- text
is(text_of("a: &base 1\nsize:\n  <<: *bsae\n"), <<'T', 'place, code, source line, caret and counts');
t.yaml:3:7: error[E0204]: there is no anchor &bsae above this alias
    3 |   <<: *bsae
      |       ^~~~~
  hint: did you mean *base?
1 error
T
is(text_of("a: \"\tx\t\xe6\x97\xa5\xe6\x9c\xac\xcc\x81\", \n"), <<'T', 'tabs are expanded');
t.yaml:1:12: error[E0201]: YAML: did not find expected key
    1 | a: "    x   日本́", 
      |                  ^
t.yaml:1:1: note: while parsing a block mapping that begins here
    1 | a: "    x   日本́", 
      | ^
  hint: a value that begins with a quote or a bracket ends with it: put all of it in quotes, or begin with another word
1 error
T
like(text_of("\xe6\x97\xa5\xe6\x9c\xac: !x 1\n"), qr/^t\.yaml:1:5: .*\n.*\n      \|       \^~~~\n/, 'wide characters take two cells, columns count one');
is(text_of("a: 1\nb: 2\n'a': 3\n"), <<'T', 'a note has its place and line');
t.yaml:3:1: warning[W1001]: the key 'a' stands in this mapping twice; the last value counts
    3 | 'a': 3
      | ^~~
t.yaml:1:1: note: it was given here
    1 | a: 1
      | ^
1 warning
T
my $hostile = text_of("a: !!int \"\\e[31m\\u202Eevil\\x07\\nb: error[E0001]\"\n");
ok($hostile !~ /[\x00-\x09\x0b-\x1f\x7f]|\xe2\x80\xae/, 'control and direction characters are escaped', $hostile);
like($hostile, qr/\\u\{1b\}\[31m\\u\{202e\}evil\\u\{7\}/, 'so that they can be seen');
ok($hostile !~ /^b: error/m, 'a line end in quoted text begins no line');
my $long = text_of('a: [' . 'x, ' x 5000 . '!y z]');
ok(length $long < 1200, 'of a long line the part around the caret is shown', length $long);
like($long, qr/^ +1 \| \.\.\..*!y z\]\n +\| +\^~~~\n/m, 'with its caret') ;
ok(length text_of('a: !!int ' . 'x' x 100000) < 3000, 'a long message is cut');
like(text_of(''), qr/^$/, 'nothing wrong, nothing said');
my @many = map { "k$_: !x 1" } 1 .. 150;
my $many = text_of(join("\n", @many));
is(scalar(() = $many =~ /error\[/g), 100, 'a hundred errors are shown');
like($many, qr/^150 errors; 50 not shown$/m, 'and the others counted');

# ---- order, repetition, every error in one run
my $pkg = package_dir('p', { 'manifest.yaml' => $head . "Classes:\n  t.B: B.yaml\n  t.A: A.yaml\n",
	'Classes/B.yaml' => "Name: t.B\nExtends: !x y\nMethods: !x z\n", 'Classes/A.yaml' => "Name: t.A\nMethods: !x z\n" });
my ($rc, $out, $err) = vetro('check', $pkg);
is($rc, 1, 'errors: status 1');
is($out, '', 'text goes to standard error');
my @places = $err =~ m{^\S*/(\w\.yaml:\d+):\d+: error\[E0206\]}mg;
is("@places", 'A.yaml:2 B.yaml:2 B.yaml:3', 'sorted by file and offset');
($rc, $out, $err) = vetro('check', $pkg, '--max-errors=1');
like($err, qr/3 errors; 2 not shown/, '--max-errors');

# ---- JSON
($rc, $out, $err) = vetro('check', '--format', 'json', $pkg);
is($err, '', 'JSON goes to standard output');
my @lines = split /\n/, $out;
is(scalar @lines, 3, 'one object a line');
my $d = decode_json($lines[0]);
is(join(' ', sort keys %$d), 'code col end_col end_line file hint line message notes severity', 'with exactly these keys');
is("$d->{code} $d->{severity} $d->{line}:$d->{col}-$d->{end_line}:$d->{end_col}", 'E0206 error 2:10-2:14', 'values');
like($d->{file}, qr{/p/Classes/A\.yaml$}, 'file');
is(ref $d->{notes}, 'ARRAY', 'notes are a list');
my $warn = package_dir('w', { 'manifest.yaml' => "Versoin: 1\nType: Library\nFullName: a\nClasses: {}\n" });
($rc, $out) = vetro('check', '--format=json', $warn);
is("$rc " . decode_json($out)->{severity}, '0 warning', 'a warning is no error');
($rc, $out) = vetro('check', '--format=json', '-Werror', $warn);
is("$rc " . decode_json($out)->{severity}, '1 error', 'but with -Werror');
my $dup = package_dir('u', { 'manifest.yaml' => "Type: Library\nFullName: \"\xc3\xa4\\u00e9\xe6\x97\xa5 x\"\nType: Library\nClasses: {}\n" });
($rc, $out) = vetro('check', '--format=json', $dup);
my @d = map { decode_json($_) } split /\n/, $out;
is("$d[0]{line}:$d[0]{col}-$d[0]{end_line}:$d[0]{end_col}", '2:11-2:23', 'columns count code points');
like($d[1]{notes}[0], qr{manifest\.yaml:1:1: it was given here$}, 'a note is text with its place in front');
($rc, $out) = vetro('check', '--format=json', "$W/nowhere");
$d = decode_json($out);
is("$d->{code} $d->{line}:$d->{col}", 'E0101 1:1', 'a file as a whole');

# ---- SARIF
($rc, $out) = vetro('check', '--format=sarif', $pkg, $dup);
my $s = decode_json($out);
is($s->{version}, '2.1.0', 'SARIF 2.1.0');
my $run = $s->{runs}[0];
is($run->{tool}{driver}{name}, 'vetro', 'the tool');
is($run->{columnKind}, 'unicodeCodePoints', 'columns are code points');
my @r = @{ $run->{results} };
is(scalar @r, 5, 'results');
my $rules = $run->{tool}{driver}{rules};
is(scalar(grep { $rules->[$_->{ruleIndex}]{id} ne $_->{ruleId} } @r), 0, 'rules are where results say');
is(scalar(grep { $_->{level} !~ /^(error|warning|note)$/ || !length $_->{message}{text} } @r), 0, 'levels and messages');
my ($first) = grep { $_->{locations}[0]{physicalLocation}{artifactLocation}{uri} =~ /A\.yaml$/ } @r;
is(join(' ', map { "$_=$first->{locations}[0]{physicalLocation}{region}{$_}" } qw(startLine startColumn endLine endColumn)),
	'startLine=2 startColumn=10 endLine=2 endColumn=14', 'a region');
my ($related) = grep { $_->{relatedLocations} } @r;
is($related->{relatedLocations}[0]{message}{text}, 'it was given here', 'notes are related locations');
($rc, $out) = vetro('check', '--format=sarif', package_dir('fine'));
is("$rc " . scalar @{ decode_json($out)->{runs}[0]{results} }, '0 0', 'without results it is a document as well');

# ---- a bad input for every code
my %seen;
sub reports {
	my ($code, @args) = @_;
	my $command = grep({ /\.yay$/ } @args) ? 'yay' : 'check';
	my ($status, $text, $e) = vetro({ limit => 40 }, $command, @args);
	my @codes = ($e =~ /: (?:error|warning|note)\[(\w+)\]/g);
	$seen{$code} = 1;
	ok("@codes" eq $code && $status == ($code =~ /^E|^W10(?:69|74)$/ ? 1 : 0), "$code is reported, and nothing else", "status $status: @codes", $e);
}
opendir(my $dir, $data) or die "$data: $!";
for my $name (sort grep { !/^\./ } readdir $dir) {
	(my $code = $name) =~ s/\.ya?ml$|\.yay$//;
	my $workflow = "$data/$name/workflow.yaml";
	reports($code, -e $workflow ? ('--pedantic', $workflow) : -d "$data/$name" || $name =~ /\.yay$/ ? "$data/$name" : ('--emit=yaml', "$data/$name"));
}
spew("$W/fails.lua", 'vetro.register { name = "Fails", params = "p: any", fn = function(p) error("no luck") end }');
spew("$W/fails.yay", "a:\n  new Fails:\n    b: 1\n");
spew("$W/flow.yaml", "version: 1.0\ntasks:\n  a: {action: core.noop}\n");
spew("$W/functions.yaml", "functions: ['f(x: word)']\n");
reports('E5006', "--functions=$W/functions.yaml", "$W/flow.yaml");
reports('E3011', '--lua', "$W/fails.lua", "$W/fails.yay");
my @entries = (['manifest.yaml', $head . "Classes:\n  t.Thing: Thing.yaml\n"], ['Classes/Thing.yaml', "Name: t.Thing\n"]);
sub archive { return zip_file("$W/a.zip", @_) }
my $thing = $entries[1];
reports('E0101', "$W/nowhere");
spew("$W/W3003.yay", "a:\n\tb: 1\n");
reports('W3003', "$W/W3003.yay");
spew("$W/W3004.yay", "a:\n  - if x:\n    b: 1\n");
reports('W3004', "$W/W3004.yay");
spew("$W/W3005.yay", "a: [1, 2]\n");
reports('W3005', "$W/W3005.yay");
spew("$W/huge.yaml", '');
truncate "$W/huge.yaml", 65 << 20;
reports('E0102', '--emit=yaml', "$W/huge.yaml");
spew("$W/text", 'text');
reports('E0103', "$W/text");
spew("$W/cut.zip", substr(do { open(my $f, '<', archive(@entries)) or die; binmode $f; local $/; <$f> }, 0, 100));
reports('E0104', "$W/cut.zip");
reports('E0105', archive(@entries, ['../x', '']));
reports('E0106', archive(@entries, ['l', '/etc/passwd', { mode => 0120777 }]));
reports('E0107', archive(map { ["f$_", ''] } 1 .. 20001));
reports('E0108', archive($entries[0], [@$thing, { crc => 1 }]));
reports('E0110', archive(@entries, $entries[0]));
reports('E0111', archive($entries[0], [@$thing, { flag => 1 }]));
reports('E0112', archive(@entries, ['Resources/l', 'nothing', { mode => 0120777 }]));
my $full = package_dir('full', { 'Resources/huge' => '' });
truncate "$full/Resources/huge", 17 << 20;
reports('E0113', $full);
spew("$W/broken.lua", "vetro.register {\n name = 'x' params = '' }\n");
like((vetro('build', '--lua', "$W/broken.lua", '--emit=ir', package_dir('lua')))[2], qr{^vetro: error\[E0114\]: \S+/broken\.lua:2: '\}' expected}, 'E0114');
$seen{E0114} = 1;
spew("$W/deep.yaml", '[' x 1000);
reports('E0202', '--emit=yaml', "$W/deep.yaml");
my $one = package_dir('one');
reports('E0415', $one, $one);

my $app = "Application:\n  ?: {id: thing}\n";
my $field = $app . "Forms:\n  - f:\n      fields:\n        - ";
my %forms = (E1201 => "Version: 3\n$app", E1202 => "Version: 2\n", E1203 => $field . "{name: x}\n", E1204 => $field . "{name: x, type: text, size: 5}\n",
	E1205 => $field . "{name: x, type: text, regexpValidator: '('}\n", W1060 => $app . "  x: my-app\n",
	W1061 => $field . "{name: x, type: text, validators: [{expr: '\$ = a'}]}\n",
	W1068 => $field . "{name: x, type: integer, minValue: 1, initial: 0}\n", W1069 => $app . "  x: \$.f.y\n",
	W1073 => $field . "{name: x, type: text}\n        - {name: x, type: text}\n",
	W1082 => "${app}Form: []\n",
	W1074 => $field . "{name: x, type: text, validators: [{expr: \$ <<}]}\n");
reports($_, package_dir(lc $_, { 'UI/ui.yaml' => $forms{$_} })) for sort keys %forms;

my $tosca = "tosca_definitions_version: tosca_2_0\n";
spew("$W/checkout/tests/types.yaml", $tosca);
spew("$W/checkout/services/s.yaml", $tosca . "imports:\n- https://raw.githubusercontent.com/o/r/main/tests/types.yaml\n");
reports('W2003', "$W/checkout/services/s.yaml");
spew("$W/checkout/services/types/t.yaml", $tosca);
spew("$W/checkout/services/u.yaml", $tosca . "imports:\n- ../types/t.yaml\n");
reports('W2004', "$W/checkout/services/u.yaml");
reports('E2058', zip_file("$W/a.csar", ['TOSCA.meta', "CSAR-Version: 2.0\nCreated-By: x\nEntry-Definitions: s.yaml\n"],
	['s.yaml', $tosca . "artifact_types: { A: {} }\nnode_types: { N: { artifacts: { a: { type: A, file: a.sh } } } }\n"]));

# ---- every code has a page, and a test here or in murano/check.t
open(my $def, '<', "$FindBin::Bin/../../runtime/core/diag.def") or die $!;
my @codes = map { /^DIAG\((\w+)/ ? $1 : () } <$def>;
# faults, and what compiler/user.t, build/ir.t, yay/model.t, yay/check.t, tosca/files.t, tosca/deploy.t,
# tosca/checksum.t, compiler/limits.t and form/tool.t look at
my %elsewhere = map { $_ => 1 } qw(E0213 E0901 E0902 E0903 E0904 E0990 E2080 E2081 W2005 W3002 E3012 E0905 E0991 E0992 E2018 E2091 E1206 E1207 E1208 E1209);
# E4: what is raised while something runs, compiler/report.t
my @untested = grep { !/^E4[0-3]/ && !$seen{$_} && !$elsewhere{$_} && !-e "$FindBin::Bin/../data/check/$_" } @codes;
is("@untested", '', 'no code without a test');
my (undef, $list) = vetro('explain');
open($def, '<', "$FindBin::Bin/../../runtime/mugl/codes.def") or die $!;
push @codes, map { /^MUGL_CODE\(\w+, "(\w+)"/ ? $1 : () } <$def>;
ok(@codes > 250, 'codes of all tables are looked at', scalar @codes);
is(join("\n", map { /^(\w+)  ./ } split /\n/, $list), join("\n", @codes), '`vetro explain` lists them');
my @pageless = grep { my (undef, $page) = vetro('explain', $_); $page !~ /^$_: .+\n\n(?:.+\n)+/ || $page =~ /no page/ } @codes;
is("@pageless", '', 'no code without a page');
is((vetro('explain', 'e0201'))[1], (vetro('explain', 'E0201'))[1], 'small letters will do');
is((vetro('explain', 'E0999'))[0], 2, 'a code that does not exist: status 2');

# ---- the command line
like((vetro('--version'))[1], qr/^vetro \d+\.\d+\.\d+\n$/, '--version');
is((vetro('help'))[0], 0, 'help');
like((vetro('help', 'check'))[1], qr/^usage: vetro check SOURCE.*--format/s, 'help of a command');
like((vetro('check', '--help'))[1], qr/^usage: vetro check SOURCE/, '--help behind a command');
for my $bad ([], ['chekc', 'x'], ['check'], ['check', '--nope', 'x'], ['check', '--format=xml', 'x'], ['check', '--format'], ['check', '-I'],
	['check', 'x', '--max-errors=0'],
	['check', '--emit=soup', 'x'], ['help', 'nothing'], ['explain', 'a', 'b'], ['test'], ['yay'], ['yay', '--as=soup', 'x'],
		map { [$_, 'x'] } qw(graph schema)) {
	my ($status, $o, $e) = vetro(@$bad);
	ok($status == 2 && $o eq '' && $e =~ /^(vetro|usage)/m, "bad usage: vetro @$bad", "status $status", $e);
}
like((vetro('chekc'))[2], qr/did you mean 'check'/, 'a slip in a command is recognised');
done();
