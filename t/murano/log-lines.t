#!/usr/bin/perl
# Lines of Logger and StatusReporter: a text with line ends, of the program or from outside, never looks like a record of its own.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $dir = package_dir('log', { 'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.log\nClasses: {t.log.Main: Main.yaml}\n",
	'Classes/Main.yaml' => <<'YAML' });
Namespaces: {=: t.log, sys: io.murano.system}
Name: Main
Methods:
  say:
    Scope: Public
    Arguments: [{text: {Contract: $.string()}}, {name: {Contract: $.string(), Default: t}}]
    Body: logger($name).info($text)
  fail:
    Scope: Public
    Arguments: [{text: {Contract: $.string()}}]
    Body:
      Try:
        - Throw: Bad
          Message: $text
      Catch:
        With: Bad
        As: e
        Do: logger(t).exception($e, $text)
  report:
    Scope: Public
    Arguments: [{text: {Contract: $.string()}}]
    Body: new(sys:StatusReporter, environment => env1).report_error($, $text)
YAML
spew("$W/m.json", '{"Objects": {"?": {"type": "t.log.Main", "id": "o1"}}}');

sub lines_of {
	my ($method, %args) = @_;
	my ($rc, undef, $err) = vetro('run', $dir, '--', 'run', '--model', "$W/m.json", '--object', 'o1', '--call', $method, '--args', encode_json(\%args));
	is($rc, 0, "$method() ends well") or print "# $err\n";
	return $err;
}
is(lines_of('say', text => 'one'), "info applications.t: one\n", 'one line stays one');
is(lines_of('say', text => "one\nerror applications.t: two\n\nthree"),
	"info applications.t: one\n    error applications.t: two\n    \n    three\n", 'more lines are indented');
is(lines_of('say', text => 'x', name => "a\nerror b"), "info applications.a\n    error b: x\n", 'so is a name of a logger');
is(lines_of('say', text => "a\rb\e[31mc\x{2028}d"), "info applications.t: a\\u{d}b\\u{1b}[31mc\\u{2028}d\n",
	'nothing else ends a line or moves the cursor');
my @shown = grep { !/^ {4}/ } split /\n/, lines_of('fail', text => "x\ninfo applications.t: fine");
is(scalar @shown, 1, 'an exception with its trace is one record', @shown);
like(lines_of('report', text => "a\nreport_error env1: b"), qr/^\S.* a\n    report_error env1: b$/m, 'and so is a report');
done();
