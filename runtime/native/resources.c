/*
 * resources.c - io.murano.system.Resources (appendix A): files of a package's Resources/, which
 * are constants of the program (compiler/murano/resource.c).
 *
 * Paths and errors are those of a program that reads them from the package's folder, as the
 * reference does; that folder need not exist any more.
 */
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/native/native.h"
#include "runtime/object/object.h"
#include "runtime/text/text.h"
#include "natives.h"

#include <stdlib.h>
#include <string.h>

/* ---- whose ---------------------------------------------------------------------------------- */

/* An object of this class belongs to the package of the code that made it. */
vt_status
vt_sys_resources_new(vt_args *a, vt_value *out)
{
	const vt_act *act = a->rt->act;
	const vt_class_decl *cls = act ? act->hold.method->cls : NULL;
	if (cls != NULL && cls->unit != NULL)
		vt_object_set_native(vt_obj_of(a->self), (void *)(uintptr_t)cls->unit->pkg, NULL);
	*out = VT_NULL;
	return VT_OK;
}

static const vt_package_decl *
package_of(const vt_class *c)
{
	return c->decl->unit && c->decl->unit->pkg ? c->decl->unit->pkg : &vt_core_package;
}

/* The owner is a class or its name; without one the receiver or the caller says. NULL: raised. */
static const vt_package_decl *
find_package(vt_args *a, vt_value owner)
{
	vt_class *c;
	if (vt_is(owner, TYPEREF))
		return package_of(vt_cls_of(owner));
	if (vt_is(owner, STR)) {
		c = vt_unit_class(a->rt, a->unit, vt_as_str(owner));
		return c ? package_of(c) : NULL;
	}
	if (owner != VT_NULL) {
		vt_raise(a->rt, VT_E_ARGUMENT, "Invalid argument owner");
		return NULL;
	}
	if (!vt_is(a->self, TYPEREF) && vt_obj_of(a->self)->more->native != NULL)
		return vt_obj_of(a->self)->more->native;
	return a->unit->pkg ? a->unit->pkg : &vt_core_package;
}

/* ---- paths: os.path ------------------------------------------------------------------------- */

/* Without empty parts, "." and ".."; in place. */
static void
put_normal(vt_buf *b, const char *path)
{
	bool root = *path == '/';
	size_t base = b->n + root;
	vt_buf_puts(b, root ? "/" : "");
	for (size_t n; *path != '\0'; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		const char *last = b->p ? b->p + b->n : NULL;
		while (last && last > b->p + base && last[-1] != '/')
			last--;
		bool up = n == 2 && path[0] == '.' && path[1] == '.';
		bool stuck = !last || b->n == base ||
			     (b->p + b->n - last == 2 && !memcmp(last, "..", 2));
		if (n == 0 || (n == 1 && *path == '.') || (up && root && b->n == base))
			continue;
		if (up && !stuck) {
			b->n = (size_t)(last - b->p) > base ? (size_t)(last - b->p) - 1 : base;
			continue;
		}
		if (b->n > base)
			vt_buf_putc(b, '/');
		vt_buf_put(b, path, n);
	}
	if (b->n == 0)
		vt_buf_putc(b, '.');
	vt_buf_putc(b, '\0');
	b->n--;
}

static void
put_folder(vt_buf *b, const vt_package_decl *p)
{
	vt_buf t = {0};
	vt_buf_printf(&t, "%s/Resources", p->dir ? p->dir : p->name->s);
	put_normal(b, t.p);
	vt_buf_free(&t);
}

static vt_status
not_allowed(vt_args *a, const vt_buf *folder, const char *joined, vt_value name)
{
	vt_buf b = {0};
	vt_value text = vt_str_new(a->rt, folder->p, folder->n);
	vt_buf_printf(&b, "path %s is not allowed (", joined);
	vt_repr_cut(a->rt, &b, text);
	vt_buf_puts(&b, ", ");
	vt_repr_cut(a->rt, &b, name);
	vt_buf_puts(&b, ")");
	vt_release(text);
	return vt_raise_value(a->rt, VT_E_VALUE, vt_str_take(a->rt, &b));
}

static vt_status
no_file(vt_args *a, enum vt_etype type, const char *why, const char *path)
{
	vt_buf b = {0};
	vt_value text = vt_str_c(a->rt, path);
	vt_buf_printf(&b, "%s: ", why);
	vt_repr_cut(a->rt, &b, text);
	vt_release(text);
	return vt_raise_value(a->rt, type, vt_str_take(a->rt, &b));
}

