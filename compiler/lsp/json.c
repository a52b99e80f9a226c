/*
 * json.c - members of messages: what is not there, or of another type, is told from what is.
 */
#include "compiler/lsp/int.h"
#include "runtime/core/number.h"
#include "runtime/text/report.h"
#include "runtime/text/text.h"

#include <inttypes.h>
#include <string.h>

vt_value
lsp_get(vt_value v, const char *name)
{
	return vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), name) : VT_UNDEF;
}

vt_value
lsp_at(vt_value v, const char *a, const char *b)
{
	return lsp_get(lsp_get(v, a), b);
}

const char *
lsp_text(vt_value v, const char *name)
{
	vt_value t = lsp_get(v, name);

	return vt_is(t, STR) ? vt_as_str(t)->s : NULL;
}

int64_t
lsp_int(vt_value v, const char *name, int64_t absent)
{
	vt_value t = lsp_get(v, name);
	int64_t n;

	return vt_is_integer(t) && vt_int_fits(t, &n) ? n : absent;
}

bool
lsp_read_position(vt_value v, lsp_position *p)
{
	int64_t line = lsp_int(v, "line", -1), character = lsp_int(v, "character", -1);

	if (line < 0 || character < 0)
		return false;
	p->line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
	p->character = character > UINT32_MAX ? UINT32_MAX : (uint32_t)character;
	return true;
}

void
lsp_put_text(vt_buf *b, const char *text)
{
	vt_put_json_repaired(b, text, strlen(text));
	vt_buf_put(b, "", 0); /* closes the text */
}

void
lsp_put_id(vt_buf *b, vt_value id)
{
	int64_t n;

	if (vt_is(id, STR))
		vt_json_str(b, vt_as_str(id)->s, vt_as_str(id)->bytes);
	else if (vt_is_integer(id) && vt_int_fits(id, &n))
		vt_buf_printf(b, "%" PRId64, n);
	else
		vt_buf_puts(b, "null");
	vt_buf_put(b, "", 0); /* closes the text */
}
