#!/usr/bin/perl
# What a runtime that counts does before the real one is compiled (GNUmakefile, PROFILE): the methods of kinds/ and the
# pipelines of pipelines/, each in small.
#
# usage: perl train.pl DIR
# DIR has vetro and train, which are linked with that runtime, and cc, by which its programs are linked. What the work gives
# is not looked at: t/passes/kinds.t and t/yaql/pipelines.t do that.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Path qw(make_path remove_tree);
use JSON::PP;

my ($SMALL, $RECORDS, $TIMES) = (8, 250, 300);
my $here = abs_path(dirname(__FILE__));
my $dir = abs_path($ARGV[0] // die "usage: perl train.pl DIR\n");
my $work = "$dir/train.work";
# What lies where decides how often keys of addresses meet, so it is the same each time.
my @steady = system('setarch -R true 2>/dev/null') == 0 ? qw(setarch -R) : ();

sub slurp { my ($path) = @_; open my $f, '<:raw', $path or die "train.pl: $path: $!\n"; local $/; return scalar <$f> }
sub spew { my ($path, $text) = @_; open my $f, '>:raw', $path or die "train.pl: $path: $!\n"; print $f $text; close $f or die "train.pl: $path: $!\n" }

# Runs it, with the text as its input.
sub run {
	my ($input, @command) = @_;
	spew("$work/input", $input);
	my $pid = fork // die "train.pl: fork: $!\n";
	if ($pid == 0) {
		open STDIN, '<', "$work/input" or die;
		open STDOUT, '>', "$work/output" or die;
		exec @steady, @command or die "train.pl: $command[0]: $!\n";
	}
	waitpid $pid, 0;
	die "train.pl: @command[0, 1] failed\n" if $? != 0;
	return;
}

sub methods_of {
	my ($group) = @_;
	my ($root) = slurp("$group/package/manifest.yaml") =~ /(\S+\.Main):/ or die "train.pl: $group has no class Main\n";
	my @asked = encode_json({ op => 'load', model => { Objects => { '?' => { type => "$root/1.0.0", id => 'r' } } } });
	for (split /\n/, slurp("$group/jobs.tsv")) {
		my ($job, undef, $n) = split /\t/;
		push @asked, encode_json({ op => 'call', target => undef, method => $job, args => [ int($n / $SMALL) || 1 ] }) if $n =~ /^[0-9]+$/;
	}
	local $ENV{GCOV_PREFIX} = "$work/aside"; # what a build does is not counted: it is another each time
	run('', "$dir/vetro", 'build', '-O0', '-fpasses', '-o', "$work/methods", "$group/package");
	delete $ENV{GCOV_PREFIX};
	run(join('', map { "$_\n" } @asked), "$work/methods", 'session');
	return;
}

sub pipelines {
	my %lines;
	for my $file (sort glob "$here/pipelines/*.jsonl") {
		for (map { decode_json($_) } grep { /\S/ } split /\n/, slurp($file)) {
			my $text = $_->{expr};
			utf8::encode($text);
			push @{ $lines{ $_->{data} } }, $text if $text !~ /[\t\n]/;
		}
	}
	my $asked = '';
	for my $kind (sort keys %lines) {
		run('', $^X, "$here/pipelines/gen.pl", $kind, $RECORDS);
		rename "$work/output", "$work/$kind.json" or die "train.pl: $!\n";
		$asked .= "$work/$kind.json\t$_\n" for @{ $lines{$kind} };
	}
	run($asked, "$dir/train", $TIMES);
	return;
}

remove_tree($work, "$dir/counts");
make_path("$work/cache");
$ENV{VETRO_HOME} = $dir;
$ENV{VETRO_CC} = "$dir/cc";
$ENV{XDG_CACHE_HOME} = "$work/cache";
methods_of($_) for grep { -e "$_/jobs.tsv" } sort glob "$here/kinds/*";
pipelines();
remove_tree($work);
