#!/usr/bin/perl
# Limits of the process: --memory and --timeout of every command, small stacks, files that may not grow, and values that double with
# each step. docs/limits.md is the user's side.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $asan = $vetro =~ m{/(?:asan|torture)/};
$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache", 0700;
my $tosca = "tosca_definitions_version: tosca_2_0\n";

# ---- values that are made of an earlier one twice
sub chain {
	my ($type, $first, $step) = @_;
	my $t = $tosca . "service_template:\n  node_templates: {}\n  inputs:\n    p0: { type: $type, default: $first }\n";
	$t .= "    p$_: { type: $type, default: " . $step =~ s/X/{ \$get_input: p@{[$_ - 1]} }/gr . " }\n" for 1 .. 60;
	spew("$W/chain.yaml", $t);
	return vetro({ limit => 300 }, 'check', "$W/chain.yaml");
}
for (['string', 'aaaaaaaaaa', '{ $concat: [ X, X ] }'], ['string', 'aaaaaaaaaa', '{ $join: [ [ X, X ], "-" ] }'],
	['string', 'aaaaaaaaaa', '{ $concat: [ a, X, X, X ] }'],
	['{ type: list, entry_schema: string }', '[ aaaaaaaaaa ]', '{ $concat: [ X, X ] }']) {
	my ($type, $first, $step) = @$_;
	($type, $first) = ("list, entry_schema: string", $first) if $type =~ /list/;
	my ($rc, undef, $err) = chain($type, $first, $step);
	like("$rc $err", qr/^1 \S+chain\.yaml:\d+:\d+: error\[E2091\]: the value has more than 64 MiB\n.*\n  hint: .*--max-value.*\n1 error\n$/s,
		"$step: an error with a place and a hint, once");
}
my $custom = $tosca . "functions:\n  twice:\n    signatures:\n    - arguments: [ { type: string } ]\n      result: { type: string }\n"
	. "      implementation: { \$concat: [ { \$arg: 0 }, { \$arg: 0 } ] }\n";
my $call = 'a';
$call = "{ \$twice: [ $call ] }" for 1 .. 60;
spew("$W/custom.yaml", "${custom}service_template:\n  node_templates: {}\n  inputs: { p: { type: string, default: $call } }\n");
my ($rc, $out, $err) = vetro({ limit => 300 }, 'check', "$W/custom.yaml");
unlike("$rc $err", qr/^(?:-1|3|5) /, 'a function of its own that doubles its argument ends');
spew("$W/one.yaml", $tosca .
	"service_template:\n  node_templates: {}\n  outputs: { o: { value: { \$concat: [ " . 'a' x 600_000 . ", " . 'b' x 600_000 . " ] } } }\n");
is((vetro('tosca', "$W/one.yaml"))[0], 0, 'a large value that is allowed');
like((vetro('tosca', '--max-value=1', "$W/one.yaml"))[2], qr/E2091.*more than 1 MiB/, '--max-value');

# The ways through shared values are not gone one by one.
for my $form ("p%d:\n  - {{ p%d }}\n  - {{ p%d }}\n", "p%d:\n  x: {{ p%d }}\n  y: {{ p%d }}\n") {
	spew("$W/shared.yay", "p0:\n  - a\n" . join '', map { sprintf $form, $_, $_ - 1, $_ - 1 } 1 .. 60);
	is((vetro({ limit => 300 }, 'check', "$W/shared.yay"))[0], 0, 'vetro check of a configuration with 2^60 ways to one value');
	like((vetro({ limit => 300 }, 'yay', "$W/shared.yay"))[2], qr/E3007/, 'and it is too large to print');
}

