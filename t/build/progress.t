#!/usr/bin/perl
# A build on a terminal says what it does, and leaves an empty line; elsewhere, and with -v, it draws nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
skip_all('there is no script(1)') if !grep { -x "$_/script" } split /:/, $ENV{PATH};
$ENV{XDG_CACHE_HOME} = "$W/cache";
my $program = $vetro =~ m{^/} ? $vetro : "$top/$vetro";
my $n = 0;
sub terminal {
	my ($env, $words) = @_;
	my ($rc, $out) = run_program({ env => { TERM => 'xterm', %$env }, limit => 300 }, 'script', '-qec', "'$program' $words", '/dev/null');
	return ($rc, $out =~ s/\r\n/\n/gr);
}
sub build { return "build --no-cache -O0 $_[0] $top/examples/hello -o $W/hello" . $n++ }

my ($rc, $out) = terminal({}, build(''));
is($rc, 0, 'it builds on a terminal');
like($out, qr/\rvetro: compiling 1 of \d+\e\[K/, 'it says what it compiles');
like($out, qr/\rvetro: linking\e\[K.*\r\e\[K\z/s, 'and that it links, and the line is empty again');
unlike($out =~ s/\r[^\r]*\e\[K//gr, qr/./, 'nothing else is printed');
($rc, $out) = terminal({}, build('-v'));
unlike($out, qr/\e\[K/, '-v has lines of its own');
($rc, $out) = terminal({ TERM => 'dumb' }, build(''));
is($out, '', 'a terminal that cannot be drawn on gets nothing');
($rc, $out, my $err) = vetro({ env => { TERM => 'xterm' } }, split / /, build('') =~ s/  / /r);
is("$rc$out$err", '0', 'what is no terminal gets nothing');
($rc, $out) = terminal({ VETRO_CC => 'false' }, build(''));
ok($rc == 4 && $out =~ /\r\e\[K(?:\e\[[\d;]*m)*vetro: .*error/, 'an error stands on a line of its own', $out);
done;
