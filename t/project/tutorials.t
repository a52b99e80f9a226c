#!/usr/bin/perl
# Tutorials, the cookbook and the pages for those who come from elsewhere: their files and commands in order, each command's output compared.
# --write puts what they print into the pages, and PAGE=cookbook-yay takes one page.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

# A block with a name behind its language is that file; one of `console` has commands behind $ and what they print.
my $write = @ARGV && $ARGV[0] eq '--write';
my $top = "$FindBin::Bin/../..";
my $program = $vetro =~ m{^/} ? $vetro : "$top/$vetro";
mkdir "$W/bin";
symlink $program, "$W/bin/vetro";
my %env = (PATH => "$W/bin:$ENV{PATH}", XDG_CACHE_HOME => "$W/cache", HOME => $W, LC_ALL => 'C.UTF-8');
mkdir "$W/cache", 0700;

sub put_file {
	my ($dir, $name, $text) = @_;
	my $path = $dir;
	for (split /\//, $name =~ s{/?[^/]*\z}{}r) { $path .= "/$_"; mkdir $path }
	spew("$dir/$name", $text);
}

# The block with what its commands print now.
sub run_block {
	my ($dir, $text) = @_;
	my $out = '';
	for my $command ($text =~ /^\$ ((?:.*\\\n)*.*)$/mg) {
		my ($rc, $printed) = run_program({env => \%env, merge => 1, limit => 120}, 'sh', '-c', "cd '$dir' && $command");
		$printed =~ s/\Q$dir\E/./g;
		$out .= "\$ $command\n$printed";
		$out .= "\n" if $printed =~ /[^\n]\z/;
	}
	return $out;
}

# A recipe of a cookbook is on its own; a tutorial goes on from block to block.
sub run_page {
	my ($page) = @_;
	my ($short) = $page =~ m{([^/]*)\.md\z};
	my ($n, $recipe, $title) = (0, 0, $short);
	my $dir = "$W/$short";
	mkdir $dir;
	my $text = slurp($page);
	my @read = map { $_->[1] } grep { $_->[0] eq 'console' || $_->[0] =~ / / } map { [split /\n/, $_, 2] } $text =~ /^```([^`]*?\n.*?)^```$/msg;
	blocks_are_read('docs/' . $page =~ s{.*/}{}r, @read) unless $write;
	$text =~ s{^(?:## ([^\n]*)|```(\w+)(?: (\S+))?\n(.*?)^```)$}{
		my ($heading, $kind, $name, $block) = ($1, $2, $3, $4);
		if (defined $heading) {
			$title = "$short, $heading";
			mkdir($dir = "$W/$short-" . ++$recipe) if $short =~ /^cookbook/;
		} elsif ($kind eq 'console') {
			my $now = run_block($dir, $block);
			is($now, $block, "$title: commands " . ++$n) unless $write;
			$block = $now;
		} elsif (defined $name) { put_file($dir, $name, $block) }
		defined $heading ? "## $heading" : '```' . (defined $name ? "$kind $name" : $kind) . "\n$block```"
	}gmse;
	spew($page, $text) if $write;
	ok($n > 2, "$short has commands") unless $write;
	return $recipe;
}

my @pages = grep { !/cookbook\.md|from-jq/ } files_like("$top/docs/{tutorial,cookbook,from-,versions}*.md");
@pages = grep { m{/\Q$ENV{PAGE}\E\.md} } @pages if $ENV{PAGE};
my $recipes = 0;
$recipes += run_page($_) for @pages;
ok($recipes >= 40, "the cookbook has $recipes recipes") unless $write || $ENV{PAGE};
done unless $write;
