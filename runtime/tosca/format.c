/* format.c - what `vetro tosca -f` and `deploy topology -f` know. */
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"
#include "runtime/tosca/tosca.h"

#include <string.h>

static bool
put_topology(vt_tosca *t, vt_buf *b, bool pretty, char **why)
{
	vt_tosca_put_topology(t, b, pretty);
	return true;
}

static bool
put_clout(vt_tosca *t, vt_buf *b, bool pretty, char **why)
{
	vt_tosca_put_clout(t, b, pretty);
	return true;
}

static bool
put_yaml(vt_tosca *t, vt_buf *b, bool pretty, char **why)
{
	vt_value v;
	vt_tosca_topology(t, &v);
	vt_yaml_write(t->rt, b, v);
	vt_release(v);
	return true;
}

static bool
put_dot(vt_tosca *t, vt_buf *b, bool pretty, char **why)
{
	vt_tosca_dot(t, b);
	return true;
}

const vt_tformat vt_tformats[] = {
	{"topology", put_topology},
	{"clout", put_clout},
	{"mugl", vt_tosca_mugl},
	{"yaml", put_yaml},
	{"dot", put_dot},
	{NULL, NULL},
};

const vt_tformat *
vt_tosca_find_format(const char *name)
{
	for (const vt_tformat *f = vt_tformats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

void
vt_tosca_format_names(vt_buf *b)
{
	for (const vt_tformat *f = vt_tformats; f->name; f++)
		vt_buf_printf(b, "%s%s",
			f == vt_tformats ? ""
			: f[1].name      ? ", "
					 : " and ",
			f->name);
}
