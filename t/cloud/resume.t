#!/usr/bin/perl
# A deployment that is killed at each of its effects, before and after each change of the cloud, and begun again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl ':flock';
use JSON::PP;
use Kills;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $cloud = "$W/cloud.bin";
my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', $cloud, "$FindBin::Bin/../data/murano/cloud");
ok($rc == 0, 'the package builds', $out . $err);
spew("$W/app.json", '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[
	{"?":{"id":"app","type":"t.cloud.App"},
		"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i","assignFloatingIp":true}},
	{"?":{"id":"two","type":"t.cloud.App"},
		"instance":{"?":{"id":"vm2","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm2","flavor":"m1","image":"i"}}],
	"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}');
my ($snapshot, $state) = ("$W/s.mugl", "$W/state.json");

sub run {
	my ($stop, @args) = @_;
	spew("$W/scenario.json", $json->encode({ state => $state, ($stop ? (stop => $stop) : ()) }));
	local $Tap::vetro = $cloud;
	return vetro('run', '--scenario', "$W/scenario.json", '--model', "$W/app.json", '--snapshot', $snapshot, @args);
}
sub clean { unlink $state, $snapshot, "$snapshot.journal" }

# What the cloud has come to: stacks, and how many plans each machine ran.
sub cloud_now {
	my $s = $json->decode(slurp($state));
	my %stacks = map { my $r = $_; map { $_->{name} => [@$_{qw(action status template)}] } values %{ $s->{stacks}{$r} } } keys %{ $s->{stacks} };
	my %plans = map { $_ => $s->{agents}{$_}{plans} } keys %{ $s->{agents} };
	return $json->encode(plain([[values %stacks], [map { "$_=$plans{$_}" } sort keys %plans]]));
}
# Without subscriptions: an object that is loaded before its subscriber forgets it, as in the reference.
sub model_of { return $json->encode(plain($json->decode($_[0])->{model}{Objects})) }

clean();
my ($st, $text, $errors) = run();
is($st, 0, 'a run that nobody kills');
ok(!-e "$snapshot.journal", 'leaves no journal');
my ($model, $end) = (model_of($text), cloud_now());

my $effects = $json->decode($text)->{effects};
my $all = 0;
$all += @{ $effects->{$_} } for qw(heat agent reports);
ok($all >= 12, "it has $all effects");
my $requests = @{ $effects->{heat} } + @{ $effects->{agent} };

# What somebody else has put beside it is not written through.
{
	clean();
	spew("$W/victim", 'mine');
	symlink("$W/victim", "$snapshot.journal") && symlink("$W/victim", "$state.new");
	my ($r, undef, $e) = run();
	is($r, 1, 'a journal that is a link');
	like($e, qr/s\.mugl\.journal: /, 'is refused');
	unlink "$snapshot.journal";
	($r) = run();
	is("$r " . slurp("$W/victim"), '0 mine', 'and a link beside the simulated cloud is left alone');
	unlink "$state.new";
	clean();
}

for my $stop ((map { { effect => $_ } } 1 .. $all), map { my $i = $_; map { { request => $i, when => $_ } } qw(before after) } 1 .. $requests) {
	my $title = 'killed at ' . join(' ', map { "$_ $stop->{$_}" } sort keys %$stop);
	clean();
	($st) = run($stop);
	is($st, -1, $title);
	is((vetro('graph', 'check', '--snapshot', $snapshot))[0], 0, "$title: the snapshot is whole");
	($st, $text, $errors) = run();
	ok($st == 0 && $errors =~ /goes on with the run that was interrupted/, "$title: the same command goes on", $errors);
	next if $st != 0;
	is(model_of($text), $model, "$title: to the same model");
	is(cloud_now(), $end, "$title: and the same cloud, where each plan ran once");
	ok(!-e "$snapshot.journal", "$title: the journal is gone");
	my $again = $json->decode($text)->{effects};
	ok(!$stop->{effect} || @{ $again->{reports} } + @{ $again->{heat} } + @{ $again->{agent} } <= $all, "$title: nothing is done twice");
}

# ---- killed again and again
clean();
my $kills = 0;
for my $i (1 .. 60) {
	($st, $text, $errors) = run({ request => 1, when => $i % 2 ? 'after' : 'before' }) if $i < 40;
	($st, $text, $errors) = run() if $i >= 40;
	last if $st == 0;
	$kills++ if $st == -1;
}
is($st, 0, "killed $kills times, it comes to an end");
is(cloud_now(), $end, 'the same one');