/* The file, or what the system would say of a path like that. */
static vt_status
look_up(vt_args *a, const vt_package_decl *p, const char *path, const char *name,
	const vt_resource **out)
{
	size_t n = strlen(name);
	uint32_t low = 0, high = p->nresources;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int c = strcmp(p->resources[mid].name, name);
		if (c == 0) {
			*out = &p->resources[mid];
			return VT_OK;
		}
		*(c < 0 ? &low : &high) = mid + (c < 0);
	}
	for (uint32_t i = 0; i < p->nresources; i++) {
		const char *other = p->resources[i].name;
		size_t m = strlen(other);
		if (m > n && other[n] == '/' && memcmp(other, name, n) == 0)
			return no_file(a, VT_E_IS_A_DIRECTORY, "[Errno 21] Is a directory", path);
		if (n > m && name[m] == '/' && memcmp(other, name, m) == 0)
			return no_file(a, VT_E_NOT_A_DIRECTORY, "[Errno 20] Not a directory", path);
	}
	return no_file(a, VT_E_FILE_NOT_FOUND, "[Errno 2] No such file or directory", path);
}

static vt_status
find_below(vt_args *a, const vt_package_decl *p, const vt_buf *folder, const vt_str *name,
	const vt_resource **out)
{
	char *joined =
		*name->s == '/' ? vt_xstrdup(name->s) : vt_asprintf("%s/%s", folder->p, name->s);
	vt_buf path = {0};
	vt_status st;
	put_normal(&path, joined);
	if (path.n <= folder->n || memcmp(path.p, folder->p, folder->n) != 0 ||
		path.p[folder->n] != '/')
		st = not_allowed(a, folder, joined, vt_mkptr(name));
	else if (strlen(name->s) != name->bytes)
		st = vt_raise(a->rt, VT_E_VALUE, "embedded null byte");
	else
		st = look_up(a, p, path.p, path.p + folder->n + 1, out);
	vt_buf_free(&path);
	free(joined);
	return st;
}

static vt_status
find(vt_args *a, const vt_resource **out)
{
	const vt_package_decl *p = find_package(a, a->v[1]);
	vt_buf folder = {0};
	vt_status st;
	if (p == NULL)
		return VT_ERROR;
	if (!vt_is(a->v[0], STR))
		return vt_raise(a->rt, VT_E_TYPE,
			"join() argument must be str, bytes, or os.PathLike object, not '%s'",
			vt_py_type(a->v[0]));
	put_folder(&folder, p);
	st = find_below(a, p, &folder, vt_as_str(a->v[0]), out);
	vt_buf_free(&folder);
	return st;
}

/* ---- contents ------------------------------------------------------------------------------- */

/* A file's bytes are a tuple of numbers: what MuranoPL makes of Python's. */
static vt_value
bytes_of(vt_rt *rt, const vt_resource *r)
{
	vt_list *l = vt_list_new(rt, VT_K_TUPLE, (uint32_t)r->n);
	for (uint64_t i = 0; i < r->n; i++)
		l->v[i] = vt_mkint((unsigned char)r->data[i]);
	return vt_mkptr(l);
}

/* \r\n and \r become \n, as in every file that is read as text. */
static vt_status
text_of(vt_rt *rt, const vt_resource *r, vt_value *out)
{
	size_t good = vt_utf8_check(r->data, r->n);
	const char *p = r->data, *end = p + r->n, *cr;
	vt_buf b = {0};
	if (good != r->n)
		return vt_raise_utf8(rt, r->data, r->n, good);
	if (memchr(p, '\r', r->n) == NULL) {
		*out = vt_str_new(rt, p, r->n);
		return VT_OK;
	}
	for (; (cr = memchr(p, '\r', (size_t)(end - p))) != NULL;
		p = cr + 1 + (cr + 1 < end && cr[1] == '\n')) {
		vt_buf_put(&b, p, (size_t)(cr - p));
		vt_buf_putc(&b, '\n');
	}
	vt_buf_put(&b, p, (size_t)(end - p));
	*out = vt_str_take(rt, &b);
	return VT_OK;
}

vt_status
vt_sys_resources_string(vt_args *a, vt_value *out)
{
	const vt_resource *r = NULL;
	if (!vt_is_bool(a->v[2]) && a->v[2] != VT_NULL)
		return vt_raise(a->rt, VT_E_ARGUMENT, "Invalid argument binary");
	VT_TRY(find(a, &r));
	if (a->v[2] != VT_TRUE)
		return text_of(a->rt, r, out);
	*out = bytes_of(a->rt, r);
	return VT_OK;
}

