/* format.c - what `vetro tosca -f` and `deploy topology -f` know. */
#include "runtime/core/base.h"
#include "runtime/core/value.h"
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

static const vt_tformat formats[] = {
	{"topology", put_topology},
	{"clout", put_clout},
	{"mugl", vt_tosca_mugl},
	{"yaml", put_yaml},
	{"dot", put_dot},
};

const vt_tformat *
vt_tosca_find_format(const char *name)
{
	for (size_t i = 0; i < VT_LEN(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return &formats[0];
}
