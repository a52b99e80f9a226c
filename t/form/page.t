#!/usr/bin/perl
# The page of a package's own form: steps, fields, complaints while one types, the model, a dry run, all in a browser.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Browser;
use Digest::SHA qw(sha256_base64);
use HTTP::Tiny;
use IO::Uncompress::Gunzip qw(gunzip);
use JSON::PP;
use Tap;
use Time::HiRes qw(sleep);

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my $evil = '<img src=x onerror="window.canary=1">';
spew("$W/p/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t.form.App\nClasses: {t.form.App: App.yaml}\n");
spew("$W/p/Classes/App.yaml", <<'Y');
Name: App
Namespaces: {=: t.form, std: io.murano, res: io.murano.resources}
Extends: std:Application
Properties:
  size: {Contract: $.string()}
  port: {Contract: $.int()}
  dbs: {Contract: [$.string()]}
  instance: {Contract: $.class(res:Instance).notNull()}
Methods:
  parameters:
    Usage: Static
    Scope: Public
    Body:
      - Return: {sizes: [[m, Medium], [l, Large]]}
  deploy:
    Body:
      - $this.find(std:Environment).reporter.report($this, 'Creating the server')
      - $.instance.deploy()
      - Return: $.port + 1
Y
my $ui = <<"Y";
Version: 2.4
Parameters: {port: 80}
ParametersSource: parameters
Templates:
  server:
    ?: {type: io.murano.resources.LinuxMuranoInstance}
    name: generateHostname(\$.server.pattern, 1)
    image: \$.server.image
    flavor: \$.server.flavor
Application:
  ?: {type: t.form.App}
  size: \$.app.size
  port: \$.app.port
  dbs: \$.app.dbs
  instance: ref(server)
Forms:
  - app:
      fields:
        - {name: license, type: string, hidden: true, required: false, descriptionTitle: License, description: '$evil'}
        - {name: size, type: choice, label: Size, choices: \$sizes}
        - {name: port, type: integer, label: '$evil', initial: \$port, maxValue: 65535, errorMessages: {max_value: '$evil'}}
        - {name: dbs, type: databaselist, label: Databases, initial: one}
        - {name: admin, type: boolean, label: Administrator}
        - {name: password, type: password, label: Password, enabled: \$.app.admin}
      validators:
        - {expr: \$.app.port != 22, message: port 22 is taken}
  - server:
      fields:
        - {name: pattern, type: string, label: Host name, initial: 'web-#'}
        - {name: image, type: image, label: Image, imageType: linux}
        - {name: flavor, type: flavor, label: Flavor}
Y
spew("$W/p/UI/ui.yaml", $ui);
my ($rc, undef, $err) = vetro({ limit => 600 }, 'build', '-O0', "$W/p", '-o', "$W/deploy");
is($rc, 0, 'a package with a form builds') or done(), exit;

# ---- the server
my ($http, $browser, @pids) = (HTTP::Tiny->new(timeout => 120));
END { my $status = $?; undef $browser; for (@pids) { kill 'TERM', $_; waitpid($_, 0) } $? = $status }
sub served {
	my (@command) = @_;
	my $port = free_port();
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open(STDERR, '>>', "$W/serve.log") && open(STDIN, '<', '/dev/null') or exit 126;
		exec(@command, '--listen', "127.0.0.1:$port") or exit 127;
	}
	push @pids, $pid;
	for (1 .. 600) { last if $http->get("http://127.0.0.1:$port/info")->{success}; sleep 0.1 }
	return "http://127.0.0.1:$port";
}
my $base = served("$W/deploy", 'serve');
my %type = ('Content-Type' => 'application/json');
sub post { my ($path, $body) = @_; return $http->post($base . $path, { content => $json->encode($body), headers => \%type }) }
sub asked { return $json->decode(post('/form', @_)->{content}) }

