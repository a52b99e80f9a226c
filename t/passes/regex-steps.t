#!/usr/bin/perl
# searchAll() and replaceBy() of written expressions as steps of lambda programs: they give what the code gives.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;
use Programs;

my $json = JSON::PP->new->canonical->allow_nonref;
my @texts = ('GET /api/v1/users/77 took 12ms', 'a1b22c', '', 'Größe 5, naïve 66', 'aaa', ' x  y ', "line\nnext 3", '1/2', '京都 7é7');
my @data = map { { t => $texts[$_ % @texts] . ($_ > 40 ? $_ : ''), k => [map { $texts[($_ * 3) % @texts] } 0 .. $_ % 4], n => $_ % 7 ? 'q' : undef,
	o => $_ % 5 ? { t => 1, ($_ % 3 ? (k => 2) : ()) } : 7 } } 0 .. 80;
my @expressions = ('[0-9]+', '([a-z])([0-9]+)?', 'x*', '(\\\\w+) (\\\\w+)', '[а-яé京]|ï', '(.)', '\\\\b', '(?i)g', '(?P<n>[0-9])',
	'(?:a|b)(c)?', '[0-9]{2,}');
my @lambdas = ('$.value', '$2.value', '"<" + $.value + ">"', 'str(int($.value) + 1)', '[$2.value, $.value]', '$3.value', '$.start', '1', '$', '$v + $.value',
	'switch($.value = a => A, true => $2.value)', '$.value.toUpper()', 'let(x => $2.value) -> $x + $x', 'coalesce($2.value, none)', 'null', '$.get(value)',
	'$.value * 2', '$2.value.len()', '[1, 2].select($).len()', '[a, b].select($v + $2.value).join("")');
my @cases;
for my $re (map { "regex(\"$_\")" } @expressions) {
	push @cases, "$re.searchAll(\$.t)" . $_ for '.toList()', '.len()', '', '.first(0)', '.select($ + "!").join(",")';
	for my $lambda (@lambdas) {
		push @cases, "$re.searchAll(\$.t, $lambda)", "$re.searchAll(\$.t, $lambda).distinct().toList()", "$re.replaceBy(\$.t, $lambda)",
			"\$.t.replaceBy($re, $lambda)", "\$.k.select($re.replaceBy(\$, $lambda)).toList()", "\$.k.selectMany($re.searchAll(\$, $lambda)).len()",
			"$re.searchAll(\$.n, $lambda)", "$re.replaceBy(\$.t, $lambda, 1)";
	}
}
# split() of which the first pieces alone are asked for.
for my $re (map { "regex(\"$_\")" } @expressions) {
	push @cases, "$re.split(\$.t)" . $_ for '[0]', '[1]', '[3]', '.limit(2).join("|")', '.skip(1).limit(2).toList()', '.limit(3).where($ != a).len()';
	push @cases, "\$.t.split($re)[1]", "let(p => $re.split(\$.t)) -> [\$p[0], \$p.len(), \$p[1]]", "\$.k.select($re.split(\$)[0]).toList()";
}
# A set that is written beside the keys of a dict.
push @cases, map { ("set(t, k) <= $_", "$_ >= set(t)", "set(t, zz) <= $_", "$_ <= set(t, k, n, o)", "set() <= $_", "set(t, \$v) <= $_", "set(1, t) <= $_") }
	'$.keys().toSet()', '$.o.keys().toSet()', '$.k.toSet()', '$.o.keys().where($ != t).toSet()', '$.keys().skip(1).toSet()';
@cases = map { { expr => "let(v => w) -> \$.select($_)", data => \@data } } @cases;

programs_agree(\@cases, 1 / 3);
done();
