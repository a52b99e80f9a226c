#!/usr/bin/perl
# Encrypted Yay documents, with a gpg that is real and keys of our own.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use Tap;

skip_all('gpg is not installed') if system('gpg --version >/dev/null 2>&1') != 0;

# The agent's socket has a short path.
my $home = tempdir('/tmp/vgpgXXXX', CLEANUP => 1);
my $other = tempdir('/tmp/vgpgXXXX', CLEANUP => 1);
chmod 0700, $home, $other;
$ENV{GNUPGHOME} = $home;
END { my $rc = $?; for my $h ($home, $other) { system("GNUPGHOME=$h gpgconf --kill all >/dev/null 2>&1") if $h } $? = $rc }
sub key { my ($dir, $name) = @_; local $ENV{GNUPGHOME} = $dir;
	return system("gpg --batch --quiet --passphrase '' --quick-generate-key $name\@example.com default default never 2>$W/key.log") == 0 }
skip_all('gpg makes no key here') if !key($home, 'joe') || !key($other, 'ann');

sub encrypt {
	my ($name, $text, $dir, $who) = @_;
	spew("$W/plain", $text);
	local $ENV{GNUPGHOME} = $dir // $home;
	my $to = $who // 'joe';
	unlink "$W/$name";
	system("gpg --batch --quiet --trust-model always -r $to\@example.com -o $W/$name -e $W/plain") == 0 or die 'gpg -e';
	unlink "$W/plain";
}
sub yay {
	my ($text, @args) = @_;
	spew("$W/t.yay", $text);
	my ($status, $out, $err) = vetro('yay', '-c', "$W/t.yay", @args);
	$err =~ s{\Q$W/\E}{}g;
	chomp $out;
	return $status == 0 ? $out : "$status $err";
}
sub gives { my ($title, $text, $want, @args) = @_; is(yay($text, @args), $want, $title) }
sub fails { my ($title, $text, $want, @args) = @_; like(yay($text, @args), $want, $title) }

# ---- decrypting
encrypt('s.yay.gpg', "sekrit:\n  username: admin\n  password: passw0rd55\n  port: 8443\n  list:\n    - l1st0\n    - l1st1\n");
my $in = "include 's.yay.gpg'\n";
gives('a document', "${in}x: The password is {{ sekrit.password }}.\n",
	'{"sekrit":{"username":"admin","password":"passw0rd55","port":8443,"list":["l1st0","l1st1"]},"x":"The password is passw0rd55."}', '--show-secrets');
gives('is masked', "${in}x: The password is {{ sekrit.password }}.\n",
	'{"sekrit":{"username":"*****","password":"*****","port":"*****","list":["*****","*****"]},"x":"The password is *****."}');
is((vetro('yay', '-c', "$W/s.yay.gpg"))[1], '{"sekrit":{"username":"*****","password":"*****","port":"*****","list":["*****","*****"]}}' . "\n",
	'as the file of the command too');