vt_status
vt_resource_read(vt_rt *rt, const vt_unit *unit, vt_value resources, vt_value path, bool base64,
	vt_value *out)
{
	const vt_resource *r = NULL;
	vt_value v[2] = {path, VT_NULL};
	vt_args a = {.rt = rt, .unit = unit, .self = resources, .v = v, .nv = 2, .kw = VT_NULL};
	vt_buf b = {0};
	VT_TRY(find(&a, &r));
	if (!base64)
		return text_of(rt, r, out);
	vt_base64(&b, r->data, r->n, 0);
	*out = vt_str_take(rt, &b);
	return VT_OK;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* What Python says for what our reader says. */
static const char *
python_words(const char *why)
{
	static const char *const words[][2] = {
		{"expected , or", "Expecting ',' delimiter"},
		{"expected a string as the key",
			"Expecting property name enclosed in double quotes"},
		{"expected : after", "Expecting ':' delimiter"},
		{"text after the value", "Extra data"},
		{"a number with a leading zero", "Extra data"},
		{"a string that is not closed", "Unterminated string starting at"},
		{"a control character", "Invalid control character at"},
		{"an escape that does not", "Invalid \\escape"},
		{"a \\u escape", "Invalid \\uXXXX escape"},
		{"something that is no", "Expecting value"},
		{"the text ends", "Expecting value"},
		{"a number without", "Expecting value"},
	};
	for (size_t i = 0; i < VT_LEN(words); i++)
		if (strncmp(why, words[i][0], strlen(words[i][0])) == 0)
			return words[i][1];
	return why;
}

/* The code point at which a line and a column are. */
static unsigned long
position(const vt_str *s, unsigned long line, unsigned long col)
{
	unsigned long at = 0;
	const char *p = s->s, *end = p + s->bytes;
	for (; line > 1 && p < end; at++)
		line -= vt_utf8_next(&p) == '\n';
	return at + col - 1;
}

static bool
is_escape(const char *p)
{
	return *p == 'u' ? strspn(p + 1, "0123456789abcdefABCDEF") >= 4
			 : *p && strchr("\"\\/bfnrt", *p);
}

/* Strings are reported as a whole by our reader: the first wrong escape, or the string that is not
 * closed. */
static const char *
string_fault(const char *p)
{
	const char *open = NULL;
	for (; *p; p++) {
		if (*p == '"')
			open = open ? NULL : p;
		else if (open && *p == '\\' && !is_escape(++p))
			return *p == 'u' ? p : p - 1;
	}
	return open ? open : p;
}

static void
place_of(const vt_str *s, const char *at, unsigned long *line, unsigned long *col)
{
	*line = *col = 1;
	for (const char *p = s->s; p < at; ++*col)
		if (vt_utf8_next(&p) == '\n') {
			++*line;
			*col = 0;
		}
}

static vt_status
bad_json(vt_rt *rt, const vt_str *text, char *err)
{
	unsigned long line = 1, col = 1;
	const char *why = strstr(err, ": ");
	vt_status st;
	if (strncmp(err, "line ", 5) == 0) {
		char *end;
		line = strtoul(err + 5, &end, 10);
		col = strncmp(end, " column ", 8) == 0 ? strtoul(end + 8, NULL, 10) : 1;
	}
	if (strstr(err, " escape ") || strstr(err, "not closed"))
		place_of(text, string_fault(text->s), &line, &col);
	why = why ? why + 2 : err;
	if (strcmp(why, "nested too deeply") == 0)
		st = vt_raise(rt, VT_E_RECURSION,
			"maximum recursion depth exceeded while decoding a JSON value");
	else
		st = vt_raise(rt, VT_E_JSON_DECODE, "%s: line %lu column %lu (char %lu)",
			python_words(why), line, col, position(text, line, col));
	free(err);
	return st;
}

vt_status
vt_sys_resources_json(vt_args *a, vt_value *out)
{
	const vt_resource *r = NULL;
	vt_value text = VT_UNDEF;
	char *err = NULL;
	vt_status st = VT_OK;
	VT_TRY(find(a, &r));
	VT_TRY(text_of(a->rt, r, &text));
	if (strncmp(vt_as_str(text)->s, "\xef\xbb\xbf", 3) == 0)
		st = vt_raise(a->rt, VT_E_JSON_DECODE, "%s",
			"Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)");
	else if (!vt_json_read(a->rt, vt_as_str(text)->s, vt_as_str(text)->bytes, VT_JSON_PYTHON, 0,
			 out, &err))
		st = bad_json(a->rt, vt_as_str(text), err);
	vt_release(text);
	return st;
}

/* ---- YAML: read when the program was built -------------------------------------------------- */

vt_status
vt_sys_resources_yaml(vt_args *a, vt_value *out)
{
	const vt_resource *r = NULL;
	const char *type, *end;
	char *err = NULL, *name;
	vt_status st;
	VT_TRY(find(a, &r));
	if (r->yaml == NULL)
		return vt_raise_utf8(a->rt, r->data, r->n, vt_utf8_check(r->data, r->n));
	if (*r->yaml == '=') {
		if (vt_json_read(
			    a->rt, r->yaml + 1, strlen(r->yaml + 1), VT_JSON_TAGGED, 0, out, &err))
			return VT_OK;
		st = vt_raise(a->rt, VT_E_RUNTIME, "%s: %s", r->name, err);
		free(err);
		return st;
	}
	type = r->yaml + 1;
	end = strchr(type, '\n');
	name = vt_asprintf("%.*s", (int)(end - type), type);
	st = vt_host_raise(a->rt, name, end + 1, strlen(end + 1));
	free(name);
	return st;
}
