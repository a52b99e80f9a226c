#!/usr/bin/perl
# vetro lsp: the protocol itself - order of messages, what is no message, cancelled requests, workers that end, memory.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $root = realpath($W);
my $dir = package_dir('App', {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.App\nClasses: {t.App: App.yaml}\n",
	'Classes/App.yaml' => "Name: t.App\nMethods:\n  run:\n    Body:\n      - Return: 1\n"});
my $file = realpath($dir) . '/Classes/App.yaml';
my %range = (range => {start => Lsp::place(0, 0), end => Lsp::place(0, 0)}, context => {diagnostics => []});
my @actions = ('textDocument/codeAction', {textDocument => {uri => uri_of($file)}, %range});

# ---- the beginning and the end ----

my $c = Lsp->start(silent => 1);
is($c->response($c->request(@actions))->{error}{code}, -32002, 'a request before initialize');
$c->note('textDocument/didOpen', {});
$c->ask('initialize', {capabilities => {}});
is($c->response($c->request('initialize', {capabilities => {}}))->{error}{code}, -32600, 'initialize a second time');
is($c->response($c->request('textDocument/nothing', {}))->{error}{code}, -32601, 'a method that there is not');
ok(exists $c->response($c->request(@actions))->{result}, 'a request about a document that is not open has a result');
$c->note('$/anything', {});
$c->note('textDocument/unknown', {});
$c->ask('shutdown');
is($c->response($c->request(@actions))->{error}{code}, -32600, 'a request after shutdown');
$c->note('exit');
is($c->wait, 0, 'exit after shutdown: status 0');
$c = Lsp->start;
$c->note('exit');
is($c->wait, 1, 'exit without shutdown: status 1');
$c = Lsp->start;
is($c->wait, 1, 'the client is gone without a word: status 1');

# ---- what is no message ----

$c = Lsp->start;
for (['{', -32700, 'broken JSON'], ['[1]', -32600, 'a list'], ['', -32700, 'an empty body'], ['"x"', -32600, 'a text'],
	['{"jsonrpc":"2.0","id":{},"method":"shutdown"}', -32600, 'an id that is an object'],
	['{"jsonrpc":"2.0","method":7}', -32600, 'a method that is a number'],
	['{"id":null}', -32600, 'nothing'],
	[('[' x 100000) . (']' x 100000), -32700, 'nesting without end'], ["{\"a\":\"\xff\"}", -32700, 'bytes that are no UTF-8']) {
	my ($body, $code, $what) = @$_;
	$c->send_body($body);
	is($c->response('null')->{error}{code}, $code, "$what is answered by an error");
}
$c->send_body('{"jsonrpc":"2.0","id":99,"result":null}');
for my $params ('{}', '[]', '7', '{"textDocument":7}', '{"textDocument":{"uri":"file:///x%00y","text":"a"}}', 
	'{"textDocument":{"uri":"","text":"a"}}',
	'{"textDocument":{"uri":"file:///nowhere/a.yaml"},"contentChanges":7}', 
	'{"textDocument":{"uri":"untitled:1","text":"a"}}',
	'{"textDocument":{"uri":"untitled:1"},"contentChanges":[{"text":7},{"range":{"start":{"line":-1,"character":1e99}},"text":""}]}') {
	$c->send_body("{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/$_\",\"params\":$params}") for qw(didOpen didChange didClose didSave);
	for (map { "textDocument/$_" } qw(codeAction hover completion definition documentSymbol foldingRange signatureHelp)) {
		$c->send_body("{\"jsonrpc\":\"2.0\",\"id\":\"$_\",\"method\":\"$_\",\"params\":$params}");
		$c->response($_);
	}
}
ok(1, 'members that are missing or of another type change nothing');
$c->send_body("\r\n" x 10 . '{"jsonrpc":"2.0","id":"blank","method":"shutdown"}');
ok(exists $c->response('blank')->{result}, 'blanks before the JSON');
$c->note('exit');
is($c->wait, 0, 'and the server is still there');

$c = Lsp->start;
$c->raw("content-length: 49\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n" . '{"jsonrpc":"2.0","id":"lf","method":"shutdown" } ');
ok(exists $c->response('lf')->{result}, 'lines of a header may end without \r, names have any case');
for my $header ("Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Hello: 1\r\n\r\n", 'x' x 10000,
	"Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n") {
	$c = Lsp->start;
	$c->raw($header);
	is($c->response('null')->{error}{code}, -32700, 'a header of ' . substr($header, 0, 22) =~ s/\r\n.*//sr . ' ends the conversation');
	is($c->wait, 1, 'with status 1');
}
$c = Lsp->start;
my $large = 65 << 20;
$c->raw("Content-Length: $large\r\n\r\n");
$c->raw(' ' x (1 << 20)) for 1 .. 65;
is($c->response('null')->{error}{code}, -32600, 'a message of 65 MiB is passed over');
is($c->stop, 0, 'and the next is heard');

# ---- requests that are cancelled, and workers that end ----

sub children { my ($pid) = @_; return grep { $_ } map { slurp($_) =~ /^(\d+) \(.*?\) \S (\d+)/ && $2 == $pid ? $1 : 0 } glob '/proc/[0-9]*/stat' }

$c = Lsp->start(root => $root);
$c->open_file($file);
$c->diagnostics($file);
my ($worker) = children($c->{pid});
ok($worker, 'a package is looked at by a process of its own');
kill STOP => $worker;
my $id = $c->request(@actions);
$c->note('$/cancelRequest', {id => $id});
is($c->response($id)->{error}{code}, -32800, 'a request that is cancelled is answered at once');
$c->note('$/cancelRequest', {id => 'never asked'});
kill CONT => $worker;
ok(defined $c->ask(@actions), 'the next one is answered');
kill STOP => $worker;
$id = $c->request(@actions);
$c->response($c->request('vetro/none')); # the server has got to what was asked before
kill KILL => $worker;
is($c->response($id)->{error}{code}, -32603, 'a worker that ends costs one answer');
ok(defined $c->ask(@actions), 'the next one has another worker');
$c->change($file, "Name: t.App\nMethodz: {}\n");
like(join(' ', Lsp::codes($c->diagnostics($file))), qr/^1:0 /, 'and edits are looked at');

# ---- memory ----

sub memory { my ($pid) = @_; return slurp("/proc/$pid/status") =~ /VmRSS:\s+(\d+)/ ? $1 : 0 }
my $text = slurp($file);
for my $round (1 .. 2) {
	for my $i (1 .. 150) {
		$c->change($file, $text . "# $i\n");
		$c->diagnostics($file) if $i % 10 == 0;
	}
	$c->{memory}[$round] = memory($c->{pid});
}
ok($c->{memory}[2] <= $c->{memory}[1] + 512, "300 edits leave no memory behind ($c->{memory}[1], $c->{memory}[2] KiB)");
my $pid = $c->{pid};
is($c->stop, 0, 'the server ends');
ok(!grep({ kill 0 => $_ } children($pid)), 'and its workers with it');
done;
