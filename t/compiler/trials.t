#!/usr/bin/env perl
# What newcomers ran into: each message says the next step.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

mkdir "$W/p";
mkdir "$W/p/Classes";
spew("$W/p/manifest.yaml", <<'Y');
Format: 1.4
Type: Application
FullName: com.ex.App
Name: App
Classes: {com.ex.App: App.yaml}
Y

sub class_of {
	my ($body) = @_;
	spew("$W/p/Classes/App.yaml", <<"Y");
Namespaces: {=: com.ex}
Name: App
Properties:
  name: {Contract: \$.string(), Default: x}
Methods:
  deploy:
    Scope: Public
    Body:
$body
  hidden:
    Body: [{Return: 1}]
Y
	return;
}

sub says {
	my ($title, $pattern, @args) = @_;
	my ($rc, $out, $err) = vetro({ dir => $W }, @args);
	like($err, $pattern, $title) or print "# $out\n";
	return ($rc, $out, $err);
}

class_of('      - Return: 1');
spew("$W/m.json", '{"Objects": {"?": {"type": "com.ex.App", "id": "a"}, "name": "n"}}');
spew("$W/short.json", '{"Objects": {"?": {"type": "App", "id": "a"}}}');

# ---- versions of types in models ----
sub manifest {
	my ($version) = @_;
	spew("$W/p/manifest.yaml", slurp("$W/p/manifest.yaml") =~ s/\n(?:Version:.*\n)?Classes/\nVersion: $version\nClasses/r);
}
sub model_of { spew("$W/version.json", qq({"Objects": {"?": {"type": "com.ex.App$_[0]", "id": "a"$_[1]}, "name": "n"}})) }
manifest('1.2.0');
model_of('', '');
says('a type without a version', qr{is of version 1\.2\.0, and a type without a version means one below 1\n.*hint: write "com\.ex\.App/1\.2\.0"}s,
	'check', "$W/p", '--model', "$W/version.json");
for (['/1', ''], ['/>=1.1,<2', ''], ['', ', "classVersion": "1.2"'], ['/1@com.ex.App', ', "classVersion": "7"']) {
	model_of(@$_);
	my ($status, undef, $said) = vetro('check', "$W/p", '--model', "$W/version.json");
	is("$status $said", '0 ', "the version fits: @$_");
}
for (['/2', ''], ['/>1.2', ''], ['', ', "classVersion": "0.9"']) {
	model_of(@$_);
	says("a version that there is not: @$_", qr/the package of class "com\.ex\.App" is of version 1\.2\.0\n/,
		'check', "$W/p", '--model', "$W/version.json");
}
manifest('0.2.0');

# ---- running a package ----
says('an option of the program is sent behind --', qr/unknown option --model\n.*stands behind --: \.\.\. -- run --model/s,
	'run', "$W/p", '--model', "$W/m.json");
my ($rc, $answer) = vetro('run', "$W/p", '--', 'run', '--model', "$W/m.json", '--call', 'deploy');
is($rc, 0, 'the package runs');
spew("$W/answer.json", $answer);
($rc) = says('the answer of a run is no model', qr/answer\.json is the answer of a run; its model stands below "model"/,
	'run', "$W/p", '--', 'run', '--model', "$W/answer.json");
ok($rc != 0, 'and that is a failure');
says('with a method to call too', qr/answer of a run/, 'run', "$W/p", '--', 'run', '--model', "$W/answer.json", '--call', 'deploy');
says('what makes a method public', qr/hidden is not an action\n\s+hint: Scope: Public makes a method one/,
	'run', "$W/p", '--', 'run', '--model', "$W/m.json", '--call', 'hidden');
says('the full name of a class', qr/class "App" is not found: a model names classes in full, "com\.ex\.App"/,
	'run', "$W/p", '--', 'run', '--model', "$W/short.json");