# ---- nothing tells a secret
my @ways = ('x: {{ sekrit.password }}', 'x: a{{ sekrit.password }}b', "x: {{ sekrit.password + 'b' }}", "x: {{ 'b' + sekrit.password }}",
	"x: {{ replace(sekrit.password, 'a', 'e') }}",
	"x: {{ sub('w', 'v', sekrit.password) }}", 'x: {{ sekrit.port + 1 }}', 'x: {{ [sekrit.password] }}', "x: {{ {'k': sekrit.password} }}",
		'x: {{ [c for c in sekrit.list] }}',
	'x: {{ sekrit.list[0:1] }}', 'x: {{ max(sekrit.list) }}', 'x: {{ sorted(sekrit.list) }}', 'x: {{ str(sekrit.password) }}',
		'x: {{ repr(sekrit) }}', 'x: {{ `sekrit` }}',
	"x:\n  for i in sekrit.list:\n    - {{ i }}!", "macro M:\n  - m{{ p }}\nx:\n  call M:\n    p: {{ sekrit.password }}",
		"prototype P:\n  q: {{ self.p }}{{ self.p }}\nnew P as x:\n  p: {{ sekrit.password }}",
	"set s = sekrit.password\nx: {{ s }}", 'x: {{ sekrit.password if 1 else 0 }}', 'x: {{ nosuch else sekrit.password }}', "x:\n  b: {{ sekrit }}",
		"x: |\n  a\n  {{ sekrit.password }}\n  b",
	'x: {{ (lambda p: p)(sekrit.password) }}', 'x: {{ zip(sekrit.list, sekrit.list) }}', 'x: {{ {sekrit.password: 1} }}',
		"x:\n  select sekrit.username:\n    admin: {{ sekrit.password }}",
	'x: {{ sekrit.password * 2 }}', 'x: {{ sekrit[nosuch] }}', 'x: {{ sekrit[sekrit.password] }}', 'x: {{ int(sekrit.password) }}',
		'x: {{ sekrit.password.x }}', "x:\n  select sekrit.password:\n    a: 1",
	"x: {{ sekrit.password / 0 }}", "include sekrit.password", "a:\n  - 1\na: {{ sekrit.password }}\nextend a:\n  - 2\nx: 1",
		"x: {{ 1 }}\nif x == sekrit.password:\n  x: 2\nelse:\n  x: {{ sekrit.password }}",
	"x: {{ nosuch(sekrit.password) }}", "x: {{ replace(sekrit.password) }}", "x: {{ range(sekrit.password) }}", "x: {{ sekrit.list[9] }}",
		"x: {{ chr(sekrit.password) }}", "x: {{ sekrit.password < 1 }}",
	"x: {{ -sekrit.password }}", "x: {{ not sekrit.password }}", "k: a\nif k == 'a':\n  k: {{ sekrit.password }}\nx: 1",
		"x:\n  new sekrit.password:\n    a: 1", "x: {{ sum(sekrit.list) }}", "x: {{ sekrit.port << 1 }}",
	"x: {{ hex(sekrit.port) }}", "x: {{ [sekrit.password][0] }}", "x: {{ len(sekrit.password) }}{{ ord(sekrit.password) }}",
		"x: {{ round(sekrit.password) }}", "w: {{ sekrit.password }}\nselect w:\n  passw0rd55:\n    w: b");
