/*
 * value.c - a tree of YAML as a value.
 */
#include "compiler/yaml/yaml.h"

#include "runtime/core/number.h"

#include <string.h>

static vt_value
number_of(vt_rt *rt, const ynode *y)
{
	vt_value v = VT_NULL;
	if (y->type == YT_FLOAT)
		return vt_float_new(rt, y->f);
	if (y->fits)
		return vt_int_new(rt, y->i);
	return vt_int_parse(rt, y->digits, strlen(y->digits), 10, &v) == VT_OK ? v : VT_NULL;
}

/* Depth is limited where YAML is read. */
vt_value
yn_value(vt_rt *rt, const ynode *y)
{
	if (y->kind == YN_SEQ) {
		vt_list *l = vt_list_grow(rt, VT_K_TUPLE, y->n);
		for (uint32_t i = 0; i < y->n; i++)
			vt_list_push(rt, l, yn_value(rt, y->item[i]));
		return vt_mkptr(l);
	}
	if (y->kind == YN_MAP) {
		vt_dict *d = vt_dict_new_cap(rt, true, y->n);
		for (uint32_t i = 0; i < y->n; i++) {
			vt_value key = yn_value(rt, y->key[i]), item = yn_value(rt, y->item[i]);
			vt_dict_set(rt, d, key, item);
			vt_release(key);
			vt_release(item);
		}
		return vt_mkptr(d);
	}
	if (y->kind == YN_ERROR)
		return VT_NULL;
	switch ((enum yn_type)y->type) {
	case YT_NULL: return VT_NULL;
	case YT_BOOL: return y->i ? VT_TRUE : VT_FALSE;
	case YT_INT:
	case YT_FLOAT: return number_of(rt, y);
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: break;
	}
	return vt_str_new(rt, y->text, y->ntext);
}

/* ---- texts ---- */

/* Where the name in a text like `{ get_input: x }` begins; its length in *n.  NULL: the text has
 * another form. */
const char *
yn_called_in_text(const char *s, size_t *n)
{
	s += strspn(s, " \t\n");
	size_t end = strlen(s);
	while (end && strchr(" \t\n", s[end - 1]))
		end--;
	if (end < 2 || s[0] != '{' || s[end - 1] != '}')
		return NULL;
	s += 1 + strspn(s + 1, " \t\n");
	char quote = *s == '"' || *s == '\'' ? *s++ : 0;
	s += *s == '$';
	*n = strspn(s, "abcdefghijklmnopqrstuvwxyz_");
	const char *behind = s + *n;
	if (!*n || (quote && *behind++ != quote))
		return NULL;
	return behind[strspn(behind, " \t")] == ':' ? s : NULL;
}
