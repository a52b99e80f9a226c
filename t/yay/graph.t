#!/usr/bin/perl
# `vetro yay -f mugl`: configurations as graphs, and compared with graphs of before.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

# The graph of a text in one line, or what is said instead.
sub graph {
	my ($text, @options) = @_;
	spew("$W/app.yay", $text);
	my ($st, $out, $err) = vetro('yay', '-f', 'mugl', "$W/app.yay", @options);
	return $err if $st;
	my ($valid, $canonical, $said) = vetro({ in => $out }, 'graph', 'fmt', '--check', '-');
	ok($valid == 0, 'the text is canonical', $said);
	(undef, $out) = vetro({ in => $out }, 'graph', 'fmt', '-c', '-');
	chomp $out;
	return $out;
}

is(graph("a: 1\n"), '{"vertices":{"app":{"a":1}}}', 'the root is called by the file');
is(graph("net:\n    cidr: x\nvms:\n  - net: {{ net }}\n  - net: {{ net }}\nmain: {{ vms[0] }}\n"),
	'{"vertices":{"app/net":{"cidr":"x"},"app/vms[0]":{"net":{"#ref":"app/net"}},"app/vms[1]":{"net":{"#ref":"app/net"}},'
	. '"app":{"net":{"#ref":"app/net"},"vms":[{"#ref":"app/vms[0]"},{"#ref":"app/vms[1]"}],"main":{"#ref":"app/vms[0]"}}}}',
	'what is named in several places is one vertex');
is(graph("a:\n    b:\n        c: 2\n"), '{"vertices":{"app/a.b":{"c":2},"app/a":{"b":{"#ref":"app/a.b"}},"app":{"a":{"#ref":"app/a"}}}}', 'monikers are paths');
is(graph("a:\n    b: 1\n    up: {{ here }}\n"), '{"vertices":{"app/a":{"b":1,"up":{"#ref":"app/a"}},"app":{"a":{"#ref":"app/a"}}}}',
	'a mapping may contain itself');
is(graph("l:\n  - 1\n  - 2.50\n  - {{ 2 ** 70 }}\n  - {{ 1 == 1 }}\ne: {}\nf: []\n"),
	'{"vertices":{"app/e":{},"app":{"l":[1,2.5,1180591620717411303424,true],"e":{"#ref":"app/e"},"f":[]}}}', 'values');
is(graph("a.b:\n    c: 1\na:\n    b:\n        d: 1\n") =~ /"app\/a\.b'":/ ? 1 : 0, 1, 'paths that read alike are told apart');
is(graph("x: {{ {'#ref': 'a'} }}\n"), '{"ref":"@@ref","vertices":{"app/x":{"#ref":"a"},"app":{"x":{"@@ref":"app/x"}}}}', 'data that look like an edge');
is(graph("a:\n    b:\n        c: 1\nd: {{ nope }}\n", '--select', 'a'), '{"vertices":{"a/b":{"c":1},"a":{"b":{"#ref":"a/b"}}}}',
	'--select: the part, and nothing else');
like(graph("a: {{ nope }}\n"), qr/app\.yay:1:\d+: error\[E3004\]/, 'an error with its place');
like(graph("- 1\n"), qr/only a mapping is a graph/, 'a list is no graph');
like(graph("a: {{ b }}\nb: {{ a }}\n"), qr/E3006/, 'a circle of names is one');

# secrets
spew("$W/gpg", "#!/bin/sh\nfor f; do :; done\ncat \"\$f\"\n");
chmod 0755, "$W/gpg";
spew("$W/s.yay.gpg", "word: hunter2\n");
my $with = "include \"s.yay.gpg\"\nurl: x-{{ word }}\n";
is(graph($with, '--gpg', "$W/gpg"), '{"vertices":{"app":{"word":"*****","url":"x-*****"}}}', 'secrets are masked');
like(graph($with, '--gpg', "$W/gpg", '--show-secrets'), qr/"url":"x-hunter2"/, '--show-secrets');

# against a graph of before
spew("$W/app.yay", "net:\n    cidr: x\nvms:\n  - net: {{ net }}\n    size: 1\n");
my ($st, $before) = vetro('yay', '-f', 'mugl', "$W/app.yay");
spew("$W/before.mugl", $before);
my (undef, $now) = vetro('yay', '-f', 'mugl', "$W/app.yay", '--set', 'net.cidr=y');
my ($rc, $plan, $err) = vetro({ in => $now }, 'graph', 'diff', '--exit-code', "$W/before.mugl", '-');
is($rc, 1, 'a difference to a graph of before');
like($plan, qr/^~ app\/net: update\n    ~ cidr: "x" => "y"\n0 to create, 1 to update, 0 to replace, 0 to delete, 2 unchanged$/m, 'as a plan')
	or print "# $err\n";
($rc, $plan) = vetro({ in => $before }, 'graph', 'diff', '--exit-code', "$W/before.mugl", '-');
is($rc, 0, 'and none to itself');
spew("$W/big.yay", "l:\n" . join('', map { "  - n: $_\n" } 1 .. 20000));
($st, $now) = vetro('yay', '-f', 'mugl', "$W/big.yay");
is(scalar(() = $now =~ /^        "big\/l\[/mg), 20000, 'twenty thousand vertices');
done();
