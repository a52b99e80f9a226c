#!/usr/bin/perl
# Random expressions through vetro and through the reference: gen-yaql.pl VETRO SECONDS
#
# A round applies rows of the registry to expressions whose values are known, because earlier rounds evaluated them:
# arguments fit the types of the parameters most of the time, and what differs is never more than one call away from
# what agrees. Values must be equal; of errors the type must be. Expressions that differ are printed, shortest first.
#
# Environment: GEN_SEED another course; GEN_ONLY a pattern for names of rows; GEN_SHOW how many of one kind are shown;
# GEN_KEEP a file for the agreed ones, as recorded cases.
use strict;
use warnings;
no warnings "qw";
use utf8;
use FindBin;
use IO::Select;
use IPC::Open2;
use JSON::PP;

my ($vetro, $seconds) = @ARGV;
my $seed = $ENV{GEN_SEED} || 1;
my $show = $ENV{GEN_SHOW} || 2;
my $python = '/usr/bin/python3';
my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $end = time + ($seconds // 60);
binmode STDOUT, ':encoding(UTF-8)';
srand $seed;

if (system("$python -c 'import yaql' 2>/dev/null")) {
	print "skipped: python3-yaql is not installed\n";
	exit 0;
}

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# ---- rows ----

my %unordered = map { $_ => 1 } qw(random now localtz #finalize #iter #call assert);

# name: type, name: type = default, *name: type; defaults hold no comma outside of strings.
sub params {
	my ($text) = @_;
	my @p;
	for (split /,\s*(?=[*\w]+:)/, $text) {
		next unless /^(\*{0,2})(\w+):\s*(\w+)([!?])?(?:\s*=\s*(.*))?$/;
		push @p, { stars => length $1, name => $2, type => $3, null => ($4 // '') eq '?', optional => defined $5 };
	}
	return \@p;
}

sub rows {
	my @rows;
	for my $file (glob "$FindBin::Bin/../../runtime/lib/*.fn") {
		next if $file =~ m{/(murano|reflect|engine|legacy)\.fn$};
		open(my $f, '<:encoding(UTF-8)', $file) or die "$file: $!";
		my $layer = '';
		while (<$f>) {
			$layer = $1 if /^layer (\w+)/;
			next unless $layer eq 'std' && /^((?:\w+ )*?)(fn|method|ext) (\S+?)\((.*)\)\s*$/;
			my ($flags, $kind, $name, $p) = ($1, $2, $3, $4);
			next if $unordered{$name} || ($ENV{GEN_ONLY} && "$name" !~ /$ENV{GEN_ONLY}/);
			push @rows, { name => $name, kind => $kind, nokw => scalar($flags =~ /nokw/), params => params($p) };
		}
	}
	return @rows;
}

my @rows = rows();
my @data = (
	{ a => 1, b => 'text', l => [3, 1, 2], d => { k => undef }, w => ['b', 'a', 'ab', ''], f => 2.5, e => [],
		r => [{ n => 1, s => 'a' }, { n => 2, s => 'b' }, { n => 1, s => 'c' }] },
	{ a => -7, b => '', l => [], d => {}, w => ['é', 'E', "x y"], f => -0.5, e => [[1, 2], [3]],
		r => [{ n => 2, s => 'z', t => { u => [1] } }, { n => 2, s => undef }] },
);

# ---- values ----

my %pool = (
	int => [qw(0 1 2 3 5 -1 -2 7 10 $.a), '$.l.len()'],
	float => [qw(0.0 1.5 -2.5 0.1 3.0 100.25 $.f)],
	bool => [qw(true false)],
	null => ['null'],
	str => ['""', '"a"', '"abc"', '"a b  c"', '"Äé"', '"aXbXa"', '" x "', '"1"', '"2.5"', '"{0}-{1}"', '"😀z"', '"a.b"', '$.b'],
	list => ['[]', '[1, 2, 3]', '[3, 1, 2, 1]', '["b", "a"]', '[[1, 2], [3, 4]]', '[1, 2.0, true]', '[null, 1]', '[[]]', '$.l', '$.w', '$.r',
		'$.e', 'range(4)', '[{a => 1}, {a => 2}]', '["a", 1]', '[[a, 1], [b, 2]]'],
	dict => ['{}', '{a => 1}', '{a => 1, b => [2]}', '{1 => a, 2 => b}', '$.d', '$', '{a => {b => 1}}', '{"x y" => null}', '{a => b, b => a}'],
	set => ['set()', 'set(1)', 'set(1, 2)', 'set(a, b)', 'set(2, 3)'],
	datetime => ['datetime(2015, 8, 29, 11, 30)', 'datetime(1999, 12, 31)', 'datetime(2016, 2, 29, offset => timespan(hours => 3))',
		'datetime("2015-08-29T11:30:00.5+02:00")', 'datetime(0)'],
	timespan => ['timespan()', 'timespan(1)', 'timespan(hours => -3)', 'timespan(minutes => 90, microseconds => 5)'],
	regex => ['regex("a")', 'regex("(a)(b)?")', 'regex("[a-c]+", ignoreCase => true)', 'regex("\\\\s+")', 'regex("")', 'regex("(?P<x>.)(.)")'],
	context => ['let(1, x => 2)', 'def(f, $ + 1)', 'with(3)'],
);
my %big = (int => ['9007199254740993', '100000000000000000000', '-9223372036854775808'], float => ['1e300', '0.1 + 0.2']);
$pool{float} = [grep { !/e/ } @{ $pool{float} }];

# The pools that fit a parameter's type.
my %fits = (
	any => [qw(int float bool str list dict null datetime timespan set)], str => ['str'], int => [qw(int int int bool)], integer => ['int'],
	number => [qw(int int float bool)], bool => ['bool'], null => ['null'], iterable => [qw(list list list set)], iterator => ['list'],
	sequence => ['list'], mapping => ['dict'], set => ['set'], datetime => ['datetime'], timespan => ['timespan'], regex => ['regex'],
	ordering => ['ordering'], context => ['context'], callable => ['str'], tuple => ['list'],
);
my %small = map { $_ => 1 } qw(pow shiftBitsLeft #operator_* repeat substring);
our ($in_lambda, $row_now) = (0, q());

sub known {
	my ($kind) = @_;
	return pick('$', '$', '$1', '$2', '$[0]', '$.n', '$.s', '$.a') if $in_lambda && chance(0.5);
	return '(' . pick(@{ $pool{list} }) . ').orderBy(' . lambda(1) . ')' if $kind eq 'ordering';
	return pick(@{ $big{$kind} }) if $big{$kind} && chance(0.04) && !$small{$row_now};
	return pick(@{ $pool{$kind} }) if $row_now !~ /^(pow|shiftBitsLeft|#operator_\*)$/ || $kind ne 'int';
	return int(rand 12) - 2;
}

sub value {
	my ($p) = @_;
	my $type = $p->{type};
	return pick(qw(a b s n k x len missing)) if $type eq 'keyword' || $type eq 'string_const';
	return lambda() if $type =~ /^lambda|^expr$/;
	return value({ type => 'any' }) . ' => ' . value({ type => 'any' }) if $type eq 'rule';
	return lambda() . ' => ' . lambda() if $type eq 'rule_lazy';
	return 'null' if $p->{null} && chance(0.15);
	my $kinds = chance(0.06) ? $fits{any} : $fits{$type} || $fits{any};
	return known(pick(@$kinds));
}

sub lambda {
	my ($flat) = @_;
	local $in_lambda = $in_lambda + 1;
	local $row_now = $row_now;
	return pick('$', '$', '-$', '$ > 1', '$ + 1', 'str($)', '$1 + $2', '[$, $]', 'not $', '$ mod 2', '$.n', '$.s', '$.len()', '$[0]', '$ = 1',
		'null', 'true', '$1 < $2', '$ * 2', '[$1, $2]', '$ in [1, a]', '$.value', '$.start')
		if $flat || $in_lambda > 2 || chance(0.6);
	return call(pick(@rows));
}

# ---- calls ----

sub enclosed {
	my ($e) = @_;
	return $e =~ /^(?:\$?\w+|"[^"]*"|\w+\([^()]*\)|\[[^\[\]]*\])$/ && $e !~ /^\d/ ? $e : "($e)";
}

sub arguments {
	my ($row, $from) = @_;
	my (@args, @named, $keywords);
	my @p = @{ $row->{params} };
	for my $p (@p[$from .. $#p]) {
		if ($p->{stars} == 1) {
			push @args, value($p) for 1 .. int rand 4;
		} elsif ($p->{stars} == 2) {
			push @named, pick(qw(a b x default)) . ' => ' . value($p) for 1 .. int rand 3;
		} elsif ($p->{optional} && chance(0.55)) {
			$keywords = 1;
		} elsif (!$row->{nokw} && $p->{type} !~ /rule/ && ($keywords || chance($p->{optional} ? 0.3 : 0.03))) {
			$keywords = 1;
			push @named, "$p->{name} => " . value($p);
		} else {
			push @args, value($p);
		}
	}
	return join(', ', @args, @named);
}

sub operator {
	my ($row, $op) = @_;
	my ($left, $right) = @{ $row->{params} };
	my ($a, $b) = (value($left), value($right // $left));
	return enclosed($a) . ($op =~ /\?/ ? '?' : '') . '.' . $b if $op eq "." && $right->{type} eq "keyword";
	return call_method(pick(grep { $_->{kind} ne 'fn' } @rows), $op) if $op =~ /\./ && grep { $_->{kind} ne 'fn' } @rows;
	return enclosed($a) . " $op " . enclosed($b);
}

sub call_method {
	my ($row, $dot) = @_;
	my $args = arguments($row, 1);
	my $p = $row->{params}[0];
	return enclosed(value($p)) . $dot . "$row->{name}($args)";
}

sub call {
	my ($row) = @_;
	my $name = $row->{name};
	local $row_now = $name;
	return operator($row, $1) if $name =~ /^#operator_(.+)/;
	return operator($row, pick('=', '!=')) if $name =~ /^\*/;
	return ($1 eq 'not' ? 'not ' : $1) . enclosed(value($row->{params}[0])) if $name =~ /^#unary_operator_(.+)/;
	return enclosed(value($row->{params}[0])) . ".$1" if $name =~ /^#property#(.+)/;
	return enclosed(value($row->{params}[0])) . '[' . arguments($row, 1) . ']' if $name eq '#indexer';
	return '[' . arguments($row, 0) . ']' if $name eq '#list';
	return '{' . arguments($row, 0) . '}' if $name eq '#map';
	return '$' . pick('', '1', 'x') if $name eq '#get_context_data';
	return call_method($row, '.') if $row->{kind} eq 'method' || ($row->{kind} eq 'ext' && chance(0.7));
	return "$name(" . arguments($row, 0) . ')';
}

# ---- the two sides ----

sub side {
	my (@command) = @_;
	return { command => \@command, pid => 0 };
}

sub stop {
	my ($s) = @_;
	return unless $s->{pid};
	kill 'KILL', $s->{pid};
	close $s->{in};
	close $s->{out};
	waitpid($s->{pid}, 0);
	$s->{pid} = 0;
}

# The answer's line, or undef when it took too long or the process ended.
sub ask {
	my ($s, $line) = @_;
	local $SIG{PIPE} = 'IGNORE';
	$s->{pid} ||= open2($s->{out}, $s->{in}, @{ $s->{command} });
	print { $s->{in} } $line, "\n";
	$s->{in}->flush;
	my $answer;
	$answer = readline($s->{out}) if IO::Select->new($s->{out})->can_read(5);
	stop($s) unless defined $answer;
	return $answer;
}

my $ours = side($vetro, 'query', '--batch', '--timeout', '5');
my $theirs = side($python, "$FindBin::Bin/reference.py");

# ---- judgement ----

sub kind_of {
	my ($text) = @_;
	return $1 if $text =~ /^\{"error":\{"type":"(\w+)"/;
	return 'broken' unless $text =~ s/^\{"value":(.*)\}\s*$/$1/s;
	return 'null' if $text eq 'null';
	return 'bool' if $text =~ /^(true|false)$/;
	return 'int' if $text =~ /^(-?\d+|\{"\$int".*)$/;
	return 'float' if $text =~ /^(-?\d|\{"\$float")/;
	return 'str' if $text =~ /^"/;
	return 'list' if $text =~ /^(\[|\{"\$tuple")/;
	return $1 if $text =~ /^\{"\$(set|datetime|timespan|regex|context|novalue|other)"/;
	return 'dict';
}

my $of_sets = qr/set\(|toSet|union|intersect|ifference|keys\(|items\(|characters/;

# What is known to differ and left at that: the order of sets, the addresses of objects, a complex number; converting a set
# of sets to sets, which the reference cannot; offsets with a fraction of a second
# and spans of more than 292471 years; comparing a set with a dict's items(), which the reference unpacks; and an argument's error where the
# receiver does not fit either: vetro evaluates the argument first.
sub known_difference {
	my ($expr, $want, $got) = @_;
	my ($w, $g) = (kind_of($want), kind_of($got));
	return 1 if "$want$got" =~ /"\$other"| object at 0x|an offset must be of whole seconds|timespan out of range|unpack/;
	return 1 if $expr =~ $of_sets && ($w eq $g || $expr =~ /\bset\(.*\.(?:first|last)\(/);
	# an offset of a day: the reference finds out when it prints, vetro where it counts
	return 1 if $want =~ /offset must be a timedelta strictly between/;
	return;
}

sub same {
	my ($want, $got) = @_;
	chomp($want, $got);
	return 1 if $want eq $got;
	my ($w, $g) = (kind_of($want), kind_of($got));
	return $w eq $g if $want =~ /^\{"error"/ && $got =~ /^\{"error"/;
	return eval { $json->encode($json->decode($want)) eq $json->encode($json->decode($got)) && $w eq $g && $w !~ /int|float/ };
}

my %found;
my ($n, $agreed, $late, $known) = (0, 0, 0, 0);

sub report {
	my ($row, $expr, $data, $want, $got) = @_;
	my $key = "$row->{name}: " . kind_of($want) . ' ' . kind_of($got);
	push @{ $found{$key} }, { expr => $expr, data => $data, want => $want, got => $got };
}

sub remember {
	my ($kind, $expr) = @_;
	my $p = $pool{$kind} or return;
	return if length($expr) > 90 || ($kind ne 'set' && $expr =~ $of_sets);
	if (@$p < 120) { push @$p, $expr } elsif (chance(0.3)) { $p->[10 + rand(@$p - 10)] = $expr }
}

my $keep;
open($keep, '>:encoding(UTF-8)', $ENV{GEN_KEEP}) or die "$ENV{GEN_KEEP}: $!" if $ENV{GEN_KEEP};

sub try {
	my ($row) = @_;
	my $expr = call($row);
	my $data = pick(@data);
	my %q = (expr => $expr, data => $data, options => { 'yaql.limitIterators' => 300, 'yaql.convertSetsToLists' => JSON::PP::false,
		'yaql.convertTuplesToLists' => JSON::PP::false });
	my $line = $json->encode(\%q);
	my $want = ask($theirs, $line);
	$n++;
	if (!defined $want || $want =~ /^\{"error":\{"type":"(MemoryError|RecursionError)/) { $late++; return }
	my $got = ask($ours, $line) // 'no answer';
	utf8::decode($_) for $want, $got;
	if (!same($want, $got)) {
		if (known_difference($expr, $want, $got)) { $known++ } else { report($row, $expr, $data, $want, $got) }
		return;
	}
	$agreed++;
	remember(kind_of($want), $expr) if $want =~ /^\{"value"/;
	print $keep "$line\n" if $keep;
}

while (time < $end) {
	try($_) for sort { rand() <=> 0.5 } @rows;
}
stop($_) for $ours, $theirs;

for my $key (sort keys %found) {
	my @f = sort { length $a->{expr} <=> length $b->{expr} } @{ $found{$key} };
	printf "%s (%d)\n", $key, scalar @f;
	for my $f (@f[0 .. ($#f < $show - 1 ? $#f : $show - 1)]) {
		my ($want, $got) = @$f{qw(want got)};
		chomp($want, $got);
		printf "  %s\n    data %s\n    reference %.300s\n    vetro     %.300s\n", $f->{expr}, $f->{data} == $data[0] ? 1 : 2, $want, $got;
	}
}
printf "%d expressions (seed %s), %d agree, %d differ as they are known to, %d the reference could not do, %d kinds of difference\n",
	$n, $seed, $agreed, $known, $late, scalar keys %found;
exit(%found ? 1 : 0);