my $page = $http->get("$base/", { headers => { 'Accept-Encoding' => 'gzip' } });
gunzip(\$page->{content} => \my $html);
like($html, qr/What can be chosen|what can be chosen/, 'GET / is the page of the form');
my $policy = $page->{headers}{'content-security-policy'};
my ($script) = $html =~ m{<script>(.*?)</script>}s;
like($policy, qr/\Q@{[sha256_base64($script)]}\E/, 'its policy allows its script by a hash');
unlike($policy, qr/unsafe/, 'and nothing else');
unlike($html, qr{(?:src|href)="https?:}, 'nothing is fetched from elsewhere');
my $plain = $http->get("$base/");
ok(!$plain->{headers}{'content-encoding'} && $plain->{content} eq $html, 'who does not ask for gzip gets the same text');
my $memory = served($Tap::vetro, 'run', "$W/p", '--', 'serve');
is($http->get("$memory/", { headers => { 'Accept-Encoding' => 'gzip' } })->{content}, $page->{content}, 'vetro run has the same page');
is($http->post("$memory/form", { content => '{}', headers => \%type })->{content}, post('/form', {})->{content}, 'and the same form');
is($http->get("$base/classes", { headers => { 'Accept-Encoding' => 'gzip' } })->{status}, 200, 'the page of classes is there');
my $first = asked({ upto => 'app' });
is(join(' ', map { $_->{value} // 'null' } @{$first->{forms}[0]{fields}}), ' m 80 one 0 ', 'fields, with what the method gives');
ok(!$first->{complaints}, 'nothing is wrong with the first form as it is');
is(asked({ upto => 'app', answers => { app => { port => 22 } } })->{complaints}[0]{message}, 'port 22 is taken', 'a validator of the form');
my $fields = sub { my ($a) = @_; return { map { $_->{name} => $_ } @{asked({ answers => $a })->{forms}[0]{fields}} } };
ok(!$fields->({ app => {} })->{password}{enabled} && $fields->({ app => { admin => JSON::PP::true } })->{password}{enabled},
	'a field that another one enables');
is(post('/form', [])->{status}, 400, 'no object');
is(post('/form', { answers => 5 })->{status}, 400, 'answers that are none');
is($http->post("$base/form", { content => '{}' })->{status}, 415, 'no JSON');
is($http->get("$base/form")->{status}, 405, 'GET of what is posted');
is($http->get("$base/form/run/9")->{status}, 404, 'a run that is not there');
is(post('/form/run', {})->{status}, 400, 'a run without a model');

if (my $why = Browser::missing()) {
	skip('the page in a browser', $why);
	done();
	exit;
}

# ---- in a browser
mkdir "$W/browser";
$browser = Browser->start("$W/browser");
$browser->open_page("$base/");
ok($browser->wait_for("document.body.dataset.ready === 'yes'"), 'the page comes up');
my $text = sub { my ($css) = @_; return $browser->script("const e = document.querySelector(arguments[0]); return e ? e.textContent : null", $css) };
my $box = sub { return "#form > [data-field=\"$_[0]\"]" };
is($browser->script("return [...document.querySelectorAll('#form > .field')].map(e => e.dataset.field).join(' ')"), 'size port dbs admin password',
	'a hidden field is not shown');
like($text->('#notes'), qr/License: \Q$evil\E/, 'its text is');
is($text->($box->('port') . ' label'), $evil, 'texts of the package are not read as HTML');
is($browser->script("return document.querySelector(arguments[0]).value", $box->('size') . ' select'), '"m"', 'the first choice is shown');
ok($browser->script("return document.querySelector(arguments[0]).classList.contains('off')", $box->('password')), 'a field that is not enabled');
$browser->click($box->('admin') . ' input');
ok($browser->wait_for("!document.querySelector('#form > [data-field=password]').classList.contains('off')"), 'is enabled by another one');
$browser->type($box->('port') . ' input', '70000');
ok($browser->wait_for("document.querySelector('#form > [data-field=port] .bad').textContent"), 'a complaint while one types');
is($text->($box->('port') . ' .bad'), $evil, 'in the words of the package');
is($text->($box->('password') . ' .bad'), '', 'none about what nobody has touched');
$browser->click('#next');
ok($browser->wait_for("document.querySelector('#form > [data-field=password] .bad').textContent"), 'all complaints when one wants to go on');
$browser->type($box->('port') . ' input', '443');
ok($browser->wait_for("!document.querySelector('#form > [data-field=port] .bad').textContent"), 'a complaint goes when its cause does');
$browser->type($box->('password') . ' input', 'Passw0rd!');
$browser->type($box->('password') . ' input[data-field="password-clone"]', 'Passw0rd!');
$browser->click($box->('dbs') . ' .add');
$browser->type($box->('dbs') . ' .entry:nth-child(2) input', 'two');
$browser->click('#next');
ok($browser->wait_for("document.body.dataset.step === 'server'"), 'the next step');
$browser->script("document.querySelector('details').open = true; document.querySelector('#environment').value = arguments[0]",
	$json->encode({ images => [{ id => 'u', name => 'Ubuntu', murano => { type => 'linux' } },
		{ id => 'w', name => 'W', murano => { type => 'windows' } },
		{ id => 'd', name => 'Debian', murano => { type => 'linux' } }], flavors => [{ id => '1', name => 'm1.small' }] }));
$browser->click('#use');
ok($browser->wait_for("document.querySelector('#form > [data-field=image] select')"), 'an environment makes lists of fields');
is($browser->script("return [...document.querySelectorAll('#form > [data-field=image] option')].map(o => o.textContent).join('|')"),
	'Select Image|Debian|Ubuntu',
	'with what fits');
$browser->script("const e = document.querySelector('#form > [data-field=image] select'); e.value = '\"u\"'; e.dispatchEvent(new Event('change'))");
$browser->click('#next');
ok($browser->wait_for("document.body.dataset.step === 'workflowManagement'"), 'the name is asked for at the end');
$browser->click('#next');
ok($browser->wait_for("!document.querySelector('#dry').disabled"), 'then there is a model');
my $model = $json->decode($text->('#model'));
my $app = $model->{Objects}{services}[0];
is($json->encode([$app->{'?'}{name}, $app->{port}, $app->{dbs}, $app->{instance}{image}, $app->{instance}{name}]), '["App",443,["one","two"],"u","web-1"]',
	'with the answers');
$browser->script("window.saved = null; const click = HTMLAnchorElement.prototype.click; HTMLAnchorElement.prototype.click = function () { "
	. "window.saved = this.download; fetch; click.call(this) }");
$browser->click('#download');
is($browser->script('return window.saved'), 'model.json', 'it can be downloaded');
$browser->click('#dry');
ok($browser->wait_for("/done|failed/.test(document.querySelector('#running').textContent)"), 'a dry run comes to an end');
is($text->('#running'), 'done', 'and has done it');
like($text->('#answer'), qr/"heat"/, 'effects are shown');
like($text->('#answer'), qr/Creating the server/, 'reports too');
is($browser->script('return window.canary ?? null') // 'none', 'none', 'nothing of the package ran');
my @log = grep { $_->{level} eq 'SEVERE' && $_->{message} !~ m{/favicon\.ico|status of 40} } @{$browser->log};
is(join("\n", map { $_->{message} } @log), '', 'the browser has nothing to complain of');
if ($ENV{SCREENSHOT}) {
	require MIME::Base64;
	spew($ENV{SCREENSHOT}, MIME::Base64::decode_base64($browser->command(GET => '/screenshot')));
}
done();
