#!/usr/bin/perl
# Documents of Mistral: what they are recognised by, keynames, shapes, where tasks lead.
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
sub flow { return "version: '2.0'\nf:\n" . join '', map { "  $_\n" } @_; }
sub tasks { return flow('tasks:', map { "  $_" } @_); }

# ---- which files ----
fine(tasks('a: {action: std.noop}'), 'a list of workflows');
fine("version: 2.0\nf:\n  tasks: {a: {action: std.noop}}\n", 'the version as a number');
fine("---\n  version: '2.0'\n  f:\n    tasks: {a: {action: std.noop}}\n", 'a document that is indented');
fine("{version: '2.0', f: {tasks: {a: {action: std.noop}}}}\n", 'a document in braces');
fine("version: '2.0'\na:\n  base: std.noop\n", 'a list of actions');
fine("version: '2.0'\nname: b\nworkflows: {f: {tasks: {a: {action: std.noop}}}}\nactions: {g: {base: std.noop}}\n", 'a workbook');
wrong("version: '2.0'\nservices: {web: {image: x}}\n", qr/E0103\]/, 'a file of docker compose is none');
wrong("f:\n  tasks: {a: {}}\n", qr/E0103\]/, 'without a version it is none');
wrong("f:\n  tasks: {a: {action: std.noop}}\n", qr/^1:1: error\[E5001\]: Mistral reads version '2\.0'/m, 'unless --kind says so', '--kind=mistral');
wrong(tasks('a: {action: std.noop}'), qr/E5001\]: Orquesta reads version 1\.0/, '--kind of the other host', '--kind=orquesta');
wrong("version: '2.0'\nf:\n  tasks:\n    a: {action: std.noop\n", qr/E0201\]/, 'a workflow that is no YAML');
wrong("- 1\n", qr/E5001\].*is a map/, 'a list', '--kind=mistral');
wrong("version: '2.0'\n---\nf: 1\n", qr/E5001\].*one YAML document/, 'two documents', '--kind=mistral');

# Misspelt keys do not hide what the file is.
my $noop = '{a: {action: std.noop}}';
wrong(flow("task: $noop"), qr/^3:3: error\[E5002\]: a workflow has no keyname 'task'.*did you mean 'tasks'\?\n1 error$/ms, 'misspelt tasks');
wrong(flow("steps: $noop", 'output: {x: <% task(a).result %>}'),
	qr/no keyname 'steps'.*did you mean 'tasks'\?\n1 error$/ms, 'another word for tasks, which are read');
wrong(flow("tsaks: {a: {on-success: [b]}}"), qr/did you mean 'tasks'\?.*E5003\]: the workflow has no task 'b'/ms, 'what is below it is checked');
wrong("version: '2.0'\nname: b\nworkflow: {f: {tasks: $noop}}\n",
	qr/^3:1: error\[E5002\]: a workbook has no keyname 'workflow'\n.*'workflows'\?\n1 error$/ms,
	'a misspelt key of a workbook');
wrong("version: '2.0'\nname: b\nworkflws: {f: {task: $noop}}\n", qr/^3:1: .*'workflows'\?\n/ms, 'twice');
wrong("version: '2.0'\n$_: $noop\n",
	qr/^2:1: error\[E5001\]: tasks stand in a workflow.*hint: it is written NAME: .*Orquesta/ms, "$_ without a workflow") for qw(tasks task taks);

# ---- keynames and shapes ----
wrong(flow('inptu: [a]', 'tasks: {a: {action: x}}'),
	qr/^3:3: error\[E5002\]: a workflow has no keyname 'inptu'.*did you mean 'input'/ms, 'a keyname of a workflow');
wrong(tasks('a: {acton: x}'), qr/E5002\]: a task has no keyname 'acton'.*'action'/s, 'of a task');
wrong(tasks('a: {action: x, requires: [a]}'), qr/E5002\].*'requires'/, 'a keyname of reverse workflows');
wrong(flow('type: reverse', 'tasks: {a: {action: x, on-success: a}}'),
	qr/E5002\]: a task of a reverse workflow has no keyname 'on-success'/, 'and of direct ones');
