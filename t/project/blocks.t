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
# Which test reads the blocks of a page. That it speaks of the page is looked at below.
my @read = (
	[qr{^docs/(?:tutorial|cookbook|from-|versions)}, 't/project/tutorials.t', 'cookbook'],
	[qr{^docs/functions\.md}, 't/yaql/registry.t', 'rows'],
	[qr{^docs/muranopl-reference\.md}, 't/murano/language.t', 'language.txt'],
	[qr{^docs/yay-reference\.md}, 't/yay/language.t', 'yay-language.txt'],
	[qr{^docs/tosca-keynames\.md}, 't/tosca/keynames.t', 'tosca-keynames.txt'],
	[qr{^docs/forms\.md}, 't/form/docs.t', 'forms.md'],
	[qr{^docs/fmt\.md}, 't/compiler/fmt.t', 'fmt.md'],
	[qr{^docs/dry-run\.md}, 't/cloud/scenarios.t', 'dry-run.md'],
	[qr{^docs/ci\.md}, 't/compiler/ci.t', 'ci.md'],
	[qr{^docs/workflows\.md}, 't/workflow/real.t', 'workflows.md'],
	[qr{^docs/python\.md}, 't/libvetro/python.t', 'from-yaql.md'],
	[qr{^docs/muranopl\.md yaml}, 't/murano/stubs.t', 'muranopl.md'],
);
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
	my ($test) = grep { $name =~ $_->[0] } @read;
	my $text = slurp($page);
	my ($dir, $ran);
	while ($text =~ /^(\s*)```([^\n]*)\n(.*?)^\s*```$/msg) {
		my ($language, $block) = ($2, $3);
		my ($kind, $file) = split / /, $language, 2;
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
		my $own = $test || (grep { "$name $language" =~ $_->[0] } @read)[0];
		push(@bare, "$name:$line"), next if $language eq '' && !$own;
		next if $own || $language eq 'text';
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
	my @gone = grep { index(slurp("$top/$_->[1]"), $_->[2]) < 0 } @read;
	ok(!@gone, 'the tests that read pages do so', map { "$_->[1] does not speak of $_->[2]" } @gone);
}
done();
