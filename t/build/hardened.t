#!/usr/bin/perl
# What is built is hard to misuse and the same wherever it is built: vetro, libvetro and binaries of every kind are position
# independent, have no writable table of addresses and no executable stack, and guard their stack; the same source gives the
# same bytes in any directory, named by any path, with -g too. docs/security.md has the table.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $examples = abs_path("$FindBin::Bin/../../examples");
my $program = abs_path($vetro);
my $sanitized = ($ENV{CONFIG} // '') =~ /asan|torture/ || $vetro =~ m{/(asan|torture)/};
if (system('readelf --version >/dev/null 2>&1')) {
	skip_all('there is no readelf');
}

# ---- hardening ----
sub elf { my ($what, $file) = @_; return scalar `readelf -W $what '$file' 2>/dev/null` }
sub hardened {
	my ($file, $title, %o) = @_;
	my ($head, $segments, $dynamic) = map { elf($_, $file) } qw(-h -l -d);
	like($head, qr/Type:\s+DYN/, "$title: position independent");
	like($segments, qr/GNU_STACK .* RW +0x/, "$title: the stack is not executable");
	like($segments, qr/GNU_RELRO/, "$title: what the loader has written is made read-only");
	like($dynamic, qr/FLAGS.*\bNOW\b/, "$title: before the program starts");
	ok($segments !~ /LOAD .* RWE /, "$title: nothing is writable and executable");
	ok($dynamic !~ /TEXTREL|R(?:UN)?PATH/, "$title: no library path of its own, no text to adjust");
	return if $sanitized;
	my $symbols = elf('-s', $file) . elf('--dyn-syms', $file);
	like($symbols, qr/__stack_chk_fail/, "$title: stacks are guarded") unless $o{stripped};
}
sub built {
	my ($name, @args) = @_;
	my ($rc, undef, $err) = vetro('build', @args, '-o', "$W/$name");
	ok($rc == 0, "$name is built", $err);
	return "$W/$name";
}
hardened($program, 'vetro');
my ($library) = glob(dirname($program) . '/libvetro.so.*.*');
if ($library) { hardened($library, 'libvetro') } else { skip('libvetro is not beside vetro') }
hardened(built('package', '-g', "$examples/hello"), 'a package');
hardened(built('service', '-g', "$examples/tosca-webshop"), 'a service');
hardened(built('config', '-g', "$examples/yay/app.yay"), 'a configuration');
hardened(built('object.so', '--shared', '-g', "$examples/hello"), 'a shared object');
hardened(built('plain', "$examples/hello"), 'without -g', stripped => 0);

# ---- the same bytes ----
if ($sanitized) {
	skip('the same bytes', 'a sanitizer writes the names of the files that it was given into its tables');
	done();
}
my @places = map { "$W/$_" } 'one', 'two/deeper/place';
for my $place (@places) {
	make_path($place);
	system('cp', '-r', "$examples/hello", "$examples/tosca-webshop", $place) == 0 or die "cp: $?\n";
}
sub same {
	my ($title, $run_in, @args) = @_;
	my @bytes;
	for my $place (@places) {
		my @command = map { s/PLACE/$place/gr } @args;
		my ($rc, undef, $err) = vetro({ dir => $run_in eq 'there' ? $place : $run_in,
			env => { XDG_CACHE_HOME => "$place/cache", TMPDIR => $place } }, 'build', @command, '-o', "$place/out");
		ok($rc == 0, "$title: builds", $err);
		push @bytes, slurp("$place/out");
	}
	ok($bytes[0] eq $bytes[1], "$title: the same bytes");
	ok(index($bytes[0], $W) < 0, "$title: nothing tells where it was built");
}
$Tap::vetro = $program; # the commands run elsewhere
for my $example ('hello', 'tosca-webshop') {
	for my $debug ([], ['-g']) {
		my $title = join ' ', $example, @$debug;
		same("$title by a relative path", 'there', '--no-cache', @$debug, $example);
		same("$title by its whole path", '/', '--no-cache', @$debug, "PLACE/$example");
	}
}
same('hello from the cache', 'there', 'hello');
same('a shared object', 'there', '--shared', 'hello');
done();
