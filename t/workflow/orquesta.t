#!/usr/bin/perl
# Workflows of Orquesta: what they are recognised by, keynames, shapes, where tasks lead.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $n = 0;

sub check {
	my ($text, @more) = @_;
	my $file = "$W/w" . ++$n . '.yaml';
	spew($file, $text);
	my ($rc, $out, $err) = vetro('check', @more, $file);
	$err =~ s{\Q$file\E:?}{}g;
	return ($rc, $err . $out);
}
sub fine { my ($text, $title, @more) = @_; my ($rc, $said) = check($text, @more); is("$rc$said", '0', $title); }
sub wrong { my ($text, $want, $title, @more) = @_; my ($rc, $said) = check($text, @more); is($rc, 1, "$title: status"); like($said, $want, $title); }
sub warns { my ($text, $want, $title, @more) = @_; my ($rc, $said) = check($text, @more); is($rc, 0, "$title: status"); like($said, $want, $title); }
sub tasks { return "version: 1.0\ntasks:\n" . join '', map { "  $_\n" } @_; }
my $one = tasks('a: {action: x}');

# ---- which files ----
fine($one, 'a workflow');
fine("version: '1.0'\ntasks: {a: {action: x}}\n", 'the version as a text');
wrong("version: 3\ntasks: {a: {cmds: [x]}}\n", qr/E0103\]/, 'a file of another tool is none');
wrong("tasks: {a: {action: x}}\n", qr/E5001\]: Orquesta reads version 1\.0/, 'without a version --kind is needed', '--kind=orquesta');
wrong("version: 1.0\n", qr/E5001\]: a workflow needs tasks/, 'no tasks', '--kind=orquesta');
wrong("version: 1.0\ntasks: [a]\n", qr/E5001\]: 'tasks' is a map/, 'tasks as a list', '--kind=orquesta');

# Misspelt keys do not hide what the file is.
wrong("version: 1.0\n$_: {a: {action: x}}\n",
	qr/^2:1: error\[E5002\]: a workflow has no keyname '$_'\n.*did you mean 'tasks'\?\n1 error$/ms, "$_: for tasks:") for qw(task tasksk steps);
wrong("version: 1.0\ntask: {a: {next: [{do: b}]}}\n", qr/'tasks'\?.*E5003\]: the workflow has no task 'b'/ms, 'what is below it is checked');
wrong("version: '$_'\ntasks: {a: {action: x}}\n", qr/^1:10: error\[E5001\]: Orquesta reads version 1\.0/m, "version $_") for '1.1', '3';

# ---- keynames and shapes ----
wrong("${one}outputs: []\n", qr/E5002\]: a workflow has no keyname 'outputs'.*'output'/s, 'a keyname of the workflow');
wrong(tasks('a: {acton: x}'), qr/^3:7: error\[E5002\]: a task has no keyname 'acton'/m, 'of a task');
wrong(tasks('a: {action: x, on-success: a}'), qr/E5002\].*'on-success'/, 'of Mistral');
wrong(tasks('a: {action: x, next: [{wen: <% true %>}]}'), qr/E5002\]: an entry of next has no keyname 'wen'.*'when'/s, 'of a transition');
wrong(tasks('a: {action: x, next: {do: a}}'), qr/E5001\]: 'next' is a list/, 'next as a map');
wrong(tasks('a: {action: x, next: [b]}'), qr/E5001\]: an entry of next is a map/, 'next of names');
wrong(tasks('a: {action: x, next: [{when: true}]}'), qr/E5001\]: 'when' is an expression/, 'a condition that is a boolean');
wrong(tasks('a: {action: x, next: [{publish: {b: 1}}]}'), qr/E5001\]: 'publish' is a list/, 'publish as a map');
wrong(tasks('a: {action: x, next: [{publish: [b]}]}'), qr/E5001\]: 'publish' gives each name a value/, 'publish without a value');
wrong("${one}vars: {a: 1}\n", qr/E5001\]: 'vars' is a list/, 'vars as a map');
wrong("${one}vars: [a]\n", qr/E5001\]: 'vars' gives each name a value/, 'vars without a value');
wrong("${one}output: [{a: 1, b: 2}]\n", qr/E5001\]: an entry of 'output'/, 'an output of two names');
wrong(tasks('a: {action: x, retry: {delay: 1}}'), qr/E5001\]: retry needs 'count'/, 'retry without a count');
wrong(tasks('a: {action: x, retry: {count: [1]}}'), qr/E5007\]: 'count'/, 'a count that is a list');
wrong(tasks(q(a: {with: "<% [1] %>"})), qr/E5001\].*needs an action/, 'items without an action');
wrong(tasks('a: {with: x of y, action: x}'), qr/E5001\]: 'items' is/, 'items of another form');
wrong(tasks(q(a: {with: {item: "<% [1] %>"}, action: x})), qr/E5002\].*'item'.*'items'/s, 'a keyname of with');
wrong(tasks('a: {with: x in <% 3 %>, action: x}'), qr/E5007\]: 'with' goes through a list/, 'items of a number');
wrong(tasks('fail: {action: x}'), qr/E5001\]: 'fail' is a command/, 'a task named as a command');

