# TAP, running programs, files, and zip archives that need not be right: what every test in Perl uses.
package Tap;
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use IO::Socket::INET;
use JSON::PP;

our @EXPORT = qw(ok is like unlike is_json is_lines skip skip_all vetro run_program slurp spew files_like
	package_dir zip_file free_port instructions counts_instructions reference_entries blocks_are_read $W $vetro done);
our $vetro = $ENV{VETRO} || "$FindBin::Bin/../../build/debug/vetro";
our $W = tempdir(CLEANUP => 1);
my ($n, $bad) = (0, 0);
# A job in the background is told to ignore ^C, and so would be the programs that tests interrupt.
$SIG{INT} = 'DEFAULT';
my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum;

sub ok($$@) {
	my ($good, $title, @notes) = @_;
	$n++;
	$title =~ s/#(?! SKIP )/\\#/g;
	print $good ? '' : 'not ', "ok $n - $title\n";
	return 1 if $good;
	$bad++;
	print map { my $t = $_ // 'undef'; $t =~ s/^/# /mg; "$t\n" } @notes;
	return 0;
}

# A test that cannot run here.
sub skip {
	my ($title, $why) = @_;
	$n++;
	$title =~ s/#(?! SKIP )/\\#/g;
	print "ok $n - $title # SKIP $why\n";
	return 1;
}

# A file of tests none of which can run here.
sub skip_all {
	print "1..0 # SKIP $_[0]\n";
	exit 0;
}

# The place where two texts part, with what stands around it; short ones whole.
sub parted {
	my ($got, $want) = @_;
	return ("got:  $got", "want: $want") if length $got < 160 && length $want < 160;
	my $at = 0;
	$at++ while $at < length $got && $at < length $want && substr($got, $at, 1) eq substr($want, $at, 1);
	my $from = $at < 60 ? 0 : $at - 60;
	my $line = 1 + (substr($want, 0, $at) =~ tr/\n//);
	my ($g, $w) = map { ($from ? '...' : '') . substr($_, $from, 160) . ($from + 160 < length $_ ? '...' : '') } $got, $want;
	return ("they differ from character $at on (line $line)", "got:  $g", "want: $w");
}

sub is {
	my ($got, $want, $title) = @_;
	return ok(1, $title) if defined $got && $got eq $want;
	return ok(0, $title, defined $got ? parted($got, $want) : ('got:  undef', "want: $want"));
}

sub like {
	my ($got, $pattern, $title) = @_;
	return ok(!!(defined $got && $got =~ $pattern), $title, 'got:', excerpt($got), "want: $pattern");
}

sub unlike {
	my ($got, $pattern, $title) = @_;
	return ok(1, $title) if defined $got && $got !~ $pattern;
	return ok(0, $title, 'undef', "not wanted: $pattern") unless defined $got;
	my ($from, $to) = ($-[0], $+[0]);
	return ok(0, $title, "at character $from:", excerpt(substr($got, $from < 60 ? 0 : $from - 60)), "not wanted: $pattern");
}

sub excerpt {
	my ($text) = @_;
	return $text unless defined $text && length $text > 2000;
	return substr($text, 0, 2000) . '... (' . length($text) . ' characters)';
}

# Values of JSON, or what such a text says. Numbers are no strings; what is expected may not be nothing.
sub is_json {
	my ($got, $want, $title) = @_;
	return ok(0, $title, 'nothing is expected') unless defined $want;
	my ($g, $w) = map { $json->encode($_) } $got, $want;
	return ok(1, $title) if $g eq $w;
	my ($path, $a, $b) = differing($got, $want, '');
	return ok(0, $title, $path eq '' ? () : "they differ at $path", parted(map { $json->encode($_) } $a, $b));
}

# Two lists of lines, of which none may be empty: the first line that differs, or is missing.
sub is_lines {
	my ($got, $want, $title) = @_;
	return ok(0, $title, 'no lines are expected') unless @$want;
	my $most = @$got > @$want ? @$got : @$want;
	for my $i (0 .. $most - 1) {
		my ($g, $w) = map { $_->[$i] // '(no line)' } $got, $want;
		return ok(0, $title, 'line ' . ($i + 1) . ' of ' . scalar(@$want) . ' (got ' . scalar(@$got) . '):', parted($g, $w)) if $g ne $w;
	}
	return ok(1, $title);
}

# Path of the first difference, and what is there; a member that is missing is the text "(missing)".
sub differing {
	my ($got, $want, $path) = @_;
	my $kind = ref $want;
	return ($path, $got, $want) if $kind ne ref $got || $kind !~ /^(?:HASH|ARRAY)$/;
	my %seen;
	my @keys = $kind eq 'ARRAY' ? 0 .. (@$want > @$got ? $#$want : $#$got) : grep { !$seen{$_}++ } sort keys %$want, sort keys %$got;
	my $member = sub {
		my ($v, $k) = @_;
		return $k < @$v ? $v->[$k] : '(missing)' if ref $v eq 'ARRAY';
		return exists $v->{$k} ? $v->{$k} : '(missing)';
	};
	for my $k (@keys) {
		my ($g, $w) = map { $member->($_, $k) } $got, $want;
		return differing($g, $w, "$path/$k") if $json->encode($g) ne $json->encode($w);
	}
	return ($path, $got, $want);
}

# Runs a program: status (-1: killed or over the time), standard output and error. OPTIONS, all of them may be left out: in, what
# it reads; limit, in seconds; dir, where it runs; env, further variables; merge, errors go to standard output.
sub run_program {
	my ($o, @command) = @_;
	my ($out, $err, $in) = ("$W/.out", "$W/.err", "$W/.in");
	spew($in, $o->{in} // '');
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open(STDIN, '<', $in) && open(STDOUT, '>', $out) && open(STDERR, $o->{merge} ? '>&' : '>', $o->{merge} ? \*STDOUT : $err) or exit 126;
		chdir $o->{dir} or exit 126 if defined $o->{dir};
		%ENV = (%ENV, %{ $o->{env} }) if $o->{env};
		alarm($o->{limit} || $ENV{VETRO_LIMIT} || 600);
		exec { $command[0] } @command or exit 127;
	}
	waitpid($pid, 0);
	return ($? & 127 ? -1 : $? >> 8, slurp($out), $o->{merge} ? '' : slurp($err));
}

# The same with the compiler under test, or with $Tap::vetro. The first argument may be OPTIONS; $VETRO_LIMIT is the limit of those
# that have none.
sub vetro {
	my $o = ref $_[0] ? shift : {};
	return run_program($o, $vetro, @_);
}

# Entries of a reference (templates/language.txt and its kind): name, and parts [kind, what stands behind it, lines].
sub reference_entries {
	my ($file) = @_;
	my (@entries, $entry);
	for (split /\n/, slurp($file)) {
		if (/^== (.*)/) { push @entries, $entry = {name => $1, part => []} }
		elsif (/^= /) { undef $entry }
		elsif ($entry && /^\@(\w+) ?(.*)/) { push @{ $entry->{part} }, [$1, $2, ''] }
		elsif ($entry && @{ $entry->{part} }) { $entry->{part}[-1][2] .= "$_\n" }
	}
	return @entries;
}

# Files that match, in order. A loop over none tests nothing: their folder may have moved.
sub files_like {
	my ($pattern) = @_;
	my @found = sort glob $pattern;
	ok(0, "there are files like $pattern") if !@found;
	return @found;
}

# Every block of code of a page, but for those of text, is among those that a test has read; t/project/blocks.t asks for this.
sub blocks_are_read {
	my ($page, @read) = @_;
	my %read = map { $_ => 1 } grep { defined } @read;
	my ($text, $blocks, @unread) = (slurp("$FindBin::Bin/../../$page"), 0);
	while ($text =~ /^(\s*)```(\S*)[^\n]*\n(.*?)^\s*```$/msg) {
		my ($kind, $block, $line) = ($2, $3, 1 + (substr($text, 0, $-[0]) =~ tr/\n//));
		next if $kind eq 'text';
		$blocks++;
		push @unread, "$page:$line: no test reads this block" if !$read{$block};
	}
	return ok($blocks && !@unread, "all blocks of $page are read", @unread);
}

# A port of 127.0.0.1 that was free a moment ago.
sub free_port {
	my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1) or die "no port: $!";
	return $s->sockport;
}

sub slurp {
	my ($path) = @_;
	open(my $f, '<', $path) or return '';
	binmode $f;
	local $/;
	return <$f> // '';
}

sub spew {
	my ($path, $text) = @_;
	make_path($1) if $path =~ m{^(.*)/} && !-d $1;
	open(my $f, '>', $path) or die "$path: $!";
	binmode $f;
	print $f $text;
	close $f;
}

# package_dir(NAME, {path => text}): a package below $W; the manifest is made unless it is among the files.
sub package_dir {
	my ($name, $files) = @_;
	my %f = ('manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.$name\nClasses: {}\n", %{ $files || {} });
	spew("$W/$name/$_", $f{$_}) for keys %f;
	return "$W/$name";
}

# zip_file(PATH, [name, text, {size, crc, mode, host, flag, method, local_name}]...): entries are stored.
sub zip_file {
	my ($path, @entries) = @_;
	my ($body, $dir) = ('', '');
	for my $e (@entries) {
		my ($name, $text, $o) = @$e;
		my $crc = $o->{crc} // crc32($text);
		my $size = $o->{size} // length $text;
		my ($flag, $method, $local) = ($o->{flag} // 0, $o->{method} // 0, $o->{local_name} // $name);
		my $at = length $body;
		$body .= pack('VvvvvvVVVvv', 0x04034b50, 20, $flag, $method, 0, 33, $crc, length $text, $size, length $local, 0) . $local . $text;
		$dir .= pack('VvvvvvvVVVvvvvvVV', 0x02014b50, (($o->{host} // 3) << 8) | 20, 20, $flag, $method, 0, 33, $crc, length $text,
			$size, length $name, 0, 0, 0, 0, ($o->{mode} // 0100644) << 16, $at) . $name;
	}
	my $n = @entries;
	spew($path, $body . $dir . pack('VvvvvVVv', 0x06054b50, 0, 0, $n, $n, length $dir, length $body, 0));
	return $path;
}

sub crc32 {
	my ($text) = @_;
	our @table;
	if (!@table) {
		for my $i (0 .. 255) {
			my $x = $i;
			$x = $x & 1 ? ($x >> 1) ^ 0xedb88320 : $x >> 1 for 1 .. 8;
			push @table, $x;
		}
	}
	my $crc = 0xffffffff;
	$crc = ($crc >> 8) ^ $table[($crc ^ $_) & 255] for unpack 'C*', $text;
	return $crc ^ 0xffffffff;
}

# How many instructions a shell command takes, as callgrind counts them; 0: it did not end well. Of a sanitized program, or
# without valgrind, nobody can tell.
sub counts_instructions { return ($ENV{CONFIG} // '') !~ /asan|torture/ && `valgrind --version 2>/dev/null` ne '' }

sub instructions {
	my ($command) = @_;
	my $said = `valgrind --tool=callgrind --callgrind-out-file=/dev/null $command 2>&1 >/dev/null`;
	return $said =~ /Collected : (\d+)/ ? $1 : 0;
}

sub done {
	print "1..$n\n";
	exit($bad ? 1 : 0);
}

1;
