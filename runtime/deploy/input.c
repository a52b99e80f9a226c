/*
 * input.c - inputs of a deploy binary: --inputs FILE and --input NAME=VALUE.
 *
 * A file is YAML, a JSON object, or Yay.  A value on the command line, or one of YAML without
 * quotes, is what the input's type makes of the text: a text where it wants one, else JSON or YAML.
 */
#include "runtime/text/outfile.h"
#include "runtime/core/printable.h"
#include "runtime/deploy/deploy.h"
#include "runtime/yay/api.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE = 64 << 20 };

static bool complain(const vt_tinputs *in, const char *fmt, ...) VT_PRINTF(2, 3);
static bool
complain(const vt_tinputs *in, const char *fmt, ...)
{
	va_list ap;
	vt_say("%s: ", in->self);
	va_start(ap, fmt);
	vt_vsay(fmt, ap);
	va_end(ap);
	vt_say("\n");
	return false;
}

static const vt_tslot *
find_slot(const vt_tinputs *in, const char *name, uint32_t *row)
{
	const vt_tmodel *m = in->m;
	for (size_t k = 0; k < VT_LEN(in->slots); k++)
		for (uint32_t i = 0; i < in->slots[k].n; i++) {
			*row = in->slots[k].first + i;
			if (!strcmp(m->str[m->slot[*row].name]->s, name))
				return &m->slot[*row];
		}
	return NULL;
}

static bool
unknown(const vt_tinputs *in, const char *where, const char *name)
{
	vt_buf b = {NULL, 0, 0};
	const vt_tmodel *m = in->m;
	for (size_t k = 0; k < VT_LEN(in->slots); k++)
		for (uint32_t i = 0; i < in->slots[k].n && i < 20; i++)
			vt_buf_printf(&b, "%s%s", b.n ? ", " : "",
				m->str[m->slot[in->slots[k].first + i].name]->s);
	complain(in, "%s: the service has no input '%s'; there %s%.*s", where, name,
		b.n ? "are: " : "are none", (int)b.n, b.p ? b.p : "");
	vt_buf_free(&b);
	return false;
}

/* A text that is neither stays one: the type refuses it, with its place. */
static vt_value
typed_text(const vt_tinputs *in, uint32_t slot, vt_value text)
{
	vt_value v = vt_tosca_text_value(in->rt, in->m, slot, text), read = VT_UNDEF;
	char *err = NULL;
	if (!vt_is(v, STR) || vt_tosca_reads_text(in->m, slot) ||
		!vt_yaml_read(in->rt, vt_as_str(v)->s, vt_as_str(v)->bytes, &read, &err)) {
		free(err);
		return v;
	}
	vt_release(v);
	return read;
}

static bool
put(vt_tinputs *in, const char *where, const char *name, vt_value v, bool text)
{
	uint32_t row;
	vt_value key;
	if (!find_slot(in, name, &row))
		return unknown(in, where, name);
	key = vt_str_c(in->rt, name);
	if (in->m->slot[row].flags & VT_TS_PRIVATE)
		vt_secret_add_value(in->rt, in->rt->s, v);
	if (text) {
		vt_value typed = typed_text(in, row, v);
		vt_dict_set(in->rt, in->values, key, typed);
		vt_release(typed);
	} else {
		vt_dict_set(in->rt, in->values, key, v);
	}
	vt_release(key);
	return true;
}

/* A string of JSON or YAML is a text for any type, as it is to `vetro tosca`. */
static bool
quoted_text(const vt_tinputs *in, const char *text, vt_value *out)
{
	char *err = NULL;
	if (*text == '\'' && vt_yaml_read(in->rt, text, strlen(text), out, &err) &&
		vt_is(*out, STR))
		return true;
	free(err);
	err = NULL;
	vt_clear(out);
	if (*text != '"')
		return false;
	if (vt_json_read(in->rt, text, strlen(text), 0, 0, out, &err))
		return true;
	free(err);
	return false;
}

bool
vt_tinputs_word(vt_tinputs *in, const char *word)
{
	const char *eq = strchr(word, '=');
	if (!eq || eq == word)
		return complain(in, "--input wants NAME=VALUE, not '%s'", word);
	if (vt_utf8_check(eq + 1, strlen(eq + 1)) != strlen(eq + 1))
		return complain(in, "--input %.*s: the value is no UTF-8", (int)(eq - word), word);
	char *name = vt_asprintf("%.*s", (int)(eq - word), word);
	vt_value v = VT_UNDEF;
	bool quoted = quoted_text(in, eq + 1, &v);
	if (!quoted)
		v = vt_str_c(in->rt, eq + 1);
	bool ok = put(in, "--input", name, v, !quoted);
	vt_release(v);
	free(name);
	return ok;
}

struct file {
	vt_tinputs *in;
	const char *path;
	bool ok;
};

static void
put_entry(void *ctx, const char *name, vt_value v, bool plain)
{
	struct file *f = ctx;
	f->ok &= put(f->in, f->path, name, v, plain);
}

/* JSON is read as such: there a number has all its digits. */
static bool
read_members(vt_tinputs *in, const char *path, const char *text, size_t n)
{
	struct file f = {in, path, true};
	vt_value v = VT_UNDEF, key, item;
	char *err = NULL;
	uint32_t pos = 0;
	if (text[strspn(text, " \t\r\n")] != '{')
		(void)vt_yaml_entries(in->rt, text, n, put_entry, &f, &err);
	else if (vt_json_read(in->rt, text, n, 0, 0, &v, &err))
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &item))
			put_entry(&f, vt_as_str(key)->s, item, false);
	if (err)
		f.ok = complain(in, "%s: %s", path, err);
	free(err);
	vt_release(v);
	return f.ok;
}

static bool
put_yay(void *ctx, const char *key, vt_value v, bool text)
{
	vt_tinputs *in = ctx;
	return put(in, in->path, key, v, text);
}

/* The reader opens the file itself, but for standard input. */
static bool
read_yay(vt_tinputs *in, const char *path, const char *text, size_t n)
{
	char *why = NULL;
	bool ok;
	if (&vt_yay_reader == NULL)
		return complain(in, "%s: " VT_YAY_NO_READER, path);
	in->path = path;
	ok = vt_yay_reader.entries(in->rt, path, text, n, put_yay, in, &why);
	if (why)
		complain(in, "%s", why);
	free(why);
	return ok;
}

bool
vt_tinputs_file(vt_tinputs *in, const char *path)
{
	vt_buf b = {NULL, 0, 0};
	bool ok, whole;
	if (vt_yay_is_named(path))
		return read_yay(in, path, NULL, 0);
	whole = strcmp(path, "-") ? vt_read_file(path, MOST_FILE, &b)
				  : vt_read_all(stdin, MOST_FILE, &b);
	if (!whole && errno != EFBIG) {
		ok = complain(in, "%s: %s", path, strerror(errno));
	} else if (!whole || vt_utf8_check(b.n ? b.p : "", b.n) != b.n ||
		   memchr(b.n ? b.p : "", 0, b.n)) {
		ok = complain(in, "%s: it is too large, or no text in UTF-8", path);
	} else {
		vt_buf_putc(&b, 0);
		ok = vt_yay_is_begun(path, b.p, b.n - 1) ? read_yay(in, path, b.p, b.n - 1)
							 : read_members(in, path, b.p, b.n - 1);
	}
	vt_buf_free(&b);
	return ok;
}
