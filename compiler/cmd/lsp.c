/*
 * lsp.c - `vetro lsp`: the server over what `vetro check` does.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/lsp/lsp.h"

static enum lsp_kind
kind(void *ctx, vc *c, const char *path)
{
	return cmd_kind_of(c, path, ctx);
}

static void
check(void *ctx, vc *c, const char *const *sources, uint32_t nsources, const char *const *search,
	uint32_t n)
{
	cmd_options o = *(const cmd_options *)ctx;
	vt_cli_list paths = {NULL, 0};

	for (uint32_t i = 0; i < o.paths.n; i++)
		vc_push(c, paths.v, paths.n) = o.paths.v[i];
	for (uint32_t i = 0; i < n; i++)
		vc_push(c, paths.v, paths.n) = search[i];
	o.line.words = (vt_cli_list){(const char **)(uintptr_t)sources, nsources};
	o.paths = paths;
	cmd_check_all(c, &o);
}

int
cmd_lsp(cmd_options *o)
{
	return lsp_serve(&(lsp_host){o, o->paths.v, o->paths.n, kind, check});
}
