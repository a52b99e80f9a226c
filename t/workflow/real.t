#!/usr/bin/perl
# Workflows in the manner of TripleO's workbooks and of StackStorm's packs, in which nothing is wrong; docs/workflows.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $data = "$FindBin::Bin/../data/workflow";

for my $kind (qw(mistral orquesta)) {
	for my $file (glob("$data/$kind/*.yaml")) {
		my ($name) = $file =~ m{([^/]+)$};
		my ($rc, $out, $err) = vetro('check', $file);
		is("$rc$out$err", '0', "$kind/$name: nothing is wrong");
		($rc, $out, $err) = vetro('check', "--kind=$kind", $file);
		is("$rc$out$err", '0', "$kind/$name with --kind");
	}
}
my ($rc, $out, $err) = vetro('check', glob("$data/*/*.yaml"));
is("$rc$out$err", '0', 'all of them at once');

# ---- docs/workflows.md ----
my $page = slurp("$FindBin::Bin/../../docs/workflows.md");
my ($first) = $page =~ /^```console\n(.*?)^```/ms;
my ($file, $said) = $first =~ /^\$ cat deploy\.yaml\n(.*?)\$ vetro check deploy\.yaml\n(.*)\z/s;
spew("$W/deploy.yaml", $file);
($rc, $out, $err) = vetro('check', "$W/deploy.yaml");
$err =~ s{\Q$W/\E}{}g;
is($err, $said, 'the example of the page says what it shows');
my ($functions) = $page =~ /```yaml\n(host: ours\n.*?)```/s;
spew("$W/functions.yaml", $functions);
spew("$W/ours.yaml", <<'Y');
version: '2.0'
f:
  tasks:
    one:
      action: std.echo output=<% vault('a/b') + $region %>
      publish:
        x: <% wait(2.5) %>
        y: <% of_task(one, a, 'b', deep => true) %>
Y
($rc, $out, $err) = vetro('check', "--functions=$W/functions.yaml", "$W/ours.yaml");
is("$rc$out$err", '0', 'functions that the page declares');
($rc, $out, $err) = vetro('check', "$W/ours.yaml");
is(join(' ', $err =~ /\[(\w+)\]/g), 'E5004 W5001 E5004 E5004', 'are unknown without it');
my ($heat) = $page =~ /```yaml\n(yaql:\n.*?)```/s;
blocks_are_read('docs/workflows.md', $first, $functions, $heat);
$heat =~ s/^/        /mg;
my $head = "heat_template_version: 2018-08-31\n";
spew("$W/heat.yaml", $head . "resources:\n  group: {type: OS::Heat::None}\n  port: {type: OS::Neutron::Port, properties: {network: n}}\n"
	. "  v:\n    type: OS::Heat::Value\n    properties:\n      value:\n$heat");
($rc, $out, $err) = vetro('check', "$W/heat.yaml");
is("$rc$out", '0', "the example of Heat") or print "# $err\n";
done;
