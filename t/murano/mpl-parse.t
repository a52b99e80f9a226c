#!/usr/bin/perl
# Class files and statements, point by point of the catalogue: C1 to C16 and B1 to B24, as far as parser and checker show them.
use strict;
use warnings;
use JSON::PP;
use File::Temp qw(tempdir);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap qw(ok done $vetro);

my $dir = tempdir(CLEANUP => 1);
my $serial = 0;

# Standard output of vetro with these arguments.
sub run {
	my (@args) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid) {
		open(STDERR, '>', '/dev/null');
		exec { $vetro } $vetro, @args or exit 127;
	}
	local $/;
	my $text = <$out> // '';
	close $out;
	return $text;
}

# A package of one file; classes are listed for t.A unless told.
sub package {
	my ($text, %o) = @_;
	my $p = "$dir/" . ++$serial;
	make_path("$p/Classes");
	open(my $m, '>', "$p/manifest.yaml") or die;
	print $m "Format: MuranoPL/" . ($o{format} // '1.4') . "\nType: Library\nFullName: t.pkg\nVersion: 1.0.0\nClasses:\n";
	print $m "  $_: A.yaml\n" for split ' ', $o{classes} // 't.A';
	close $m;
	open(my $f, '>', "$p/Classes/A.yaml") or die;
	print $f $text;
	close $f;
	return $p;
}

# The AST matches all the patterns; blanks in a pattern stand for any blanks.
sub ast {
	my ($title, $text, $patterns, %o) = @_;
	my $p = &package($text, %o);
	my $ast = run('build', '--emit=ast', $p);
	for my $want (@$patterns) {
		my $re = $want =~ s/ +/\\s+/gr;
		if ($ast !~ /$re/) {
			ok(0, $title, "no $want in", $ast);
			return;
		}
	}
	ok(1, $title);
}

# The codes that a text gives, sorted, as one text.
sub codes {
	my ($title, $text, $want, %o) = @_;
	my $p = &package($text, %o);
	my @got = map { decode_json($_)->{code} } grep { /^\{/ } split /\n/, run('check', '--format', 'json', $p);
	my $got = join ' ', sort grep { $_ ne 'W1027' && $_ ne 'E0409' } @got;
	ok($got eq $want, $title, "got: $got", "want: $want", $text);
}

my $ns = "Namespaces: {'=': t, std: io.murano}\n";

# A body of one method; lines are indented under Body.
sub method {
	my ($body) = @_;
	$body =~ s/^/      /mg;
	return "${ns}Name: A\nMethods:\n  m:\n    Body:\n$body";
}
sub stmt { my ($title, $body, @patterns) = @_; ast($title, method($body), \@patterns) }
sub wrong { my ($title, $body, $want) = @_; codes($title, method($body), $want) }

# ---- class files ----
ast('C1 all keys of a class', <<"E", ['class t.A extends t.B imports t.B', 'property p In contract !\$', 'method m Runtime']);
${ns}Name: A
Extends: B
Usage: Class
Import: B
Properties:
  p: {Contract: \$}
Methods:
  m: {}
---
Name: B
E
ast('C1 Workflow where there are no Methods', "${ns}Name: A\nWorkflow:\n  w: {}\n", ['method w']);
ast('C1 Workflow counts when Methods is empty', "${ns}Name: A\nMethods:\nWorkflow:\n  w: {}\n", ['method w']);
codes('C1 Workflow is ignored beside Methods', "${ns}Name: A\nMethods:\n  m: {}\nWorkflow:\n  w: [1]\n", '');
ast('C1 a Meta class and its defaults', "${ns}Name: A\nUsage: Meta\n", ['class t.A meta One Package Type Property Method Argument in']);
ast('C1 Cardinality, Applies and Inherited', "${ns}Name: A\nUsage: Meta\nCardinality: Many\nApplies: [Type, Method]\nInherited: true\n",
	['class t.A meta Many Type Method inherited']);
ast('C1 Applies takes one word', "${ns}Name: A\nUsage: Meta\nApplies: Argument\n", ['class t.A meta One Argument in']);
codes('C1 an unknown usage', "${ns}Name: A\nUsage: Klass\n", 'E0505');
codes('C1 an unknown key warns', "${ns}Name: A\nExtend: B\n", 'W1020');
ast('C2 several documents; namespaces stay', <<"Y",
$ns---
Name: A
---
Name: B
---
Namespaces: {=: u}
Name: C
---
Name: D
Y
	['class t.A ', 'class t.B ', 'class u.C ', 'class u.D ']);
ast('C2 empty documents are dropped', "---\n---\n${ns}Name: A\n---\n{}\n---\n# nothing\n", ['class t.A']);
ast('C2 a nameless class takes the manifest\'s name', "$ns---\nProperties:\n  p: {Contract: \$}\n", ['class t.A ', 'property p']);
codes('C2 two nameless classes', "$ns---\nMethods: {}\n---\nMethods: {}\n", 'E0502');
ast('C3 the ways to write a name', "${ns}Name: A\nExtends: [B, ':B2', std:Object, x.y.Z, 't.B3']\n---\nName: B\n",
	['extends t.B, t.B2, io.murano.Object, x.y.Z, t.B3']);
ast('C3 an empty namespace', "Namespaces: {'=': , e: ''}\nName: A\nExtends: e:B\n---\nName: B\n", ['class A extends B', 'namespace = \'\''], classes => 'A');
codes('C3 an unknown prefix', "${ns}Name: A\nExtends: no:B\n", 'E0602');
codes('C3 a bad prefix', "Namespaces: {'=': t, a b: c}\nName: A\n", 'E0504');
ast('C4 Extends takes one name or a list', <<"Y", ['class t.A extends t.B, t.C']);
${ns}Name: A
Extends:
  - B
  - C
---
Name: B
---
Name: C
Y
codes('C4 a class cannot extend a Meta class', "${ns}Name: A\nExtends: B\n---\nName: B\nUsage: Meta\n", 'E0604');
codes('C4 a Meta class may extend a class', "${ns}Name: A\nUsage: Meta\nExtends: B\n---\nName: B\n", '');
codes('C6 ambiguous methods warn', <<"Y", 'W1030');
${ns}Name: A
Extends: [B, C]
---
Name: B
Methods: {m: {}}
---
Name: C
Methods: {m: {}}
Y
codes('C6 the common ancestor is no ambiguity', <<"Y", '');
${ns}Name: A
Extends: [B, C]
---
Name: B
Extends: D
---
Name: C
Extends: D
---
Name: D
Methods: {m: {}}
Y
codes('C6 one side overriding the common ancestor is none either',
	<<"Y", '');
${ns}Name: A
Extends: [B, C]
---
Name: B
Extends: D
Methods: {m: {}}
---
Name: C
Extends: D
---
Name: D
Methods: {m: {}}
Y
ast('C7 initialize and destroy', "${ns}Name: A\nMethods:\n  initialize: {}\n  destroy: {}\n", ['method .init', 'method .destroy']);
ast('C8 Import takes one name or a list', <<"Y", ['imports t.B, t.C']);
${ns}Name: A
Import: [B, C]
---
Name: B
---
Name: C
Y
ast('C9 plain scalars are expressions, quoted ones are not', method("- \$x: [\$y, '\$y', a b, a.b, !yaql 'z()']\n"),
	['assign !\$x = \[!\$y, "\$y", "a b", "a.b", !\(call z\)\]']);
ast('C9 keys are expressions too', method("- \$x: {\$k: 1, k: 2}\n"), ['= \{!\$k: 1, "k": 2\}']);
ast('C9 YAML 1.1 scalars', method("- \$x: [on, 010, 1e3, ~]\n"), ['= \[true, 010, "1e3", null\]']);
ast('C10 places', method("- \$x: 1\n- Do:\n    - call()\n"), ['\n6:9 assign', '\n7:9 do', '\n8:13 expr']);
ast('C11 Arguments as a list', "${ns}Name: A\nMethods:\n  m:\n    Arguments:\n      - x: {Contract: \$}\n      - y: {Contract: \$, Default: 1}\n",
	['argument x Standard contract', 'argument y Standard contract !\$ default 1']);
ast('C11 Arguments as a mapping of one', "${ns}Name: A\nMethods:\n  m:\n    Arguments:\n      x: {Contract: \$}\n", ['argument x']);
ast('C11 a mapping of several, in the order of the text', "${ns}Name: A\nMethods:\n  m:\n    Arguments:\n      y: {Contract: \$}\n      x: {Contract: \$}\n",
	['argument y Standard[^\n]*\n[^\n]*argument x Standard']);
ast('C12 usages of arguments', <<"Y",
${ns}Name: A
Methods:
  m:
    Arguments:
      - x: {Contract: \$}
      - r: {Contract: \$, Usage: VarArgs}
      - k: {Contract: \$, Usage: KwArgs}
Y
	['argument x Standard', 'argument r VarArgs', 'argument k KwArgs']);
codes('C12 the order of arguments', <<"Y", 'E0511');
${ns}Name: A
Methods:
  m:
    Arguments:
      - r: {Contract: \$, Usage: VarArgs}
      - x: {Contract: \$}
Y
codes('C12 an argument needs a contract', "${ns}Name: A\nMethods:\n  m:\n    Arguments:\n      - r: {Default: 1}\n", 'E0508');
ast('C13 usages and scopes of methods', <<"Y",
${ns}Name: A
Methods:
  a: {Usage: Static}
  b: {Usage: Extension}
  c: {Scope: Public}
  d: {Usage: Runtime, Scope: Session}
Y
	['method a Static\n', 'method b Extension\n', 'method c Runtime public', 'method d Runtime\n']);
ast('C13 an action is public', "${ns}Name: A\nMethods:\n  a: {Usage: Action}\n", ['method a Action public'], format => '1.0');
codes('C13 an action is deprecated from 1.4', "${ns}Name: A\nMethods:\n  a: {Usage: Action}\n", 'W1035');
codes('C13 it is not before', "${ns}Name: A\nMethods:\n  a: {Usage: Action}\n", '', format => '1.3');
codes('C13 Action against Session', "${ns}Name: A\nMethods:\n  a: {Usage: Action, Scope: Session}\n", 'E0512', format => '1.0');
ast('C13 Body is one statement or a list', "${ns}Name: A\nMethods:\n  a: {Body: call()}\n  b: {Body: [call(), call()]}\n  c: {Body: {Return: 1}}\n",
	['method a Runtime\n\S+ expr', 'method b Runtime\n\S+ expr .*\n\S+ expr', 'method c Runtime\n\S+ return 1']);
ast('C14 usages of properties', "${ns}Name: A\nProperties:\n" .
	join('', map { "  p$_: {Contract: \$, Usage: $_}\n" } qw(In Out InOut Const Runtime Config Static)),
	[map { "property p$_ $_ " } qw(In Out InOut Const Runtime Config Static)]);
ast('C14 a null usage is In', "${ns}Name: A\nProperties:\n  p: {Contract: \$, Usage: }\n", ['property p In']);
codes('C14 an unknown usage', "${ns}Name: A\nProperties:\n  p: {Contract: \$, Usage: in}\n", 'E0509');
codes('C14 a contract may be null', "${ns}Name: A\nProperties:\n  p: {Contract: }\n", '');
ast('C15 defaults may be expressions', "${ns}Name: A\nProperties:\n  p: {Contract: \$, Default: \$.q + 1}\n  q: {Contract: \$, Default: }\n",
	['default !\(binary \+', 'property q In contract !\$ default null']);

# ---- statements ----
stmt('B1 an expression', "- \$.call(1)\n", 'expr !\(binary \. \$ \(call call 1\)\)');
stmt('B2 a variable', "- \$x: 1\n", 'assign !\$x = 1');
wrong('B2 $ and $this are not assignable', "- \$: 1\n- \$this: 1\n", 'W1031 W1031');
stmt('B3 properties, keys and indexes', "- \$.p: 1\n- \$d.k1.k2: 1\n- \$d[k]: 1\n- :A.p: 1\n- std:A.p: 1\n", ('assign') x 5);
wrong('B3 all are targets', "- \$.p: 1\n- \$d.k1.k2: 1\n- \$d[k]: 1\n- :A.p: 1\n- type('t.A').p: 1\n", '');
wrong('B4 nothing else is', "- \$x + 1: 1\n- \$x.p(): 1\n", 'W1031 W1031');
stmt('B5 collections stay as they are', "- \$x: {a: [\$y, {\$k: 1}]}\n", '= \{"a": \[!\$y, \{!\$k: 1\}\]\}');
stmt('B6 Do', "- Do:\n    - a()\n    - b()\n", 'do\n\S+ expr .*\n\S+ expr');
stmt('B6 a block of one line', "- Do: a()\n", 'do\n\S+ expr');
stmt('B6 an empty block', "- Do:\n- Do: []\n", 'do\n\S+ do');
stmt('B7 Return', "- Return: [\$x]\n", 'return \[!\$x\]');
stmt('B7 Return of nothing', "- Return:\n", 'return null');
stmt('B8 Break and Continue', "- While: \$x\n  Do:\n    - Break:\n- While: \$x\n  Do: {Continue: }\n", 'break', 'continue');
wrong('B8 they take no value', "- While: more()\n  Do: {Break: 1}\n", 'E0704');
wrong('B8 a false value is none', "- While: more()\n  Do: {Break: 0}\n- While: more()\n  Do: {Continue: ''}\n", '');
wrong('B8 outside a loop they warn', "- Break:\n", 'W1023');
stmt('B9 If', "- If: \$x\n  Then: a()\n  Else: b()\n", 'if !\$x\n\S+ expr !\(call a\)\n +else\n\S+ expr !\(call b\)');
stmt('B9 an Else of null is none', "- If: 1\n  Then:\n  Else:\n", 'if 1\n$');
wrong('B9 If without Then', "- If: \$x\n", 'E0703');
wrong('B9 Then without If', "- Then: a()\n", 'E0701');
stmt('B10 While', "- While: \$x < 3\n  Do: a()\n", 'while !\(binary < \$x 3\)\n\S+ expr');
wrong('B10 While takes an expression', "- While: true\n  Do: a()\n", 'E0704');
wrong('B10 as its hint says', "- While: (true)\n  Do:\n  - a()\n  - Break:\n", '');
stmt('B11 For', "- For: x\n  In: [1]\n  Do: a()\n", 'for \$x in \[1\]\n\S+ expr');
wrong('B11 the variable is plain text', "- For: \$x\n  In: [1]\n  Do: a()\n", 'E0704');
wrong('B11 all three keys', "- For: x\n  Do: a()\n", 'E0703');
stmt('B12 Repeat', "- Repeat: 3\n  Do: a()\n- Repeat: \$n\n  Do: a()\n", 'repeat 3\n', 'repeat !\$n\n');
wrong('B12 a count is an integer or an expression', "- Repeat: x\n  Do: a()\n", 'E0704');
stmt('B13 Match', "- Match: {1: a(), x: [b()]}\n  Value: \$v\n  Default: c()\n", 'match !\$v\n\S+ case 1\n\S+ expr .*\n\S+ case "x"',
	'\n +default\n\S+ expr !\(call c\)');
wrong('B13 cases are constants', "- Match: {\$x: a()}\n  Value: 1\n", 'W1033');
wrong('B13 Match needs a mapping and a Value', "- Match: [1]\n  Value: 1\n- Match: {1: []}\n", 'E0703 E0704');
stmt('B14 Switch', "- Switch: {\$x > 1: a(), \$x > 2: b()}\n  Default: c()\n", 'switch\n\S+ case !\(binary > \$x 1\)', 'default');
stmt('B15 Parallel', "- Parallel: [a(), b()]\n  Limit: 2\n- Parallel: []\n  Limit: 0\n", 'parallel limit 2\n\S+ expr .*\n\S+ expr', 'parallel\n');
stmt('B16 Try', "- Try: a()\n  Catch:\n    - With: e1\n      Do: b()\n    - As: e\n      Do: c()\n  Else: d()\n  Finally: f()\n",
	'try\n\S+ expr', 'catch with t.e1\n', 'catch as \$e\n', '\n +else\n', '\n +finally\n');
stmt('B16 one Catch needs no list', "- Try: a()\n  Catch: {Do: b()}\n", 'catch\n\S+ expr');
wrong('B16 Catch has three keys', "- Try: a()\n  Catch: {When: x, Do: b()}\n", 'E0707');
stmt('B17 names of With are resolved', <<'Y', 'catch with t.e, io.murano.e, x.e, io.murano.f');
- Try: a()
  Catch:
    - With: [e, std:e, x.e, 'std:f']
      Do: b()
Y
stmt('B17 without Do the variable is not set', "- Try: a()\n  Catch: {As: e}\n", 'catch\n');
stmt('B18 Throw', "- Throw: [e1, 'std:e2']\n  Message: m\n  Extra: {k: 1}\n  Cause: \$e\n", 'throw \["e1", "std:e2"\] message "m" extra \{"k": 1\} cause !\$e');
wrong('B18 a type is no name', "- Throw: std:e\n", 'W1034');
wrong('B18 Throw needs a name', "- Throw:\n", 'E0704');
stmt('B19 Rethrow', "- Try: a()\n  Catch: {Do: {Rethrow: }}\n", 'rethrow');
wrong('B19 outside Catch it warns', "- Rethrow:\n", 'W1024');
wrong('B22 unknown keys', "- If: 1\n  Then: a()\n  Otherwise: b()\n", 'E0702');
wrong('B22 two assignments in one mapping', "- \$x: 1\n  \$y: 2\n", 'E0705');
wrong('B22 plain text is no statement', "- hello world\n", 'E0706');
wrong('B22 everything is reported in one run', "- Iff: 1\n- While: 1\n  Do: []\n- For: x\n", 'E0701 E0703 E0703 E0704');
wrong('B23 there is no Assert', "- Assert: \$x\n", 'E0701');

# ---- robustness ----
codes('a file of one word', "word\n", 'E0501');
{
	my $deep = "x()";
	$deep = "{Do: $deep}" for 1 .. 5000;
	my $p = &package(method("- $deep\n"));
	my $out = run('check', '--format', 'json', $p);
	ok($out =~ /"E02\d\d"/, 'deep nesting is an error, not a crash', substr($out, 0, 500));
}

done();