# ---- services ----
sub service {
	my ($title, $text, $code, $hint) = @_;
	spew("$W/s.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\n$text");
	says($title, qr/\[$code\].*\n.*\n.*\n\s+hint: \Q$hint\E\n/, 'check', "$W/s.yaml");
}
my $type = 'node_types: { A: { derived_from: tosca.nodes.Root, properties:';
service('a property that is its type', "$type { size: integer } } }\n", 'E2004', 'size: { type: integer }');
for (['int', 'integer'], ['bool', 'boolean'], ['str', 'string'], ['number', 'float'], ['array', 'list'], ['object', 'map']) {
	service("the type $_->[0]", "$type { size: { type: $_->[0] } } } }\n", 'E2020', "did you mean '$_->[1]'?");
}
my $nodes = 'topology_template: { node_templates: { a: { type: tosca.nodes.Compute,';
service('values beside properties', "$nodes colour: red } } }\n", 'E2002', 'values stand below properties: { colour: ... }');
service('also of a capability', "$nodes capabilities: { host: { num_cpus: 2 } } } } }\n", 'E2002', 'values stand below properties: { num_cpus: ... }');
service('a property beside those of a type', "node_types: { A: { derived_from: tosca.nodes.Root, size: { type: integer } } }\n", 'E2002',
	'a property stands below properties: { size: { type: ... } }');
service('nodes beside the nodes', "topology_template: { web: { type: tosca.nodes.Compute } }\n", 'E2002',
	'nodes stand below node_templates: { web: { type: ... } }');
service('requirements that are a map', "$nodes requirements: { dependency: a } } } }\n", 'E2004', 'a dash stands before each: - dependency: ...');

# ---- checking it ----
class_of("      - \$y = 1\n      - Return: \$y");
says('= is no assignment', qr/:9:9: error\[W1038\].*\n.*\n.*\n\s+hint: = compares; an assignment is \$y: VALUE/,
	'check', "$W/p");
class_of("      - If \$x > 2:\n        Then: [{Return: 1}]");
says('a block without its colon', qr/E0701\].*\n.*\n.*\n\s+hint: it is written If: \$x > 2/, 'check', "$W/p");
class_of('      - Return: new(com.ex.App)');
says('a class without quotes', qr/W1040\].*\n.*\n.*\n\s+hint: the name of a class in full stands in quotes: "com\.ex\.App"/,
	'check', "$W/p");

class_of('      - Return: new(org.example.Other)');
says('also one that nobody has', qr/hint: the name of a class in full stands in quotes: "org\.example\.Other"/, 'check', "$W/p");
# Dotted names that no package has.
my $dotted = qr/hint: a text with dots stands in quotes: /;
for (["format('{0}', www.example.org)", '"www\.example\.org"'], ['concat(a, nginx.conf)', '"nginx\.conf"'], ['str(name.lenght)', '"name\.lenght"'],
	['dict(file => site.tar.gz).file', '"site\.tar\.gz"']) {
	class_of("      - Return: $_->[0]");
	says("a dotted text: $_->[0]", qr/W1040\].*\n.*\n.*\n\s+$dotted$_->[1]; a property or variable begins with \$/, 'check', "$W/p");
	says("in a query: $_->[0]", qr/E4101\].*\n.*\n.*\n\s+$dotted$_->[1]; a path begins with \$/, 'query', '-n', $_->[0]);
}
for ('$.name.lenght', "'a'.lenght", 'str(1).lenght', '$x.a.b', 'foo.bar(1)') {
	class_of("      - \$x: \$.name\n      - Return: str($_)");
	unlike((vetro('check', "$W/p"))[2], $dotted, "no text: $_");
	unlike((vetro('query', '-n', "str($_)"))[2], $dotted, "nor in a query: $_");
}
for ("'a' + \$b", '"a" + b', '[1, 2].len()', '{a: 1}.keys()') {
	class_of("      - Return: $_");
	says("an expression that YAML ends too soon: $_", qr/E0201\].*hint: a value that begins with a quote or a bracket ends with it: /s, 'check', "$W/p");
}
class_of('      - Return: name.lenght');
my (undef, undef, $plain) = vetro('check', "$W/p");
unlike($plain, qr/stands in quotes/, 'a misspelt property is no class');

