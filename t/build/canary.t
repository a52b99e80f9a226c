#!/usr/bin/perl
# Names and texts from outside in every position of every language: a hostile one is refused, or ends within quotes of the C that
# is made. What is outside of quotes is looked at after the preprocessor, with trigraphs, and the whole goes through the compiler.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use JSON::PP;

my $cc = $ENV{CC} || 'cc';
my $include = ($ENV{BUILD} || $Tap::vetro =~ s{/[^/]*$}{}r) . '/include';
skip_all("no vt.h in $include") unless -e "$include/vt.h";
# As bytes. `canary` stands for what would run; as a word of its own it is never a name that vetro makes.
my %hostile = (
	comment => 'f*/ extern int canary(void); int x = canary(); /*',
	include => "a\n#include <canary.h>\n",
	error => "a\r\n#error canary\r\n",
	quote => 'a"; int canary(void) { return system("id"); } char *x = "',
	apostrophe => "a'; canary(); '",
	backslash => 'a\\' . "\n canary();",
	ends => 'canary\\',
	trigraph => 'a??/" canary ??/',
	splice => 'a*??/' . "\n/ canary(); /??/\n*",
	format => '%s%n%s canary %100000d',
	line => "a*/\n#line 1 \"canary\"\n/*",
	pragma => '_Pragma("canary") canary()',
	nul => "a\0*/ canary(); /*",
	bidi => "a\xe2\x80\xae*/ canary(); /*\xe2\x80\xac",
	separator => "a\xe2\x80\xa8*/ canary(); /*",
	invalid => "a\xff\xfe*/ canary(); /*\xc3",
	long => 'a*/ canary(); /*' x 20000,
	braces => 'a}; canary(); {',
	path => '../../../canary/*/x',
	plain => 'a canary',
);

# A scalar of YAML in double quotes; every byte as it is, so that what is no UTF-8 is none in the file.
sub quoted {
	my ($s) = @_;
	$s =~ s/([\\"])/\\$1/g;
	$s =~ s/([\x00-\x1f])/sprintf '\\x%02x', ord $1/ge;
	return "\"$s\"";
}

my $strings = qr/"(?:\\.|[^"\\])*"/s;

# What the C would do with the text: reasons, or nothing.
sub found_in {
	my ($c) = @_;
	spew("$W/e.c", $c);
	my (undef, $text, $err) = run_program({}, $cc, '-std=c99', '-E', '-P', "-I$include", "$W/e.c");
	return ('the preprocessor: ' . substr $err, 0, 300) if $err ne '';
	my @bad;
	push @bad, "outside of quotes: $1" if $text =~ s/$strings/S/gr =~ /(.{0,60}\bcanary\b.{0,40})/;
	return @bad;
}

# Whole files take longer: those that were made of each position with the first names that are accepted.
sub compiles {
	my ($c) = @_;
	my @files = split m{^/\* ---- (.*?) ---- \*/\n}m, $c;
	my @texts = @files > 1 ? map { $files[2 * $_] } 1 .. $#files / 2 : @files;
	for my $t (@texts) {
		spew("$W/e.c", $t);
		my ($rc, undef, $err) = run_program({}, $cc, '-std=gnu11', '-w', '-fsyntax-only', "-I$include", "$W/e.c");
		return substr $err, 0, 300 if $rc;
	}
	return '';
}

