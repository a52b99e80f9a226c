#!/usr/bin/perl
# The tutorials: files and commands of docs/tutorial-*.md in their order, each command's output compared. --write puts what they print into the pages.
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

for my $page (sort glob "$top/docs/tutorial*.md") {
	my ($short) = $page =~ m{([^/]*)\.md\z};
	my $dir = "$W/$short";
	mkdir $dir;
	my $text = slurp($page);
	my $n = 0;
	$text =~ s{^```(\w+)(?: (\S+))?\n(.*?)^```$}{
		my ($kind, $name, $block) = ($1, $2, $3);
		if ($kind eq 'console') {
			my $now = run_block($dir, $block);
			is($now, $block, "$short: commands " . ++$n) unless $write;
			$block = $now;
		} elsif (defined $name) { put_file($dir, $name, $block) }
		'```' . (defined $name ? "$kind $name" : $kind) . "\n$block```"
	}gmse;
	spew($page, $text) if $write;
	ok($n > 2, "$short has commands") unless $write;
}
done unless $write;