wrong("version: '2.0'\na: {base: x, inputs: [b]}\n", qr/E5002\]: an action has no keyname 'inputs'/, 'of an action');
wrong("version: '2.0'\nname: b\nflows: {}\nworkflows: {f: {tasks: {a: {action: x}}}}\n",
	qr/E5002\]: a workbook has no keyname 'flows'/, 'of a workbook');
wrong("version: '2.0'\nworkflows: {f: {tasks: {a: {action: x}}}}\n", qr/E5001\]: a workbook needs a name/, 'a workbook without a name');
wrong(flow('input: [a]'), qr/E5001\]: workflow 'f' has no tasks/, 'no tasks', '--kind=mistral');
wrong(flow('tasks: []'), qr/E5001\]: 'tasks' is a map/, 'tasks that are a list', '--kind=mistral');
wrong(tasks('a: 1'), qr/E5001\]: a task is a map/, 'a task that is a number');
wrong(tasks('a: {}'), qr/E5001\]: a task has one key at least/, 'an empty task');
wrong(flow('type: both', 'tasks: {a: {action: x}}'), qr/E5001\]: type is/, 'a type that there is not');
wrong(flow('input: {a: 1}', 'tasks: {a: {action: x}}'), qr/E5001\]: 'input' is a list/, 'input as a map');
wrong(flow('input: [{a: 1, b: 2}]', 'tasks: {a: {action: x}}'), qr/E5001\]: an entry of 'input'/, 'input of two names');
wrong(tasks('a: {action: x, workflow: y}'), qr/E5001\].*not both/, 'an action and a workflow');
wrong(tasks('a: {action: [x]}'), qr/E5001\]: 'action' is a text/, 'an action that is a list');
wrong(tasks('a: {action: x, publish: [b]}'), qr/E5001\]: 'publish' is a map/, 'publish as a list');
wrong(tasks('a: {action: x, publish: {}}'), qr/E5001\]: 'publish' is a map/, 'publish without entries');
wrong(tasks('a: {action: x, retry: {count: 1}}'), qr/E5001\]: retry needs/, 'retry without a delay');
wrong(tasks('a: {action: x, retry: {count: many, delay: 1}}'), qr/E5007\]: 'count' is an integer, and this is a string/, 'a count that is a word');
wrong(tasks('a: {action: x, timeout: soon}'), qr/E5007\]: 'timeout'/, 'a timeout that is a word');
wrong(tasks("a: {action: x, timeout: <% 'a' %>}"), qr/E5007\]: 'timeout'/, 'or an expression that gives one');
wrong(tasks('a: {action: x, pause-before: 1}'), qr/E5007\]: 'pause-before' is a boolean/, 'a number for a boolean');
fine(tasks('a: {action: x, timeout: <% 1 + 2 %>, pause-before: <% 1 > 2 %>, concurrency: "{{ _.x }}"}'), 'expressions that give what is wanted');
fine(tasks('a: {action: x, retry: count=3 delay=<% 1 %>}'), 'retry in one line');
wrong(tasks('a: {action: x, with-items: y of z}'), qr/E5001\]: with-items is/, 'with-items of another form');
wrong(tasks('a: {action: x, with-items: i in <% 3 %>}'), qr/E5007\]: with-items goes through a list/, 'with-items of a number');
wrong(tasks("a: {action: x, with-items: 'i in [1,,3]'}"), qr/E5001\].*the list is no JSON/, 'with-items of a list that is no JSON');
fine(tasks(q(a: {action: x y=<% $.i + $.k %>, with-items: ['i in [1]', 'k in <% [2] %>']})), 'names of with-items are variables of the task');

