#!/usr/bin/perl
# The core library: models of t/data/core/*.json, run against the mocks of mocks.lua. What is expected was recorded from
# murano's own engine with this library (t/oracle/core.py), and is what Debian's library does but where a probe says "differs".
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use MIME::Base64;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $data = "$FindBin::Bin/../data/core";
my $build = $ENV{BUILD} || "$FindBin::Bin/../../build/release";
my $in_methods;
my $library = "$FindBin::Bin/../../runtime/lib/io.murano";

sub build {
	my ($binary, @args) = @_;
	my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', $binary, @args);
	return ok($rc == 0, "$args[0] builds", $out . $err);
}

# Start-up scripts carry files as base64, with ids in them.
sub unpacked {
	my ($packed) = @_;
	my $bytes = length($packed) % 4 ? undef : decode_base64($packed);
	return defined $bytes && utf8::decode($bytes) ? $bytes : $packed;
}

# Ids that an engine makes are <id>, as in core.py; actions depend on what a session shows.
sub plain {
	my ($v) = @_;
	return [ map { plain($_) } @$v ] if ref $v eq 'ARRAY';
	if (ref $v eq 'HASH') {
		my %out;
		for my $k (grep { $_ ne '_actions' } sort keys %$v) {
			(my $name = $k) =~ s/[0-9a-f]{32}/<id>/g;
			push @{ $out{$name} }, plain($v->{$k});
		}
		$_ = @$_ == 1 ? $_->[0] : [ sort { $json->encode($a) cmp $json->encode($b) } @$_ ] for values %out;
		return \%out;
	}
	return $v if !defined $v || ref $v || $v =~ /^-?[0-9.]+$/;
	my $text = $v =~ s{([A-Za-z0-9+/]{80,}={0,2})}{unpacked($1)}ger;
	$text =~ s/[0-9a-f]{32}/<id>/g;
	return $v if $text eq $v && length $v <= 300;
	return $text if length $text <= 300;
	my $bytes = $text;
	utf8::encode($bytes);
	return length($text) . ' characters, ' . md5_hex($bytes);
}

sub place {
	my ($v, $path) = @_;
	my @parts = split /\./, $path;
	my $last = pop @parts;
	$v = ref $v eq 'ARRAY' ? $v->[$_] : $v->{$_} for @parts;
	return ($v, $last);
}

# The model that the last run left, with what the step changes.
sub again {
	my ($step, $state) = @_;
	my %model = (Attributes => $state->{Attributes}, ObjectsCopy => $state->{Objects}, Objects => $json->decode($json->encode($state->{Objects})));
	for my $path (@{ $step->{drop} || [] }) {
		if ($path eq '') {
			$model{Objects} = undef;
			next;
		}
		my ($at, $last) = place($model{Objects}, $path);
		ref $at eq 'ARRAY' ? splice(@$at, $last, 1) : delete $at->{$last};
	}
	for my $path (sort keys %{ $step->{set} || {} }) {
		my ($at, $last) = place($model{Objects}, $path);
		ref $at eq 'ARRAY' ? ($at->[$last] = $step->{set}{$path}) : ($at->{$last} = $step->{set}{$path});
	}
	return \%model;
}

sub leave {
	my ($s, $got) = @_;
	close $s->{to};
	waitpid $s->{pid}, 0;
	push @$got, { status => $? } if $?;
}

sub run_probe {
	my ($p, $binary) = @_;
	my @settings;
	if ($p->{settings}) {
		spew("$W/settings.json", $json->encode($p->{settings}));
		@settings = ('--settings', "$W/settings.json");
	}
	my $open = sub { Session->open(undef, undef, $binary, 'session', '--expose', '*', @settings) };
	my ($s, $state, @got) = ($open->());
	for my $step (@{ $p->{steps} }) {
		my ($op, %out) = ($step->{op});
		if ($state && $op eq 'load') { # a session loads once; the cloud stays
			my $cloud = $s->ask({ op => 'call', target => 't.core.Host', method => 'getCloud' })->{value};
			leave($s, \@got);
			$s = $open->();
			$s->ask({ op => 'call', target => 't.core.Host', method => 'setCloud', kwargs => { cloud => $cloud } });
		}
		my $a = $op eq 'cloud' ? $s->ask({ op => 'call', target => 't.core.Host', method => 'setCloud', kwargs => { cloud => $step->{cloud} } })
			: $op eq 'load' ? $s->ask({ op => 'load', model => $step->{model} || again($step, $state) })
			: $op eq 'call' ? $s->ask({ op => 'call', target => $step->{target}, method => $step->{method}, args => $step->{args} || [],
				kwargs => $step->{kwargs} || {} })
			: $s->ask({ op => 'finalize' });
		$out{error} = 1 if $a->{error} || !%$a;
		print "# $p->{name}: $s->{raw}\n" if $out{error} && !$p->{fails};
		$out{notes} = plain($a->{traces});
		$out{value} = plain($a->{value}) if $op eq 'call' && !$out{error};
		if ($op eq 'end') {
			$state = $s->ask({ op => 'serialize_model' })->{value};
			$out{objects} = plain($state->{Objects});
		}
		push @got, \%out;
	}
	leave($s, \@got);
	return \@got;
}

