#!/usr/bin/perl
# A static vetro (make static): it needs no library, runs programs in memory, builds binaries, and says what it cannot.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $build = $ENV{BUILD} || "$top/build/debug";
my $static = "$build/static/vetro";
skip_all('make static makes a static vetro; make check-static runs this') if !-x $static;
skip_all('the static vetro is older than the other one') if -M $static > -M "$build/vetro";
$ENV{XDG_CACHE_HOME} = "$W/cache";
$ENV{VETRO_HOME} = $build;
sub static { my ($o, @args) = ref $_[0] ? @_ : ({}, @_); return run_program($o, $static, @args) }

unlike((run_program({}, 'readelf', '-d', $static))[1], qr/NEEDED/, 'it needs no library');
unlike((run_program({}, 'readelf', '-l', $static))[1], qr/INTERP/, 'and no loader');
my $machines = "$top/examples/inventory/model.json";
my $names = '$.Objects.servers.where($.cpu > 4).select($.name)';
for my $jit (qw(auto memory off)) {
	my ($rc, $out, $err) = static('query', '-c', "--jit=$jit", $names, $machines);
	is("$rc $out$err", qq(0 ["alpha","gamma"]\n), "an expression, --jit=$jit");
}
my ($rc, $out, $err) = static('query', '--jit=cc', '1 + 1', $machines);
ok($rc == 4 && $err =~ /this vetro is static.*\n.*hint: --jit=memory/, 'what it cannot is an error', $rc, $err);
is((static('check', "$top/examples/hello"))[0], 0, 'it checks');
my @run = ('run', '--model', "$top/examples/hello/model.json", '-f', 'json');
my $want = (vetro('run', "$top/examples/hello", '--', @run))[1];
is((static('run', "$top/examples/hello", '--', @run))[1], $want, 'a package in memory');
is((static('run', '--jit=cc', "$top/examples/hello", '--', @run))[1], $want, 'and through cc');
my @service = ('run', "$top/examples/tosca-webshop", '--', 'topology', '--input', 'host=/srv');
is((static(@service))[1], (vetro(@service))[1], 'a service in memory, whose functions are found by name');
like((static('test', "$top/examples/fleet"))[1], qr/^# 5 of 5 tests passed$/m, 'tests');
is((static('yay', '-c', "$top/examples/yay/app.yay"))[1], (vetro('yay', '-c', "$top/examples/yay/app.yay"))[1], 'a configuration');
($rc, $out, $err) = static('build', '-O0', "$top/examples/hello", '-o', "$W/hello");
is("$rc $err", '0 ', 'it builds');
is((run_program({}, "$W/hello", @run))[1], $want, 'and what it built runs');
if ($> == 0) {
	mkdir "$W/root";
	run_program({}, 'cp', $static, $machines, "$W/root");
	is((run_program({}, 'chroot', "$W/root", '/vetro', 'query', '-c', $names, '/model.json'))[1], qq(["alpha","gamma"]\n),
		'in a folder with nothing else');
} else { skip('in a folder with nothing else', 'chroot takes root') }
done;
