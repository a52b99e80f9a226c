#!/usr/bin/perl
# `vetro build --shared`: a package as a shared object, loaded by a program in C.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

if (($ENV{CONFIG} // '') eq 'torture') {
	skip_all('the allocator of a torture build belongs to its own process');
}
# A program that loads a sanitized object must be sanitized itself.
my $sanitize = ($ENV{CONFIG} // '') eq 'asan' ? '-fsanitize=address,undefined' : '';
my $so = "$W/snapshot.so";
spew("$W/host.lua", 'vetro.register { name = "trace", params = "data: any", fn = function(x) vetro.traces[#vetro.traces + 1] = x end }');
my ($rc, undef, $err) = vetro('build', '--shared', '-O0', '--lua', "$W/host.lua", '-o', $so, "$FindBin::Bin/../data/murano/snapshot");
ok($rc == 0, 'the package builds', $err);
my @shown = sort map { /\s[TDBRVW]\s+(\S+)/ ? $1 : () } `nm -D --defined-only '$so'`;
is("@shown", 'vetro_program_main vetro_session_ask vetro_session_close vetro_session_free_text vetro_session_open', 'it shows its five functions');

spew("$W/user.c", <<'END');
#include "vetro_program.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static vetro_session_open_fn *open_session;
static vetro_session_ask_fn *ask;
static vetro_session_free_text_fn *free_text;
static vetro_session_close_fn *close_session;

static void
tell(vetro_session *s, const char *request, size_t n)
{
	char *answer = ask(s, request, n);
	puts(answer ? answer : "NULL");
	free_text(answer);
}

static const char load[] = "{\"op\":\"load\",\"model\":{\"Objects\":{\"?\":{\"id\":\"r\",\"type\":\"t.snapshot.Main\"}}}}";

/* On a stack of 64 KiB. */
static void *
work(void *data)
{
	vetro_session *s = data;
	static char deep[100000];
	tell(s, load, (size_t)-1);
	tell(s, "{\"op\":\"call\",\"method\":\"down\",\"args\":[40]}", (size_t)-1);
	tell(s, "{\"op\":\"call\",\"method\":\"down\",\"args\":[1000000]}", (size_t)-1);
	memset(deep, '[', sizeof deep);
	tell(s, deep, sizeof deep);
	return NULL;
}

int
main(int argc, char **argv)
{
	void *so = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	vetro_session *a, *b;
	pthread_attr_t attr;
	pthread_t t;
	if (so == NULL)
		return puts(dlerror()), 1;
	open_session = (vetro_session_open_fn *)dlsym(so, "vetro_session_open");
	ask = (vetro_session_ask_fn *)dlsym(so, "vetro_session_ask");
	free_text = (vetro_session_free_text_fn *)dlsym(so, "vetro_session_free_text");
	close_session = (vetro_session_close_fn *)dlsym(so, "vetro_session_close");
	if (argc > 2)
		return ((vetro_program_main_fn *)dlsym(so, "vetro_program_main"))(argc - 1, argv + 1);
	a = open_session(NULL, NULL);
	b = open_session("down*", NULL);
	tell(a, load, sizeof load - 1);
	tell(a, "{\"op\":\"call\",\"method\":\"deploy\"}", (size_t)-1);
	tell(a, "{\"op\":\"call\",\"method\":\"grow\",\"args\":[\"x\"]} and what follows", strlen("{\"op\":\"call\",\"method\":\"grow\",\"args\":[\"x\"]}"));
	tell(a, "{\"op\":\"call\",\"method\":\"down\",\"args\":[1]}", (size_t)-1);
	tell(a, "{\"op\":\"call\",\"method\":\"fail\"}", (size_t)-1);
	tell(a, "no JSON", (size_t)-1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	if (pthread_create(&t, &attr, work, b) != 0 || pthread_join(t, NULL) != 0)
		return 1;
	close_session(a);
	close_session(b);
	close_session(NULL);
	return 0;
}
END
my $cc = $ENV{VETRO_CC} || 'cc';
is(system("$cc -std=gnu11 -Wall -Wextra -Werror $sanitize -I'$FindBin::Bin/../../compiler/libvetro' -o '$W/user' '$W/user.c' -ldl -pthread"), 0,
	'a program in C');
my @answers = split /\n/, `'$W/user' '$so'`;
is($? , 0, 'runs');
is($answers[0], '{"ok":true,"traces":[]}', 'a model');
is($answers[1], '{"value":1,"traces":[]}', 'a call');
like($answers[2], qr/^\{"value":\{"\$object":"[0-9a-f]{32}","type":"t\.snapshot\.Vm"\},"traces":\["init x"\]\}$/,
	'a request with a length; host functions in Lua');
like($answers[3], qr/MethodNotExposed/, 'what is not public');
like($answers[4], qr/"type":"t\.snapshot\.Trouble","message":"after a change"/, 'an exception');
like($answers[5], qr/"type":"BadRequest"/, 'what is no request');
is($answers[7], '{"value":40,"traces":[]}', 'another session, in a thread with 64 KiB of stack');
like($answers[8], qr/RecursionError/, 'where recursion ends as it always does');
like($answers[9], qr/"type":"BadRequest"/, 'and so does JSON that nests deep');
spew("$W/model.json", '{"Objects":{"?":{"id":"r","type":"t.snapshot.Main"}}}');
like(scalar(`'$W/user' '$so' run --model '$W/model.json'`), qr/^\{"result":1,"model":/, 'vetro_program_main is the command line');
is((vetro('run', '--shared', "$FindBin::Bin/../data/murano/snapshot"))[0], 2, 'run knows no --shared');
($rc, undef, $err) = vetro('build', '--shared', '-o', "$W/t.so", '--kind=tosca', "$FindBin::Bin/../data/murano/snapshot/manifest.yaml");
ok(!!($rc == 2 && $err =~ /--shared is for MuranoPL/), "a service has none", $err);
done();