# What is destroyed at a load may be destroyed at the end that follows it at once. murano takes the instances of a
# whole environment in any order.
sub joined {
	my ($p, $answers) = @_;
	my $steps = $p->{steps};
	for my $i (1 .. $#$steps) {
		next unless $steps->[$i]{op} eq 'end' && $steps->[ $i - 1 ]{op} eq 'load' && $answers->[$i];
		my @notes = (@{ $answers->[ $i - 1 ]{notes} }, @{ $answers->[$i]{notes} });
		@notes = sort { $json->encode($a) cmp $json->encode($b) } @notes if grep { $_ eq '' } @{ $steps->[ $i - 1 ]{drop} || [] };
		$answers->[ $i - 1 ]{notes} = [];
		$answers->[$i]{notes} = \@notes;
	}
	return $answers;
}

# Where two answers part.
sub differ {
	my ($a, $b, $path) = @_;
	if (ref $a eq 'HASH' && ref $b eq 'HASH') {
		for (sort keys %{ { %$a, %$b } }) {
			return "$path/$_ only " . (exists $a->{$_} ? 'in murano: ' . $json->encode($a->{$_}) : 'here: ' . $json->encode($b->{$_}))
				if exists $a->{$_} != exists $b->{$_};
			my $d = differ($a->{$_}, $b->{$_}, "$path/$_");
			return $d if $d;
		}
		return;
	}
	if (ref $a eq 'ARRAY' && ref $b eq 'ARRAY' && @$a == @$b) {
		for (0 .. $#$a) {
			my $d = differ($a->[$_], $b->[$_], "${path}[$_]");
			return $d if $d;
		}
		return;
	}
	my ($x, $y) = ($json->encode($a), $json->encode($b));
	return $x eq $y ? undef : "$path\n  murano: " . substr($x, 0, 400) . "\n  here:   " . substr($y, 0, 400);
}

my ($rc, $out, $err);
for ($library, "$library.applications") {
	($rc, $out, $err) = vetro('check', $_);
	ok($rc == 0 && "$out$err" eq '', 'vetro check accepts ' . s{.*/}{}r, $out . $err);
}

