/*
 * shared.c - expressions that several engines evaluate, each in a thread of its own.
 *
 * What is shared never changes after it is made, but for the count of its holders and for what the
 * lock of the module guards: text, options, table of operators, and the module in between of tree
 * and code.  An engine makes its code of that, once: constants, caches and counters are its own.
 */
#include "compiler/libvetro/int.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct vetro_shared {
	atomic_uint holders; /* who was given it, and programs of engines */
	char *text;
	size_t n;
	int64_t opt[NCOMPILED];
	uint32_t layers;
	yq_operators *operators; /* of its own, or NULL */
	qc_module *module;
};

static lv_source
source_of(vetro_shared *s)
{
	return (lv_source){.text = s->text,
		.n = s->n,
		.opt = s->opt,
		.layers = s->layers,
		.operators = s->operators,
		.shared = s,
		.module = s->module};
}

vetro_shared *
vetro_share(vetro_query *q, vetro_error **err)
{
	const program *p = lv_query_program(q);
	vetro_shared *s = vt_xmalloc(sizeof *s);
	qr_error failed = {.type = NULL};
	lv_source source;
	qr_request r;

	*s = (vetro_shared){.text = vt_xmalloc(p->n + 1), .n = p->n, .layers = p->layers};
	atomic_init(&s->holders, 1);
	memcpy(s->text, p->text, p->n + 1);
	memcpy(s->opt, p->opt, sizeof s->opt);
	if (p->operators != NULL)
		s->operators = yq_operators_new(p->operators);
	source = source_of(s);
	r = lv_request(&source);
	s->module = qc_module_new(&r, &failed);
	if (s->module != NULL)
		return s;
	(void)lv_take_error(err, &failed);
	vetro_shared_free(s);
	return NULL;
}

vetro_shared *
lv_shared_hold(vetro_shared *s)
{
	atomic_fetch_add_explicit(&s->holders, 1, memory_order_relaxed);
	return s;
}

vetro_query *
vetro_shared_query(vetro_engine *e, vetro_shared *s, vetro_error **err)
{
	qr_error failed = {.type = NULL};
	lv_source source = source_of(s);
	program *p = lv_program_get(e, &source, &failed);

	if (p != NULL)
		return lv_query_new(e, p);
	(void)lv_take_error(err, &failed);
	return NULL;
}

void
vetro_shared_free(vetro_shared *s)
{
	if (s == NULL || atomic_fetch_sub_explicit(&s->holders, 1, memory_order_acq_rel) != 1)
		return;
	qc_module_free(s->module);
	yq_operators_free(s->operators);
	free(s->text);
	free(s);
}
