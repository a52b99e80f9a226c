#!/usr/bin/perl
# Every function of vetro.h and vetro_host.h has a manual page with an example (make docs), and the examples print what
# the pages say.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $room = "$top/compiler/libvetro";
my $build = $ENV{BUILD} || "$top/build/debug";
my $examples = "$room/manual.txt";
my @headers = map { "$room/$_" } qw(vetro.h vetro_host.h);

sub mandoc { # what it prints, and its complaints
	return run_program({}, 'lua5.4', "$top/lua/build/mandoc.lua", @_);
}

# ---- the pages
mkdir "$W/man3";
my ($st, $out, $err) = mandoc('pages', $examples, "$W/man3", @headers);
is("$st $err", '0 ', 'pages are made of the headers and the examples');
my @declared = map { my $text = slurp($_); $text =~ s{/\*.*?\*/}{}gs; $text =~ /^VETRO_API\b[^;(]*?\b(vetro_\w+)\(/mg } @headers;
my @pages = map { m{([^/]+)\.3$} } glob "$top/docs/man/man3/*.3";
is_lines([sort @pages], [sort @declared], 'docs/man/man3 has a page for each function that the headers declare');
my @stale = grep { slurp("$W/man3/$_.3") ne slurp("$top/docs/man/man3/$_.3") } @declared;
is("@stale", '', 'the pages are fresh (make docs)');
is((mandoc('overview', "$top/docs/man/libvetro.3", @headers))[1], slurp("$top/docs/man/libvetro.3"),
	'so is the synopsis of libvetro(3)');
ok(slurp("$top/docs/man/man3/$_.3") =~ /^\.SH EXAMPLE\n.*^\.nf\n/ms, "$_(3) has an example") for qw(vetro_compile vetro_put);

# ---- a function without an example, one without a comment, an example of something else
sub complaint {
	my ($name, $text, $header, $want) = @_;
	spew("$W/manual.txt", $text);
	spew("$W/vetro.h", $header);
	my ($s, $o, $e) = mandoc('pages', "$W/manual.txt", "$W/man3", "$W/vetro.h");
	ok($s ne '0', "$name is refused");
	like($e, $want, "$name: the message names the function");
}
my $one = "/* Does it. */\nVETRO_API int vetro_do(void);\n";
my $example = "= vetro_do do it\nprintf(\"%d\\n\", vetro_do());\n> 1\n";
complaint('a function without an example', $example, "$one/* More. */\nVETRO_API int vetro_more(void);\n", qr/no example of vetro_more/);
complaint('a function without a comment', $example, "\nVETRO_API int vetro_do(void);\n", qr/no comment above vetro_do/);
complaint('an example that does not call its function', "= vetro_do do it\nputs(\"1\");\n> 1\n", $one, qr/example of vetro_do does not call it/);

# ---- the examples
my ($program, $expected);
(undef, $program) = mandoc('program', $examples);
(undef, $expected) = mandoc('expected', $examples);
spew("$W/examples.c", $program);
my @cc = (split(' ', $ENV{CC} || 'cc'), qw(-std=c11 -g -Wall -Wextra -Werror), "-I$room");
push @cc, '-fsanitize=address,undefined' if ($ENV{CONFIG} || '') eq 'asan';
($st, $out, $err) = run_program({}, @cc, '-o', "$W/examples", "$W/examples.c", "-L$build", '-lvetro', "-Wl,-rpath,$build");
is("$st $err", '0 ', 'the examples are C');
my @run = ("$W/examples");
my $valgrind = ($ENV{CONFIG} || '') ne 'asan' && `sh -c 'command -v valgrind'`;
@run = (qw(valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite), @run) if $valgrind;
($st, $out, $err) = run_program({}, @run);
is_lines([split /\n/, $out], [split /\n/, $expected], 'the examples print what the pages say');
is("$st $err", '0 ', 'they end well, and leave nothing behind where that can be seen');

# ---- as manual pages
if (`sh -c 'command -v groff'`) {
	($st, $out, $err) = run_program({}, qw(groff -man -ww -Tutf8), map { "$top/docs/man/man3/$_.3" } @declared);
	is($err, '', 'groff has no complaints');
	like($out, qr/vetro_compile/, 'and shows the pages');
} else {
	skip('groff', 'not at hand');
}
done;
