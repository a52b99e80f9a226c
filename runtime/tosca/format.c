/* format.c - what `vetro tosca -f` and `deploy topology -f` know. */
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/text/report.h"
#include "runtime/text/text.h"
#include "runtime/tosca/tosca.h"

#include <string.h>

static bool
put_topology(vt_tosca *t, vt_buf *b, int flags, char **why)
{
	vt_tosca_put_topology(t, b, flags);
	return true;
}

static bool
put_clout(vt_tosca *t, vt_buf *b, int flags, char **why)
{
	vt_tosca_put_clout(t, b, flags);
	return true;
}

static bool
put_yaml(vt_tosca *t, vt_buf *b, int flags, char **why)
{
	vt_value v;
	vt_tosca_topology(t, &v);
	vt_yaml_write(t->rt, b, v);
	vt_release(v);
	return true;
}

static bool
put_dot(vt_tosca *t, vt_buf *b, int flags, char **why)
{
	vt_tosca_dot(t, b);
	return true;
}

/* The name of the service's file. */
static const char *
title_of(const vt_tosca *t)
{
	const vt_tservice *s = &t->m->service[t->m->root];
	const char *path = s->nodes.n ? t->m->file[t->m->node[s->nodes.first].place.file] : NULL,
		   *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "service";
}

/* A page has to be whole before anything is written of it. */
static bool
put_html(vt_tosca *t, vt_buf *b, int flags, char **why)
{
	vt_buf data = {NULL, 0, 0};
	void (*full)(vt_buf *) = t->full;
	const char *name = title_of(t);
	t->full = NULL;
	vt_buf_puts(&data, "{\"title\":");
	vt_put_json_repaired(&data, name, strlen(name));
	vt_buf_puts(&data, ",\"topology\":");
	vt_tosca_put_page_topology(t, &data);
	vt_buf_putc(&data, '}');
	vt_put_graph_page(b, data.p, data.n);
	vt_buf_free(&data);
	t->full = full;
	return true;
}

static const vt_tformat formats[] = {
	{"topology", put_topology},
	{"clout", put_clout},
	{"mugl", vt_tosca_mugl},
	{"yaml", put_yaml},
	{"dot", put_dot},
	{"html", put_html},
};

const vt_tformat *
vt_tosca_find_format(const char *name)
{
	for (size_t i = 0; i < VT_LEN(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return &formats[0];
}
