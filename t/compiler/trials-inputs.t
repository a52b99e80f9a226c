#!/usr/bin/env perl
# What newcomers give where something else is meant: files of another kind, models, forms, words of the command line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

mkdir "$W/$_" for qw(p p/Classes p/UI folder);
spew("$W/p/manifest.yaml", <<'Y');
Format: 1.4
Type: Application
FullName: com.ex.App
Name: App
Classes: {com.ex.App: App.yaml}
Y
spew("$W/p/Classes/App.yaml", <<'Y');
Namespaces: {=: com.ex}
Name: App
Properties:
  name: {Contract: $.string().notNull()}
Y

# One message, its status, and what it says.
sub says {
	my ($title, $pattern, @args) = @_;
	my ($rc, $out, $err) = vetro({ dir => $W }, @args);
	like($err, $pattern, $title) or print "# $out\n";
	my $errors = () = $err =~ /error\[/g;
	ok($rc != 0 && $errors <= 1, "$title: one message and a failure", "status $rc, $errors errors", $err);
	return;
}

# ---- files ----
spew("$W/empty.yaml", "\n \n");
spew("$W/plain.yaml", "a: 1\n");
spew("$W/tab.yaml", "a:\n\tb: 1\n");
spew("$W/between.yaml", "tosca_definitions_version: tosca_2_0\n\tb: 1\n");
spew("$W/wide.yaml", "\xff\xfea\0:\0 \0001\0\n\0");
spew("$W/text.txt", "a\n");
for my $command (qw(check build run test)) {
	says("$command: an empty file",
		qr/^empty\.yaml: error\[E0103\]: the file is empty\n\s+hint: a TOSCA service begins with tosca_definitions_version/,
		$command, 'empty.yaml');
	says("$command: YAML of no kind",
		qr/this is no package, and no service, template or workflow either\n\s+hint: .*heat_template_version/, $command, 'plain.yaml');
	says("$command: a tab",
		qr/^tab\.yaml:2:1: error\[E0201\].*hint: indentation is made of spaces/s, $command, 'tab.yaml');
	says("$command: UTF-16", qr/^wide\.yaml:1:1: error\[E0109\]: the text is UTF-16/, $command, 'wide.yaml');
	says("$command: a file of a package",
		qr/this is one file of a package\n\s+hint: name the directory of the package: p\n/, $command, 'p/Classes/App.yaml');
	says("$command: its manifest",
		qr/this is one file of a package\n\s+hint: name the directory of the package: p\n/, $command, 'p/manifest.yaml');
	says("$command: no archive",
		qr/neither a directory nor a zip archive\n\s+hint: name the directory that holds manifest\.yaml/, $command, 'text.txt');
	says("$command: nothing there",
		qr/^none\.yaml: error\[E0101\]: cannot read this: No such file/, $command, 'none.yaml');
}
says('a tab inside of a service',
	qr/between\.yaml:2:1: error\[E0201\].*hint: indentation is made of spaces/s, 'check', 'between.yaml');

# ---- words of the command line ----
says('a group without its command', qr/graph needs a command: there are check, fmt, diff, /, 'graph');
says('a command that the group has not',
	qr/graph does not know file\.json: there are check, fmt, /, 'graph', 'file.json');
says('nearly one of its commands', qr/graph does not know chek\nhint: did you mean 'check'\?/, 'graph', 'chek');
says('help for nearly a command', qr/there is no command chek \(did you mean check\?\)/, 'help', 'chek');
my ($rc, undef, $err) = vetro({ dir => $W }, 'fmt', 'folder');
is("$rc $err", "0 vetro fmt: nothing to do: folder has no .yaml, .yml, .yay or .yaql file\n", 'a folder that fmt finds nothing in');
spew("$W/mark.yaml", "\xef\xbb\xbfa:\n  b: |\n    x\n  c: y");
($rc) = vetro({ dir => $W }, 'fmt', 'mark.yaml');
is(slurp("$W/mark.yaml"), "a:\n  b: |\n    x\n  c: y\n", 'a byte order mark does not keep fmt from the last line end');

# ---- models ----
sub model {
	my ($title, $text, $pattern) = @_;
	spew("$W/m.yaml", $text);
	says("model: $title", $pattern, 'check', 'p', '--model', 'm.yaml');
	return;
}
my $object = '{"?": {"type": "com.ex.App", "id": "a"}, "name": "n"}';
my $shape = qr/hint: a model is \{"Objects": \{"\?": \{"type": "CLASS"\}, \.\.\.\}\}/;
model('nothing', "\n", qr/the model is empty\n\s+$shape/);
model('a list', "[$object]", qr/m\.yaml:1:1: error\[W1066\]: the root of a model is a mapping\n.*\n.*\n\s+$shape/);
model('a text', 'com.ex.App', qr/the root of a model is a mapping/);
model('Objects as a list', "Objects: [$object]", qr/m\.yaml:1:10: .*the root of a model is a mapping/);
model('without a type', 'Objects: {type: com.ex.App, name: n}',
	qr/the root object of the model has no type\n.*\n.*\n\s+$shape/);
model('a type alone', 'Objects: {"?": com.ex.App, name: n}', qr/the root object of the model has no type/);
model('a ? in braces', 'Objects: {?: {type: com.ex.App}, name: n}',
	qr/1:12: .*has no type\n.*\n.*\n\s+hint: in braces a \? is a sign of YAML: quote it/);
model('a small letter', "objects: $object",
	qr/1:1: .*the model has no Objects\n.*\n.*\n\s+hint: did you mean "Objects"\?/);
model('the answer of a run', "{\"result\": 1, \"model\": {\"Objects\": $object}}",
	qr/this is the answer of a run\n.*\n.*\n\s+hint: its model stands below "model"/);
model('a short name', 'Objects: {"?": {type: App}, name: n}',
	qr/class "App" is not found\n.*\n.*\n\s+hint: a model names classes in full: "com\.ex\.App"/);
model('Attributes that are a mapping', "Objects: $object\nAttributes: {}",
	qr/2:13: .*Attributes is no list\n.*\n.*\n\s+hint: it is a list of \[object id, /);
for ('Objects: null', "Objects: $object", $object, "Objects: $object\nAttributes: []", "Objects: $object\nAttributes: null") {
	spew("$W/m.yaml", $_);
	my ($status, undef, $said) = vetro({ dir => $W }, 'check', 'p', '--model', 'm.yaml');
	is("$status $said", '0 ', "a model: $_");
}
for (["{'Objects': null}", 'single quotes'], ['{"Objects": null, }', 'a comma too many'], ['{"Objects": None}', 'null of Python']) {
	spew("$W/m.json", $_->[0]);
	says("run --model: $_->[1]",
		qr/m\.json: line 1 column \d+: .*\n\s+hint: JSON has double quotes, true, false and null/,
		'run', 'p', '--', 'run', '--model', 'm.json');
}
spew("$W/m.yaml", "Objects: null\n");
says('run --model: YAML',
	qr/hint: JSON is wanted here, and `vetro query '\$' FILE` makes it of YAML/, 'run', 'p', '--', 'run', '--model', 'm.yaml');
my (undef, $json) = vetro({ dir => $W }, 'query', '$', 'm.yaml');
is($json, "{\n  \"Objects\": null\n}\n", 'and the command of the hint does');

# ---- forms ----
sub form {
	my ($title, $text, $pattern, $status) = @_;
	spew("$W/p/UI/ui.yaml", "Version: 2\n$text");
	my ($got, undef, $said) = vetro({ dir => $W }, 'check', 'p');
	like($said, $pattern, "form: $title");
	is($got, $status // 0, "form: $title: status");
	return;
}
my $head = "Application: {'?': {type: com.ex.App}, name: \$.a.n}\n";
my $fields = 'fields: [{name: n, type: string, label: N}]';
form('a section', "${head}Forms: [{a: {$fields}}]\nTemplate: {}\n",
	qr/4:1: warning\[W1082\]: a form has no section `Template`.*hint: did you mean `Templates`\?/s);
form('a key of a form', "${head}Forms: [{a: {$fields, validator: []}}]\n",
	qr/W1082\]: a form has no key `validator`.*hint: did you mean `validators`\?/s);
form('a key of a validator', "${head}Forms: [{a: {fields: [{name: n, type: string, label: N, validators: [{expr: \$ > a, mesage: x}]}]}}]\n",
	qr/W1082\]: a validator has no key `mesage`.*hint: did you mean `message`\?/s);
form('no type', "Application: {'?': {typ: com.ex.App}, name: \$.a.n}\nForms: [{a: {$fields}}]\n",
	qr/W1082\]: the Application names no type.*hint: did you mean `type`\?/s);