# ---- templates and configurations ----
spew("$W/t.yaml", <<'Y');
tosca_definitions_version: tosca_2_0
interface_types: {S: {operations: {create: {}}}}
node_types: {N: {interfaces: {Standard: {type: S}}}}
service_template:
  inputs:
    port: {type: integer, $get_input: q}
    q: {type: integer}
  node_templates:
    a: {type: N, interfaces: {Standard: {create: create.sh}}}
Y
my (undef, undef, $err) = says('operations have a keyname',
	qr/no keyname 'create'\n.*\n.*\n\s+hint: operations stand below operations: \{ create: /, 'check', "$W/t.yaml");
like($err, qr/no keyname '\$get_input'\n.*\n.*\n\s+hint: a function stands below default or value/,
	'a function in the definition of an input');
my $text = slurp("$W/t.yaml");
spew("$W/typo.yaml", $text =~ s/Standard: \{create: create\.sh\}/Standard: {operatons: {create: create.sh}}/r);
says('a misspelt keyname is told as one', qr/no keyname 'operatons'\n.*\n.*\n\s+hint: did you mean 'operations'/, 'check', "$W/typo.yaml");
mkdir "$W/dir";
(undef, undef, $err) = says('a folder is no configuration', qr/E3009\]: '\S+dir' cannot be read: Is a directory/, 'yay', "$W/dir");
is(scalar(() = $err =~ /error\[/g), 1, 'which is said once');
spew("$W/y.yay", "a: {b: 1}\n");
says('mappings of Yay have no braces', qr/hint: a mapping has no braces/, 'yay', "$W/y.yay");

# ---- a second round ----
is((says('a prefix has a colon', qr/hint: behind a prefix of Namespaces stands a colon: std:Application/, 'check', package_dir('dots', {
	'manifest.yaml' => "{Format: '1.4', Type: Library, FullName: com.d, Classes: {com.d.A: A.yaml}}\n",
	'Classes/A.yaml' => "Namespaces: {=: com.d, std: io.murano}\nName: A\nExtends: std.Application\n"})))[0], 1, 'which is an error');
says('the manifest is no package', qr/E0103.*\n\s+hint: name the directory of the package: /, 'check', "$W/p/manifest.yaml");
for (['$name == 1', qr/YAQL compares with =/], ['$name ? 1', qr/a choice is switch\(/], ['$name && true', qr/YAQL has `and`/],
	['$name % 2', qr/YAQL has `mod`/]) {
	class_of("      - \$name: 1\n      - Return: $_->[0]");
	says("$_->[0]: what YAQL has for it", qr/hint: $_->[1]/, 'check', "$W/p");
}
class_of('      - $.f({a: $.name}).n');
says('a dict of an expression', qr/hint: a dict of an expression is \{key => value\}, for ': ' ends a plain text/, 'check', "$W/p");
class_of("      - \$.f({'?': {a: 1}}).n, 1");
says('a dict of an expression that is no YAML', qr/hint: ': ' ends a plain text: a dict of an expression is \{key => value\}, an argument by/,
	'check', "$W/p");
class_of('      - Return: $.name');
spew("$W/bare.json", '{"name": "x"}');
says('a model without a type', qr/bare\.json has no Objects, so it is no model\n\s+hint: a model is \{"Objects": \{"\?"/,
	'run', "$W/p", '--', 'run', '--model', "$W/bare.json");
for my $key (qw(objects Object Objekts)) {
	spew("$W/slip.json", qq({"$key": {"?": {"type": "com.ex.App", "id": "a"}}}));
	my ($status) = says("a misspelt $key", qr/slip\.json has no Objects, so it is no model\n\s+hint: did you mean "Objects"\?\n/,
		'run', "$W/p", '--', 'run', '--model',
		"$W/slip.json");
	is($status, 1, 'and that is a failure');
}
spew("$W/slip.json", '{"Objects": {"?": {"type": "com.ex.App", "id": "a"}}, "attributes": []}');
my ($slip) = says('another part of it', qr/a model has no "attributes"\n\s+hint: did you mean "Attributes"\?\n/,
	'run', "$W/p", '--', 'run', '--model', "$W/slip.json");
is($slip, 1, 'is a failure too');
says('which the check finds', qr/slip\.json:1:\d+: error\[W1066\]: a model has no "attributes"\n.*\n.*\n\s+hint: did you mean "Attributes"/,
	'check', "$W/p", '--model',
	"$W/slip.json");
for (['{}', 1], ['{"Objects": null}', 0], ['{"ObjectsCopy": null}', 0]) {
	spew("$W/slip.json", $_->[0]);
	my ($status) = vetro('run', "$W/p", '--', 'run', '--model', "$W/slip.json");
	is($status, $_->[1], "the model $_->[0]");
}
spew("$W/yaml.yaml", "name: x\n");
says('a model in YAML', qr/hint: JSON is wanted here/, 'run', "$W/p", '--', 'run', '--model', "$W/yaml.yaml");
spew("$W/m.json", '{"?": {"type": "com.ex.App"}, "name": 5, "nmae": 1}');
says('a method that is not there', qr/Method "depoly" is not found\n\s+hint: public methods: deploy;/, 'run', "$W/p", '--', 'run', '--model', "$W/m.json",
	'--call', 'depoly');
spew("$W/list.json", '{"Objects": [{"?": {"type": "com.ex.App"}}]}');
says('a model that cannot be loaded', qr/hint: `vetro check PACKAGE --model \S+list\.json` finds all that is wrong/, 'run', "$W/p", '--',
	'run', '--model', "$W/list.json");
says('a bracket that is open', qr/hint: a bracket is not closed/, 'query', '-n', '[1, 2].where($ > 1');
says('a function without brackets', qr/hint: what a function takes stands in brackets/, 'query', '-n', 'len $');
says('a file before the expression', qr/hint: the expression comes first/, 'query', "$W/m.json", '$.first()');
spew("$W/none.yaml", "node_templates:\n  web: {type: WebServer}\n");
says('a template without a version', qr/there is no tosca_definitions_version/, 'check', "$W/none.yaml");
spew("$W/two.yaml", "tosca_definitions_version: tosca_2_0\ntopology_template: {}\n");
says('a topology of 2.0', qr/hint: TOSCA 1\.x has it; in 2\.0 it is called service_template/, 'check', "$W/two.yaml");
# ---- packages: what other languages write ----
for (["      - If: n > 1\n        Then: [{Return: 1}]", qr/hint: a word without \$ is a text; the variable is \$n, the property \$\.n/],
	['      - $x: new Foo()', qr/hint: an object is made by new\(Class/],
	["      - If: \$.name = x\n        Then: []\n        Elif: true", qr/hint: another If stands below Else/],
	['      Return 1', qr/hint: a colon is missing: Return: 1/],
	['      - print("x")', qr/hint: logger\('NAME'\)\.info/]) {
	my ($body, $wants) = @$_;
	class_of($body);
	says("package: $body" =~ s/\n.*//sr, $wants, 'check', "$W/p");
}
class_of('      - Return: 1');
my $class = slurp("$W/p/Classes/App.yaml");
for (['string', qr/hint: write name: \{Contract: \$\.string\(\)\}/], ['Widget', qr/hint: write name: \{Contract: \$\}/],
	['{Contract: $.string}', qr/"string" is not called.*hint: write string\(\)/s],
	['{Contract: $.int().notNull}', qr/hint: write notNull\(\)/]) {
	my ($declared, $wants) = @$_;
	spew("$W/p/Classes/App.yaml", $class =~ s/name: \{.*\}/name: $declared/r);
	says("package: name: $declared", $wants, 'check', "$W/p");
}
spew("$W/p/Classes/App.yaml", $class);

# ---- configurations: what somebody writes who comes from YAML, Jinja or Python ----
for (["x = 3\n", qr/hint: a key is written NAME: VALUE, and a name that is not in the result set NAME = EXPRESSION/],
	["a: {{ 1..3 }}\n", qr/hint: .*range\(1, 4\)/],
	["let x = 3\n", qr/hint: it is written set NAME = EXPRESSION/], ["import \"x.yay\"\n", qr/hint: it is written include "FILE\.yay"/],
	["def f(x):\n    a: 1\n", qr/hint: .*macro NAME:.*call NAME:/], ["while 1:\n    a: 1\n", qr/hint: the only loop is for NAME in LIST:/],
	["{% if x %}\n", qr/hint: there are no \{% %\}/], ["macro m(x):\n    a: 1\n", qr/hint: a macro names no parameters/],
	["else:\n    a: 1\n", qr/hint: it stands at the column of its if/],
	["a: {{ len(b }}\n", qr/hint: the \( before it is not closed/], ["a: {{ x ? 1 : 2 }}\n", qr/hint: it is written A if CONDITION else B/],
	["a: {{ x if y }}\n", qr/hint: .*A if CONDITION else B/], ["a: {{ b && c }}\n", qr/hint: it is written and/],
	["a: {{ !b }}\n", qr/hint: it is written not CONDITION/],
	["a: {{ \$b }}\n", qr/hint: a name stands there without a dollar/], ["a: {{ f\"x\" }}\n", qr/hint: values stand in templates of the text itself/],
	["a: {{ x or \"d\" }}\n", qr/hint: .*stands behind else/], ["a: {{ b | up }}\nb: x\n", qr/hint: there are no filters/],
	["a: {{ b.up() }}\nb: x\n", qr/hint: a text or a number has no keys and no methods/],
	["a: [80, 443]\n", qr/warning\[W3005\]: this is a text, and no list.*hint: items stand on lines of their own/s],
	["a:\n    - [1, 2]\n", qr/:2:7: warning\[W3005\]/],
	["a: {{ [1, 2].append(3) }}\n", qr/hint: .*lists have no methods, and \+ joins them/],
	["for i in range(3):\n    - {{ i }}\n", qr/hint: .*a list stands there: give it a key/]) {
	my ($text, $wants) = @$_;
	spew("$W/trial.yay", $text);
	says("Yay: $text" =~ s/\n.*//sr, $wants, 'yay', "$W/trial.yay");
}
spew("$W/trial.yay", "a: \"[80, 443]\"\n");
is((vetro('yay', '-c', "$W/trial.yay"))[2], '', 'a text with brackets that is in quotes is meant');

# ---- queries: what jq, Python and JavaScript write ----
spew("$W/in.json", '{"list": [{"name": "a", "n": 1}, {"name": "b", "n": 2}], "n": 3}');
for (['$.list.sum($.n)', qr/hint: of a key of each item it is select\(\$\.n\)\.sum\(\)/],
	['sum($.list.n)', qr/hint: it is called on the list: \$\.list\.n\.sum\(\)/],
	['$.list[].name', qr/of every item a key is taken without \[\]/], ['$.list.groupBy($.n)[0]', qr/hint: .*first\(\) takes the first/],
	['$.list.where($.name.contains("a"))', qr/hint: in a text it is: "part" in/], ['$.list.select(upper($.name))', qr/hint: it is: \$\.toUpper\(\)/],
	['$.list.forEach($)', qr/hint: it is: \$\.select/], ['$.list.where($.n in 1,2)', qr/hint: a list stands in brackets: in \[1, 2\]/],
	['$.list.count($)', qr/hint: vetro explain count says/],
	['$.list.select(x => x.name)', qr/hint: the item is \$/], ['$.n ? 1 : 2', qr/hint: a choice is switch/],
	['$.list.select({name => $.name, n})', qr/hint: in an object each key has a value/],
	['$.list.orderBy(n)', qr/warning: the word n is a text here, the same for all items.*hint: the key of an item is \$\.n/s]) {
	my ($text, $wants) = @$_;
	says("query: $text", $wants, 'query', $text, "$W/in.json");
}
is((vetro('query', '-c', '$.list.orderBy($.n).count()', "$W/in.json"))[2], '', 'and says nothing of what is right');
# ---- templates of TOSCA and Heat ----
my $tosca = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n";
my $vm = "    a: {type: tosca.nodes.Compute}\n";
my $heat = "heat_template_version: 2018-08-31\n";
for (['num_cpus', "$tosca    a: {type: tosca.nodes.Compute, properties: {num_cpus: 2}}\n", qr/hint: the capability 'host' has it: capabilities: \{ host:/],
	['a list of nodes', "$tosca  - a: {type: tosca.nodes.Compute}\n", qr/hint: each has its name for a key, and no dash before it/],
	['get_attr', "$tosca$vm  outputs: {ip: {value: {get_attr: [a, private_address]}}}\n", qr/hint: did you mean 'get_attribute'\?/],
	['a parameter', "${heat}resources:\n  v: {type: OS::Heat::Value, properties: {value: {get_param: f}}}\n",
		qr/hint: it is declared below parameters: f: \{ type: string \}/],
	['a type alone', "${heat}parameters: {f: string}\nresources: {v: {type: OS::Heat::None}}\n", qr/hint: \{ type: string \}/],
	['a list of resources', "${heat}resources:\n- v: {type: OS::Heat::None}\n", qr/hint: each has its name for a key, and no dash before it/],
	['an output', "${heat}resources: {v: {type: OS::Heat::None}}\noutputs: {o: {get_attr: [v, show]}}\n", qr/hint: value: \{ get_attr: \.\.\. \}/]) {
	my ($what, $text, $wants) = @$_;
	spew("$W/trial.yaml", $text);
	says("template: $what", $wants, 'check', "$W/trial.yaml");
}
# ---- templates of others ----
for (["AWSTemplateFormatVersion: '2010-09-09'\nResources: {}\n", 'yaml'], [qq({ "AWSTemplateFormatVersion": "2010-09-09" }\n), 'json'],
	["# for Heat\nHeatTemplateFormatVersion: '2012-12-12'\n", 'yaml']) {
	spew("$W/stack.$_->[1]", $_->[0]);
	says('a template of CloudFormation',
		qr{is a template of CloudFormation.*hint: Heat takes it as it is; vetro reads templates with heat_template_version}s,
		'check', "$W/stack.$_->[1]");
}
# ---- slips that had a message and no next step
spew("$W/s.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: base.yaml\n");
says('one import without a list', qr/E2004\]: imports must be a list, not a string\n.*\n.*\n\s+hint: a list of one is \[base\.yaml\]\n/, 'check', "$W/s.yaml");
for (['inlcude "base.yay"', 'include'], ['cal greet:', 'call'], ['inclde "a.yay"', 'include']) {
	my ($line, $meant) = @$_;
	spew("$W/slip.yay", "a: 1\n$line\n");
	says("a misspelt directive: $line", qr/slip\.yay:2:.*\n.*\n.*\n\s+hint: did you mean $meant\?/, 'yay', "$W/slip.yay");
}
spew("$W/p/manifest.yaml", "Format: 1.4\nType: Application\nFullName: com.ex.App\nName: App\nClasses: {com.ex.App: App.yml}\n");
says('another ending of a file', qr/E0408\]: the package has no file Classes\/App\.yml\n.*\n.*\n\s+hint: did you mean App\.yaml\?/, 'check', "$W/p");
spew("$W/p/manifest.yaml", "Format: 1.4\nType: Application\nFullName: com.ex.App\nName: App\nClasses: {com.ex.App: App.yaml}\n");
for (['std:Applicaton', 'io\.murano\.Application'], ['std:Enviroment', 'io\.murano\.Environment']) {
	spew("$W/p/Classes/App.yaml", "Namespaces: {=: com.ex, std: io.murano}\nName: App\nExtends: $_->[0]\n");
	says("a class of the core library alone: $_->[0]", qr/E0601\].*\n.*\n.*\n\s+hint: did you mean "$_->[1]"\?/, 'check', "$W/p");
}
class_of("      - \$x: \$.f(dict(a: 1))");
says('arguments by name with a colon', qr/E0201\].*(?:\n.*){2}\n\s+hint: ': ' ends a plain text: .*an argument by name is name => value/, 'check', "$W/p");

done();
