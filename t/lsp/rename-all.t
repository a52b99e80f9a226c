#!/usr/bin/perl
# vetro lsp: a rename reaches every place of TOSCA, Heat and Yay that has the name, or is refused. t/data/lsp has a file with each place.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $data = realpath("$FindBin::Bin/../data/lsp");
my $root = realpath($W);
my ($c, %text, $folder);

sub begin {
	my ($name) = @_;
	$c->stop if $c;
	$folder = "$root/$name";
	%text = map { (s{.*/}{}r => slurp($_)) } glob "$data/$name/*";
	spew("$folder/$_", $text{$_}) for keys %text;
	$c = Lsp->start(root => $folder);
	$c->open_text("$folder/$_", $text{$_}) for grep { /\.ya/ } sort keys %text;
}
# The place that "|" marks in a piece of the file.
sub params {
	my ($file, $piece, %more) = @_;
	(my $plain = $piece) =~ s/\|//;
	my $at = index $text{$file}, $plain;
	die "no $plain" if $at < 0;
	my $before = substr $text{$file}, 0, $at + index $piece, '|';
	return {textDocument => {uri => uri_of("$folder/$file")}, %more,
		position => Lsp::place(($before =~ tr/\n//), length($before =~ s/.*\n//sr))};
}
# Lines that change, as FILE:LINE and how often; or why none does.
sub renamed {
	my ($file, $piece) = @_;
	my $r = $c->response($c->request('textDocument/rename', params($file, $piece, newName => 'zz_new')));
	return "refused: $r->{error}{message}" if $r->{error};
	my @all;
	my $changes = $r->{result}{changes} || {};
	for my $uri (sort keys %$changes) {
		my $name = $uri =~ s{.*/}{}r;
		$name =~ s/\..*//;
		push @all, map { "$name:" . (1 + $_->{range}{start}{line}) } @{ $changes->{$uri} };
	}
	return join ' ', sort_places(@all);
}
sub sort_places { return map { $_->[0] } sort { $a->[1] cmp $b->[1] || $a->[2] <=> $b->[2] } map { [$_, /(.*):(\d+)/] } @_ }

for my $set (['one', 'TOSCA 1.3'], ['two', 'TOSCA 2.0'], ['heat', 'Heat'], ['nested', 'nested templates of Heat'], ['yay', 'Yay']) {
	begin($set->[0]);
	my $cases = slurp("$data/$set->[0].txt");
	for (split /\n/, $cases) {
		next if /^#|^$/;
		my ($file, $piece, $want) = split /\t+/;
		is(renamed($file, $piece =~ s/\\n/\n/gr), $want, "$set->[1]: $piece of $file");
	}
}

# What one rename has left behind the next question does not see.
begin('yay');
$c->ask('textDocument/prepareRename', params('app.yay', 'sit|es:'));
my @all = map { $_->{label} } @{ $c->ask('textDocument/completion', params('app.yay', 'copy: {{ |sites'))->{items} };
is((grep { $_ eq 'range' } @all) ? 'functions' : "@all", 'functions', 'a completion after a rename has what it had before');
my $d = $c->ask('textDocument/definition', params('app.yay', 's.ho|st }}'));
is($d->{range}{start}{line}, 4, 'the key of the items that a loop goes through is found');

# A file that looks like a layer, and one that cannot be read.
spew("$folder/layer.yay", "factor2: 1\nextra:\n    mode: other\n");
like(renamed('app.yay', '        mod|e: fast'), qr/^refused: layer\.yay has it too, and does not say whether it is a layer/, 'a layer that nobody includes');
spew("$folder/layer.yay", "a: {{ b\n");
like(renamed('app.yay', '        mod|e: fast'), qr/^refused: .*layer\.yay cannot be read/, 'a file that cannot be read');
is($c->stop, 0, 'the server is still there');
done();
