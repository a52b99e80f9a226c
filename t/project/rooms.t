#!/usr/bin/perl
# The rooms of compiler/ and runtime/: layers of includes and of symbols, seams by name, sizes, columns, format. rooms.txt has the rules.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap qw(ok done);

my $top = "$FindBin::Bin/../..";
my $build = $ENV{BUILD} || "$top/build/release";
chdir $top or die "$top: $!";

# ---- the rules ----

my (%rank, %ground, %above, %seam, %data, %excused, %stands);
sub rules {
	my $here;
	open(my $f, '<', "$FindBin::Bin/rooms.txt") or die "rooms.txt: $!";
	while (<$f>) {
		s/^#.*//;
		my ($what, @w) = split or next;
		if ($what eq 'layers') { my ($half, $i) = (shift @w, 0); $rank{"$half/$_"} = ++$i for @w }
		elsif ($what eq 'ground') { $ground{"runtime/$_"} = 1 for @w }
		elsif ($what eq 'above') { $above{"compiler/$w[0]"} = "runtime/$w[1]" }
		elsif ($what eq 'seam') { $seam{$w[0]} = 0 }
		elsif ($what eq 'data') { $data{$w[0]} = 1 }
		elsif ($what eq 'excuse') { $excused{join ' ', @w} = 0 }
		elsif ($what eq 'stands') { $stands{$w[0]} = 1 }
		else { die "rooms.txt:$.: $what\n" }
	}
}

sub may_use {
	my ($from, $to) = @_;
	my ($a, $b) = map { m{^(\w+)/} } $from, $to;
	return $rank{$to} <= $rank{$from} if $a eq $b;
	return 0 if $a eq 'runtime';
	return 1 if $ground{$to};
	return $above{$from} && $rank{$to} <= $rank{$above{$from}};
}

# What is wrong and not excused; an excuse that is not needed is wrong as well.
sub report {
	my ($title, @wrong) = @_;
	my @left = grep { !exists $excused{$_} || $excused{$_}++ && 0 } @wrong;
	ok(!@left, $title, @left);
}

sub room { return $_[0] =~ m{^((?:compiler|runtime)/\w+)/} ? $1 : undef }
sub text { open(my $f, '<', $_[0]) or die "$_[0]: $!"; local $/; return scalar <$f> }

rules();
my $listed = -d '.git' ? qx(git ls-files -co --exclude-standard compiler runtime) : qx(find compiler runtime -type f);
my @files = grep { m{^(?:compiler|runtime)/} && -f } split /\n/, $listed;
my @code = grep { /\.(?:c|h|S|y|re|def)$/ } @files;

# ---- files ----

# Folders that are not C: the core library in MuranoPL, and the Python module, whose packages are folders.
my $guest = qr{^runtime/lib/io\.murano(?:\.applications)?/|^compiler/libvetro/python/};