my $secret = qr{assw0rd55|essw0rd55|passv0rd55|l1st\d|8443|8444|0x20fb|16886}i;
my $told = '';
# decrypted once: gpg takes its time
spew("$W/decrypted", scalar `gpg --batch --quiet -d $W/s.yay.gpg 2>/dev/null`);
spew("$W/fast", "#!/bin/sh\ncat $W/decrypted\n");
chmod 0755, "$W/fast";
my @fast = ('--gpg', "$W/fast");
like(yay("${in}x: {{ sekrit.password }}\n", @fast, '--show-secrets'), qr{"x":"passw0rd55"}, 'what is masked below');
for my $way (@ways) {
	for my $args ([], ['-f', 'yaml'], ['-f', 'mugl'], ['--as', 'string', '--select', 'x'], ['--as', 'list', '--select', 'x'], ['--as', 'dict'],
		['--as', 'number', '--select', 'x'], ['--format', 'json'], ['-r', '--select', 'x']) {
		my $got = yay("$in$way\n", @$args, @fast);
		$told .= "$way @$args: $got\n" if $got =~ $secret;
	}
}
fails('a secret is no key', "${in}x: {{ {sekrit.password: 1} }}\n", qr{a secret cannot be a key});
is($told, '', scalar(@ways) . ' expressions, as any type, in any format, and their failures');
$told = '';
for my $way (@ways) {
	my ($e) = $way =~ /^x: \{\{ (.*) \}\}$/ or next;
	my $got = yay($in, '--expression', $e, @fast);
	$told .= "$e: $got\n" if $got =~ $secret;
}
is($told, '', 'and as expressions of the command');
like((vetro('yay', '-f', 'dot', "$W/s.yay.gpg"))[2], qr{--show-secrets}, 'no graph of one');
is((vetro('yay', '-f', 'dot', "$W/s.yay.gpg"))[1], '', 'is printed');
encrypt('bad.yay.gpg', "a: 1\nb: {{ passw0rd55 + }}\n");
my $got = yay("include 'bad.yay.gpg'\n");
ok($got =~ /no Yay/ && $got !~ $secret, 'a syntax error in one', $got);
encrypt('zero.yay.gpg', "a: passw0rd55\nb: {{ 8443 / 0 }}\nc: {{ nosuch }}\n");
$got = yay("include 'zero.yay.gpg'\n");
ok($got =~ /zero.yay.gpg:2/ && $got !~ /8443/, 'a failure in one', $got);
encrypt('in.yay.gpg', "include 'open.yay'\n");
spew("$W/open.yay", "k: v\n");
gives('what one includes is secret as well', "include 'in.yay.gpg'\n", '{"k":"*****"}');
($told) = grep { /rd55|l1st/ } map { (vetro('yay', "--emit=$_", "$W/s.yay.gpg"))[1] } qw(tokens ast);
is($told // '', '', 'stages of the front end show what is encrypted, and no more');

# ---- what goes wrong
encrypt('ann.yay.gpg', "a: 1\n", $other, 'ann');
fails('a key that is not here', "include 'ann.yay.gpg'\n", qr{ann.yay.gpg' could not be decrypted: .*(secret key|decryption failed)}i);
encrypt('cut.yay.gpg', "a: 1\n" x 2000);
truncate("$W/cut.yay.gpg", int((-s "$W/cut.yay.gpg") * 0.9));
fails('a file that is cut off', "include 'cut.yay.gpg'\n", qr{cut.yay.gpg' could not be decrypted});
spew("$W/none.yay.gpg", "a: 1\n");
fails('one that is not encrypted', "include 'none.yay.gpg'\n", qr{none.yay.gpg' could not be decrypted: .*no valid OpenPGP}i);
spew("$W/empty.yay.gpg", '');
fails('an empty one', "include 'empty.yay.gpg'\n", qr{empty.yay.gpg' could not be decrypted});
fails('none at all', "include 'nosuch.yay.gpg'\n", qr{'nosuch.yay.gpg' could not be found});
fails('no such program', $in, qr{could not be decrypted: /nonexistent/gpg: No such file}, '--gpg', '/nonexistent/gpg');
spew("$W/slow", "#!/bin/sh\necho \$\$ > $W/pid\nsleep 30 & wait\n");
chmod 0755, "$W/slow";
my $t0 = time;
fails('one that takes too long', $in, qr{could not be decrypted: it takes too long}, '--gpg', "$W/slow", '--gpg-timeout', 1);
ok(time - $t0 < 10, 'is ended');
open(my $f, '<', "$W/pid"); chomp(my $pid = <$f> // 0); close $f;
ok($pid && !kill(0, $pid), 'with what it started');
spew("$W/chatty", "#!/bin/sh\nexec 2>&1\nexec yes passw0rd55\n");
chmod 0755, "$W/chatty";
$got = yay($in, '--gpg', "$W/chatty", '--gpg-timeout', 60);
ok($got =~ /too large|too long/ && $got !~ /rd55/, 'one that has no end', substr($got, 0, 300));
spew("$W/loud", "#!/bin/sh\nyes 'gpg: noise' | head -c 1000000 >&2\necho 'gpg: the last word' >&2\nexit 2\n");
chmod 0755, "$W/loud";
fails('one that says much', $in, qr{could not be decrypted: \S}, '--gpg', "$W/loud");
spew("$W/b.yay", "${in}x: 1\n");
(my ($status), undef, $told) = vetro({ limit => 200 }, 'build', "$W/b.yay", '-o', "$W/app");
like($told, qr/error\[E3009\]: a binary holds no encrypted documents: 's\.yay\.gpg' \(line 1, column 1\)\n  hint: `vetro yay` decrypts them/,
	'no binary holds one');
ok($status == 1 && !-e "$W/app", 'and none is made');
like((vetro('build', "$W/s.yay.gpg", '--kind', 'yay', '-o', "$W/app"))[2], qr/a binary holds no encrypted documents/, 'nor as a layer');
like((vetro('build', "$W/s.yay.gpg", '-o', "$W/app"))[2], qr/a binary holds no encrypted documents/, 'which is Yay by its name');
spew("$W/b.yay", "n: s\ninclude n + '.yay.gpg'\n");
($status, undef, $told) = vetro({ limit => 200 }, 'build', '-O0', "$W/b.yay", '-o', "$W/app");
like($told, qr/b\.yay:2:1: error\[E3009\]: a binary holds no encrypted documents\n.*include n/, 'a computed name that would be one is refused with its place');
ok($status == 1 && !-e "$W/app", 'and no binary is made');
done();