my %templates = (
	tosca => [ 't.yaml', <<'T' ],
tosca_definitions_version: tosca_2_0
metadata: { template_name: @metadata@, @metakey@: @metavalue@ }
description: @description@
artifact_types: { File: {}, @artifacttype@: { derived_from: File } }
data_types:
  @datatype@: { properties: { @field@: { type: string, description: @fielddescription@ } } }
capability_types: { Cap: {}, @captype@: {} }
relationship_types: { Rel: {}, @reltype@: {} }
interface_types: { Life: { operations: { create: {}, @operation@: {} } } }
functions:
  @function@:
    signatures: [ { arguments: [ { type: integer } ], result: { type: integer }, implementation: { primary: run.sh } } ]
node_types:
  Plain:
    properties: { o: { type: string, default: x }, p: { type: string, default: { $concat: [ a, @operand@ ] } } }
    attributes: { n: { type: integer, default: { @call@: [ 1 ] } } }
    interfaces: { life: { type: Life, inputs: { @opinput@: { type: string, default: x } } } }
    capabilities: { @capname@: { type: Cap } }
    requirements: [ { @reqname@: { capability: Cap, relationship: Rel, count_range: [ 0, 1 ] } } ]
  @nodetype@:
    derived_from: Plain
    properties: { @property@: { type: string, default: @default@ } }
group_types: { Group: {}, @grouptype@: {} }
policy_types: { Policy: {}, @policytype@: {} }
service_template:
  inputs:
    @input@: { type: string, default: @inputdefault@, description: @inputdescription@ }
  node_templates:
    n:
      type: Plain
      properties: { p: { $concat: [ x, { $get_property: [ SELF, @asked@ ] } ] } }
      interfaces: { life: { operations: { create: { implementation: { primary: @implementation@ } } } } }
      artifacts: { @artifactname@: { type: File, file: @artifactfile@ } }
    @nodename@: { type: Plain }
  groups: { @groupname@: { type: Group, members: [ n ] } }
  policies: [ { @policyname@: { type: Policy } } ]
  workflows: { other: {}, @workflow@: { steps: { @step@: { target: n, activities: [ { inline: @inline@ } ] } } } }
  outputs: { @output@: { value: @outputvalue@, description: @outputdescription@ } }
T
	yay => [ 't.yay', <<'T' ],
a: 1
k: @text@
plain:
  - @item@
m:
  @key@: 1
c: {{ @literal@ + k }}
d: {{ k + @merged@ }}
e: {{ m[@index@] else @fallback@ }}
include @included@
g: {{ range(3) }}
h:
  for i in range(3):
    - {{ i + @inloop@ }}
T
);

my %class = ('Classes/C.yaml' => <<'T', 'Classes/M.yaml' => <<'T', 'manifest.yaml' => <<'T', 'Resources/r.txt' => '@resource@');
Namespaces: { =: n.s, std: io.murano, @prefix@: @namespace@ }
Name: @classname@
Extends: @parent@
Usage: @usage@
Properties:
  p: { Contract: $.string(), Default: @default@, Usage: @propusage@ }
  @property@: { Contract: $.int(), Default: 1 }
  e: { Contract: @contract@, Default: null }
Methods:
  @method@:
    Body: [ Return: 1 ]
  m:
    Arguments: [ a: { Contract: $.string(), Default: @argdefault@ }, @argument@: { Contract: $.int(), Default: 1 } ]
    Meta: { @meta@: { @metakey@: @metavalue@ } }
    Body:
      - $x: @text@
      - $.p: @assigned@
      - $y: $.m2(@keyword@ => 1)
      - $z: $.get(@member@)
      - @statement@: 1
      - Try: [ $.m() ]
        Catch: [ { With: @with@, Do: [ $x: 1 ] } ]
      - Match: { @case@: [ $x: 1 ] }
        Value: $x
      - Throw: @throw@
        Message: @message@
      - @expression@
T
Namespaces: { =: n.s }
Name: M
Usage: Meta
Applies: All
Properties: { k: { Contract: $.string() }, x: { Contract: $.string(), Default: a } }
T
Format: @format@
Type: Application
FullName: @fullname@
Name: @shown@
Author: @author@
Version: @version@
Tags: [ @tag@ ]
Require: { @require@: @requirement@ }
Classes: { @class@: C.yaml, n.s.M: M.yaml }
T

# The positions, with a harmless text; those that a test is not about are such a text or left out.
my %harmless = (
	tosca => { operation => 'op', call => '$plain', function => 'plain', implementation => 'run.sh', inline => 'other', asked => 'o' },
	yay => {
		included => 'inc.yay', text => 'x', item => 'x', key => 'x', index => "'x'", literal => "'x'", merged => "'x'", fallback => "'x'",
		inloop => '1',
	},
	murano => {
		classname => 'C', class => 'n.s.C', usage => 'Class', propusage => 'In', contract => '$.string()', method => 'n', meta => 'M', metakey => 'k',
		statement => 'Return', fullname => 'n.s', format => '"1.0"', version => '1.0.0', prefix => 'pf', namespace => 'n.t', parent => 'std:Object',
		property => 'q', argument => 'b', with => 'n.s.E', throw => 'n.s.E', require => 'io.murano', requirement => '">=0"', keyword => 'k',
		member => "'p'", expression => '$x',
	},
);

