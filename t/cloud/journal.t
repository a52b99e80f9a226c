#!/usr/bin/perl
# What is reported outlives what is done: the journal of a run goes last, says where it is damaged, and time never goes back.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $cloud = "$W/cloud.bin";
my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', $cloud, "$FindBin::Bin/../data/murano/cloud");
ok($rc == 0, 'the package builds', $out . $err);
spew("$W/app.json", '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[
	{"?":{"id":"app","type":"t.cloud.App"},
		"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i"}}],
	"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}');
my ($snapshot, $state) = ("$W/s.mugl", "$W/state.json");
my $journal = "$snapshot.journal";
sub clean { unlink $state, $snapshot, $journal }

sub run {
	my ($stop, @args) = @_;
	spew("$W/scenario.json", $json->encode({ state => $state, ($stop ? (stop => $stop) : ()) }));
	return run_program({ limit => 100 }, $cloud, 'run', '--scenario', "$W/scenario.json", '--model', "$W/app.json",
		'--snapshot', $snapshot, @args);
}
sub plans { my $s = $json->decode(slurp($state)); return join ' ', map { "$_=$s->{agents}{$_}{plans}" } sort keys %{ $s->{agents} } }

# ---- the journal goes after the output
my ($st, $text) = run();
is($st, 0, 'a run');
my $done = plans();
clean();
($st, undef, $err) = run(undef, '--output', '/dev/full');
is($st, 1, 'a run whose output cannot be written');
like($err, qr{/dev/full: No space left}, 'says so');
ok(-s $journal, 'and keeps its journal');
is(plans(), $done, 'all was done');
($st, $text, $err) = run();
is($st, 0, 'the same command goes on');
like($err, qr/goes on with the run that was interrupted/, 'and says so');
is(plans(), $done, 'nothing is done again');
is(ref $json->decode($text)->{model}{Objects}, 'HASH', 'the output is reported');
is(scalar @{ $json->decode($text)->{model}{Objects}{applications}[0]{results} }, 3, 'with what came of the plans');
ok(!-e $journal, 'then the journal goes');
clean();
{
	local $ENV{BIN} = $cloud;
	spew("$W/scenario.json", $json->encode({ state => $state }));
	($st) = run_program({}, '/bin/sh', '-c', "\"\$BIN\" run --scenario $W/scenario.json --model $W/app.json --snapshot $snapshot >/dev/full");
	is($st, 1, 'the same for standard output');
	ok(-s $journal, 'which keeps the journal');
	($st) = run_program({}, '/bin/sh', '-c', "\"\$BIN\" run --scenario $W/scenario.json --model $W/app.json --snapshot $snapshot >$W/answer");
	is("$st " . plans(), "0 $done", 'until it could be reported');
	is(ref $json->decode(slurp("$W/answer")), 'HASH', 'into a file');
}

