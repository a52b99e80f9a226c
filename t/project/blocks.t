#!/usr/bin/perl
# Every block of code in the pages runs in a test or is marked as text. Blocks of `console` that no other test takes run here:
# commands behind $ and what they print, in a folder with the examples. A line `...` stands for any lines, and `...` at the end
# of one for its rest. BLOCKS=debugging takes one page.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $build = $ENV{BUILD} // "$top/build/debug";
# Which test reads the blocks of a page. It asks blocks_are_read() of lib/Tap.pm whether it has read all of them.
my @read = (
	[qr{^docs/(?:tutorial|cookbook-|from-|versions)}, 't/project/tutorials.t'],
	[qr{^docs/forms\.md}, 't/form/docs.t'],
	[qr{^docs/fmt\.md}, 't/compiler/fmt.t'],
	[qr{^docs/dry-run\.md}, 't/cloud/scenarios.t'],
	[qr{^docs/ci\.md}, 't/compiler/ci.t'],
	[qr{^docs/workflows\.md}, 't/workflow/real.t'],
	[qr{^docs/python\.md}, 't/libvetro/python.t'],
);
# Pages that `make docs` makes of a table whose examples a test runs: what the command prints is the page.
my @made = (
	['functions', "cat $build/gen/functions.md", 't/yaql/registry.t'],
	['muranopl-reference', 'lua5.4 lua/build/language.lua templates/language.txt', 't/murano/language.t'],
	['yay-reference', 'lua5.4 lua/build/language.lua templates/yay-language.txt', 't/yay/language.t'],
	['heat-reference', 'lua5.4 lua/build/language.lua templates/heat.txt', 't/heat/reference.t'],
	['forms-reference', 'lua5.4 lua/build/language.lua templates/forms.txt', 't/form/reference.t'],
	['tosca-keynames', 'lua5.4 lua/build/language.lua templates/tosca-keynames.txt', 't/tosca/keynames.t'],
);
# A block that another test reads, by what stands before it.
my @marked = (['<!-- stub -->', 't/murano/stubs.t']);
my (@bare, @unread);

# ---- what a block prints