# ---- where tasks lead ----
wrong(tasks('a: {action: x, on-success: b}'), qr/^4:32: error\[E5003\]: the workflow has no task 'b'/m, 'a task that is not there');
wrong(tasks('a: {action: x, on-error: [bb, c]}', 'bbb: {action: x}'), qr/E5003\].*'bb'.*'bbb'.*E5003\].*'c'/s, 'in a list');
wrong(tasks('a: {action: x, on-complete: [{b: <% true %>}]}'), qr/E5003\]/, 'with a condition');
wrong(tasks('a: {action: x, on-success: {publish: {branch: {v: 1}}, next: b}}'), qr/E5003\]/, 'behind next');
wrong(tasks('a: {action: x, on-success: {publsh: {branch: {v: 1}}, next: a}}'), qr/E5002\].*'publsh'/, 'a keyname of a clause');
wrong(tasks('a: {action: x, on-success: {publish: {brnch: {v: 1}}}}'), qr/E5002\].*'brnch'.*'branch'/s, 'a scope of publish');
wrong(flow('task-defaults: {on-error: b}', 'tasks: {a: {action: x}}'), qr/E5003\]/, 'in task-defaults');
wrong(flow('type: reverse', 'tasks: {a: {action: x, requires: [b]}}'), qr/E5003\]/, 'in requires');
fine(tasks(map({ "$_: {action: x, on-success: @{[ substr($_, 1) ]}}" } qw(anoop bfail csucceed dpause))), 'commands of the engine');
fine(tasks('a: {action: x, on-success: [fail msg="no", {"fail(msg=<% 1 %>)": <% true %>}]}'), 'commands with a message');
wrong(tasks('a: {action: x, on-success: b}', 'b: {action: x, on-success: a}'), qr/E5001\].*no first task/, 'no first task');
warns(tasks('z: {action: x}', 'a: {action: x, on-success: b}', 'b: {action: x, on-success: a}'),
	qr/W5002\]: 2 tasks are never reached.*'a', 'b'/, 'tasks that wait for each other');
warns(tasks('z: {action: x}', 'a: {action: x, on-error: a}'), qr/W5002\]: task 'a' is never reached/, 'and one that waits for itself');
fine(flow('task-defaults: {on-error: [clean]}', 'tasks: {a: {action: x}, clean: {action: x}}'), 'task-defaults lead on, but not to the task itself');
wrong(tasks('a: {action: x, join: all}'), qr/E5001\]: this join waits for at least 1 task, and 0 lead here/, 'a join that nothing leads to');
wrong(tasks('a: {action: x, on-success: c, on-error: c}', 'b: {action: x, on-success: c}', 'c: {action: x, join: 3}'),
	qr/waits for 3 tasks, and 2 lead/, 'a join of too many');
fine(tasks('a: {action: x, on-success: c}', 'b: {action: x, on-success: c}', 'c: {action: x, join: 2}'), 'a join of two');
wrong(tasks('a: {action: x, on-success: c}', 'c: {action: x, join: some}'), qr/E5001\]: join is/, 'a join that is a word');

# ---- actions ----
warns("version: '2.0'\na: {base: std.echo, base-input: {output: <% \$.b %>}, input: [c]}\n",
	qr/W5001\].*the action has no such input/, 'an input that the action has not');
fine("version: '2.0'\na: {base: std.noop, input: [c], output: <% \$.anything %>}\n", 'the output sees what the base gives');
wrong("version: '2.0'\nname: x\nactions: {a: {input: [c]}}\nworkflows: {f: {tasks: {t: {action: x}}}}\n",
	qr/E5001\]: action 'a' needs a base/, 'an action without a base');

# ---- a large one, and keys that are equal as text ----
my $large = join '', map { "    t$_: {action: std.noop, on-success: t" . ($_ + 1) . "}\n" } 1 .. 3000;
fine("version: '2.0'\nf:\n  tasks:\n$large    t3001: {action: std.noop}\n", '3,001 tasks');
my ($rc, $said) = check("version: '2.0'\nf:\n  tasks:\n    1: {action: x, on-success: '2'}\n    '1': {action: x}\n    2: {action: x}\n");
ok($rc <= 1, 'a task 1 and a task "1"', $said);
my $wrong = join '', map { "    t$_: {action: x, on-success: u$_}\n" } 1 .. 20000;
($rc, $said) = check("version: '2.0'\nf:\n  tasks:\n$wrong");
like($said, qr/^20000 errors; 19900 not shown$/m, '20,000 mistakes do not look 20,000 times through 20,000 names');
# ---- the order of variables: what is published is seen by the tasks behind ----
sub order { return join "\n", map { /^(\d+:\d+): warning\[W5005\]: (.*)/ ? "$1 $2" : () } split /\n/, (check(@_))[1] }
my $chain = <<'Y';
version: '2.0'
f:
  input: [inp]
  vars: {given: 1}
  tasks:
    one:
      action: std.echo output=<% $.log + $.inp + $.given %>
      publish: {own: <% $.log %>, log1: <% task().result %>}
      on-success:
        publish: {branch: {mine: 1}, global: {all: 2}}
        next: [{two: <% $.mine = 1 and $.own = 1 %>}, three]
    two:
      action: std.echo output=<% $.own + $.mine %>
      publish: {log: 1}
      on-error: five
    three:
      with-items: log in <% $.log1 %>
      action: std.echo output=<% $.log %>
    four:
      action: std.echo output=<% $.all %> x=<% $.mine %>
      on-success: five
    five: {action: std.echo output=<% $.log %>}
  output: {log: <% $.log %>}
