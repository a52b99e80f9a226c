/*
 * ssh.c - a script on another machine: one call of ssh for one operation.
 *
 * Standard input takes a tar archive there: the files, inputs.json, context.json, an empty file
 * `outputs`, and `run`, which sets the environment and starts the script.  It stays open until the
 * operation has ended, so that its end tells the other side that nobody waits any more; whatever
 * runs there is ended then.  What the script printed comes back on standard error, its outputs on
 * standard output behind a line that says so, because start files of shells like to print.
 */
#define _GNU_SOURCE
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/deploy/deploy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, RECORD = 20 * BLOCK, LONG_NAME = 100 };

const char vt_tssh_mark[] = "@vetro-outputs";

bool
vt_tssh_is_local(const char *host)
{
	unsigned char ip[4];
	return !strcmp(host, "localhost") || !strcmp(host, "::1") ||
	       (inet_pton(AF_INET, host, ip) == 1 && ip[0] == 127);
}

bool
vt_tssh_may_name(const char *host, size_t n)
{
	return *host && *host != '-' && n < 256 && strlen(host) == n &&
	       !host[strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789._-:%")];
}

/* ---- tar ---- */

static void
octal(char *field, int digits, uint64_t v)
{
	field[digits] = '\0';
	while (digits-- > 0) {
		field[digits] = (char)('0' + (v & 7));
		v >>= 3;
	}
}

/* The fields of ustar, by their offsets. */
static void
put_header(vt_buf *b, const char *name, uint64_t n, unsigned mode, char type)
{
	char h[BLOCK] = {0};
	unsigned sum = 0;
	memcpy(h, name, strnlen(name, LONG_NAME));
	octal(h + 100, 7, mode);
	octal(h + 108, 7, 0);
	octal(h + 116, 7, 0);
	octal(h + 124, 11, n);
	octal(h + 136, 11, 0);
	memset(h + 148, ' ', 8);
	h[156] = type;
	memcpy(h + 257, "ustar\00000", 8);
	for (int i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	octal(h + 148, 6, sum);
	vt_buf_put(b, h, BLOCK);
}

static void
pad(vt_buf *b, size_t to)
{
	while (b->n % to)
		vt_buf_putc(b, 0);
}

/* A long name stands before its file as one of its own, as GNU tar writes it and all read it. */
static void
put_entry(vt_buf *b, const char *name, const char *p, size_t n, unsigned mode)
{
	if (strlen(name) > LONG_NAME) {
		put_header(b, "././@LongLink", strlen(name) + 1, 0600, 'L');
		vt_buf_put(b, name, strlen(name) + 1);
		pad(b, BLOCK);
	}
	put_header(b, name, n, mode, '0');
	vt_buf_put(b, p, n);
	pad(b, BLOCK);
}

static bool
put_local(vt_buf *b, const char *dir, const char *name)
{
	char *path = vt_asprintf("%s/%s", dir, name);
	vt_buf text = {NULL, 0, 0};
	bool ok = vt_read_file(path, SIZE_MAX, &text);
	if (ok)
		put_entry(b, name, text.p ? text.p : "", text.n, 0600);
	vt_buf_free(&text);
	free(path);
	return ok;
}

/* ---- what runs there ---- */

static void
put_run(vt_buf *b, const vt_tremote *r)
{
	vt_buf text = {NULL, 0, 0};
	vt_buf_puts(&text, "d=$PWD\ncd files || exit 125\nexec env");
	for (uint32_t i = 0; i < r->nset; i++) {
		vt_buf_putc(&text, ' ');
		vt_put_sh(&text, r->set[i], strlen(r->set[i]));
	}
	vt_buf_puts(&text, " VETRO_DIR=\"$d/files\" VETRO_OUTPUTS=\"$d/outputs\" "
			   "VETRO_INPUTS=\"$d/inputs.json\" VETRO_CONTEXT=\"$d/context.json\" ");
	if (r->has_ctx)
		vt_buf_puts(&text, "PATH=\"$PATH:$d/files/.vetro-ctx\" "
				   "PYTHONPATH=\"$d/files/.vetro-ctx\" ");
	vt_buf_printf(&text, "%s\"$d/files/\"", r->by);
	vt_put_sh(&text, r->primary, strlen(r->primary));
	vt_buf_putc(&text, '\n');
	put_entry(b, "run", text.p, text.n, 0600);
	vt_buf_free(&text);
}

/* One word for whatever shell the user has there, so no single quote may be in it.  ssh starts it
 * as the leader of a process group, and all of that is ended when standard input is.  The script
 * prints to a file: a daemon that it leaves behind would hold the connection open. */
static char *
there(size_t bytes)
{
	return vt_asprintf(
		"exec /bin/sh -c '"
		"umask 077; d=$(mktemp -d \"${TMPDIR:-/tmp}/vetro.XXXXXX\") || exit %d; "
		"trap \"trap : PIPE; cat \\\"$d/log\\\" >&2; rm -rf \\\"$d\\\"\" EXIT; trap \"exit "
		"143\" HUP INT TERM; "
		"cd \"$d\" && : >log || exit %d; head -c %zu | tar xf - || exit %d; exec 3<&0; "
		"(trap - EXIT HUP INT TERM; while read -r x <&3; do :; done; kill -TERM 0) "
		">/dev/null 2>&1 & w=$!; "
		"/bin/sh ./run </dev/null 3<&- >log 2>&1 & wait $!; s=$?; "
		"kill $w; echo; echo %s; cat outputs; cd /; exit $s'",
		VT_TSSH_NO_ROOM, VT_TSSH_NO_ROOM, bytes, VT_TSSH_NO_ROOM, vt_tssh_mark);
}

char *
vt_tssh_pack(const vt_tremote *r, const char *path)
{
	vt_buf b = {NULL, 0, 0};
	char *command = NULL;
	FILE *f;
	for (uint32_t i = 0; i < r->nfiles; i++) {
		char *name = vt_asprintf("files/%s", r->file[i]->path);
		bool runs = r->file[i]->executable ||
			    (!*r->by && !strcmp(r->file[i]->path, r->primary));
		put_entry(&b, name, r->file[i]->data, r->file[i]->n, runs ? 0700 : 0600);
		free(name);
	}
	put_run(&b, r);
	put_entry(&b, "outputs", "", 0, 0600);
	if (put_local(&b, r->dir, "inputs.json") && put_local(&b, r->dir, "context.json") &&
		(f = fopen(path, "wbxe")) != NULL) {
		for (int i = 0; i < 2 * BLOCK; i++)
			vt_buf_putc(&b, 0);
		pad(&b, RECORD);
		bool ok = fwrite(b.p, 1, b.n, f) == b.n;
		if (fclose(f) == 0 && ok)
			command = there(b.n);
	}
	vt_buf_free(&b);
	return command;
}

/* ---- the command line ---- */

static void
options(const vt_tssh *s, void (*put)(void *, char *), void *ctx)
{
	if (s->known_hosts) {
		put(ctx, vt_xstrdup("-o"));
		put(ctx, vt_asprintf("UserKnownHostsFile=%s", s->known_hosts));
	}
	if (s->accept_new) {
		put(ctx, vt_xstrdup("-o"));
		put(ctx, vt_xstrdup("StrictHostKeyChecking=accept-new"));
	}
	if (s->port) {
		put(ctx, vt_xstrdup("-o"));
		put(ctx, vt_asprintf("Port=%u", s->port));
	}
}

/* Nobody is asked; a machine that is only just up gets some seconds. */
void
vt_tssh_words(const vt_tssh *s, void (*put)(void *, char *), void *ctx)
{
	static const char *const always[] = {"ssh", "-T", "-o", "BatchMode=yes", "-o",
		"ConnectTimeout=30", "-o", "ConnectionAttempts=10", "-o", "ServerAliveInterval=15",
		"-o", "ClearAllForwardings=yes"};
	for (size_t i = 0; i < VT_LEN(always); i++)
		put(ctx, vt_xstrdup(always[i]));
	options(s, put, ctx);
	if (s->user) {
		put(ctx, vt_xstrdup("-l"));
		put(ctx, vt_xstrdup(s->user));
	}
	if (s->key) {
		put(ctx, vt_xstrdup("-i"));
		put(ctx, vt_xstrdup(s->key));
		put(ctx, vt_xstrdup("-o"));
		put(ctx, vt_xstrdup("IdentitiesOnly=yes"));
	}
	put(ctx, vt_xstrdup("--"));
}

static void
put_word(void *ctx, char *owned)
{
	vt_buf *b = ctx;
	if (b->n)
		vt_buf_putc(b, ' ');
	vt_put_sh(b, owned, strlen(owned));
	free(owned);
}

char *
vt_tssh_for_ansible(const vt_tssh *s)
{
	vt_buf b = {NULL, 0, 0};
	options(s, put_word, &b);
	vt_buf_putc(&b, 0);
	return b.p;
}