# The lines of an answer, where ... stands for what nobody compares.
sub pattern {
	my ($text) = @_;
	my $all = '';
	for my $line (split /\n/, $text) {
		$all .= $line =~ /^\s*\.\.\.$/ ? '(?:.*\n)*?' : $line =~ /^(.*)\.\.\.$/ ? "\Q$1\E.*\\n" : "\Q$line\E\\n";
	}
	return qr/\A$all\z/;
}
sub run_block {
	my ($what, $dir, $text) = @_;
	my ($n, $rest) = (0, $text);
	while ($rest =~ /^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/mg) {
		my ($command, $want) = ($1, $2);
		my %env = (PATH => "$W/bin:$ENV{PATH}", XDG_CACHE_HOME => "$W/cache", HOME => $W, LC_ALL => 'C.UTF-8');
		my ($rc, $out) = run_program({env => \%env, merge => 1, limit => 120}, 'sh', '-c', "cd '$dir' && { $command\n}");
		$out .= "\n" if $out =~ /[^\n]\z/;
		like($out, pattern($want), "$what: " . $command =~ s/\n.*//sr);
		$n++;
	}
	return $n;
}

# A program is compiled; so are lines that may stand in a function, with the names that the page speaks of, and a function with
# lines behind it. The compiler says what is wrong.
my $names = <<'C';
extern char *text;
extern size_t n;
extern vetro_engine *e, *my_engine;
extern vetro_query *q, *select_names, *where_large;
extern vetro_value *args, item, vars, data, limit;
extern vetro_error *err;
extern void *user;
static vetro_value user_name(vetro_call *c, size_t m, const vetro_value *a, void *u) { (void)c, (void)m, (void)a, (void)u; return 0; }
C
sub compiles {
	my ($what, $block, $mugl) = @_;
	my $head = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" .
		($mugl ? qq(#include "runtime/mugl/mugl.h"\n) : "#include <vetro.h>\n#include <vetro_host.h>\n");
	my ($functions, $rest) = $block =~ /^(.*^\}\n)(.*)\z/ms ? ($1, $2) : ('', $block);
	$head .= $names if !$mugl && $block !~ /^main\(/m;
	my $why = '';
	for my $try ("$head$block", "${head}int fragment(void)\n{\n$block\nreturn 0;\n}\n",
		"$head${functions}int fragment(void)\n{\n$rest\nreturn 0;\n}\n") {
		spew("$W/try.c", $try);
		my ($rc, $out, $err) = run_program({}, 'cc', '-fsyntax-only', '-w', "-I$top/compiler/libvetro", "-I$top/runtime/abi", "-I$top", "$W/try.c");
		$why .= $err;
		return ok(1, "$what: compiles") if $rc == 0;
	}
	return ok(0, "$what: compiles", split /\n/, $why);
}

sub folder_of {
	my ($name) = @_;
	my $dir = "$W/$name";
	mkdir $dir;
	run_program({}, 'cp', '-R', "$top/examples", "$dir/examples");
	mkdir "$dir/$_" for 'build', 'build/release';
	symlink "$W/bin/vetro", "$dir/build/release/vetro";
	return $dir;
}

# ---- all pages

mkdir "$W/bin";
mkdir "$W/cache", 0700;
symlink($vetro =~ m{^/} ? $vetro : "$top/$vetro", "$W/bin/vetro");
my @pages = (grep { -f } "$top/README.md", files_like("$top/docs/*.md"), files_like("$top/docs/internals/*.md"));
for my $page (@pages) {
	my $name = $page =~ s{^\Q$top\E/}{}r;
	my ($short) = $name =~ m{([^/]*)\.md$};
	next if $ENV{BLOCKS} && $short ne $ENV{BLOCKS};
	next if grep { $name =~ $_->[0] } @read;
	next if grep { $name eq "docs/$_->[0].md" } @made;
	my $text = slurp($page);
	my ($dir, $ran);
	while ($text =~ /^(\s*)```([^\n]*)\n(.*?)^\s*```$/msg) {
		my ($language, $block) = ($2, $3);
		my ($kind, $file) = split / /, $language, 2;
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
		my $before = substr($text, 0, $-[0]) =~ s/.*\n(?=.*\n\z)//sr;
		push(@bare, "$name:$line"), next if $language eq '';
		next if $language eq 'text' || grep { $before eq "$_->[0]\n" } @marked;
		$dir //= folder_of($short);
		if ($file) { spew("$dir/$file", $block); next }
		if ($kind eq 'c') { compiles("$name:$line", $block, $short eq 'mugl'); next }
		push(@unread, "$name:$line: $language"), next if $language ne 'console';
		$ran += run_block("$name:$line", $dir, $block);
	}
}
unless ($ENV{BLOCKS}) {
	ok(!@bare, 'each block says what it is', @bare);
	ok(!@unread, 'what is not text is read by a test', @unread);
	for (@read) {
		my ($pages, $test) = @$_;
		ok(slurp("$top/$test") =~ /^\s*blocks_are_read\(/m && (grep { s{^\Q$top\E/}{}r =~ $pages } @pages), "$test reads all blocks of its pages");
	}
	for (@made) {
		my ($page, $command, $test) = @$_;
		my ($rc, $out) = run_program({dir => $top}, 'sh', '-c', $command);
		ok($rc == 0 && $out eq slurp("$top/docs/$page.md"), "docs/$page.md is what `$command` prints (make docs)") if -e $test || -e "$top/$test";
	}
	my @gone = grep { index(slurp("$top/$_->[1]"), $_->[0]) < 0 } @marked;
	ok(!@gone, 'marked blocks are read', map { "$_->[1] does not speak of $_->[0]" } @gone);
}
done();
