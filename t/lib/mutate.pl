#!/usr/bin/perl
# Changes one operator at a time in a C file and runs the tests of its room: `make mutate FILE=runtime/seq/sort.c`. A change that
# no test notices is a line that nobody tests, or one that makes no difference.
# usage: mutate.pl FILE    COUNT=20 that many, chosen by SEED; LINES=10-40 only there; TRY='t/yaql/query.t' instead of the room's;
#                          MOST=30 leaves out tests that take longer than so many seconds; LIST=1 only lists the changes
# Everything happens in a copy of the tree below build/mutate; who stops this leaves nothing behind in his own.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Find;
use File::Path qw(make_path remove_tree);
use POSIX ();
use Time::HiRes qw(time);

my $top = POSIX::getcwd();
my $home = "$top/build/mutate";
my $file = shift @ARGV // '';
my $config = $ENV{CONFIG} || 'release';
my $make = $ENV{MAKE} || 'make';
my $jobs = $ENV{JOBS} || 2;

# What tests a room: folders of t and files of it. The first match counts.
my @rooms = (
	['runtime/core', qw(t/runtime t/yaql t/murano/made-keys.t t/murano/gc.t)],
	['runtime/task', qw(t/runtime/task.t t/murano/parallel.t t/cloud/resume.t)],
	['runtime/text', qw(t/runtime t/yaql/query.t t/yaql/registry.t t/yaql/query-tool.t t/compiler/yaml.t t/murano/snapshot.t)],
	['runtime/net', qw(t/runtime/http.t t/cloud/hosts.t t/cloud/dry-run.t t/yay/openers.t)],
	['runtime/seq', qw(t/runtime/sort.t t/yaql t/passes)],
	['runtime/object', qw(t/runtime/object.t t/murano)],
	['runtime/call', qw(t/murano t/yaql t/passes)],
	['runtime/lib', qw(t/yaql t/murano)],
	['runtime/(?:native|program)', qw(t/murano t/build)],
	['runtime/lua', qw(t/yaql/host.t t/yaql/libvetro.t t/yay/api.t t/murano)],
	['(?:runtime|compiler)/mugl', qw(t/mugl)],
	['runtime/(?:cloud|sim)', qw(t/cloud/dry-run.t t/cloud/scenarios.t t/cloud)],
	['(?:runtime|compiler)/yay', qw(t/yay)],
	['(?:runtime|compiler)/tosca', qw(t/tosca)],
	['runtime/deploy', qw(t/tosca/deploy.t t/tosca/update.t t/tosca/workflow.t t/tosca/notify.t t/tosca/guard.t t/tosca/where.t t/tosca)],
	['runtime/link', qw(t/build t/murano)],
	['compiler/base', qw(t/compiler t/murano/check.t)],
	['compiler/yaql', qw(t/yaql)],
	['compiler/yaml', qw(t/compiler/yaml.t t/compiler/diag.t)],
	['compiler/murano', qw(t/compiler/package.t t/murano)],
	['compiler/check', qw(t/murano/check.t t/murano/check-runs.t t/murano/catalogue.t t/murano/form.t)],
	['compiler/(?:ir|lower|emit)', qw(t/passes t/murano t/build)],
	['compiler/build', qw(t/build)],
	['compiler/query', qw(t/yaql)],
	['compiler/libvetro', qw(t/yaql/libvetro.t t/libvetro t/yay/api.t t/build/shared.t)],
	['compiler/cmd', qw(t/compiler t/build t/yaql/query-tool.t)],
);

# ---- changes ----