# A method without a body would do nothing, so it says that it is abstract.
for my $file (sort split /\n/, `find $library/Classes $library.applications/Classes -name '*.yaml'`) {
	my ($methods) = slurp($file) =~ /^Methods:\n(.*)\z/ms or next;
	my @bare;
	while ($methods =~ /((?:^  #.*\n)*)^  (['\w.]+):.*\n((?:^(?:    .*)?\n)*)/mg) {
		my ($doc, $name, $rest) = ($1, $2, $3);
		push @bare, $name if $rest !~ /^    Body:/m && $doc !~ /# Abstract/;
	}
	is("@bare", '', 'no method without a body in ' . $file =~ s{.*/}{}r);
}

# What is declared without one is brought by the runtime.
my %native = map { /^\{"([^"]+)", .*?\{(.*)NULL\}/ ? ($1, $2) : () } split /\n/, slurp("$build/gen/natives_list.h");
my ($space, $class, @missing) = ('', '');
for (split /\n/, slurp("$FindBin::Bin/../../templates/core.yaml")) {
	$space = $1 if /^  =: (\S+)/;
	$class = "$space.$1" if /^Name: (\S+)/;
	push @missing, "$class.$1" if /^  (\w+): *(?:\{\})?$/ && $in_methods && ($native{$class} // '') !~ /"$1"/;
	$in_methods = /^Methods/ if /^\w/;
}
is("@missing", '', 'every native method is there');

# ---- who has the library
sub app {
	my ($name, $body, %more) = @_;
	return package_dir($name, {
		'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.app\nVersion: " . ($more{version} // '0.1.0') .
			"\nClasses: {t.app.A: A.yaml}\n",
		'Classes/A.yaml' => "Namespaces: {=: t.app, std: io.murano, res: io.murano.resources}\nName: A\n$body",
	});
}
my $model = '{"Objects":{"?":{"type":"io.murano.Environment","id":"e"},"name":"e"}}';
spew("$W/e.json", $model);
build("$W/bare.bin", app('bare', "# Environment, std-Environment, xstd:Environment, std:Environments\nMethods:\n  deploy:\n    Scope: Public\n    Body: []\n"));
$out = `$W/bare.bin run --model $W/e.json 2>/dev/null`;
like($out, qr/NoPackageForClassFound.*"Package for class \\"io.murano.Environment\\" is not found: a program has the core library/,
	'a program that names no class of the library is without it');
for (['a contract', "Properties:\n  i: {Contract: \$.class(res:Instance)}\n"],
	['a whole name', "Properties:\n  i: {Contract: \$.class('io.murano.Environment')}\n"],
	['a parent', "Extends: std:Application\n"]) {
	my ($what, $body) = @$_;
	build("$W/with.bin", app('with', $body . "Methods: {}\n"));
	$out = `$W/with.bin run --dry-run --model $W/e.json 2>&1`;
	like($out, qr/^\{"result":null,"model":\{"Objects":\{"\?":\{"type":"io.murano.Environment/, "$what brings it");
}

# ---- another library
my $other = package_dir('other', {
	'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: io.murano\nClasses: {io.murano.Environment: E.yaml}\n",
	'Classes/E.yaml' => <<'Y',
Name: io.murano.Environment
Properties:
  name: {Contract: $.string()}
Methods:
  deploy:
    Scope: Public
    Body:
      Return: other
Y
});
build("$W/with.bin", app('with', "Properties:\n  i: {Contract: \$.class(std:Environment)}\nMethods: {}\n"), '-I', $other);
$out = `$W/with.bin run --model $W/e.json 2>&1`;
like($out, qr/^\{"result":"other"/m, '-I io.murano goes before ours');

# ---- versions in one folder
app("versions/$_->[0]", <<"Y", version => $_->[1]) for ['v0', '0.2.0'], ['v1', '1.0.0'], ['v10', '1.10.0'];
Methods:
  deploy:
    Scope: Public
    Body:
      Return: $_->[0]
Y
build("$W/versions.bin", "$W/versions");
for (['', 'v0'], ['/1', 'v10'], ['/1.0.0', 'v1'], ['/0.2.0', 'v0']) {
	spew("$W/e.json", '{"Objects":{"?":{"type":"t.app.A' . $_->[0] . '","id":"a"}}}');
	$out = `$W/versions.bin run --model $W/e.json 2>&1`;
	like($out, qr/^\{"result":"$_->[1]"/m, "versions in one folder: t.app.A$_->[0]");
}
like(scalar `$W/versions.bin info`, qr/1\.10\.0/, 'the newest is the main one');
app("mixed/$_", "Methods: {}\n") for 'a';
package_dir('mixed/b');
($rc, $out, $err) = vetro('build', "$W/mixed");
ok($rc == 1 && "$out$err" =~ /no manifest.yaml here/, 'a folder of different packages is none', $out . $err);

# ---- models
build("$W/core", "$data/package", '--lua', "$data/mocks.lua") or do { print "Bail out! no binary\n"; exit 1 };
for my $file (files_like("$data/" . ($ENV{PROBES} // '*') . '.json')) {
	(my $topic = $file) =~ s{.*/|\.json$}{}g;
	for my $p (@{ $json->decode(slurp($file)) }) {
		my $want = joined($p, $p->{expect});
		for (@$want) {
			$_->{error} = 1 if exists $_->{error};
		}
		my $got = joined($p, run_probe($p, "$W/core"));
		my $d = differ($want, $got, '');
		ok(!$d, "$topic: $p->{name}", $d);
	}
}
done();
