/*
 * message.c - messages to a person: without what a terminal would obey, without secrets, and with
 * 200 characters of a value at most.
 *
 * The list of secrets is the one thing here that all sessions of a process share.  A message can
 * be made far from the session whose password a server has just echoed.
 */
#include "runtime/core/printable.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- secrets ---- */

static const char cover[] = "*****";

/* One way to write one secret.  It is in two chains: that of its first four bytes (VT_SECRET_MIN),
 * by which it is found in a text, and that of all of it, by which it is added once. */
enum { CHAINS = 1 << 14 };
typedef struct form {
	struct form *next, *next_whole;
	const void *owner;
	size_t n;
	char s[];
} form;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static form **chains, **wholes; /* NULL: there are none */
static size_t nforms;

static uint32_t
chain_of(const char *s)
{
	uint32_t key;

	memcpy(&key, s, sizeof key);
	return (key * 2654435769u) >> 18;
}

static void
add_form(const void *owner, const char *s, size_t n)
{
	form **chain, **whole, *f;

	if (n < VT_SECRET_MIN)
		return;
	if (chains == NULL) {
		chains = memset(
			vt_xmalloc(2 * CHAINS * sizeof *chains), 0, 2 * CHAINS * sizeof *chains);
		wholes = chains + CHAINS;
	}
	chain = &chains[chain_of(s)];
	whole = &wholes[vt_hash_bytes(s, n) % CHAINS];
	for (f = *whole; f; f = f->next_whole)
		if (f->owner == owner && f->n == n && memcmp(f->s, s, n) == 0)
			return;
	f = vt_xmalloc(sizeof *f + n);
	*f = (form){*chain, *whole, owner, n};
	memcpy(f->s, s, n);
	*chain = *whole = f;
	nforms++;
}

static void
add_buf(const void *owner, vt_buf *b)
{
	add_form(owner, b->p ? b->p : "", b->n);
	vt_buf_free(b);
}

/* As JSON has it between quotes; twice: a text that holds JSON, in JSON. */
static void
add_json(const void *owner, const char *s, size_t n, bool twice)
{
	vt_buf b = {0};

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *at = c ? strchr("\"\\\b\f\n\r\t", c) : NULL;
		if (at)
			vt_buf_printf(&b, "\\%c", "\"\\bfnrt"[at - "\"\\\b\f\n\r\t"]);
		else if (c < 32)
			vt_buf_printf(&b, "\\u00%02x", c);
		else
			vt_buf_putc(&b, (char)c);
	}
	if (twice && b.n)
		add_json(owner, b.p, b.n, false);
	add_buf(owner, &b);
}

static void
add_url(const void *owner, const char *s, size_t n, const char *format, bool plus)
{
	vt_buf b = {0};

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || (c && strchr("-._~", c));
		if (plain)
			vt_buf_putc(&b, (char)c);
		else if (c == ' ' && plus)
			vt_buf_putc(&b, '+');
		else
			vt_buf_printf(&b, format, c);
	}
	add_buf(owner, &b);
}

/* Each of `special` becomes the text beside it. */
static void
add_escaped(
	const void *owner, const char *s, size_t n, const char *special, const char *const *instead)
{
	vt_buf b = {0};

	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(special, s[i]) : NULL;
		if (at)
			vt_buf_puts(&b, instead[at - special]);
		else
			vt_buf_putc(&b, s[i]);
	}
	add_buf(owner, &b);
}

/* Base64 of a text that has it depends on how many bytes stand before it, modulo 3.  The letters at
 * both ends have bits of their neighbours as well, and are left out. */
static void
add_base64(const void *owner, const char *s, size_t n)
{
	for (size_t before = 0; before < 3; before++) {
		static const size_t first[] = {0, 2, 3};
		vt_buf raw = {0}, b = {0};
		size_t bits = (before + n) * 8 / 6;
		vt_buf_put(&raw, "\0\0", before);
		vt_buf_put(&raw, s, n);
		vt_base64(&b, raw.p, raw.n, 0);
		if (bits > first[before] && bits - first[before] >= 2 * VT_SECRET_MIN) {
			char *p = b.p + first[before];
			size_t k = bits - first[before];
			add_form(owner, p, k);
			for (size_t i = 0; i < k; i++) /* as URLs have it */
				p[i] = p[i] == '+' ? '-' : p[i] == '/' ? '_' : p[i];
			add_form(owner, p, k);
		}
		vt_buf_free(&raw);
		vt_buf_free(&b);
	}
}