Y
is(order($chain), <<'T' =~ s/\n\z//r, 'what is read too early, in its place');
7:36 'log' is not there yet: task 'two' publishes it, and does not lead to 'one'
8:27 'log' is not there yet: task 'two' publishes it, and does not lead to 'one'
20:50 'mine' is not there yet: task 'one' publishes it, and does not lead to 'four'
T
is(order(tasks('a: {action: std.echo output=<% $.n %>, publish: {n: 1}, on-success: b}', 'b: {action: std.noop, on-success: a}')), '',
	'a task in a circle may come again');
is(order(tasks('a: {action: std.echo output=<% $.n %>, publish: {n: 1}, on-success: b}', 'b: {action: std.noop}')),
	"4:38 'n' is not there yet: only task 'a' itself publishes it, when it has ended", 'a task that reads what it publishes');
is(order(tasks('a: {action: std.noop, publish: {n: 1}}', 'b: {action: std.noop, publish: {n: 1}}', 'c: {action: std.echo output=<% $.n %>}')),
	"6:38 'n' is not there yet: of the 2 tasks that publish it, such as 'a', none leads to 'c'", 'several publish it');
is(order(flow('task-defaults: {on-error: {publish: {branch: {e: 1}}, next: [b]}}', 'tasks:', '  a: {action: std.noop, publish: {n: 1}}',
	'  b: {action: std.echo output=<% $.n + $.e %>}')), '', 'task-defaults lead and publish');
is(order(flow('type: reverse', 'tasks:', '  a: {action: std.noop, publish: {x: 1}}', '  b: {action: std.noop, requires: a}',
	'  c: {action: std.echo output=<% $.x %>, requires: [b]}', '  d: {action: std.echo output=<% $.x %>}')),
	"8:38 'x' is not there yet: task 'a' publishes it, and does not lead to 'd'", 'what is required comes before');

# ---- workflows that a task of the same document runs ----
my $book = sub {
	return "version: '2.0'\nname: wb\nworkflows:\n  sub:\n    input: [host, {port: 22}]\n    tasks: {t: {action: std.noop}}\n"
		. "  main:\n    vars: {v: 1}\n    tasks:\n" . join '', map { "      $_\n" } @_;
};
fine($book->('a: {workflow: sub host=1}', 'b: {workflow: sub, input: {host: 1, port: 2}}', 'c: {workflow: wb.sub host="a b=c" port=<% $.v %>}',
	'd: {workflow: sub, input: <% $.v %>}', 'e: {workflow: elsewhere x=1}', 'f: {workflow: sub host=1, input: {env: {a: 1}}}',
	'g: {workflow: <% $.v %> x=1}'), 'inputs that are right, or nobody knows');
wrong($book->('a: {workflow: sub port=23}'), qr/^10:21: error\[E5008\]: workflow 'sub' needs the input 'host'/m, 'an input is missing');
wrong($book->('a: {workflow: wb.sub, input: {port: 1}}'), qr/E5008\]: workflow 'wb\.sub' needs the input 'host'/, 'by the whole name');
warns($book->('a: {workflow: sub host=1 prot=2}'), qr/^10:32: warning\[W5006\]: workflow 'sub' has no input 'prot'.*did you mean 'port'/ms,
	'an input that it does not have');