# The text with comments, strings, characters and preprocessor lines blanked, so that places stay.
sub bare {
	my ($text) = @_;
	my $blank = sub { $_[0] =~ s/[^\n]/ /gr };
	$text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{$blank->($1)}ges;
	$text =~ s{^([ \t]*\#(?:[^\n]*\\\n)*[^\n]*)}{$blank->($1)}gme;
	return $text;
}

my %other = ('==' => '!=', '!=' => '==', '<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>', '&&' => '||', '||' => '&&', '+' => '-',
	'-' => '+', '/' => '*', '%' => '/', '|' => '&', '&' => '|', '^' => '|', '<<' => '>>', '>>' => '<<', '+=' => '-=', '-=' => '+=',
	'|=' => '&=', '&=' => '|=', '<<=' => '>>=', '>>=' => '<<=', '++' => '--', '--' => '++', 'true' => 'false', 'false' => 'true');

# Changes as [offset, length, new text]: of code inside of functions, which is indented.
sub changes {
	my ($code) = @_;
	my @all;
	my $binary = qr/==|!=|<<=|>>=|<=|>=|\+=|-=|\|=|&=|&&|\|\||<<|>>|[-+<>\/%|&^]/;
	while ($code =~ /\b(true|false)\b|(?<=[\w\])])(\+\+|--)|(\+\+|--)(?=[\w(])|(?<= )($binary)(?= |\n)/g) {
		my $op = $1 // $2 // $3 // $4;
		push @all, [$-[0], length $op, $other{$op}];
	}
	while ($code =~ /(?<![\w.'])(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])/g) {
		my ($at, $n) = ($-[1], $1);
		push @all, [$at, length $n, $n =~ /^0[xX]/ ? sprintf('0x%x', oct($n) ^ 1) : $n eq '1' ? 0 : $n + 1] if length $n < 16;
	}
	push @all, [$-[1], length $1, "!($1)"] while $code =~ /\bif \(((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*)\)/g;
	push @all, removals($code);
	my @indented = grep { substr($code, 0, $_->[0]) =~ /^\t[^\n]*\z/m } @all;
	return sort { $a->[0] <=> $b->[0] || $a->[2] cmp $b->[2] } @indented;
}

# Statements of one line that only do something: calls and assignments, no declarations and nothing that the line before began.
sub removals {
	my ($code) = @_;
	my (@all, $before);
	while ($code =~ /^(\t+)([^\n]*)\n/gm) {
		my ($at, $line) = ($-[2], $2);
		my $begins = !defined $before || $before =~ /(?:[;{}:)]|\belse|\bdo)\s*$/;
		$before = $line =~ /\S/ ? $line : $before;
		my $assignment = qr/\*?[\w.>\[\]-]+(?:\([^=;]*\))?[\w.>\[\]-]* (?:[-+*\/|&^]|<<|>>)?= .*/;
		next unless $begins && $line =~ /^(?:$assignment|(?:\(void\))?\w+\(.*\)|[\w.>\[\]-]+(?:\+\+|--));$/;
		next if $line =~ /^(?:return|if|for|while|switch|else|case|goto)\b/;
		push @all, [$at, length $line, ';'];
	}
	return @all;
}

# ---- the copy ----

# Makes the copy the same as the tree, times included, so that make builds what changed and no more.
sub follow {
	my %here;
	find({ no_chdir => 1, wanted => sub {
		my $name = $_ =~ s{^\./}{}r;
		if ($name eq 'build' || $name eq '.git') { $File::Find::prune = 1; return }
		return unless -f $name;
		$here{$name} = 1;
		my ($from, $to) = ([stat $name], [stat "$home/$name"]);
		return if @$to && $from->[7] == $to->[7] && $from->[9] == $to->[9];
		make_path(dirname("$home/$name"));
		copy($name, "$home/$name") or die "$home/$name: $!\n";
		chmod $from->[2] & 07777, "$home/$name";
		utime $from->[9], $from->[9], "$home/$name";
	} }, '.');
	find({ no_chdir => 1, wanted => sub {
		my $name = $_ =~ s{^\Q$home\E/}{}r;
		if ($name eq 'build') { $File::Find::prune = 1; return }
		unlink $_ if -f $_ && !$here{$name};
	} }, $home);
}

# A build that is there already spares the first one.
sub begin {
	make_path("$home/build");
	if (-e "$top/build/$config/vetro" && !-e "$home/build/$config/vetro") {
		system('cp', '-a', "$top/build/$config", "$home/build/") == 0 or die "no copy of build/$config\n";
	}
	follow();
	print "# building in build/mutate\n";
	my ($ok, $said) = built(tests_of_room());
	$ok or die "the copy does not build:\n$said";
}

sub text_of {
	open(my $f, '<', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return scalar <$f>;
}

sub write_file {
	my ($path, $text) = @_;
	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close $f or die "$path: $!\n";
}

# Who stops this stops what runs in the copy.
my $running = 0;
$SIG{$_} = sub { kill 'KILL', -$running if $running; exit 130 } for qw(INT TERM HUP);

# Runs a command in the copy for so many seconds at most: its status (-1: killed) and what it said.
sub run {
	my ($seconds, @command) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid) {
		setpgrp(0, 0);
		chdir $home or POSIX::_exit(126);
		open(STDIN, '<', '/dev/null');
		open(STDERR, '>&', \*STDOUT);
		exec { $command[0] } @command or POSIX::_exit(127);
	}
	my ($said, $late) = ('', 0);
	$running = $pid;
	local $SIG{ALRM} = sub { $late = 1; kill 'KILL', -$pid };
	alarm $seconds;
	while (sysread $out, my $part, 65536) { $said .= $part if length $said < 1e6 }
	alarm 0;
	close $out;
	my $status = $?;
	kill 'KILL', -$pid; # what a test left behind
	$running = 0;
	return ($late || $status & 127 ? -1 : $status >> 8, $said);
}

# What these tests need: the compiler and the runtime library, programs of t/unit, libvetro.
sub built {
	my $all = join '', map { text_of($_) } @_;
	my @units = map { "build/$config/t/unit_$_" } $all =~ m{lib/unit\.sh" (\w+)}g;
	push @units, "build/$config/t/unit_http" if $all =~ /unit_http/;
	my @what = $all =~ /libvetro/ ? 'all' : ("build/$config/vetro", "build/$config/libvt.a");
	my ($status, $said) = run(1800, $make, '-s', "-j$jobs", "CONFIG=$config", @what, @units);
	return ($status == 0, $said);
}

# The code of the object, without what says where a line is.
sub object {
	my $o = "$home/build/$config/" . $file =~ s/\.c$/.o/r;
	my ($status, $said) = run(600, $make, '-s', "CONFIG=$config", "build/$config/" . $file =~ s/\.c$/.o/r);
	return undef if $status != 0;
	system('objcopy', '--strip-debug', $o, "$home/build/stripped.o") == 0 or return '';
	return text_of("$home/build/stripped.o");
}

# ---- tests ----

sub tests_of_room {
	return split ' ', $ENV{TRY} if $ENV{TRY};
	my ($row) = grep { $file =~ m{^$_->[0]/} } @rooms or die "$file is in no room that has tests here\n";
	my (@all, %seen);
	for my $t (@$row[1 .. $#$row]) {
		my @found = -d $t ? glob "$t/*.t" : -e $t ? $t : die "there is no $t\n";
		push @all, grep { !$seen{$_}++ } @found;
	}
	return grep { !m{/(?:valgrind|torture|memory|large|bench\w*(?:-command)?|size)\.t$} } @all;
}

sub passes {
	my ($test, $seconds) = @_;
	remove_tree("$home/build/tmp");
	make_path("$home/build/tmp");
	local @ENV{qw(VETRO BUILD CONFIG TMPDIR)} = ("$home/build/$config/vetro", "$home/build/$config", $config, "$home/build/tmp");
	my ($status, $said) = run($seconds, 'prove', '-Q', $test);
	return $status == 0;
}

# Tests that pass without a change, the fastest first: [name, seconds]. How long each takes is kept for the next time.
sub usable {
	my $most = $ENV{MOST} || 30;
	my %seconds = -e "$home/build/times" ? map { split ' ' } split /\n/, text_of("$home/build/times") : ();
	my @good;
	for my $t (tests_of_room()) {
		my $from = time;
		$seconds{$t} //= passes($t, 3 * $most) ? sprintf('%.1f', time - $from) : 'fails';
		write_file("$home/build/times", join '', map { "$_ $seconds{$_}\n" } sort keys %seconds);
		if ($seconds{$t} eq 'fails') { print "# $t fails or takes too long without any change, and is left out\n" }
		elsif ($seconds{$t} <= $most) { push @good, [$t, $seconds{$t}] }
	}
	return sort { $a->[1] <=> $b->[1] } @good;
}

# The test that notices, or undef.
sub killer {
	for my $t (@_) {
		my $limit = 20 + 4 * $t->[1];
		return $t->[0] unless passes($t->[0], $limit);
	}
	return undef;
}

# ---- the loop ----

sub chosen {
	my @all = @_;
	if (my ($from, $to) = ($ENV{LINES} // '') =~ /^(\d+)-(\d+)$/) { @all = grep { $_->{line} >= $from && $_->{line} <= $to } @all }
	return @all unless $ENV{COUNT} && $ENV{COUNT} < @all;
	srand($ENV{SEED} || 1);
	my @some;
	push @some, splice(@all, rand @all, 1) while @some < $ENV{COUNT};
	return sort { $a->{at} <=> $b->{at} } @some;
}

sub described {
	my ($c) = @_;
	my ($was, $now) = map { s/\s+/ /gr } $c->{was}, $c->{now};
	return "$file:$c->{line}:$c->{column}: " . ($now eq ';' ? "without $was" : "$was is $now");
}

$file =~ m{^(?:runtime|compiler)/\w+/\w+\.c$} && -e $file or die "usage: make mutate FILE=runtime/seq/sort.c [COUNT=20] [SEED=1]\n";
my $text = text_of($file);
my @changes = map {
	my ($at, $n, $new) = @$_;
	my $head = substr($text, 0, $at);
	+{ at => $at, n => $n, was => substr($text, $at, $n), now => $new, line => 1 + ($head =~ tr/\n//), column => 1 + $at - (rindex($head, "\n") + 1) }
} changes(bare($text));
my @some = chosen(@changes);
printf "# %s: %d of %d changes\n", $file, scalar @some, scalar @changes;
if ($ENV{LIST}) {
	print described($_), "\n" for @some;
	exit;
}
$| = 1;
$ENV{XDG_CACHE_HOME} = "$home/build/cache";
begin();
my $plain = object();
my @tests = usable();
printf "# %d tests, %.0f s\n", scalar @tests, eval { my $s = 0; $s += $_->[1] for @tests; $s };
my %n = map { $_ => 0 } qw(killed survived same broken);
for my $c (@some) {
	remove_tree("$home/build/cache");
	my $new = $text;
	substr($new, $c->{at}, $c->{n}) = $c->{now};
	write_file("$home/$file", $new);
	my $object = object();
	my ($how, $by) = ('killed', '');
	if (!defined $object) { $how = 'broken' }
	elsif ($object eq $plain) { $how = 'same' }
	elsif (!(built(map { $_->[0] } @tests))[0]) { $by = ' by the build' }
	elsif (defined(my $t = killer(@tests))) { $by = " by $t" }
	else { $how = 'survived' }
	$n{$how}++;
	printf "%-8s %s%s\n", $how, described($c), $by unless $how eq 'broken' || $how eq 'same';
}
write_file("$home/$file", $text);
printf "# %s: %d killed, %d survived; %d are no C, %d give the same code\n", $file, @n{qw(killed survived broken same)};
