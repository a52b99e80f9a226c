#!/usr/bin/perl
# Stub files: what plugins of murano bring in Python, declared for checks, runs and tests.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
spew("$W/app/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t.app\nClasses: {t.A: A.yaml, t.T: T.yaml}\nRequire: {murano-plugin-dns: 1}\n");
my $class = <<'Y';
Namespaces: {=: t, dns: dns, std: io.murano, test: io.murano.test}
Name: A
Properties:
  zone: {Contract: $.class(dns:Zone), Default: {name: z, ttl: 5}}
Methods:
  add:
    Scope: Public
    Body:
      - Return: [$.zone.add(www), $.zone.ttl]
  hello: {Scope: Public, Body: [{Return: $.zone.greeting(me)}]}
Y
spew("$W/app/Classes/A.yaml", $class);
spew("$W/app/Classes/T.yaml", <<'Y');
Namespaces: {=: t, dns: dns, test: io.murano.test}
Name: T
Extends: test:TestFixture
Methods:
  mocked: {Arguments: [{name: {Contract: $.string()}}], Body: [{Return: $name + '!'}]}
  testAdd:
    Body:
      - inject(dns:Zone, add, $this, mocked)
      - $a: new(A)
      - $.assertEqual(['www!', 5], $a.add())
      - $.assertEqual(hellome, $a.hello())
Y
my $stub = <<'Y';
# what the plugin brings
FullName: murano-plugin-dns
Type: Library
Version: 1.2.0
--- # classes
Namespaces: {=: dns}
Name: Zone
Properties:
  name: {Contract: $.string().notNull()}
  ttl: {Contract: $.int(), Default: 60}
Methods:
  add:
    Arguments:
      - name: {Contract: $.string().notNull()}
  greeting:
    Arguments:
      - who: {Contract: $.string()}
    Body:
      - Return: concat(hello, $who)
Y
spew("$W/dns.yaml", $stub);
spew("$W/model.json", '{"Objects":{"?":{"id":"a","type":"t.A"}}}');
my @app = ('-I', "$W/dns.yaml", "$W/app");

my ($rc, $out, $err) = vetro('check', @app);
is("$rc $out$err", '0 ', 'a package is checked against the stub');
for (['$.zone.add(www)', '$.zone.add()', qr/A\.yaml:9:.*add/], ['$.zone.add(www)', '$.zone.add([1])', qr/A\.yaml:9:/]) {
	my ($from, $to, $want) = @$_;
	spew("$W/app/Classes/A.yaml", $class =~ s/\Q$from\E/$to/r);
	($rc, $out, $err) = vetro('check', @app);
	like($err, $want, "a wrong call of what it declares: $to");
}
spew("$W/app/Classes/A.yaml", $class =~ s/dns:Zone/dns:Zon/r);
like((vetro('check', @app))[2], qr/E0601.*dns\.Zon.*did you mean.*Zone/s, 'a class that it does not have');
spew("$W/app/Classes/A.yaml", $class);

my @call = ('--', 'run', '--dry-run', '--model', "$W/model.json", '--call');
($rc, $out, $err) = vetro({ limit => 300 }, 'run', @app, @call, 'hello');
is($json->decode($out)->{result}, 'hellome', 'a method with a Body stands in', $err);
($rc, $out, $err) = vetro({ limit => 300 }, 'run', @app, @call, 'add');
ok($rc == 1, 'one without it raises');
like($err, qr/PluginException: method "add" of class "dns\.Zone" is only declared.*vetro\.class/, 'and says what would bring it');
spew("$W/dns.lua", <<'L');
vetro.class { name = "dns.Zone", methods = { add = { params = "name: str", fn = function(self, name) return name .. "." .. vetro.get(self, "name") end } } }
L
($rc, $out, $err) = vetro({ limit => 300 }, 'run', '--lua', "$W/dns.lua", @app, @call, 'add');
ok($rc == 0, 'a script is taken', $err);
is_json($json->encode($json->decode($out)->{result}), '["www.z",5]', 'a script brings it', $err);
($rc, $out, $err) = vetro({ limit => 300 }, 'test', @app);
is($rc, 0, 'a test mocks it', $out . $err);

# ---- without the stub
($rc, $out, $err) = vetro('check', "$W/app");
is($rc, 0, 'a plugin that is not there is no error of the package', $err);
is(join(' ', $err =~ /\[(\w+)\]/g), 'W1078', 'it is told once, and nothing follows from it', $err);
($rc, $out, $err) = vetro('run', "$W/app", @call, 'add');
like("$rc $err", qr/^1 (?!.*W1078).*E0412.*murano-plugin-dns/s, 'but no program can be made');
spew("$W/old.yaml", $stub =~ s/1\.2\.0/0.9.0/r);
like((vetro('check', "$W/app", '-I', "$W/old.yaml"))[2], qr/E0413/, 'a stub of another version');

# ---- stub files that are wrong
for (['FullName: murano-plugin-dns', 'FullName: -dns', qr/E0403/], ['Type: Library', 'Tpe: Library', qr/E0404/],
	['Name: Zone', 'Nam: Zone', qr/bad\.yaml:\d+.*E05\d\d/s], ['ttl: {Contract', 'ttl: {Contrat', qr/bad\.yaml:10:3.*E0508/]) {
	my ($from, $to, $want) = @$_;
	spew("$W/bad.yaml", $stub =~ s/\Q$from\E/$to/r);
	spew("$W/one/manifest.yaml", slurp("$W/app/manifest.yaml"));
	($rc, $out, $err) = vetro('check', "$W/bad.yaml");
	like($err, $want, "told: $to");
}
spew("$W/stubs/dns.yaml", "---\n$stub");
($rc, $out, $err) = vetro('check', '-I', "$W/stubs/dns.yaml", "$W/app");
is("$rc $err", '0 ', 'a document mark in front');

# ---- the example of the page
my ($example) = slurp("$FindBin::Bin/../../docs/muranopl.md") =~ /<!-- stub -->\n```yaml\n(.*?)```/s;
spew("$W/page.yaml", $example);
spew("$W/app/Classes/A.yaml", $class =~ s/name: z, //r =~ s/greeting\(me\)/ttl/r);
($rc, $out, $err) = vetro('check', '-I', "$W/page.yaml", "$W/app");
is("$rc $err", '0 ', 'the example of the page');
done();