sub filled {
	my ($text, $language, $position, $value) = @_;
	return $text =~ s/@(\w+)@/$1 eq $position ? $value : $harmless{$language}{$1} \/\/ "x$1"/ger;
}

# Where quotes of YAML are not what the language has.
sub written {
	my ($language, $position, $s) = @_;
	return quoted($s) unless $language eq 'yay';
	return $s if $position =~ /^(?:text|item|key|included)$/;
	return "'" . $s =~ s/(['\\])/\\$1/gr . "'";
}

my ($made, $refused, %accepted, @bad, @crashed, @broken) = (0, 0);

sub look {
	my ($where, $language, $position, $source, @more) = @_;
	my ($rc, $c, $err) = vetro({ limit => 120 }, 'build', '--emit=c', @more, $source);
	push @crashed, "$where: $rc $err" if $rc < 0 || $rc > 3 || $err =~ /Sanitizer|internal/;
	return $refused++ if $rc || $c eq '';
	$made++;
	push @bad, map { "$where: $_" } found_in($c);
	return if $accepted{"$language/$position"}++ > 1;
	my $why = compiles($c);
	push @broken, "$where: $why" if $why ne '';
}

for my $language (sort keys %templates) {
	my ($file, $text) = @{ $templates{$language} };
	my %seen;
	spew("$W/$_", "x: 1\n") for 'run.sh', 'inc.yay';
	for my $position (grep { !$seen{$_}++ } $text =~ /@(\w+)@/g) {
		for my $kind (sort keys %hostile) {
			my $value = written($language, $position, ($position eq 'call' ? '$' : '') . $hostile{$kind});
			spew("$W/$file", filled($text, $language, $position, $value));
			look("$language $position $kind", $language, $position, "$W/$file", '-g');
		}
	}
	# A place that a change of the texts above loses is missed here.
	my $least = { tosca => 38, yay => 9 }->{$language} // 1;
	ok(keys(%seen) >= $least, "$language: " . keys(%seen) . ' positions', "at least $least");
}
my %seen;
for my $position (grep { !$seen{$_}++ } map { $class{$_} =~ /@(\w+)@/g } sort keys %class) {
	for my $kind (sort keys %hostile) {
		my $dir = "$W/package";
		run_program({}, 'rm', '-rf', $dir);
		mkdir "$dir", 0755;
		mkdir "$dir/$_", 0755 for 'Classes', 'Resources';
		my $value = $position eq 'resource' ? $hostile{$kind} : quoted($hostile{$kind});
		spew("$dir/$_", filled($class{$_}, 'murano', $position, $value)) for keys %class;
		look("murano $position $kind", 'murano', $position, $dir, '-g');
	}
}
ok(keys(%seen) >= 35, 'murano: ' . keys(%seen) . ' positions');
ok(!@crashed, 'nothing ends in a crash', @crashed);
ok(!@bad, "in $made programs no text is outside of quotes ($refused are refused)", @bad);
ok(!@broken, 'and they compile', @broken);
ok($made > 300, "$made were made");

# ---- file names ----

my @names = ('a"b.yaml', "a'b.yaml", 'a*-b.yaml', 'a\\.yaml', 'a??-.yaml', "a\n#error canary\n.yaml", 'a%s%n.yaml', "a\xff.yaml", '-a.yaml', ' a .yaml');
my $text = filled($templates{tosca}[1], 'tosca', '', '');
@bad = ();
for my $name (@names) {
	for my $language ('tosca', 'yay') {
		my $file = "$W/" . ($language eq 'yay' ? $name =~ s/yaml$/yay/r : $name);
		spew($file, filled($templates{$language}[1], $language, '', ''));
		my ($rc, $c, $err) = vetro('build', '--emit=c', '-g', $file);
		push @bad, "$name: $rc $err" if $rc < 0 || $rc > 3;
		next if $rc;
		push @bad, map { "$name: $_" } found_in($c);
		my $why = compiles($c);
		push @bad, "$name: $why" if $why ne '';
	}
}
ok(!@bad, 'names of files', @bad);
done();
