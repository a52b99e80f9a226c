#!/usr/bin/perl
# vetro lsp: words at random are renamed in MuranoPL, TOSCA, Heat and Yay. A rename is refused with a reason, or the files say the same
# afterwards but for the name: to `vetro check`, and to what makes a topology, a value or a test of them.
# RENAMES_COUNT of each project; RENAMES_SEED another seed.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Path qw(make_path remove_tree);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $top = realpath("$FindBin::Bin/../..");
my $root = realpath($W);
my $count = $ENV{RENAMES_COUNT} || 12;
srand($ENV{RENAMES_SEED} || 4711);

# A folder, what is checked in it, and a command whose answer is compared as well; files of other layers are not renamed.
my @projects = (
	['examples/fleet', ['.'], ['test', '.']],
	['examples/hello', ['.']],
	['examples/webserver', ['.']],
	['t/data/testpkg', ['.']],
	['examples/tosca-webshop', ['service.yaml', 'service-1.3.yaml'], map { ['tosca', '--input', 'host=/x', $_] } 'service.yaml', 'service-1.3.yaml'],
	['t/data/lsp/one', ['svc.yaml']],
	['t/data/lsp/two', ['svc.yaml']],
	['templates/new/tosca', ['service.yaml'], ['tosca', '--input', 'folder=/x', 'service.yaml']],
	['t/data/lsp/heat', ['h.yaml']],
	['t/data/lsp/nested', ['h.yaml']],
	['examples/yay', ['app.yay'], ['yay', '-c', 'app.yay']],
	['t/data/lsp/yay', ['app.yay'], ['yay', '-c', 'app.yay']],
);

sub told {
	my ($dir, @command) = @_;
	my ($status, $out, $err) = run_program({dir => $dir, limit => 60}, $vetro, @command);
	s/\Q$dir\E/DIR/g for $out, $err;
	return ($status, $out, $err);
}
# What is wrong, without columns: "FILE:LINE CODE MESSAGE"
sub wrong {
	my ($dir, $sources, $fresh, $old) = @_;
	my @all;
	for my $source (@$sources) {
		my (undef, $out) = told($dir, 'check', '--format=json', $source);
		for my $d (map { decode_json($_) } grep { /^\{/ } split /\n/, $out) {
			(my $message = $d->{message} // '') =~ s/\b\Q$fresh\E\b/$old/g;
			push @all, "$d->{file}:$d->{line} $d->{code} $message";
		}
	}
	return join "\n", sort @all;
}
# Operations and types are listed by name, which changes.
sub in_order {
	my ($v) = @_;
	return {map { $_ => /^(?:operations|types)$/ && ref $v->{$_} eq 'ARRAY' ? [sort @{ $v->{$_} }] : in_order($v->{$_}) } keys %$v} if ref $v eq 'HASH';
	return ref $v eq 'ARRAY' ? [map { in_order($_) } @$v] : $v;
}
sub answer {
	my ($dir, $command, $fresh, $old) = @_;
	my ($status, $out) = told($dir, @$command);
	$out =~ s/\b\Q$fresh\E\b/$old/g;
	my $json = eval { in_order(JSON::PP->new->allow_nonref->decode($out)) };
	return "$status " . (defined $json ? JSON::PP->new->canonical->allow_nonref->encode($json) : $out =~ s/[\d.]+ m?s\b//gr);
}

sub patched {
	my ($text, $edits) = @_;
	my @starts = (0);
	push @starts, pos $text while $text =~ /\n/g;
	my $at = sub { return $starts[ $_[0]{line} ] + $_[0]{character} };
	for my $e (sort { $at->($b->{range}{start}) <=> $at->($a->{range}{start}) } @$edits) {
		my $from = $at->($e->{range}{start});
		substr($text, $from, $at->($e->{range}{end}) - $from) = $e->{newText};
	}
	return $text;
}

my ($done, $refused) = (0, 0);
for my $project (@projects) {
	my ($folder, $sources, @commands) = @$project;
	my ($dir, $copy) = ("$root/now", "$root/then");
	for ($dir, $copy) {
		remove_tree($_);
		make_path($_);
		system 'cp', '-r', "$top/$folder/.", $_;
	}
	my @files = grep { /\.(?:ya?ml|yay)$/ && !m{/tests/} } sort(glob("$dir/*"), glob("$dir/*/*"));
	my %text = map { $_ => slurp($_) } @files;
	my $c = Lsp->start(root => $dir, capabilities => {general => {positionEncodings => ['utf-8']}});
	$c->open_text($_, $text{$_}) for @files;
	my @bad;
	for my $n (1 .. $count) {
		my $file = $files[rand @files];
		my @words;
		push @words, [$-[0], $1] while $text{$file} =~ /\b([A-Za-z_]\w*)\b/g;
		my ($from, $old) = @{ $words[rand @words] };
		my $fresh = "zz_fresh$n";
		my $before = substr $text{$file}, 0, $from;
		my $place = Lsp::place(($before =~ tr/\n//), length($before =~ s/.*\n//sr));
		my $r = $c->response($c->request('textDocument/rename', {textDocument => {uri => uri_of($file)}, position => $place, newName => $fresh}));
		my $what = ($file =~ s{^\Q$dir\E/}{}r) . ':' . ($place->{line} + 1) . ":$place->{character} $old";
		if (!$r || !$r->{result}) {
			$refused++;
			push @bad, "$what: no reason" unless $r && $r->{error} && $r->{error}{message} =~ /\w+ \w+/;
			next;
		}
		$done++;
		my @written;
		for my $uri (keys %{ $r->{result}{changes} }) {
			(my $path = $uri) =~ s{^file://}{};
			(my $to = $path) =~ s{^\Q$dir\E/}{$copy/} or push @bad, "$what: changes $path";
			spew($to, patched($text{$path} // slurp($path), $r->{result}{changes}{$uri}));
			push @written, [$to, $path];
		}
		push @bad, "$what: nothing changes" unless @written;
		my ($was, $is) = (wrong($dir, $sources, $fresh, $old), wrong($copy, $sources, $fresh, $old));
		my $tests = $old =~ /^test|^(?:setUp|tearDown)$/; # such a name says what the method is
		push @bad, "$what: check said\n$was\nand says\n$is" if $was ne $is && !$tests;
		my $fixed = $tests || grep { /^\Q$old\E=/ } map { @$_ } @commands; # whose name says something outside
		for ($fixed ? () : @commands) {
			my ($was, $is) = (answer($dir, $_, $fresh, $old), answer($copy, $_, $fresh, $old));
			push @bad, "$what: @$_ said\n$was\nand says\n$is" if $was ne $is;
		}
		spew($_->[0], slurp($_->[1])) for @written;
	}
	ok(!@bad, "$folder: $count words", @bad);
	is($c->stop, 0, "$folder: the server is still there");
}
ok($done > $refused / 20, "names were renamed: $done, refused $refused");
done;