warns($book->('a: {workflow: sub host=1, input: {hots: 2}}'), qr/^10:41: warning\[W5006\].*'hots'.*did you mean 'host'/ms, 'in the map');
wrong("version: '2.0'\ns: {input: [x], tasks: {t: {action: std.noop}}}\nm: {tasks: {t: {workflow: s}}}\n",
	qr/E5008\]: workflow 's' needs the input 'x'/,
	'in a list of workflows');

# ---- actions of Mistral ----
fine(tasks('a: {action: std.http url="http://x" method=POST}', 'b: {action: std.ssh, input: {cmd: ls, host: h, username: u}}',
	'c: {action: std.noop}',

	'd: {action: std.ssh, input: <% $.openstack %>}', 'e: {action: <% $.openstack %>}', 'f: {action: "std.{{ _.x }}"}',
	'g: {action: nova.servers_list x=1}',
	'h: {action: echo}', 'i: {action: ours.std.eho}'), 'actions that are right, or nobody knows');
wrong(tasks('a: {action: std.eho output=1}'),
	qr/^4:17: error\[E5009\]: Mistral has no action 'std\.eho'\n.*hint: did you mean 'std\.echo'\?\n1 error$/ms, 'a misspelt action');
for (['std.htp', 'http'], ['std.slep seconds=1', 'sleep'], ['std.no_op', 'noop'], ['std.Echo output=1', 'echo'], ['std.ssh_proxyed', 'ssh_proxied']) {
	my ($written, $meant) = @$_;
	wrong(tasks("a: {action: $written}"), qr/E5009\].*did you mean 'std\.$meant'/s, $written);
}
wrong(tasks('a: {action: std.powershell cmd=ls}'),
	qr/E5009\]: Mistral has no action 'std\.powershell'\n.*hint: .*--functions/s, 'an action that resembles none');
warns(tasks("a: {action: $_ output=1}"),
	qr/W5007\]: neither Mistral nor this file has an action '$_'\n.*'std\.echo'/s, $_) for qw(sdt.echo st.echo stdd.echo);
wrong(tasks('a: {action: std.http ulr="http://x"}'),
	qr/^4:26: error\[E5010\]: action 'std\.http' has no input 'ulr'\n.*'url'\?\n1 error$/ms, 'a misspelt input');
wrong(tasks('a: {action: std.ssh, input: {command: ls, host: h, username: u}}'), qr/E5010\].*'command'/, 'an input in the map');
warns(tasks('a: {action: std.echo}'), qr/W5008\]: action 'std\.echo' needs the input 'output'/, 'an input that is missing');
wrong("version: '2.0'\na: {base: std.eho}\n", qr/^2:11: error\[E5009\]/m, 'the base of an action');
wrong("version: '2.0'\na: {base: std.http, base-input: {uri: x}}\n", qr/E5010\]: action 'std\.http' has no input 'uri'/, 'and its input');
fine("version: '2.0'\nname: std\nactions: {ehlo: {base: std.noop}}\nworkflows: {f: {tasks: {a: {action: std.ehlo}, b: {action: ehlo}}}}\n",
	'actions of a workbook by both names');
fine("version: '2.0'\nstd.eho: {base: std.noop}\nf: {tasks: {a: {action: std.eho}}}\n", 'of a list');
spew("$W/ours.yaml", "host: ours\nactions:\n- ours.restart(host, graceful = true)\n- std.shell(cmd, **more)\n");
fine(tasks('a: {action: ours.restart host=1}', 'b: {action: std.shell cmd=ls x=1}'), 'declared ones', "--functions=$W/ours.yaml");
wrong(tasks('a: {action: ours.restrat host=1}'), qr/E5009\].*'ours\.restart'/s, 'which own their space', "--functions=$W/ours.yaml");
wrong(tasks('a: {action: ours.restart hots=1}'), qr/E5010\].*'host'/s, 'with their inputs', "--functions=$W/ours.yaml");
spew("$W/bad.yaml", "actions: [ours..restart(a)]\n");
wrong(tasks('a: {action: x}'), qr/E5006\]/, 'a name with two dots', "--functions=$W/bad.yaml");

done;