# ---- other commands meanwhile
clean();
run({ effect => 3 });
my $kept = slurp($snapshot);
($st, $text, $errors) = run(undef, '--call', 'other');
ok($st == 1 && $errors =~ /is what an interrupted run left, and that was another one/, 'another command does not go on with it', $errors);
is(slurp($snapshot), $kept, 'and leaves the snapshot alone');
open(my $other, ">>", "$snapshot.journal") or die;
flock($other, LOCK_EX) or die;
($st, $text, $errors) = run();
ok($st == 1 && $errors =~ /belongs to a run that is still under way/, 'nor does one while another is at it', $errors);
is(slurp($snapshot), $kept, 'and leaves the snapshot alone too');
close $other;
($st) = run();
is($st, 0, 'the right one still does');
clean();
run({ effect => 5 });
open(my $f, '>>', "$snapshot.journal"); print $f '{"begun": "cut'; close $f;
($st, $text) = run();
is($st, 0, 'a line that was cut is passed over');
is(cloud_now(), $end, 'and it ends as it should');
is(sprintf('%o', (stat $_)[2] & 0777), '600', ($_ eq $state ? 'the state of the simulated cloud' : 'the snapshot') . ' is private') for $snapshot, $state;
my @mode = stat("$snapshot.journal");
clean();
run({ effect => 2 });
@mode = stat("$snapshot.journal");
is(sprintf('%o', $mode[2] & 0777), '600', 'the journal is private');

# ---- the model is written when something came up that running again would not come to; else a line an effect will do
sub results_in_snapshot {
	my $g = $json->decode(slurp($snapshot));
	my ($app) = grep { $_->{id} eq 'app' } @{ $g->{vertexes} // [] };
	my ($n) = slurp($snapshot) =~ /"results"\s*:\s*(\[[^\]]*\])/;
	return $n ? scalar(@{ $json->decode($n) }) : 0;
}
clean();
my @many = ('--object', 'app', '--call', 'many', '--args', '[40]');
my ($many_st, $many) = run(undef, @many);
is($many_st, 0, 'forty plans one after another');
my $many_end = cloud_now();
clean();
($st) = run({ effect => 30 }, @many);
is($st, -1, 'killed at the thirtieth');
is(results_in_snapshot(), 0, 'the model was not written since the machine was there');
ok((() = slurp("$snapshot.journal") =~ /^\{"crc":"[0-9a-f]{8}","seq":\d+,"begun"/mg) >= 28, 'the journal has a line for each');
($st, $text, $errors) = run(undef, @many);
is($st, 0, 'it goes on');
is($json->encode($json->decode($text)->{model}{Objects}{applications}[0]{results}),
	$json->encode($json->decode($many)->{model}{Objects}{applications}[0]{results}), 'to the same model');
is(cloud_now(), $many_end, 'and the same cloud, where each plan ran once');
clean();
my @lucky = ('--object', 'app', '--call', 'lucky', '--args', '[12]');
($st) = run({ effect => 9 }, @lucky);
my @drawn = slurp("$snapshot.journal") =~ /"drew":"draw-[^"]*","value":(\d+)\}$/mg;
ok(@drawn >= 4, 'a number that was drawn is in the journal before the plan that has it', scalar @drawn);
($st, $text) = run(undef, @lucky);
my @all_drawn = @{ $json->decode($text)->{model}{Objects}{applications}[0]{results} };
is(scalar @all_drawn, 12, 'as many numbers as a run has that nobody killed');
is_lines([@all_drawn[0 .. $#drawn]], \@drawn, 'and the same when the run goes on');

# ---- failures end a run: the next one begins anew
clean();
spew("$W/fail.json", '{"heat":[{"op":"update","n":1,"reason":"no"}]}');
{
	local $Tap::vetro = $cloud;
	($st) = vetro('run', '--scenario', "$W/fail.json", '--model', "$W/app.json", '--snapshot', $snapshot);
}
is($st, 1, 'a run that fails');
ok(!-e "$snapshot.journal" && -e $snapshot, 'leaves a snapshot and no journal');
done();