# ---- damage
clean();
run({ effect => 4 });
my @lines = split /^/, slurp($journal);
ok(@lines >= 6, 'a journal of ' . @lines . ' lines');
is(join(',', map { /^\{"crc":"[0-9a-f]{8}","seq":(\d+),/ ? $1 : '?' } @lines), join(',', 0 .. $#lines), 'each with its number and checksum');
my %damage = (
	'a byte that changed' => [3, sub { my @l = @_; $l[2] =~ s/"begun"|"drew"|"done"/"Xxxx"/; @l }],
	'a line that is missing' => [3, sub { my @l = @_; splice @l, 2, 1; @l }],
	'a line that is there twice' => [4, sub { my @l = @_; splice @l, 3, 0, $l[2]; @l }],
	'two lines that changed places' => [3, sub { my @l = @_; @l[2, 3] = @l[3, 2]; @l }],
	'a line that was cut in the middle' => [3, sub { my @l = @_; chop $l[2]; chop $l[2]; $l[2] .= "\n"; @l }],
	'a number that changed' => [4, sub { my @l = @_; $l[3] =~ s/"seq":3/"seq":30/; @l }],
	'a last line that changed' => [scalar @lines, sub { my @l = @_; $l[-1] =~ s/\}\n\z/ }\n/; @l }],
	'the beginning' => [1, sub { my @l = @_; $l[0] =~ s/"run"/"Run"/; @l }],
	'zeroes' => [2, sub { my @l = @_; $l[1] = "\0" x 100 . "\n"; @l }],
	'no journal at all' => [0, sub { "my notes\n" }],
);
my $before = slurp($state);
# Keys of effects are places in the program: another build has others.
sub crc32 {
	my ($text) = @_;
	my $c = 0xffffffff;
	for my $byte (unpack 'C*', $text) {
		$c ^= $byte;
		$c = $c & 1 ? ($c >> 1) ^ 0xedb88320 : $c >> 1 for 1 .. 8;
	}
	return sprintf '%08x', $c ^ 0xffffffff;
}
{
	(my $other = $lines[0]) =~ s/"build":"[0-9a-f]+"/"build":"00"/ or ok(0, 'the journal names the build');
	$other =~ s/"crc":"\w+",(.*)\n/'"crc":"' . crc32($1) . "\",$1\n"/e;
	spew($journal, join '', $other, @lines[1 .. $#lines]);
	($st, undef, $err) = run();
	ok($st == 1 && $err =~ /is what an interrupted run left, and that was another one:\n  \{"build":"00"/, 'another build does not go on', $err);
}
for my $title (sort keys %damage) {
	my ($line, $make) = @{ $damage{$title} };
	my $bad = join '', $make->(@lines);
	spew($journal, $bad);
	($st, undef, $err) = run();
	is($st, 1, "$title: refused");
	like($err, $line ? qr/s\.mugl\.journal: the journal [^\n]*: record $line \(line $line\)\n  hint: / : qr/s\.mugl\.journal: the file is no journal/,
		"$title: with its place and a way out");
	ok(slurp($journal) eq $bad && slurp($state) eq $before, "$title: and nothing is touched");
}
# The way out: what is whole.
for my $n (1 .. @lines) {
	spew($journal, join '', @lines[0 .. $n - 1]);
	spew($state, $before);
	($st) = run({ effect => 1000 });
	is($st, 0, "$n whole lines are a journal");
}
for my $cut (1, 40, length($lines[-1]) - 1) {
	spew($journal, join('', @lines[0 .. $#lines - 1]) . substr($lines[-1], 0, $cut));
	spew($state, $before);
	($st, undef, $err) = run();
	is($st, 0, "a last line of which $cut characters were written is none");
	unlike($err, qr/damaged/, 'without a word');
}

# ---- time
clean();
for my $n (1 .. 4) {
	($st, $text) = run(undef, '--object', 'app', '--call', 'many', '--args', '[3]');
	is($st, 0, "run $n on one state: its clock goes on where the run before has left it", $text);
}
my $s = $json->decode(slurp($state));
$s->{time} += 1e6;
$_->{stamp} += 1e10 for values %{ $s->{agents} };
spew($state, $json->encode($s));
($st) = run(undef, '--object', 'app', '--call', 'many', '--args', '[3]');
is($st, 0, 'a clock on the wall that has gone back eleven days');
delete $s->{time};
spew($state, $json->encode($s));
($st) = run(undef, '--object', 'app', '--call', 'many', '--args', '[3]');
is($st, 0, 'and a state that has stamps only');

# The stamps of plans for real agents grow from run to run.
clean();
(my $bare = slurp("$W/app.json")) =~ s/"environment":\{.*?\},"flat"/"environment":null,"flat"/s;
spew("$W/bare.json", $bare);
my @plan = ('--object', 'app', '--call', 'plan', '--args', '[{"FormatVersion": "2.0.0", "Scripts": {}}]');
sub stamp {
	my ($snapshot_, $model) = @_;
	my ($s_, $t_, $e_) = run_program({}, $cloud, 'run', '--model', $model // "$W/bare.json", '--snapshot', $snapshot_, @plan);
	ok($s_ == 0, 'a plan is made', $e_);
	return $json->decode($t_)->{result}{Stamp};
}
my $stamp = stamp($snapshot);
ok($stamp > 1e13, "its stamp is $stamp");
like(slurp($snapshot), qr/"stamp": ?$stamp\b/, 'which the snapshot has');
my $later = $stamp + 1e10;
(my $future = slurp($snapshot)) =~ s/"stamp": ?\K$stamp/$later/;
spew($snapshot, $future);
is(stamp($snapshot), $later + 1, 'one after a clock that was put back is newer all the same');
spew("$W/model.mugl", $future);
is(stamp("$W/other.mugl", "$W/model.mugl"), $later + 1, 'also when the snapshot is the model');

# ---- what killed processes left
clean();
spew("$W/s.mugl.vetro-abcdef", 'left');
spew("$W/state.json.vetro-abcdef", 'left');
spew("$W/s.mugl.vetro-abc", 'mine');
spew("$W/other.vetro-abcdef", 'mine');
open(my $held, '>', "$W/s.mugl.vetro-ABCDEF") or die;
use Fcntl ':flock';
flock($held, LOCK_EX) or die;
run();
ok(!-e "$W/s.mugl.vetro-abcdef" && !-e "$W/state.json.vetro-abcdef", 'what a killed run was writing goes');
ok(-e "$W/s.mugl.vetro-ABCDEF", 'what a living one is writing stays');
ok(-e "$W/s.mugl.vetro-abc" && -e "$W/other.vetro-abcdef", 'and so do files of others');
done();