# ---- --memory and --timeout
my $big = "$W/big.yaml";
spew($big, $tosca . "service_template:\n  node_templates: {}\n  inputs:\n" . join '', map { "    p$_: { type: string, default: a$_ }\n" } 1 .. 60_000);
if ($asan) { skip('--memory', 'the sanitizers reserve more than any limit') }
else {
	($rc, undef, $err) = vetro('check', '--memory', 48, $big);
	is("$rc $err", "5 vetro: error[E0991]: it needs more memory than --memory allows, 48 MiB\n"
		. "  hint: a value that grows with each step of a computation may be the cause; --memory MIB allows more\n",
		'--memory: its own status and message');
	($rc, undef, $err) = run_program({ env => { VETRO_MEMORY => 48 } }, $vetro, 'check', $big);
	like("$rc $err", qr/^5 .*E0991/, 'VETRO_MEMORY');
	for (['tosca', $big], ['build', '-o', "$W/big", $big], ['schema', $big, 'X'], ['graph', 'fmt', "$W/g.json"]) {
		spew("$W/g.json", '{"vertices":{' . join(',', map { qq("v$_":{"a":"$_"}) } 1 .. 300_000) . '}}');
		($rc, undef, $err) = vetro(@$_, '--memory', 32);
		like("$rc $err", qr/^5 .*E0991.*32 MiB/, "vetro $_->[0] --memory");
	}
	ok(!-e "$W/big" && !glob("$W/big.vetro-*"), 'nothing is left of a binary');
}
# Something that never ends by itself: standard input that nobody closes.
pipe(my $read, my $write) or die;
for (['tosca', '-'], ['graph', 'fmt', '-'], ['yay', '-']) {
	my $pid = fork // die;
	if (!$pid) {
		open(STDIN, '<&', $read) && open(STDOUT, '>', '/dev/null') && open(STDERR, '>', "$W/late") or exit 126;
		close $write;
		alarm 300;
		exec { $vetro } $vetro, @$_, '--timeout', '0.2' or exit 127;
	}
	waitpid $pid, 0;
	is(($? >> 8) . ' ' . slurp("$W/late"), "6 vetro: error[E0992]: it takes longer than --timeout allows, 0.2 s\n  hint: --timeout SECONDS allows more\n",
		"vetro $_->[0] --timeout: its own status and message");
}
spew("$W/slowcc", "#!/bin/sh\necho \$\$ > $W/cc.pid\nexec sleep 300\n");
chmod 0755, "$W/slowcc";
mkdir "$W/tmp";
($rc, undef, $err) = run_program({ env => { VETRO_CC => "$W/slowcc", TMPDIR => "$W/tmp" }, limit => 300 }, $vetro, 'build', '--no-cache',
	'--timeout', 2, '-o', "$W/hello", "$top/examples/hello");
like("$rc $err", qr/^6 .*E0992/, 'vetro build --timeout');
my $cc = slurp("$W/cc.pid") || 0;
ok(!$cc || !kill(0, $cc) || slurp("/proc/$cc/stat") =~ /\) Z /, 'its C compiler is ended');
is(join(' ', glob "$W/tmp/*"), '', 'and its directory removed');
like((vetro('check', '--timeout', 'soon', $big))[2], qr/--timeout takes a number from 0.001/, 'a time that is none');

# ---- small stacks
sub small { return run_program({ limit => 600 }, 'sh', '-c', 'ulimit -s 64; exec "$@"', 'sh', @_) }
if ($asan) { skip('small stacks', 'the sanitizers need larger ones') }
else {
	for (['check', "$top/examples/hello"], ['check', '--max-depth=1000', "$W/deep.yaml"],
		['tosca', '--input', 'host=x', "$top/examples/tosca-webshop/service.yaml"],
		['yay', "$top/examples/yay/app.yay"], ['run', "$top/examples/hello", '--', 'info'], ['query', '-n', '1 + 1'], ['explain', 'E0990'],
		['run', '--jit=cc', "$top/examples/hello", '--', 'run', '--model', "$top/examples/hello/model.json"],
		['build', '-O0', '-o', "$W/hello", "$top/examples/hello"]) {
		spew("$W/deep.yaml", $tosca . "service_template: { node_templates: {}, metadata: { a: " . '[' x 900 . ']' x 900 . " } }\n");
		my @small = small($vetro, @$_);
		my @usual = run_program({ limit => 600 }, $vetro, @$_);
		is("$small[0] $small[1] $small[2]", "$usual[0] $usual[1] $usual[2]", "ulimit -s 64: vetro @$_[0, 1] as ever");
	}
	like((small("$W/hello", 'run', '--model', "$top/examples/hello/model.json"))[1], qr/Good morning, Ada/, 'ulimit -s 64: a binary');
}

