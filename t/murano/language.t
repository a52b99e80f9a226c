#!/usr/bin/perl
# The language reference: each example of templates/language.txt gives what it says, the page has all of it, and `vetro explain` knows its names.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
my $top = "$FindBin::Bin/../..";
my $json = JSON::PP->new->canonical->allow_nonref;

my @entries = reference_entries("$top/templates/language.txt");

sub classes_of {
	my ($e, $k) = @_;
	my @classes;
	for (grep { $_->[0] =~ /^(?:body|class)$/ } @{ $e->{part} }) {
		my $text = $_->[0] eq 'class' ? $_->[2] : "Methods:\n  run:\n    Body:\n" . $_->[2] =~ s/^(?=.)/      /mgr;
		$text =~ s/^  run:\n(?!    Scope)/  run:\n    Scope: Public\n/m;
		$text = "Namespaces: {'=': org.example.e$k}\n$text" unless $text =~ s/^  '=': NS$/  '=': org.example.e$k/m;
		$text = "Name: Example\n$text" unless $text =~ /^Name:/m;
		$text =~ /^Name: (\w+)/m;
		push @classes, [$1, $text];
	}
	return @classes;
}

my (%files, @objects);
my $list = '';
for my $k (0 .. $#entries) {
	my @classes = classes_of($entries[$k], $k) or next;
	for (@classes) {
		$files{"Classes/$k$_->[0].yaml"} = $_->[1];
		$list .= "  org.example.e$k.$_->[0]: $k$_->[0].yaml\n";
	}
}
my $package = package_dir('language', {%files, 'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: org.example\nClasses:\n$list"});
my ($rc, $out, $err) = vetro('check', '--closed', $package);
ok($err !~ /error\[E/, 'the examples have no errors', $err);

sub answer_of {
	my ($k) = @_;
	my ($model) = map { $_->[1] } grep { $_->[0] eq 'model' } @{ $entries[$k]{part} };
	($model //= '{}') =~ s/"type": "(\w+)"/"type": "org.example.e$k.$1"/g;
	my $object = {%{ $json->decode($model) }, '?' => {type => "org.example.e$k.Example", id => 'root'}};
	my $n = 0;
	name($_, \$n) for values %$object;
	spew("$W/model.json", $json->encode({Objects => $object}));
	my ($status, $said) = vetro('run', $package, '--', 'run', '--model', "$W/model.json", '--call', 'run');
	return $json->decode($said || '{}');
}
# Objects of a model need an id.
sub name {
	my ($v, $n) = @_;
	return unless ref $v eq 'HASH';
	$v->{'?'}{id} //= 'o' . ++$$n if $v->{'?'};
	name($_, $n) for grep { ref } values %$v;
}

for my $k (0 .. $#entries) {
	my $e = $entries[$k];
	my ($want) = grep { $_->[0] =~ /^(?:gives|fails)$/ } @{ $e->{part} } or next;
	my $got = answer_of($k);
	if ($want->[0] eq 'gives') {
		is($json->encode($got->{result} // $got->{error}), $json->encode($json->decode($want->[1])), "$e->{name}: what its example gives");
	} else {
		my $said = $got->{error} ? "$got->{error}{type}: $got->{error}{message}" : $json->encode($got);
		my ($type, $message) = (split(/: /, $want->[1], 2), "");
		like($said, qr/(?:^|\.)\Q$type\E: .*\Q$message\E/, "$e->{name}: how its example fails");
	}
}
# ---- the page, and what `vetro explain` says ----

($rc, $out) = run_program({}, 'lua5.4', "$top/lua/build/language.lua", "$top/templates/language.txt");
is($rc, 0, 'the page can be made');
is($out, slurp("$top/docs/muranopl-reference.md"), 'and is the one in docs (make docs)');
for my $e (@entries) {
	for my $name (split /, /, $e->{name}) {
		($rc, $out) = vetro('explain', $name);
		ok($rc == 0 && $out =~ /^\Q$name\E: MuranoPL/m, "explain $name", $out);
	}
}
# Each statement of the front end, each usage and each function of contracts has an entry.
my %is = map { (split / /)[0] => 1 } map { split /, /, $_->{name} } @entries;
my ($forms) = slurp("$top/compiler/murano/statement.c") =~ /block_form forms\[\] = \{(.*?)^\};/ms;
my @needed = ($forms =~ /\{"(\w+)", MS_/g, qw(In Out InOut Const Runtime Static Config VarArgs KwArgs Extension));
for my $file ('class_file.c', 'manifest.c') { # the keys of classes, their members and manifests
	my $source = slurp("$top/compiler/murano/$file");
	push @needed, map { /"(\w+)"/g } $source =~ /^static const char \*const (?:class|prop|arg|method|known)_keys\[\] = \{(.*?)\};/msg;
}
push @needed, qw(string int bool notNull check class template owned notOwned);
ok(@needed > 60 && !(grep { !$is{$_} } @needed), 'each statement, usage, key and contract has an entry', grep { !$is{$_} } @needed);

sub explained { my @all = vetro('explain', @_); return @all }
($rc, $out) = explained('$.string()');
like($out, qr/\Astring: MuranoPL, Contracts\n\n.*^    Contract: \$\.string\(\)|Contract: \$\.string/ms, 'a contract as it is written');
like((explained('for'))[1], qr/\AFor: MuranoPL, Statements/, 'small letters will do');
like((explained('where'))[1], qr/where\(collection: iterable, predicate: lambda\)/, 'a function with its signature');
($rc, $out) = explained('occurrences');
like($out, qr/requirement definition \(1\.0, 1\.1, 1\.2, 1\.3\): \[lower, upper or UNBOUNDED\]/, 'a keyname: where, versions, what it takes');
like((explained('node_types'))[1], qr/TOSCA file \(1\.0.*a map: node type/, 'a map of entities');
my $list_of = (explained('list'))[1];
like($list_of, qr/^list contract: MuranoPL.*^list: a function of YAQL/ms, 'what a name is more than once');
($rc, $out, $err) = explained('Whlie');
is($rc, 2, 'a name that nothing has');
like($err, qr/did you mean While\?/, 'and who comes near');
done;
