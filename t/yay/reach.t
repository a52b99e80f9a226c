#!/usr/bin/perl
# What a binary of a Yay configuration holds of the files whose names are worked out when it runs: those that such a name may mean.
# What can never work is said by `vetro build`, with the place.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $n = 0;
# A configuration of files, main.yay first; status and messages of its build, and its binary.
sub build {
	my ($files, @options) = @_;
	my $dir = "$W/c" . $n++;
	spew("$dir/$_", $files->{$_}) for keys %$files;
	my ($rc, undef, $err) = vetro({limit => 300}, 'build', '-O0', '-o', "$dir.bin", @options, "$dir/main.yay");
	return ($rc, $err, "$dir.bin", $dir);
}

# Built, and taken away: what a binary prints is what it holds.
sub runs {
	my ($title, $want, $files, @args) = @_;
	my ($rc, $err, $binary, $dir) = build($files);
	is($rc, 0, "$title: is built") or print "# $err\n";
	is($err, '', "$title: nothing to say") if $rc == 0;
	my $same = (vetro({dir => $dir}, 'yay', '-c', @args, 'main.yay'))[1];
	rename $dir, "$dir.gone";
	is((run_program({dir => '/'}, $binary, '-c', @args))[1], "$want\n", $title);
	is($same, "$want\n", "$title: as `vetro yay` has it");
}

my $a = "v: 1\n";
runs('a folder below', '{"w":"a","v":1}', {'main.yay' => "w: a\ninclude 'envs/' + w + '.yay'\n", 'envs/a.yay' => $a});
runs('an end that is not .yay', '{"w":"a","v":1}', {'main.yay' => "w: a\ninclude w + '.conf'\n", 'a.conf' => $a, 'b.txt' => 'x: y: z'});
runs('any folder', '{"w":"x/y","v":1}', {'main.yay' => "w: x/y\ninclude w + '/main.yay'\n", 'x/y/main.yay' => $a});
runs('the name alone', '{"w":"x/a.yay","v":1}', {'main.yay' => "w: x/a.yay\ninclude w\n", 'x/a.yay' => $a});
runs('names that are spelled otherwise', '{"w":"./x//../x/./a.yay","v":1}', {'main.yay' => "w: ./x//../x/./a.yay\ninclude w\n", 'x/a.yay' => $a});
runs('one of two', '{"w":2,"v":1}', {'main.yay' => "w: 2\ninclude ('p/a.yay' if w == 2 else 'p/b.yay')\n", 'p/a.yay' => $a, 'p/b.yay' => "v: 2\n"});
runs('a list', '{"w":"b","v":1,"u":2}', {'main.yay' => "w: b\ninclude ['p/a.yay', 'p/' + w + '.yay']\n", 'p/a.yay' => $a, 'p/b.yay' => "u: 2\n"});
runs('a folder that is searched', '{"v":1}', {'main.yay' => "search 'conf'\ninclude 'a.yay'\n", 'conf/a.yay' => $a});
runs('one that is worked out', '{"w":"two","v":1}', {'main.yay' => "w: two\nsearch 'conf/' + w\ninclude 'a.yay'\n", 'conf/two/a.yay' => $a});
runs('and a name that is', '{"w":"two","v":1}', {'main.yay' => "w: two\nsearch 'conf/' + w\ninclude w + '.conf'\n", 'conf/two/two.conf' => $a});
runs('yay.searchpath', '{"yay":{"searchpath":["conf"]},"v":1}', {'main.yay' => "yay:\n  searchpath:\n    - conf\ninclude 'a.yay'\n", 'conf/a.yay' => $a});
runs('a document of a document', '{"w":"a","v":1,"u":3}',
	{'main.yay' => "w: a\ninclude 'p/' + w + '.yay'\n", 'p/a.yay' => "include 'deep/' + w + '.yay'\nu: 3\n", 'p/deep/a.yay' => $a});
runs('an override', '{"w":"b","v":1}', {'main.yay' => "w: a\ninclude 'e/' + w + '.yay'\n", 'e/a.yay' => "v: 0\n", 'e/b.yay' => $a}, '--set', 'w=b');