form('no ?', "Application: {type: com.ex.App, name: \$.a.n}\nForms: [{a: {$fields}}]\n",
	qr/W1082\]: the Application has no \?/);
form('a ? in braces', "Application: {?: {type: com.ex.App}, name: \$.a.n}\nForms: [{a: {$fields}}]\n",
	qr/W1082\]: the Application has no \?.*hint: in braces a \? is a sign of YAML: quote it/s);
form('a text for true', "${head}Forms: [{a: {fields: [{name: n, type: string, label: N, required: maybe}]}}]\n",
	qr/W1082\]: `required` is true or false; a text counts as true/);
form('the answers of a form', "Application: {'?': {type: com.ex.App}, name: \$a.n}\nForms: [{a: {$fields}}]\n",
	qr/W1069.*hint: the answers of a form are \$\.a/s, 1);
form('fields by name', "${head}Forms: [{a: {fields: {n: {type: string}}}}]\n",
	qr/E1202.*hint: each field is an item: - \{name: NAME, type: string\}/s, 1);
form('a field without a name', "${head}Forms: [{a: {fields: [{type: string}]}}]\n",
	qr/E1203.*hint: a field is \{name: NAME, type: string\}/s, 1);
form('choices without titles', "${head}Forms: [{a: {fields: [{name: n, type: choice, label: N, choices: [a, b]}]}}]\n",
	qr/E1205.*hint: write choices: \[\[small, /s, 1);
form('nothing wrong', "${head}Forms: [{a: {$fields}}]\nTemplates: {t: {}}\n", qr/^$/);
done();