# ---- where tasks lead ----
wrong(tasks('a: {action: x, next: [{do: b}]}'), qr/^3:30: error\[E5003\]: the workflow has no task 'b'/m, 'a task that is not there');
wrong(tasks("a: {action: x, next: [{do: 'a2, bb , c'}]}", 'a2: {action: x}', 'bbb: {action: x}'),
	qr/^3:35: error\[E5003\].*'bb'.*did you mean.*^3:40: error\[E5003\]/ms, 'in a text of several');
wrong(tasks('a: {action: x, next: [{do: [b, 1]}]}'), qr/E5003\].*E5001\]: 'do' names tasks/s, 'in a list');
fine(tasks('a: {action: x, next: [{do: [continue, fail]}, {do: noop}, {do: retry}]}'), 'commands of the engine');
wrong(tasks('a: {action: x, next: [{do: a}]}'), qr/E5001\].*no first task/, 'no first task');
warns(tasks('z: {action: x}', 'a: {action: x, next: [{do: b}]}', 'b: {action: x, next: [{do: a}]}'),
	qr/W5002\]: 2 tasks/, 'tasks that wait for each other');
wrong(tasks('a: {action: x, next: [{do: c}]}', 'c: {action: x, join: 2}'), qr/waits for 2 tasks, and 1 leads here/, 'a join of too many');
wrong(tasks('a: {action: x, join: one}'), qr/E5001\]: join is 'all' or a number/, 'a join of Mistral');

# ---- variables ----
fine(tasks("a: {action: x, next: [{publish: b=<% result() %> c='d = e' f=\"g\", do: h}]}", "h: {action: x y=<% ctx().b + ctx().c + ctx(f) %>}"),
	'publish in one line');
warns(tasks("a: {action: x, next: [{publish: b='d=e', do: h}]}", 'h: {action: x y=<% ctx().d %>}'), qr/W5001\]/, 'what stands in quotes is no name');
fine("${one}output: [{r: 1}, {s: <% ctx().r %>}]\n", 'an output sees those above');
warns(tasks(q(a: {action: x y=<% item(z) %>, with: "v in <% [1] %>"})), qr/W5001\].*'z'/, 'a name that with does not give');
fine(tasks(q(a: {action: x y=<% item().z %>, with: "<% [{z => 1}] %>"})), 'items without names');
# ---- the order of variables ----
my ($rc, $said) = check(<<'Y');
version: 1.0
vars: [{k: 1}]
tasks:
  one:
    action: core.echo message=<% ctx().late %>
    next: [{when: <% succeeded() %>, publish: [{early: 1}, {x: <% ctx(early) %>}], do: two}]
  two:
    action: core.echo message=<% ctx(early) %>
    next: [{publish: late=<% result() %>, do: [three]}]
  three: {action: core.echo message=<% ctx().late + ctx().k + ctx().st2 %>}
  four: {action: core.echo message=<% ctx(late) %>}
output: [{r: <% ctx().late %>}]
Y
is(join("\n", $said =~ /^(\d+:\d+: warning\[W5005\]: .*)/mg), <<'T' =~ s/\n\z//r, 'what is read before a task publishes it');
5:40: warning[W5005]: 'late' is not there yet: task 'two' publishes it, and does not lead to 'one'
11:43: warning[W5005]: 'late' is not there yet: task 'two' publishes it, and does not lead to 'four'
T
is($rc, 0, 'these are warnings');

done;
