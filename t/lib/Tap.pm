# TAP, running vetro, and zip archives that need not be right: for the tests of the compiler's house.
package Tap;
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;

our @EXPORT = qw(ok is like vetro spew package_dir zip_file $W $vetro done);
our $vetro = $ENV{VETRO} || "$FindBin::Bin/../../build/debug/vetro";
our $W = tempdir(CLEANUP => 1);
my ($n, $bad) = (0, 0);

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

sub is {
	my ($got, $want, $title) = @_;
	return ok(defined $got && $got eq $want, $title, "got:", $got, "want:", $want);
}

sub like {
	my ($got, $pattern, $title) = @_;
	return ok(!!(defined $got && $got =~ $pattern), $title, "got:", $got, "want: $pattern");
}

# Status (-1: killed or over the time), standard output and error. The first argument may be { in => TEXT, limit => SECONDS };
# $VETRO_LIMIT is the limit of those that have none.
sub vetro {
	my $o = ref $_[0] ? shift : {};
	my @args = @_;
	my ($out, $err, $in) = ("$W/.out", "$W/.err", "$W/.in");
	spew($in, $o->{in} // '');
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open(STDIN, '<', $in) && open(STDOUT, '>', $out) && open(STDERR, '>', $err) or exit 126;
		alarm($o->{limit} || $ENV{VETRO_LIMIT} || 60);
		exec { $vetro } $vetro, @args or exit 127;
	}
	waitpid($pid, 0);
	return ($? & 127 ? -1 : $? >> 8, slurp($out), slurp($err));
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

sub done {
	print "1..$n\n";
	exit($bad ? 1 : 0);
}

1;