# ---- only what may be meant ---------------------------------------------------------------------------------
sub c_of {
	my ($files) = @_;
	my $dir = "$W/c" . $n++;
	spew("$dir/$_", $files->{$_}) for keys %$files;
	return (vetro('build', '--emit=c', "$dir/main.yay"))[1];
}
my %others = ('other.yay' => "canary: 1\n", 'p/secret.txt' => "canary: 2\n", '.git/a.yay' => "canary: 3\n", 'p/.a.yay' => "canary: 4\n");
unlike(c_of({'main.yay' => "include 'p/a.yay'\n", 'p/a.yay' => $a, %others}), qr/canary/, 'with constant names nothing else is in it');
unlike(c_of({'main.yay' => "w: a\ninclude 'p/' + w + '.yay'\n", 'p/a.yay' => $a, %others}), qr/canary/, 'with computed ones only what fits');

# ---- what is said when it is built --------------------------------------------------------------------------
my ($rc, $err) = build({'main.yay' => "w: a\ninclude 'nowhere/' + w + '.yay'\n"});
like($err, qr{main\.yay:2:1: warning\[W3002\]: there is no file that this may name: one that begins 'nowhere/' and ends '\.yay'\n}, 'nothing is there');
for my $name ("'http://127.0.0.1:1/' + w", "'file:///etc/' + w", "'package://a/' + w") {
	($rc, $err) = build({'main.yay' => "w: a\nx:\n  y: 1\ninclude $name\n"});
	is($rc, 1, "$name is refused");
	like($err, qr{main\.yay:4:1: error\[E3009\]: a binary opens nothing: .*\n.*\n.*\n  hint: name it by a constant}, 'with its place') or print "# $err\n";
}
($rc, $err) = build({'main.yay' => "w: a\ninclude w + '.yay.gpg'\n"});
like($err, qr{main\.yay:2:1: error\[E3009\]: a binary holds no encrypted documents}, 'encrypted ones');
spew("$W/out/a.yay", "canary: 1\n");
for my $name ("'../out/' + w", "'$W/out/' + w") {
	($rc, $err) = build({'main.yay' => "w: a.yay\ninclude $name\n"});
	like($err, qr{main\.yay:2:1: warning\[W3002\]: .*hint: .*--allow-dir}s, "$name leads out");
	($rc, $err, my $binary) = build({'main.yay' => "w: a.yay\ninclude $name\n"}, '--allow-dir', "$W/out");
	is($err, '', "and is allowed");
	is((run_program({dir => '/'}, $binary, '-c'))[1], "{\"w\":\"a.yay\",\"canary\":1}\n", 'and is in it');
}
# A link that leads back, and too much of everything.
my $dir = "$W/loop";
spew("$dir/main.yay", "w: a\ninclude 'p/' + w + '.yay'\n");
spew("$dir/p/a.yay", $a);
symlink('..', "$dir/p/back");
symlink("$W/out", "$dir/p/out");
($rc, undef, $err) = vetro('build', '--emit=c', "$dir/main.yay");
is($rc, 0, 'a link that leads back ends');
spew("$dir/p/big.yay", "v: " . 'x' x (2 << 20) . "\n");
($rc, undef, $err) = vetro('build', '--max-resources', 1, '-o', "$W/no", "$dir/main.yay");
like($err, qr{error\[E3007\]: the documents of the binary have more than 1 MiB with this one.*--max-resources}s, 'too large');
spew("$dir/p/d$_.yay", '') for 1 .. 2001;
($rc, undef, $err) = vetro('build', '-o', "$W/no", "$dir/main.yay");
like($err, qr{error\[E3007\]: a binary holds at most 2000 documents}, 'too many');

# ---- what is said when it runs ------------------------------------------------------------------------------
($rc, $err, my $binary) = build({'main.yay' => "w: a\ninclude 'p/' + w + '.yay'\n", 'p/a.yay' => $a});
($rc, undef, $err) = run_program({}, $binary, '--set', 'w=../../q');
like($err, qr{main\.yay:2:1: error\[E3009\]: 'p/../../q\.yay' could not be found\n}, 'a name that nobody foresaw');
like($err, qr{  hint: looked for as '[^']*/q\.yay', '\.\./q\.yay' among the 2 documents that were there when it was built\n}, 'and where it was looked for');
($rc, $err, $binary) = build({'main.yay' => "w: a\nsearch 'conf'\ninclude 'p/' + w + '.yay'\n", 'p/a.yay' => $a});
($rc, undef, $err) = run_program({}, $binary, '--set', 'w=b');
like($err, qr{hint: looked for as '[^']*/p/b\.yay', 'p/b\.yay', '[^']*/conf/p/b\.yay', 'conf/p/b\.yay' among}, 'on a search path');
done();
