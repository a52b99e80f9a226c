#!/usr/bin/perl
# switch(), coalesce() and dict() of methods are jumps and records, unless the host has functions of these names.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $dir = "$W/choices";
mkdir $dir;
mkdir "$dir/Classes";
spew("$dir/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t\nVersion: 1.0.0\nName: t\nClasses: {t.Main: Main.yaml}\n");
spew("$dir/Classes/Main.yaml", <<'YAML');
Namespaces: {=: t}
Name: Main
Methods:
  testAll:
    Body:
      - $r: []
      - For: i
        In: range(3)
        Do:
          - $r: $r + [switch($i = 1 => one, true => other), coalesce(null, $i), dict(a => $i)]
      - Return: $r
YAML
spew("$W/host.lua", <<'LUA');
vetro.register { name = "coalesce", params = "*rest: lambda", fn = function() return "mine" end }
vetro.register { name = "dict", params = "*rest: rule", keywords = false, fn = function() return "mine too" end }
LUA

sub answer {
	my (@options) = @_;
	my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', @options, '-o', "$W/choices.bin", $dir);
	ok($rc == 0, "it builds with @options", $out . $err) or return '';
	my $s = Session->run('{"Objects":{"?":{"type":"t.Main/1.0.0","id":"root"}}}', "$W/choices.bin", 'session', '--expose', 'test*');
	$s->call('testAll', '[]');
	return $s->{raw};
}

my $plain = answer();
like($plain, qr/\["other",0,\{"a":0\},"one",1,\{"a":1\},"other",2,\{"a":2\}\]/, 'each loop chooses anew');
is(answer('-fno-calls'), $plain, 'the same by calls');
like(answer('--lua', "$W/host.lua"), qr/\["other","mine","mine too","one","mine","mine too","other","mine","mine too"\]/,
	'functions of the host come first');
my ($rc, $ir) = vetro('build', '--emit=ir', $dir);
is(scalar(() = $ir =~ /jfound/g), 3, 'each of them has jumps');
done();