static void
add_all_forms(const void *owner, const char *s, size_t n)
{
	static const char *const html[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"},
				 *const shell[] = {"'\\''"},
				 *const python[] = {"\\\\", "\\'", "\\n", "\\r", "\\t"},
				 *const slash[] = {"\\/"};
	add_form(owner, s, n);
	add_json(owner, s, n, true);
	add_url(owner, s, n, "%%%02X", false);
	add_url(owner, s, n, "%%%02x", false);
	add_url(owner, s, n, "%%%02X", true);
	add_escaped(owner, s, n, "&<>\"'", html);
	add_escaped(owner, s, n, "'", shell);
	add_escaped(owner, s, n, "\\'\n\r\t", python);
	add_escaped(owner, s, n, "/", slash);
	add_base64(owner, s, n);
}

/* A key of several lines is also told line by line. */
void
vt_secret_add(const void *owner, const char *s, size_t n)
{
	enum { LINE_MIN = 16 };

	if (s == NULL || n < VT_SECRET_MIN)
		return;
	pthread_mutex_lock(&lock);
	add_all_forms(owner, s, n);
	for (const char *p = s, *end = s + n, *nl; (nl = memchr(p, '\n', (size_t)(end - p)));
		p = nl + 1)
		if (nl - p >= LINE_MIN)
			add_form(owner, p, (size_t)(nl - p));
	pthread_mutex_unlock(&lock);
}

void
vt_secret_add_value(vt_rt *rt, const void *owner, vt_value v)
{
	vt_value key, item;
	uint32_t pos = 0;

	if (vt_is(v, STR)) {
		vt_secret_add(owner, vt_as_str(v)->s, vt_as_str(v)->bytes);
	} else if (vt_is(v, DICT)) {
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &item))
			vt_secret_add_value(rt, owner, item);
	} else if (vt_is_sequence(v)) {
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			vt_secret_add_value(rt, owner, vt_as_list(v)->v[i]);
	} else if (vt_is_number(v)) {
		vt_buf b = {0};
		vt_repr(rt, &b, v);
		vt_secret_add(owner, b.p, b.n);
		vt_buf_free(&b);
	}
}

void
vt_secret_of_call(vt_rt *rt, const char *function, vt_value v)
{
	if (strcmp(function, "decryptData") == 0)
		vt_secret_add_value(rt, rt->s, v);
}

/* Out of the second chain first; the first one has all of them, and frees. */
void
vt_secrets_forget(const void *owner)
{
	form *f;

	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; chains && i < CHAINS; i++)
		for (form **at = &wholes[i]; (f = *at) != NULL;)
			if (f->owner == owner)
				*at = f->next_whole;
			else
				at = &f->next_whole;
	for (uint32_t i = 0; chains && i < CHAINS; i++)
		for (form **at = &chains[i]; (f = *at) != NULL;) {
			if (f->owner != owner) {
				at = &f->next;
				continue;
			}
			*at = f->next;
			explicit_bzero(f->s, f->n);
			free(f);
			nforms--;
		}
	if (nforms == 0) {
		free(chains);
		chains = wholes = NULL;
	}
	pthread_mutex_unlock(&lock);
}

/* The longest form that begins here: one may begin another. */
static size_t
secret_at(const char *p, size_t left)
{
	size_t most = 0;

	if (left < VT_SECRET_MIN)
		return 0;
	for (const form *f = chains[chain_of(p)]; f; f = f->next)
		if (f->n <= left && f->n > most && memcmp(f->s, p, f->n) == 0)
			most = f->n;
	return most;
}

bool
vt_has_secret(const char *s, size_t n)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; nforms && i < n && !found; i++)
		found = secret_at(s + i, n - i) != 0;
	pthread_mutex_unlock(&lock);
	return found;
}

void
vt_redact(vt_buf *b, size_t from)
{
	vt_buf out = {0};

	pthread_mutex_lock(&lock);
	for (size_t i = from; nforms && i < b->n;) {
		size_t n = secret_at(b->p + i, b->n - i);
		if (n && !out.n)
			vt_buf_put(&out, b->p, i);
		if (n)
			vt_buf_puts(&out, cover);
		else if (out.n)
			vt_buf_putc(&out, b->p[i]);
		i += n ? n : 1;
	}
	pthread_mutex_unlock(&lock);
	if (!out.n)
		return;
	vt_buf_putc(&out, '\0');
	out.n--;
	vt_buf_free(b);
	*b = out;
}

