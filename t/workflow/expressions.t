#!/usr/bin/perl
# Expressions inside of workflows: syntax, functions, arguments, names and types, each with its place in the YAML.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $n = 0;

# What is said of a text below `publish` of a task; places are those behind the key `v`.
sub said {
	my ($value, $kind) = @_;
	my $file = "$W/w" . ++$n . '.yaml';
	my $head = ($kind || '') eq 'orquesta'
		? "version: 1.0\ninput: [a, list]\nvars:\n  - count: 0\ntasks:\n  other: {action: core.noop}\n  one:\n    with: row, nr in <% ctx().list %>\n"
		. "    action: core.noop\n    input:\n      v: $value\n"
		: "version: '2.0'\nflow:\n  input: [a, list]\n  vars: {count: 0}\n  tasks:\n    other: {action: std.noop}\n    one:\n      action: std.noop\n"
		. "      publish:\n        v: $value\n";
	spew($file, $head);
	my ($rc, $out, $err) = vetro('check', $file);
	$err =~ s{\Q$file\E:}{}g;
	my $line = ($head =~ tr/\n//) - ($value =~ tr/\n//);
	return join "\n", map { s/^(\d+)/$1 - $line + 1/er } grep { /^\d+:|hint/ } split /\n/, $err;
}
sub fine { my ($value, $kind) = @_; is(said($value, $kind), '', "$value"); }
sub wrong { my ($value, $want, $kind) = @_; like(said($value, $kind), $want, "$value"); }

# ---- syntax, and places in every kind of scalar ----
wrong('<% $.a + %>', qr/^1:\d+: error\[E0302\]: Parse error: unexpected end/);
wrong('<% $.a ~ 1 %>', qr/^1:19: error\[E0301\]/);
wrong('<% %>', qr/E0302/);
wrong(q("x <% $.a %> \u00e9 <% nope() %>"), qr/^1:35: error\[E5004\]/);
wrong(q('it''s <% nope() %>'), qr/^1:22: error\[E5004\]/);
wrong("|\n          one\n          two <% nope() %>", qr/^3:18: error\[E5004\]/);
wrong(">-\n          one\n          two <% nope() %>", qr/^3:18: error\[E5004\]/);
wrong("<% \$.a\n          + nope() %>", qr/^2:13: error\[E5004\]/);
wrong('{deep: [{er: <% nope() %>}]}', qr/^1:28: error\[E5004\]/);
wrong("|\n          <% \$.a\n          %>", qr/^2:11: warning\[W5003\].*another line.*folded/s);
wrong('a <% b', qr/^1:14: warning\[W5003\].*without/);
fine('100 % > 3 <');
fine('<% $.a %><% $.count %>');

# ---- functions and methods ----
wrong('<% jsn_dump($.a) %>', qr/E5004\]: Unknown function "jsn_dump": neither YAQL nor Mistral has it.*did you mean 'json_dump'/s);
wrong('<% $.list.selct($) %>', qr/E5004\]: Unknown method "selct".*did you mean 'select'/s);
wrong('<% $.a.json_dump() %>', qr/E5004\].*it is a function: json_dump/s);
wrong('<% toUpper($.a) %>', qr/E5004\].*it is a method: X\.toUpper/s);
wrong('<% ctx().a %>', qr/E5004\]: Unknown function "ctx"/);
wrong('<% execution().id %>', qr/E5004\]: Unknown function "execution": .* Orquesta/, 'orquesta');
fine('<% let(f => 1) -> $f + 1 %>');
fine('<% def(twice, $ * 2) -> twice(2) %>');
fine('<% uuid_() + json_pp() %>');