sub files {
	my %count;
	my @homeless = grep { !m{/files\.mk$} && !$rank{room($_) // ''} } @files;
	report('every file is in a room that rooms.txt names', @homeless);
	report('rooms have no folders', grep { !m{^\w+/\w+/[^/]+$} && !m{/files\.mk$} && !/$guest/ } @files);
	$count{room($_)}++ for grep { room($_) && !/$guest/ && !/\.fn$/ } @files;
	report('at most 40 files a room', map { "size $_ $count{$_}" } grep { $count{$_} > 40 } sort keys %count);
	my (@long, @wide);
	for my $f (@code) {
		my @lines = split /\n/, text($f);
		my $most = $f eq 'runtime/abi/vt.h' ? 1e9 : $f =~ /\.h$/ ? 400 : 1000;
		push @long, "long $f" if @lines > $most;
		push @wide, "wide $f" if grep { s/\t/        /gr =~ /^.{101}/ } map { my $l = $_; utf8::decode($l); $l } @lines;
	}
	report('headers have at most 400 lines, files at most 1,000', @long);
	report('lines have at most 100 columns', @wide);
}

# ---- includes ----

sub includes {
	my (@up, @floating);
	for my $f (@code) {
		my $from = room($f) or next;
		my $t = text($f);
		while ($t =~ /^\s*#\s*include "([^"]+)"/mg) {
			my $to = room($1);
			push @floating, "include $f $1" if !$to && $1 =~ m{/} || $1 =~ m{^\.};
			push @up, "include $f $1" if $to && !may_use($from, $to) && !$data{$1};
		}
	}
	report('includes go down', @up);
	report('includes name a file from the root', @floating);
}

# ---- symbols ----

sub objects { return grep { -f } glob("$build/compiler/*/*.o $build/runtime/*/*.o $build/gen/*.o") }
my %gen = ('registry' => 'runtime/lib', 'yaql_lex' => 'compiler/yaql', 'yaql_parse' => 'compiler/yaql',
	'yay_lex' => 'compiler/yay', 'yay_parse' => 'compiler/yay', 'assets' => 'compiler/base');
sub room_of_object {
	my ($o) = @_;
	return $gen{$1} if $o =~ m{/gen/(\w+)\.o$};
	(my $rel = $o) =~ s{^\Q$build\E/}{};
	$rel =~ s{\.o$}{};
	return -e "$rel.c" || -e "$rel.S" ? room("$rel.c") : undef;
}

sub symbols {
	my (%home, %uses, %object);
	my %room = map { my $room = room_of_object($_); $room ? ($_ => $room) : () } objects();
	my @left = sort keys %room;
	while (my @some = splice(@left, 0, 100)) {
		open(my $nm, '-|', "nm -A @some 2>/dev/null") or die "nm: $!";
		while (<$nm>) {
			my ($o, $type, $name) = /^(.*\.o):.*([A-Za-z]) (\S+)$/ or next;
			my $room = $room{$o};
			next if $name =~ /^__odr_asan/; # the sanitizer's own
			if ($type eq 'U' || $type eq 'w') { push @{ $uses{$name} }, [$o, $room] }
			elsif ($type =~ /[A-Z]/ || $type eq 'v') { $home{$name} = $room; $object{$name} = $o }
		}
		close $nm;
	}
	my (%up, @own);
	for my $name (sort keys %uses) {
		my $to = $home{$name} or next;
		for (@{ $uses{$name} }) {
			my ($o, $from) = @$_;
			next if may_use($from, $to);
			if (exists $seam{$name}) { $seam{$name}++ }
			else { $up{"symbol $from $name $to"} = 1 }
		}
	}
	report('symbols are used from rooms to the right of theirs', sort keys %up);
	report('every seam is needed', map { "seam $_" } grep { !$seam{$_} } sort keys %seam);
	# What an emitted program, a generated table or a test may name is external although no object here does.
	my $named = join "\n", map { text($_) } glob("runtime/abi/*.h compiler/libvetro/*.h runtime/lib/*.fn runtime/*/*.def t/unit/*.c t/fuzz/*.c lua/*/*");
	my %named = map { $_ => 1 } $named =~ /\b(\w+)\b/g;
	for my $name (sort keys %home) {
		push @own, "own $object{$name} $name" =~ s{\Q$build\E/}{}r if !$uses{$name} && !$named{$name} && !$stands{$name};
	}
	# what a sanitized build leaves out may have been the only user
	@own = () if ($ENV{CONFIG} // '') =~ /asan|torture/;
	report('nothing is external that only its own object uses', @own);
}

# ---- format ----

sub format_of_code {
	my @c = grep { /\.[ch]$/ } @code, glob('t/unit/*.[ch] t/fuzz/*.c t/bench/*.[ch] lua/*/*.c');
	if (system('clang-format --version > /dev/null 2>&1')) { ok(1, 'format # SKIP clang-format is not installed'); return }
	my @bad;
	while (my @some = splice(@c, 0, 50)) {
		push @bad, grep { !/^\s/ } map { /^([^:\s]+):\d+:\d+: error/ ? "format $1" : () } qx(clang-format --dry-run -Werror @some 2>&1);
	}
	my %seen;
	report('clang-format changes nothing', grep { !$seen{$_}++ } @bad);
}

files();
includes();
if (objects()) { symbols() } else { ok(1, "symbols # SKIP $build has no objects") }
format_of_code();
my @vain = grep { !$excused{$_} } sort keys %excused;
ok(!@vain, 'every excuse is needed', @vain);
done();
