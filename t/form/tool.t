#!/usr/bin/perl
# `vetro form` as a command: packages and files, answers, the environment, problems, what ParametersSource gives; `vetro check`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my $ui = <<'E';
Version: 2.4
Parameters: {sizes: [[s, Small]], port: 80}
ParametersSource: parameters
Application:
  ?: {type: t.form.App}
  size: $.app.size
  port: $.app.port
  host: $.app.host
Forms:
  - app:
      fields:
        - {name: size, type: choice, choices: $sizes}
        - {name: port, type: integer, initial: $port, maxValue: 65535, errorMessages: {max_value: too high}}
        - {name: host, type: t.form.Host, required: false}
      validators:
        - {expr: $.app.port != 22, message: taken}
E
my $class = "Name: App\nNamespaces: {=: t.form}\nProperties:\n  size: {Contract: \$.string()}\n  port: {Contract: \$.int()}\n  host: {Contract: \$}\n"
	. "Methods:\n  parameters:\n    Usage: Static\n    Scope: Public\n    Body:\n      - Return: {port: 8080, sizes: [[m, Medium], [l, Large]]}\n";
my $dir = "$W/app";
sub package_of {
	my ($path, $text, $manifest) = @_;
	spew("$path/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t.form.App\nClasses: {t.form.App: App.yaml}\n" . ($manifest // ''));
	spew("$path/Classes/App.yaml", $class);
	spew("$path/UI/ui.yaml", $text) if defined $text;
	return $path;
}
package_of($dir, $ui);
spew("$W/ui.yaml", $ui);
spew("$W/env.json", $json->encode({ id => 'e', name => 'mine', defaultNetworks => { flat => undef }, parameters => { port => 81, sizes => { x => 'X' } },
	applications => [{ '?' => { id => 'h', type => 't.form.Host' } }] }));
spew("$W/answers.yaml", "app:\n  size: l\n  port: 443\n");

sub form {
	my ($rc, $out, $err) = vetro({ limit => 120 }, 'form', @_);
	my $v = eval { $json->decode($out) };
	return ($rc, $v, $err);
}
my $one = sub { my ($rc, $v, $err) = form(@_); delete $v->{'?'}{id} if ref $v eq 'HASH' && ref $v->{'?'} eq 'HASH'; return $json->encode($v // [$rc, $err]) };

# ---- answers
is($one->($dir), '{"?":{"name":"App","type":"t.form.App"},"host":null,"port":8080,"size":"m"}', 'a package: its method gives the parameters');
is($one->($dir, '--answers', "$W/answers.yaml", '--name', 'web', '--set', 'app.port=8'),
	'{"?":{"name":"web","type":"t.form.App"},"host":null,"port":8,"size":"l"}',
	'answers of a file, and over them');
is($one->("$W/ui.yaml", '--environment', "$W/env.json"), '{"?":{"name":"App","type":"t.form.App"},"host":"h","port":81,"size":"x"}',
	'a file alone, with an environment');
my (undef, $whole) = form('-c', '--model', '--environment', "$W/env.json", '--seed', '3', "$W/ui.yaml");
is($json->encode([map { $whole->{Objects}{$_} } qw(name defaultNetworks)]), '["mine",{"flat":null}]', 'an environment around it');
is(join(' ', $whole->{Objects}{'?'}{id}, map { $_->{'?'}{type} } @{$whole->{Objects}{services}}), 'e t.form.Host t.form.App', 'with what was there before');
my (undef, $new) = form('-c', '--model', '--set', 'app.host=', $dir);
my $net = $new->{Objects}{defaultNetworks};
is("$net->{environment}{name} $net->{environment}{'?'}{type} " . ($net->{flat} // 'null'), 'environment-network io.murano.resources.NeutronNetwork null',
	'a new environment has a network of its own');
is($json->encode((form('-c', '--model', '--environment', "$W/env.json", '--seed', '3', "$W/ui.yaml"))[1]), $json->encode($whole), 'a seed repeats it');
my (undef, $described) = form('--describe', $dir);
is(join(' ', map { "$_->{name}=" . ($_->{value} // 'null') } @{$described->[0]{fields}}), 'size=m port=8080 host=', 'a description');

# ---- what is refused
my ($rc, $v, $err) = form($dir, '--set', 'app.port=70000', '--set', 'app.size=huge');
is("$rc $err", "1 app.size: Select a valid choice. huge is not one of the available choices.\napp.port: too high\n", 'complaints, one a line');
(undef, undef, $err) = form($dir, '--set', 'app.port=22');
is($err, "app: taken\n", 'one about the form');
(undef, undef, $err) = form($dir, '--set', 'app.port=70000', '--format', 'json');
my $d = $json->decode($err);
is("$d->{code} $d->{line} $d->{message}", 'E1206 13 app.port: too high', 'as diagnostics');
sub says {
	my ($title, $code, $pattern, @args) = @_;
	my ($status, undef, $text) = form(@args);
	like("$status $text", qr/^1 .*error\[$code\]: .*$pattern/s, $title);
}
says('a field that is not there', 'E1207', 'no field app.prot.*did you mean app.port', $dir, '--set', 'app.prot=1');
says('a form that is not there', 'E1207', 'no field ap.port', $dir, '--set', 'ap.port=1');
says('--set without a field', 'E1207', 'names no field', $dir, '--set', 'port=1');
says('a file alone has no method', 'E1208', 'has no method to ask', "$W/ui.yaml");
says('a definition that is wrong', 'E1204', 'no attribute `size`', package_of("$W/wrong",
	"Application: {}\nForms: [{f: {fields: [{name: x, type: text, size: 1}]}}]\n"));
says('an Application that is none', 'E1209', 'the Application is no mapping', package_of("$W/none", "Version: 2\nApplication: \$.x\n"));
says('an expression that fails', 'E4103', 'ui.yaml:3:8|NoMatchingFunctionException', package_of("$W/dash", "Version: 2\nApplication:\n  x: my-app\n"));
says('a package without a form', 'E1202', 'the package brings no form', package_of("$W/bare"));
says('a form that the manifest names', 'E1202', 'no file UI/other.yaml', package_of("$W/other", undef, "UI: other.yaml\n"));
spew("$W/list.yaml", "- 1\n");
says("answers that are no mapping", "E0101", "no mapping", $dir, "--answers", "$W/list.yaml");
(my $broken = $ui) =~ s/ParametersSource: parameters/ParametersSource: nosuch/;
says('a method that is not there', 'E1208', 'the method that gives the parameters failed', package_of("$W/nosuch", $broken));
is((vetro('form', $dir, '--describe', '--name', 'x'))[0], 2, 'options that do not go together');
is((form('--name', 'x', package_of("$W/old", "Version: 2\nApplication: {x: 1}\n")))[0], 1, 'a name that nobody asks for');
is($one->($W . '/old'), '{"x":1}', 'an older form');
spew("$W/typed.yaml", "Application: {'?': {type: 't.deep.Thing/1.0'}}\n");
is($one->("$W/typed.yaml"), '{"?":{"name":"Thing","type":"t.deep.Thing/1.0"}}', 'without a package the type gives a name');

# ---- vetro check
($rc, undef, $err) = vetro('check', "$W/wrong");
like("$rc $err", qr{^1 .*wrong/UI/ui.yaml:2:45: error\[E1204\]}s, 'vetro check looks at the form');
like((vetro('check', "$W/dash"))[2], qr{ui.yaml:3:6: warning\[W1060\].*'my-app'}s, 'and warns of texts that are expressions');
is((vetro('check', $dir))[2], '', 'nothing is wrong with the other');
done();