# ---- arguments ----
wrong('<% task(one, two) %>', qr/E5005\]: task\(\) takes at most 1 argument, not 2/);
wrong('<% json_dump() %>', qr/E5005\]: json_dump\(\) lacks an argument: it has 0 of 1/);
wrong('<% execution(1) %>', qr/E5005\]: execution\(\) takes 0 arguments, not 1/);
wrong('<% executions(root_execution_id => 1) %>', qr/E5005\].*no argument 'root_execution_id'.*did you mean 'rootExecutionId'/s);
wrong('<% executions(1) %>', qr/E5005\]: argument 'id' of executions\(\) is a text/);
wrong('<% task(3) %>', qr/E5005\]/);
wrong('<% st2kv(a, b) %>', qr/E5005\]/, 'orquesta');
fine('<% st2kv(a, decrypt => true, default => 1) %>', 'orquesta');
fine('<% tasks(flat => true) %>');
fine('<% task(null) %>');

# ---- tasks ----
wrong('<% task(othr).result %>', qr/^1:20: error\[E5003\].*did you mean 'other'/s);
wrong('<% task("two words").result %>', qr/E5003\]/);
wrong('<% task(taskName => nobody) %>', qr/E5003\]/);
wrong('<% task_status(othr) %>', qr/E5003\]/, 'orquesta');
fine('<% task($.a).result %>');
fine('<% task(other).result + task().name %>');

# ---- variables ----
wrong('<% $.cuont %>', qr/^1:17: warning\[W5001\].*did you mean 'count'/s);
wrong('<% $?.nobody %>', qr/W5001\]/);
wrong('<% [1].select($) + $.nobody %>', qr/W5001\]/);
wrong('<% let(x => 1) -> $.nobody %>', qr/W5001\]/);
wrong('<% $.a and $.nobody %>', qr/W5001\]/);
wrong('<% switch($.nobody => 1) %>', qr/W5001\]/);
wrong('<% coalesce($.a, $.nobody) %>', qr/W5001\]/);
wrong('<% json_dump($.nobody) %>', qr/W5001\]/);
wrong('<% $a %>', qr/W5001\].*keys of \$: \$\.a/s);
wrong('<% ctx().cuont %>', qr/^1:\d+: warning\[W5001\].*did you mean 'count'/s, 'orquesta');
wrong('<% ctx(nobody) %>', qr/W5001\]/, 'orquesta');
wrong('<% ctx("nobody") %>', qr/W5001\]/, 'orquesta');
wrong('<% item(raw) %>', qr/W5001\].*did you mean 'row'/s, 'orquesta');
wrong('<% $count %>', qr/W5001\].*ctx\(\)\.count/s, 'orquesta');
fine("<% $_ %>") for '$.list.select($.nobody)', '$.list.where($.x > 1).x', '$.get(nobody)', '$.openstack.x', '$.a.nobody', 'with(1) -> $.x',
	'$.list.groupBy($.x, $.y)', '$.list.join($.list, $1.x = $2.y, $1.z)', '$.list.select($1)', '$__execution.id', 'not $.a', '$.v';
fine("<% $_ %>", 'orquesta') for 'ctx().list.where($.x).select($.y)', 'ctx().st2.user', 'item(row) + item(nr)', 'ctx().get(x)', '$', 'ctx()', 'ctx("a")',
	'ctx($.x)';

# ---- types ----
wrong(q(<% 'a' + 1 %>), qr/W1044\]: operator \+ does not take a string and an integer/);
wrong('<% $.list.len(1, 2) %>', qr/W1041\]/);
wrong('<% range(a) %>', qr/W1043\]/);
wrong('<% "abc".select($) %>', qr/W1045\]/);
wrong('<% $.list.orderBy($, x => 1) %>', qr/W1042\]|W1041\]/);
wrong('<% "abc".nobody %>', qr/W1040\]/);
wrong('<% uuid() + range(a) %>', qr/W1043\]/);
fine('<% uuid() + 1 %>');
fine('<% $.a + 1 %>');
fine('<% zip([1], [2]).select($) %>', 'orquesta');

# ---- other languages ----
fine('"{{ _.nobody }}"');
wrong('"<% $.a %> {{ _.a }}"', qr/E5001\].*YAQL or of Jinja/);
done;
