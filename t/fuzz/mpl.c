/*
 * Fuzz target: any bytes are a class file or give diagnostics; what was parsed can be printed and
 * checked. driver.c says how it is run.
 */
#include "compiler/base/base.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"
#include "t/fuzz/mpl_words.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A class keeps what every later phase relies on. */
static void
judge(const mpl_class *k)
{
	if (!k->name || !*k->name)
		abort();
	for (uint32_t i = 0; i < k->nprops; i++)
		if (!k->props[i]->name || !k->props[i]->contract || k->props[i]->usage > MPL_STATIC)
			abort();
	for (uint32_t i = 0; i < k->nmethods; i++)
		for (uint32_t a = 0; a < k->methods[i]->nargs; a++)
			if (!k->methods[i]->args[a].name || !k->methods[i]->args[a].contract)
				abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_buf b = {NULL, 0, 0};
	vc *c = vc_new();
	char *text = malloc(n + 1);
	mpl_package p = {
		.path = "fuzz", .name = "fuzz", .version = "0.0.0", .format = 104, .is_main = true};

	memcpy(text, data, n);
	text[n] = 0;
	c->limit.max_nodes = 20000;
	mpl_parse_file(c, &p, vc_source_new(c, "fuzz.yaml", text, n), "fuzz.Class");
	for (uint32_t i = 0; i < p.nclasses; i++)
		judge(p.classes[i]);
	mpl_dump(&b, &p);
	vt_buf_free(&b);
	vc_free(c);
	free(text);
	return 0;
}