# ---- a TMPDIR with everything in it
for my $odd ("a'b", 'a"b', 'a b', "a\nb", 'a$(id)b', 'a\\b', 'a,b', '-a') {
	mkdir "$W/$odd" or die "$odd: $!";
	for (['build', '-O0', '--no-cache', '-o', "$W/odd", "$top/examples/hello"], ['run', '--jit=cc', '--no-cache', "$top/examples/hello", '--', 'info'],
		['run', '--jit=memory', "$top/examples/hello", '--', 'info']) {
		my ($rc, undef, $err) = run_program({ env => { TMPDIR => "$W/$odd" }, limit => 300 }, $vetro, @$_);
		is("$rc $err", '0 ', "TMPDIR $odd: vetro $_->[0] $_->[1]" =~ s/\n/\\n/r);
	}
	is(join(' ', map { s/.*\///r } glob(($W . "/$odd/*") =~ s/([\s'"\$()\\])/\\$1/gr)), '', 'nothing is left there');
}

# ---- outputs
sub mode { return sprintf '%o', (stat $_[0])[2] & 07777 }
{
	my $bin = "$W/hello2";
	for ([0600, '600'], [0640, '640'], [04755, '755'], [02770, '770']) {
		spew($bin, 'old');
		chmod $_->[0], $bin;
		run_program({ limit => 300 }, $vetro, 'run', "$top/examples/hello", '--', 'info', '-o', $bin);
		ok(mode($bin) eq $_->[1] && slurp($bin) ne 'old', sprintf('a file of ours with mode %o is replaced', $_->[0]), mode($bin));
	}
}
if ($> != 0) { skip('files of others', 'only root can make them') }
else {
	umask 022;
	my $file = "$W/theirs";
	spew($file, 'old');
	chmod 0666, $file;
	chown 12345, 12345, $file or die;
	run_program({ limit => 300 }, $vetro, 'run', "$top/examples/hello", '--', 'info', '-o', $file);
	is(join(' ', (stat $file)[4, 5], mode($file)), '0 0 644', 'a file of somebody else is made anew');
	spew("$W/target", 'old');
	symlink "$W/target", "$W/link" or die;
	system('chown', '-h', '12345', "$W/link");
	run_program({ limit => 300 }, $vetro, 'run', "$top/examples/hello", '--', 'info', '-o', "$W/link");
	ok(slurp("$W/target") eq 'old' && !-l "$W/link" && -s "$W/link", 'a link of somebody else is replaced and not followed');
}
symlink "$W/mine", "$W/ours" or die;
spew("$W/mine", 'old');
run_program({ limit => 300 }, $vetro, 'run', "$top/examples/hello", '--', 'info', '-o', "$W/ours");
ok(-l "$W/ours" && slurp("$W/mine") ne 'old', 'a link of ours stays one');

# ---- files that may not grow, a disk that is full
sub tight { return run_program({ limit => 300, env => { TMPDIR => "$W/tmp" } }, 'sh', '-c', '(ulimit -f 0; exec "$@") 2>&1 | cat', 'sh', @_) }
mkdir "$W/out";
for (['run', "$top/examples/hello", '--', 'info', '-o', "$W/out/info"], ['build', '-O0', '-o', "$W/out/hello", "$top/examples/hello"],
	['build', '--no-cache', '-O0', '-o', "$W/out/hello", "$top/examples/hello"],
	['build', '-O0', '--emit-c', "$W/out/c", '-o', "$W/out/hello", "$top/examples/hello"]) {
	my (undef, $told) = tight($vetro, @$_);
	like($told, qr/(?:File too large|size limit)/, "ulimit -f: vetro $_->[0] $_->[1] says so");
	is(join(' ', grep { !-d } glob "$W/out/* $W/out/.* $W/tmp/*"), '', 'and leaves nothing behind');
}
($rc, undef, $err) = run_program({ limit => 300 }, 'sh', '-c', 'exec "$@" > /dev/full', 'sh', $vetro, 'yay', "$top/examples/yay/app.yay");
like("$rc $err", qr/^1 vetro: standard output: No space left on device\n$/, 'a full disk is one message');
done();
