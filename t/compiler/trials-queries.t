#!/usr/bin/env perl
# Queries and documents as newcomers write them: what is said names the next step.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

spew("$W/d.json", '{"name":"shop","users":[{"name":"ann","age":31},{"name":"bob","age":25}],"n":null,"size":"12","total":3}');

sub hint {
	my ($expr, $hint, $file) = @_;
	my ($rc, $out, $err) = vetro('query', $expr, $file // "$W/d.json");
	is($rc, 1, "$expr: status");
	like($err, qr/\n\s+hint: (?:$hint)\n\z/, "$expr: the hint");
	is(scalar(() = $err =~ /error\[/g), 1, "$expr: one message");
}

# ---- other languages
hint('f"{$.name}"', qr/values get into a text by format\(.*\)/);
hint("f'{name}'", qr/values get into a text by format\(.*\)/);
hint('$.name not in [a]', qr/it is: not \(\$\.a in \$\.list\)/);
hint($_, qr/SELECT .* is: .*/) for 'SELECT name FROM users', 'select * from users where age > 30';
hint($_, qr/a filter is where\(\), .*/) for 'users[?age > `30`].name', '$.users[?(@.age>30)]', '$.users[? name == "ann"]';
hint('$.users[*].name', qr/of every item a key is taken without \[\*\]: .*/);
hint('$.users.where(lambda x: x.age > 30)', qr/what a function does with an item is written with \$: .*/);
hint($_, qr/of every item it is: .*/) for '[x.name for x in $.users]', '[u for u in $.users if u.age > 3]';
hint($_, qr/a variable is \$name, .*/) for '${name}', '$(name)';
hint($_, qr/it is: \$\.a = null, or \$\.a != null/) for '$.n is null', '$.n is not None';
hint("\$.users.$_", qr/how many there are says \.len\(\)/) for qw(length size);
hint('$.users.sortBy($.age)', qr/it is: \$\.orderBy\(\$\.key\)/);
hint('$.total.parseInt()', qr/it is: int\(\$\)/);
hint('$.users.avg()', qr/it is: \$\.sum\(\) \/ \$\.len\(\)/);

# ---- gaps
hint($_, qr/something is missing before this place/) for '$.users.where($.age > 30 and)', '$.total +', '($.total * )', '[$.total, $.n or]';
hint($_, qr/is a comma missing here\?/) for '$.name.replace("s" "t")', '[$.total $.n]', 'list(1 2)';
hint('$.users[5].name', qr/outside of a list x\[5\] is an error; .*/);

# ---- documents
sub document {
	my ($text, $hint, $title) = @_;
	my $file = "$W/doc" . ($text =~ /^[\[{]/ ? '.json' : '');
	spew($file, $text);
	my ($rc, undef, $err) = vetro('query', '$.a', $file);
	is($rc, 1, "$title: status");
	like($err, qr/\n\s+hint: (?:$hint)\n(?:1 error\n)?\z/, "$title: the hint");
}
document("\x1f\x8b\x08\x00rest", qr/zcat gives the text/, 'gzip');
document("\xff\xfe{\x00\"\x00", qr/iconv -f UTF-16 -t UTF-8 gives it/, 'UTF-16');
document($_, qr/JSON has no comma before a closing bracket/, $_) for '{"a":1,}', '[1,2, ]', "{\"a\": [1,\n]}";
document($_, qr/texts and keys of JSON stand in double quotes/, $_) for "{'a':1}", '{a:1}', "{\"a\": 'x'}", '{"a": yes}';
document($_, qr/JSON has no comments/, $_) for '{"a": /* x */ 1}', "{\n# x\n\"a\": 1}", "{\"a\": 1, // x\n\"b\": 2}";
document($_, qr/JSON has null, true and false, and no other words/, $_) for '{"a": NaN}', '{"a": None}', '[True]', '{"a": -Infinity}';
document($_, qr/the text ends too early: is it cut off\?/, $_) for '{"a":1,"b":[1,2', '{"a"', '[';
document('', qr/the document is null, as an empty file and -n have it/, 'empty');
document("null\n", qr/the document is null, .*/, 'null');
document($_, qr/the document is a text, as YAML reads what is no JSON; .*/, $_) for "a,b\n1,2\n", '<a>1</a>', "a = 1\nb = 2\n";
done;
