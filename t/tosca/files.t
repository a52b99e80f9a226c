#!/usr/bin/perl
# How TOSCA files are found and read: versions, imports, profiles, archives; `vetro tosca` and its options.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $head = "tosca_definitions_version: tosca_2_0\n";
my $old = "tosca_definitions_version: tosca_simple_yaml_1_3\n";
my $n = 0;

# Files below a directory of their own; gives that directory.
sub files {
	my (%f) = @_;
	my $dir = "$W/d" . ++$n;
	spew("$dir/$_", $f{$_}) for keys %f;
	return $dir;
}

# "CODE file:line:col" of each problem, and the texts.
sub problems {
	my (@args) = @_;
	my $o = ref $args[0] ? shift @args : {};
	my ($rc, $out, $err) = vetro($o, 'check', '--format=json', @args);
	my @all = map { decode_json($_) } split /\n/, $out;
	my @got = map { my $f = $_->{file} // '?'; $f =~ s{^\Q$W\E/d\d+/}{}; "$_->{code} $f:$_->{line}:$_->{col}" } @all;
	my $text = join("\n", $err, map { ($_->{message}, @{ $_->{notes} }, $_->{hint} // ()) } @all);
	return (join(' ', @got), $text, $rc);
}

sub gives {
	my ($title, $want, @args) = @_;
	my ($got, $text, $rc) = problems(@args);
	ok($got eq $want && $rc == ($want =~ /\bE\d/ ? 1 : 0), $title, "status $rc", "got:  $got", "want: $want", $text);
	return $text;
}

# One file that is read as it stands.
sub lone {
	my ($title, $want, $text) = @_;
	return gives($title, $want, files('s.yaml' => $text) . '/s.yaml');
}

# ---- versions and documents
my $text = lone('a version that does not exist', 'E2001 s.yaml:1:28', "tosca_definitions_version: tosca_2_1\n");
like($text, qr/did you mean 'tosca_2_0'\? there are tosca_2_0, tosca_simple_yaml_1_3/, 'the hint lists the versions');
lone('no version', 'E2001 s.yaml:1:1', "description: x\nnode_types: {}\n");
lone('a version that is a number', 'E2001 s.yaml:1:28', "tosca_definitions_version: 2.0\n");
lone('a version that is a list', 'E2001 s.yaml:1:28', "tosca_definitions_version: [tosca_2_0]\n");
lone('a version in quotes', '', "tosca_definitions_version: 'tosca_2_0'\n");
lone("a version of $_", '', "tosca_definitions_version: $_\n")
	for qw(tosca_simple_yaml_1_0 tosca_simple_yaml_1_1 tosca_simple_yaml_1_2 tosca_simple_yaml_1_3 tosca_simple_profile_for_nfv_1_0 tosca_2_0);
lone("a template of Heat: $_", '', "heat_template_version: $_\n") for '2018-08-31', "'2018-08-31'", 'wallaby';
lone('a release of Heat that does not exist', 'E2001 s.yaml:1:24', "heat_template_version: 2018-08-30\n");
lone('a blueprint of Cloudify', '', "tosca_definitions_version: cloudify_dsl_1_3\n");
lone('a byte order mark', '', "\xef\xbb\xbf${head}description: x\n");
lone('two documents', 'E2004 s.yaml:3:1', "$head---\na: 1\n");
gives('a list as a file', 'E2004 s.yaml:1:1', '--kind=tosca', files('s.yaml' => "- a\n") . '/s.yaml');
gives('an empty file', 'E2001 s.yaml:1:1', '--kind=tosca', files('s.yaml' => '') . '/s.yaml');
gives('only a comment', 'E2001 s.yaml:1:1', '--kind=tosca', files('s.yaml' => "# nothing\n") . '/s.yaml');
lone('a key twice', 'E0212 s.yaml:3:1', "${head}description: a\ndescription: b\n");
lone('words that YAML 1.1 takes for booleans', 'E2004 s.yaml:2:14', "${head}description: true\n");
lone('and YAML 1.2 does not', '', "${head}description: yes\n");
lone('problems of one file are reported together', 'E2002 s.yaml:2:1 E2010 s.yaml:4:3', "${head}nodes: {}\nimports:\n- nowhere.yaml\n");
gives('standard input', 'E2002 <stdin>:2:1', { in => "${head}nodes: {}\n" }, '-');
gives('--kind against the content', 'E0103 s.yaml:1:1', '--kind=muranopl', files('s.yaml' => $head) . '/s.yaml');

# ---- imports
my %types = ('types/t.yaml' => "${head}node_types:\n  N: {}\n", 'u.yaml' => "${head}node_types:\n  U: {}\n");
sub service { return $head . "imports:\n$_[0]service_template:\n  node_templates:\n    a: { type: $_[1] }\n" }
for (['a word', "- types/t.yaml\n", 'N'], ['a url', "- url: types/t.yaml\n", 'N'], ['a namespace', "- { url: types/t.yaml, namespace: x }\n", 'x:N'],
	['a file: URL', "- file:types/t.yaml\n", 'N'], ['dots', "- ./types/../types/t.yaml\n", 'N'], ['escapes', "- file:types%2ft.yaml\n", 'N']) {
	gives("an import: $_->[0]", '', files(%types, 's.yaml' => service($_->[1], $_->[2])) . '/s.yaml');
}
my $abs = files(%types);
gives('an absolute path', '', '--allow-dir', $abs, files('s.yaml' => service("- $abs/types/t.yaml\n", 'N')) . '/s.yaml');
gives('an absolute file: URL', '', '--allow-dir', $abs, files('s.yaml' => service("- file://$abs/types/t.yaml\n", 'N')) . '/s.yaml');
gives('the same with a host', '', '--allow-dir', $abs, files('s.yaml' => service("- file://localhost$abs/types/t.yaml\n", 'N')) . '/s.yaml');
gives('paths are seen from the importing file', '',
	files('s.yaml' => service("- a/a.yaml\n", 'B'), 'a/a.yaml' => "${head}imports: [ b/b.yaml ]\n", 'a/b/b.yaml' => "${head}node_types: { B: {} }\n") .
		'/s.yaml');
gives('without its namespace a name is unknown', 'E2020 s.yaml:6:16', files(%types, 's.yaml' => service("- { url: types/t.yaml, namespace: x }\n", 'N')) .
	'/s.yaml');
gives('1.x: file and namespace_prefix', '', files('t.yaml' => "${old}node_types:\n  N: { derived_from: tosca.nodes.Root }\n",
	's.yaml' => "${old}imports:\n- { file: t.yaml, namespace_prefix: x }\ntopology_template:\n  node_templates:\n    a: { type: x:N }\n") . '/s.yaml');
$text = gives('a file that is not there: what may have been in it is not missed', 'E2010 s.yaml:3:3',
	files('s.yaml' => service("- nowhere.yaml\n", 'N')) . '/s.yaml');
like($text, qr{there is no file .*/nowhere\.yaml}, 'its path is reported');
gives('a file that is broken is reported of once', 'E0201 b.yaml:2:1', files('b.yaml' => "a: [\n", 'c.yaml' => "${head}imports: [ b.yaml ]\n",
	's.yaml' => service("- b.yaml\n- c.yaml\n", 'N')) . '/s.yaml');
gives('imports that are no list leave names unknown', 'E2004 s.yaml:2:10', files('s.yaml' => <<"Y") . '/s.yaml');
${head}imports: t.yaml
service_template:
  node_templates:
    a: { type: N }
Y
gives('a diamond is read once', 'E2002 d.yaml:2:1', files('d.yaml' => "${head}oops: 1\nnode_types: { N: {} }\n", 'b.yaml' => "${head}imports: [ d.yaml ]\n",
	'c.yaml' => "${head}imports: [ ./d.yaml ]\n", 's.yaml' => service("- b.yaml\n- c.yaml\n- d.yaml\n", 'N')) . '/s.yaml');
my $linked = files(%types, 's.yaml' => service("- types/t.yaml\n- l.yaml\n", 'N'));
symlink 'types/t.yaml', "$linked/l.yaml";
gives('a link is the file that it leads to', '', "$linked/s.yaml");
$text = gives('a loop', 'E2011 b.yaml:2:12', files('s.yaml' => "${head}imports: [ a.yaml ]\n", 'a.yaml' => "${head}imports: [ b.yaml ]\n",
	'b.yaml' => "${head}imports: [ a.yaml ]\n") . '/s.yaml');
like($text, qr{a\.yaml imports \S*b\.yaml imports \S*a\.yaml}, 'and who takes part in it');
gives('a file that imports itself', 'E2011 s.yaml:2:12', files('s.yaml' => "${head}imports: [ s.yaml ]\n") . '/s.yaml');
gives('another version', 'E2012 s.yaml:2:12', files('s.yaml' => "${head}imports: [ t.yaml ]\n", 't.yaml' => $old) . '/s.yaml');
gives('NFV and 1.2 are one version', '', files('s.yaml' => "tosca_definitions_version: tosca_simple_profile_for_nfv_1_0\nimports: [ t.yaml ]\n",
	't.yaml' => "tosca_definitions_version: tosca_simple_yaml_1_2\n") . '/s.yaml');
lone('nothing to import', 'E2003 s.yaml:3:3', "${head}imports:\n- namespace: x\n");
lone('an empty import', 'E2005 s.yaml:3:3', "${head}imports:\n- ''\n");
lone('a url and a profile', 'E2007 s.yaml:4:3', "${head}imports:\n- url: a.yaml\n  profile: b\n");
lone('a repository and a profile', 'E2007 s.yaml:4:3', "${head}imports:\n- profile: b\n  repository: r\n");
gives('a namespace with a colon', 'E2008 s.yaml:3:35', files(%types, 's.yaml' => "${head}imports:\n- { url: types/t.yaml, namespace: 'a:b' }\n") . '/s.yaml');
gives('seen from the file and not from its folder', 'W2004 svc/s.yaml:3:3',
	files('svc/types/t.yaml' => $types{'types/t.yaml'}, 'svc/s.yaml' => service("- ../types/t.yaml\n", 'N')) . '/svc/s.yaml');

gives('which a url may not be', 'E2010 svc/s.yaml:3:8',
	files('svc/types/t.yaml' => $types{'types/t.yaml'}, 'svc/s.yaml' => service("- url: ../types/t.yaml\n", 'N')) . '/svc/s.yaml');

# ---- a copy of the profile that comes with a version replaces it
gives('a copy of the simple profile', '', files('p.yaml' => <<"Y",
${old}node_types:
  tosca.nodes.Root: {}
  tosca.nodes.Mine: { derived_from: tosca.nodes.Root }
Y
	's.yaml' => "${old}imports: [ p.yaml ]\ntopology_template:\n  node_templates:\n    a: { type: tosca.nodes.Mine }\n") . '/s.yaml');

# ---- repositories, URLs, --map, -I
gives('a repository', '', files(%types, 's.yaml' => <<"Y") . '/s.yaml');
${head}repositories:
  r: { url: file:types/ }
imports:
- { url: t.yaml, repository: r }
Y
gives('a repository by its short form', '', files(%types, 's.yaml' => <<"Y") . '/s.yaml');
${head}repositories: { r: types }
imports:
- { url: t.yaml, repository: r }
Y
$text = lone('a repository that is not declared', 'E2014 s.yaml:3:25', "${head}imports:\n- { url: a, repository: ous }\nrepositories: { ours: x }\n");
like($text, qr/did you mean 'ours'/, 'with what is nearly its name');
my $remote = files('s.yaml' => service("- https://example.com/types/t.yaml\n", 'N'));
$text = gives('a URL of the network', 'E2015 s.yaml:3:3', "$remote/s.yaml");
like($text, qr{--map https://example\.com/types/t\.yaml=PATH}, 'the hint says how to give it');
gives('--map of a URL', '', '--map', "https://example.com/types/t.yaml=$abs/types/t.yaml", "$remote/s.yaml");
gives('--map of what is below a URL', '', "--map=https://example.com=$abs", "$remote/s.yaml");
gives('--map of another one', 'E2015 s.yaml:3:3', "--map=https://example.com/typ=$abs", "$remote/s.yaml");
gives('--map to nowhere', 'E2010 s.yaml:3:3', "--map=https://example.com=$abs/nowhere", "$remote/s.yaml");
gives('-I: a folder with the path of the URL', '', '-I', $abs, "$remote/s.yaml");
gives('a URL below a repository', '', "--map=https://example.com=$abs",
	files('s.yaml' => "${head}repositories: { r: 'https://example.com/' }\nimports:\n- { url: types/t.yaml, repository: r }\n") . '/s.yaml');
gives('a URL with another scheme', 'E2015 s.yaml:3:3', files('s.yaml' => "${head}imports:\n- git:x\n") . '/s.yaml');
gives('a checkout of the repository', 'W2003 a/b/s.yaml:3:3', files('a/types/t.yaml' => $types{'types/t.yaml'},
	'a/b/s.yaml' => service("- https://raw.githubusercontent.com/o/r/refs/heads/main/types/t.yaml\n", 'N')) . '/a/b/s.yaml');
gives('the URL of a profile that vetro brings', '', files('s.yaml' =>
	service("- { url: https://example.com/x/profiles/org/oasis-open/simple/2.0/profile.yaml, namespace: t }\n", 't:Compute')) . '/s.yaml');

# ---- profiles by name
gives('a profile that vetro brings', '', files('s.yaml' => service("- { profile: 'org.oasis-open.simple:2.0', namespace: t }\n", 't:Compute')) . '/s.yaml');
my %base = ('base.yaml' => "${head}profile: org.example.base:1.0\nnode_types: { N: {} }\n");
my $wants = service("- profile: org.example.base:1.0\n", 'N');
gives('a profile of the same folder', '', files(%base, 's.yaml' => $wants) . '/s.yaml');
my $profiles = files('x/y/any.yaml' => $base{'base.yaml'}, 'x/bad.yaml' => "a: [\n", 'x/bin' => "\0\1");
my $user = files('s.yaml' => $wants);
gives('a profile below -I', '', '-I', $profiles, "$user/s.yaml");
gives('a profile by --map', '', "--map=org.example.base:1.0=$profiles/x/y/any.yaml", "$user/s.yaml");
$text = gives('a profile that is nowhere', 'E2013 s.yaml:3:12', "$user/s.yaml");
like($text, qr/-I DIR .* --map org\.example\.base:1\.0=PATH/, 'the hint says what can be done');
gives('a profile tree above the file', '', files('profiles/org/example/base/1.0/profile.yaml' => $base{'base.yaml'}, 'a/b/s.yaml' => $wants) . '/a/b/s.yaml');
gives('the file has to say that it is the profile', 'E2013 a/s.yaml:3:12', files('profiles/org/example/base/1.0/profile.yaml' => $head,
	'a/s.yaml' => $wants) . '/a/s.yaml');
$text = gives('another version of the profile', 'E2013 s.yaml:3:12', files(%base, 's.yaml' => service("- profile: org.example.base:2.0\n", 'N')) . '/s.yaml');
like($text, qr/did you mean 'org\.example\.base:1\.0'/, 'is named');
gives('a profile name that is a path', 'E2013 s.yaml:3:12', files('s.yaml' => "${head}imports:\n- profile: ../../etc\n") . '/s.yaml');
gives('a profile with blanks in its name', '', files('s.yaml' => "${head}profile: a b\n") . '/s.yaml');
gives('a profile with a line end in its name', 'E2008 s.yaml:2:10', files('s.yaml' => "${head}profile: \"a\\nb\"\n") . '/s.yaml');

# ---- archives
my $meta2 = "CSAR-Version: 2.0\nCreated-By: me\nEntry-Definitions: defs/s.yaml\n";
my $meta1 = "TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: defs/s.yaml\n";
my @svc = (['defs/s.yaml', service("- ../types/t.yaml\n- /u.yaml\n", 'N')], ['types/t.yaml', $types{'types/t.yaml'}], ['u.yaml', $types{'u.yaml'}]);
sub csar { return zip_file("$W/a.csar", @_) }
sub archive {
	my ($title, $want, @entries) = @_;
	my ($got, $text, $rc) = problems(csar(@entries));
	$got =~ s{\Q$W\E/a\.csar/?}{}g;
	ok($got eq $want, $title, "status $rc", "got:  $got", "want: $want", $text);
	return $text;
}
archive('TOSCA.meta at the top', '', ['TOSCA.meta', $meta2], @svc);
archive('TOSCA-Metadata/TOSCA.meta', '', ['TOSCA-Metadata/TOSCA.meta', $meta1], @svc);
archive('lines that end in CR LF, names in other case, more blocks', '',
	['TOSCA.meta', "csar-version: 2.0\r\nCreated-by: me\r\nEntry-Definitions: defs/\r\n s.yaml\r\n\r\nName: x\r\nno colon\r\n"], @svc);
archive('a folder around everything', '', map { ["top/$_->[0]", $_->[1]] } ['TOSCA.meta', $meta2], @svc);
gives('a directory', '', files('TOSCA.meta' => $meta2, map { @$_ } @svc));
gives('a directory without TOSCA.meta', '', files('only.yaml' => $head, 'types/t.yaml' => $head));
my $bare = "${head}metadata: { template_name: x, template_version: '1.0' }\n";
archive('one YAML file at the top', '', ['only.yaml', $bare], $svc[1]);
archive('which has to say what it is', 'E2016 only.yaml:1:1 E2016 only.yaml:1:1', ['only.yaml', $head]);
$text = archive('two of them', 'E2016 :1:1', ['a.yaml', $bare], ['b.yaml', $bare]);
like($text, qr/a\.yaml and b\.yaml/, 'are named');
archive('none', 'E2016 :1:1', ['readme.txt', 'x']);
for (['no CSAR-Version', 'E2016 TOSCA.meta:1:1', "Created-By: me\nTOSCA-Meta-File-Version: 1.0\nEntry-Definitions: defs/s.yaml\n"],
	['no Created-By', 'E2016 TOSCA.meta:1:1', "CSAR-Version: 2.0\nEntry-Definitions: defs/s.yaml\n"],
	['no Entry-Definitions', 'E2016 TOSCA.meta:1:1', "CSAR-Version: 2.0\nCreated-By: me\nEntry-Definition: defs/s.yaml\n"],
	['a version that does not exist', 'E2016 TOSCA.meta:1:15', <<'Y'],
CSAR-Version: 3.0
TOSCA-Meta-File-Version: 1.0
Created-By: me
Entry-Definitions: defs/s.yaml
Y
	['an entry that is not there', 'E2016 TOSCA.meta:3:20', "CSAR-Version: 2.0\nCreated-By: me\nEntry-Definitions: s.yaml\n"],
	['an entry outside', 'E2017 TOSCA.meta:3:20', "CSAR-Version: 2.0\nCreated-By: me\nEntry-Definitions: ../s.yaml\n"],
	['no metadata at all', 'E2016 TOSCA.meta:1:1', "nonsense, 1\nmore\n"],
		['empty metadata', 'E2016 TOSCA.meta:1:1 E2016 TOSCA.meta:1:1 E2016 TOSCA.meta:1:1 E2016 TOSCA.meta:1:1', '']) {
	archive("metadata: $_->[0]", $_->[1], ['TOSCA.meta', $_->[2]], @svc);
}
archive('other definitions', 'E2016 TOSCA.meta:4:20 E2002 o 1.yaml:2:1', ['TOSCA.meta', "${meta2}Other-Definitions: \"o 1.yaml\" no.yaml u.yaml\n"], @svc,
	['o 1.yaml', "${head}oops: 1\n"]);
archive('an import that leaves', 'E2017 s.yaml:4:3', ['s.yaml', $bare . "imports:\n- ../x.yaml\n"]);
archive('nor does a path of the system', 'E2010 s.yaml:4:3 E2010 s.yaml:5:3', ['s.yaml', $bare . "imports:\n- /etc/hostname\n- file:///etc/hostname\n"]);
archive('an import that is not there', 'E2010 defs/s.yaml:3:3 E2010 defs/s.yaml:4:3', ['TOSCA.meta', $meta2], $svc[0]);
my $out = files('TOSCA.meta' => $meta2, map { @$_ } @svc);
unlink "$out/types/t.yaml";
symlink '/etc/hostname', "$out/types/t.yaml";
like((problems($out))[0], qr/^E0106 types\/t\.yaml/, 'nor a link');
archive('a profile in the archive', '', ['s.yaml', $bare . <<'Y'], ['p/base.yaml', $base{'base.yaml'}]);
imports:
- profile: org.example.base:1.0
service_template: { node_templates: { a: { type: N } } }
Y
archive('artifacts that are not there', 'E2058 defs/s.yaml:6:31 E2058 defs/s.yaml:12:34', ['TOSCA.meta', $meta2], ['files/a.sh', ''],
	['defs/s.yaml', $head . <<'T']);
artifact_types: { A: {} }
interface_types: { I: { operations: { one: {}, two: {}, three: {} } } }
node_types:
  N:
    artifacts: { bad: { file: a.sh, type: A }, good: { file: ../files/a.sh, type: A }, far: { file: 'https://example.com/a', type: A } }
    interfaces:
      i:
        type: I
        operations:
          one: { implementation: good }
          two: { implementation: nowhere.sh }
          three: { implementation: { primary: ../files/a.sh } }
T
gives('what is no archive in spite of its name', 'E2016 n.csar:1:1', files('n.csar' => 'text') . '/n.csar');
csar(['TOSCA.meta', $meta2], @svc, ['../out', '']);
like((problems("$W/a.csar"))[0], qr/^E0105 /, 'an archive with a name that leaves');
csar(['TOSCA.meta', $meta2], @svc, ['defs/l', '../../../etc', { mode => 0120777 }]);
like((problems("$W/a.csar"))[0], qr/^E0106 /, 'an archive with a link that leaves');
csar(['TOSCA.meta', $meta2], ['defs/s.yaml', $head, { size => 3 << 30 }]);
like((problems("$W/a.csar"))[0], qr/^E0102 /, 'an archive with a file of gigabytes');
spew("$W/imports/s.yaml", $head . <<'Y');
imports:
- { url: ../a.csar }
- { url: ../d.csar, namespace: d }
service_template: { node_templates: { a: { type: N }, b: { type: 'd:U' } } }
Y
csar(['TOSCA.meta', $meta2], @svc);
zip_file("$W/d.csar", ['TOSCA.meta', $meta2], @svc);
gives('an import of an archive', '', "$W/imports/s.yaml");

# ---- input that means no good
my ($depth, $wide) = (3000, 3000);
my $chain = files(map { ("c$_.yaml" => $head . "imports: [ c" . ($_ + 1) . ".yaml ]\n") } 1 .. $depth);
spew("$chain/c" . ($depth + 1) . '.yaml', "${head}imports: [ c1.yaml ]\n");
like((problems("$chain/c1.yaml"))[0], qr/^E2011 c3001\.yaml:2:12$/, 'a loop of 3,001 files');
my $fan = files('t.yaml' => $head, 's.yaml' => $head . "imports:\n" . "- t.yaml\n" x $wide);
gives('a file imported 3,000 times', '', "$fan/s.yaml");
lone('aliases that double', 'E0203 s.yaml:21:20', $head . "dsl_definitions:\n  a0: &a0 [x, x]\n" .
	join('', map { "  a$_: &a$_ [*a" . ($_ - 1) . ", *a" . ($_ - 1) . "]\n" } 1 .. 60));
like((problems(files('s.yaml' => $head . 'description: ' . '[' x 100000 . "\n") . '/s.yaml'))[0], qr/^E0202 s\.yaml:2:/, 'deep nesting');
like((problems(files('s.yaml' => "$head\xff\n") . '/s.yaml'))[0], qr/^E0109 s\.yaml:2:1/, 'what is no text');
like((problems(files('s.yaml' => "${head}a: b\0\n") . '/s.yaml'))[0], qr/^E0109/, 'a NUL');

# ---- vetro tosca
my %inputs = ('in.yaml' => "size: 3\nname: file\n", 'in.json' => '{"size": 4}', 'bad.yaml' => "- 1\n", 'more.yaml' => "sise: 1\nsize: 1\n");
my $both = files(%inputs, 's.yaml' => <<'T');
tosca_definitions_version: tosca_2_0
node_types:
  N: { properties: { size: { type: integer }, name: { type: string } } }
service_template:
  inputs:
    size: { type: integer, description: how large }
    name: { type: string, default: none }
    tags: { type: list, entry_schema: string, required: false }
  node_templates:
    a: { type: N, properties: { size: { $get_input: size }, name: { $get_input: name } } }
  outputs:
    it: { description: what came of it, value: { $get_input: name } }
T
sub run_it {
	my (@args) = @_;
	my ($rc, $out, $err) = vetro('tosca', "$both/s.yaml", @args);
	$err =~ s/\Q$both\E\///g;
	return ($rc, $out, $err);
}
sub outcome {
	my ($title, $want, @args) = @_;
	my ($rc, $out, $err) = run_it(@args);
	my $got = $rc ? join(' ', $err =~ /^(\S+ ?\S*?:\d+:\d+|\S+): (?=error)/mg) . ' ' . join(' ', $err =~ /\[(\w+)\]/g)
		: eval { my $v = decode_json($out)->{nodes}{a}{properties}; "$v->{size} $v->{name}" };
	ok(defined $got && $got eq $want, $title, "status $rc", "got:  " . ($got // $out), "want: $want", $err);
	return $err;
}
outcome('--input', '3 x', '--input', 'size=3', '--input=name=x');
outcome('a value is YAML', '3 3', '--input', 'size=3', '--input', 'name="3"');
outcome('--inputs', '3 file', '--inputs', "$both/in.yaml");
outcome('--inputs in JSON', '4 none', "--inputs=$both/in.json");
outcome('the last one counts, and words before files', '4 word', "--inputs=$both/in.yaml", '--inputs', "$both/in.json", '--input', 'name=word');
outcome('a value with = in it', '1 a=b', '--input', 'size=1', '--input', 'name=a=b');
like((run_it())[2], qr/error\[E2081\]/, 'an input that is missing');
is((run_it())[0] . (run_it())[1], '1', 'means status 1 and no result');
my $err = outcome('an input that does not exist', '--input nmae:1:1 E2080', '--input', 'size=1', '--input', 'nmae=x');
like($err, qr/did you mean 'name'/, 'with what is nearly its name');
outcome('the same in a file', 'more.yaml:1:1 E2080', '--inputs', "$both/more.yaml");
outcome('inputs that are no map', 'bad.yaml:1:1 E2004', '--input', 'size=1', '--inputs', "$both/bad.yaml");
like((run_it('--input', 'size=[', '--input', 'name=x'))[2], qr/^--input size:\d+:\d+: error\[E0201\]/m, 'a value that is no YAML');
like((run_it('--input', 'size=x'))[2], qr/error\[E2040\]/, 'a value of another type');
like((run_it('--inputs', "$both/nowhere"))[2], qr/error\[E0101\]/, 'a file of inputs that is not there');
gives('`vetro check` does without inputs', '', "$both/s.yaml");
my ($rc, $list) = run_it('--list');
my $l = eval { decode_json($list) } || {};
is(join(' ', $rc, map { my $i = $l->{inputs}{$_}; "$_:$i->{type}:" . ($i->{required} ? 1 : 0) } sort keys %{ $l->{inputs} || {} }),
	'0 name:string:0 size:integer:1 tags:list:0', '--list: inputs');
is(join(' ', $l->{inputs}{size}{description} // '', $l->{inputs}{name}{default} // '', $l->{inputs}{tags}{entry_schema} // '',
	$l->{outputs}{it}{description} // ''),
	'how large none string what came of it', '--list: what is said of them');
my @good = ('--input', 'size=3');
my $types = $head . "node_types: { DB: { properties: { size: { type: integer } } }, Host: { properties: { cpus: { type: integer } } } }\n";
my $both_meta = "CSAR-Version: 2.0\nCreated-By: me\nEntry-Definitions: s.yaml\nOther-Definitions: db.yaml\n";
my $sub = files('t.yaml' => $types, 's.yaml' => $head . <<'S', 'db.yaml' => $head . <<'D', 'TOSCA.meta' => $both_meta);
imports: [ t.yaml ]
service_template: { node_templates: { db: { type: DB, directives: [ substitute ], properties: { size: 3 } } } }
S
imports: [ t.yaml ]
service_template:
  inputs: { n: { type: integer } }
  node_templates: { host: { type: Host, properties: { cpus: { $get_input: n } } } }
  substitution_mappings: { node_type: DB, properties: { size: n } }
D
for (['a second FILE', "$sub/s.yaml", "$sub/db.yaml"], ['--service, in front', '--service', "$sub/db.yaml", "$sub/s.yaml"], ['Other-Definitions', $sub]) {
	my ($title, @args) = @$_;
	my (undef, $out, $err) = vetro('tosca', @args);
	my $inside = eval { decode_json($out)->{nodes}{db}{substitution}{nodes}{host}{properties}{cpus} };
	is($inside // $err, 3, "substitutes: $title");
}
like((run_it(@good, '--max-nodes=1', '--max-steps=1'))[2], qr/error\[E2090\]/, 'limits are options');
like((vetro('tosca', '-Werror', '-I', '.', files('svc/types/t.yaml' => $head,
	'svc/s.yaml' => "${head}imports: [ ../types/t.yaml ]\nservice_template: { node_templates: {} }\n") .
	'/svc/s.yaml'))[2], qr/error\[W2004\]/, '-Werror');
my ($line, $lines) = ((run_it(@good))[1], (run_it(@good, '-p'))[1]);
ok(scalar($line =~ /^\{.*\}\n\z/), 'one line where nobody looks', $line);
like($lines, qr/\n  "/, '-p: many');
like((run_it(@good, '-f', 'yaml'))[1], qr/^nodes:$/m, '-f yaml');
for (qw(topology clout mugl yaml dot)) {
	my ($rc, $out, $err) = run_it(@good, '-f', $_);
	ok($rc == 0 && length $out && $err eq '', "-f $_", $err);
}
like((vetro({ in => $head . "service_template: { node_templates: {} }\n" }, 'tosca', '-'))[1], qr/"nodes":/, 'standard input');
like((vetro('tosca', '--format=json', files('s.yaml' => "${head}oops: 1\n") . '/s.yaml'))[2], qr/^\{"code":"E2002"/, '--format=json, on standard error');
for my $bad ([], ['--nope', 'x'], ['x', '-f'], ['x', '-f', 'soup'], ['x', '--input', 'a'], ['x', '--input', '=1'], ['x', '--map', 'a'], ['x', '--max-errors=0'],
	['x', '--max-nodes', 'many'], ['x', '--format=xml'], ['-I']) {
	my ($rc, $o, $e) = vetro('tosca', @$bad);
	ok($rc == 2 && $o eq '' && $e =~ /^vetro: .*\nhint: see 'vetro help tosca'/, "bad usage: @$bad", $rc, $e);
}
like((vetro('help', 'tosca'))[1], qr/--map URL=PATH/, 'vetro help tosca');
is((vetro('check', '--kind=soup', 'x'))[0], 2, 'a kind that does not exist');
done();