static __attribute__((noinline)) vt_value
redacted_text(vt_rt *rt, vt_value v)
{
	vt_buf b = {0};

	vt_buf_put(&b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	vt_redact(&b, 0);
	vt_release(v);
	return vt_str_take(rt, &b);
}

vt_value
vt_redacted(vt_rt *rt, vt_value v)
{
	return nforms == 0 || !vt_is(v, STR) ? v : redacted_text(rt, v);
}

/* ---- values in messages ---- */

/* Bytes of the first n characters, or of all there are. */
static size_t
bytes_of(const char *s, size_t bytes, size_t n)
{
	size_t i = 0;

	for (; i < bytes; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80 && n-- == 0)
			break;
	return i;
}

static size_t
characters(const char *s, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += ((unsigned char)s[i] & 0xc0) != 0x80;
	return k;
}

/* A collection of millions is not written for the sake of its first characters. */
enum { REPR_MOST = 4096 };

static void
put_cut(vt_buf *b, const char *s, size_t n, const char *more)
{
	vt_buf whole = {0};
	size_t shown;

	if (nforms) { /* before it is cut, which could leave the half of one */
		vt_buf_put(&whole, s, n);
		vt_redact(&whole, 0);
		s = whole.p ? whole.p : "";
		n = whole.n;
	}
	shown = bytes_of(s, n, VT_SHOWN_MAX);
	vt_buf_put(b, s, shown);
	if (shown < n)
		vt_buf_printf(
			b, "... (%s%zu characters more)", more, characters(s + shown, n - shown));
	vt_buf_free(&whole);
}

void
vt_put_cut(vt_buf *b, const char *s, size_t n)
{
	put_cut(b, s, n, "");
}

void
vt_repr_cut(vt_rt *rt, vt_buf *b, vt_value v)
{
	vt_buf whole = {0};
	bool all;

	all = vt_repr_some(rt, &whole, v, REPR_MOST);
	put_cut(b, whole.p ? whole.p : "", whole.n, all ? "" : "more than ");
	vt_buf_free(&whole);
}

void
vt_pystr_cut(vt_rt *rt, vt_buf *b, vt_value v)
{
	vt_buf whole = {0};

	if (vt_is_sequence(v) || vt_is(v, DICT) || vt_is(v, SET) || vt_is(v, VIEW)) {
		vt_repr_cut(rt, b, v);
		return;
	}
	vt_pystr(rt, &whole, v);
	vt_put_cut(b, whole.p ? whole.p : "", whole.n);
	vt_buf_free(&whole);
}

void
vt_cut_message(vt_buf *b, size_t from)
{
	size_t n = VT_MESSAGE_MAX;

	vt_redact(b, from);
	if (b->n - from <= n)
		return;
	while (n > 0 && ((unsigned char)b->p[from + n] & 0xc0) == 0x80)
		n--;
	b->n = from + n;
	vt_buf_puts(b, "...");
}

/* ---- standard error ---- */

static FILE *log_file; /* what is reported goes there too */
static bool only_log;

static void
put(vt_buf *b)
{
	vt_buf clean = {0};

	vt_redact(b, 0);
	vt_put_lines(&clean, b->p ? b->p : "", b->n);
	if (log_file)
		fwrite(clean.p ? clean.p : "", 1, clean.n, log_file);
	if (!only_log)
		vt_buf_print(&clean, stderr);
	vt_buf_free(&clean);
	vt_buf_free(b);
}

void
vt_report_log(FILE *f)
{
	log_file = f;
}

void
vt_report_event_quietly(vt_buf *b)
{
	only_log = true;
	vt_report_event(b);
	only_log = false;
}

bool
vt_report_is_logged(void)
{
	return log_file != NULL;
}

void
vt_report_line(vt_buf *b)
{
	vt_buf_putc(b, '\n');
	put(b);
}

void
vt_report_record(vt_buf *b)
{
	vt_buf line = {0};
	const char *s, *end;

	vt_redact(b, 0);
	for (s = b->p ? b->p : "", end = s + b->n; s < end; s++) {
		vt_buf_putc(&line, *s);
		if (*s == '\n')
			vt_buf_puts(&line, "    ");
	}
	vt_buf_free(b);
	vt_report_line(&line);
}

void
vt_report_event(vt_buf *b)
{
	vt_buf line = {0};

	vt_redact(b, 0);
	vt_put_printable(&line, b->p ? b->p : "", b->n);
	vt_buf_free(b);
	vt_report_line(&line);
}

void
vt_vsay(const char *fmt, va_list ap)
{
	vt_buf b = {0};

	vt_buf_vprintf(&b, fmt, ap);
	put(&b);
}

void
vt_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vt_vsay(fmt, ap);
	va_end(ap);
}
