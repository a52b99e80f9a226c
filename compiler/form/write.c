/*
 * write.c - nodes of a definition as the text that the runtime reads (runtime/form/form.h).
 */
#include "compiler/form/int.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_EXPRESSIONS = 100000 };

bool
form_is_text(const ynode *n)
{
	return n != NULL && yn_is_str(n);
}

/* Words begin at capitals that follow anything else: "minURLs" is "min_urls". */
char *
form_snake(vc *c, const char *name)
{
	vt_buf b = {NULL, 0, 0};

	for (const char *p = name; *p != '\0'; p++) {
		bool upper = *p >= 'A' && *p <= 'Z';
		if (upper && p > name && !(p[-1] >= 'A' && p[-1] <= 'Z'))
			vt_buf_putc(&b, '_');
		vt_buf_putc(&b, upper ? (char)(*p + 32) : *p);
	}
	vt_buf_puts(&b, "");
	return vc_take(c, &b);
}

void
form_put_text(reader *r, const char *text)
{
	vt_json_str(&r->out, text, strlen(text));
}

char *
form_scalar_text(vc *c, const ynode *n)
{
	vt_buf b = {NULL, 0, 0};

	switch ((enum yn_type)n->type) {
	case YT_NULL: return vc_strdup(c, "None");
	case YT_BOOL: return vc_strdup(c, n->i ? "True" : "False");
	case YT_INT: return vc_strdup(c, n->digits);
	case YT_FLOAT: vt_float_repr(&b, n->f); return vc_take(c, &b);
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: break;
	}
	return vc_strndup(c, n->text, n->ntext);
}

/* Does it ask for anything but the words that it is written of? */
static bool
asks(const yq_node *n, bool *words)
{
	bool found = n->kind == YQ_VAR || n->kind == YQ_CALL || n->kind == YQ_INVOKE ||
		     n->kind == YQ_LIST || n->kind == YQ_MAP || n->kind == YQ_MAPPING;

	*words |= n->kind == YQ_KEYWORD;
	for (uint32_t i = 0; i < n->n; i++)
		found |= asks(n->kid[i], words);
	return found;
}

/* `my-app` is text minus text; comparisons of words are meant as such. */
static void
warn_of_words(reader *r, const ynode *n)
{
	bool words = false;

	if (!n->plain || asks(n->expr, &words) || !words)
		return;
	vc_report(r->c, VC_W1060, n->span,
		"this is an expression and not a text, because YAQL can read it");
	vc_hint(r->c, "quote it when it is meant as text: '%s'", n->text);
}

static void
put_expression(reader *r, const ynode *n)
{
	form_ui *ui = r->ui;

	if (ui->nexpr == MOST_EXPRESSIONS) {
		vc_report(r->c, VC_E1202, n->span, "the form has more than %d expressions",
			(int)MOST_EXPRESSIONS);
		return;
	}
	warn_of_words(r, n);
	vt_buf_printf(&r->out, "[\"x\",%u]", ui->nexpr);
	vc_push(r->c, ui->expr, ui->nexpr) = (form_expr){n, r->bare};
}

static void
put_scalar(reader *r, const ynode *n)
{
	switch ((enum yn_type)n->type) {
	case YT_NULL: vt_buf_puts(&r->out, "null"); return;
	case YT_BOOL: vt_buf_puts(&r->out, n->i ? "true" : "false"); return;
	case YT_INT: vt_buf_puts(&r->out, n->digits); return;
	case YT_FLOAT:
		if (isfinite(n->f)) {
			vt_float_repr(&r->out, n->f);
		} else {
			vt_buf_puts(&r->out, "[\"f\",");
			form_put_text(r, isnan(n->f) ? "nan" : n->f > 0 ? "inf" : "-inf");
			vt_buf_putc(&r->out, ']');
		}
		return;
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: vt_json_str(&r->out, n->text, n->ntext); return;
	}
}

/* Keys of attributes are words in any spelling, so they have to be texts. */
static void
put_key(reader *r, const ynode *key)
{
	if (!r->snake) {
		form_put(r, key);
	} else if (form_is_text(key)) {
		form_put_text(r, form_snake(r->c, key->text));
	} else {
		vc_report(r->c, VC_E1205, key->span, "a key of an attribute is no text");
		vc_hint(r->c, "quote it; choices with such keys are written as a list of pairs");
		vt_buf_puts(&r->out, "null");
	}
}

void
form_put(reader *r, const ynode *n)
{
	switch ((enum yn_kind)n->kind) {
	case YN_ERROR: vt_buf_puts(&r->out, "null"); return;
	case YN_SCALAR:
		if (n->is_expr)
			put_expression(r, n);
		else
			put_scalar(r, n);
		return;
	case YN_SEQ:
	case YN_MAP: break;
	}
	vt_buf_puts(&r->out, n->kind == YN_MAP ? "[\"d\"" : "[\"l\"");
	for (uint32_t i = 0; i < n->n; i++) {
		vt_buf_putc(&r->out, ',');
		if (n->kind == YN_MAP) {
			put_key(r, n->key[i]);
			vt_buf_putc(&r->out, ',');
		}
		form_put(r, n->item[i]);
	}
	vt_buf_putc(&r->out, ']');
}
