/*
 * lsp.h - a server of the Language Server Protocol 3.17 over standard input and output.
 *
 * The server knows documents, positions and requests.  What is wrong in a source is asked of the
 * host, which is `vetro check`.
 */
#ifndef VC_LSP_LSP_H
#define VC_LSP_LSP_H

#include "compiler/base/base.h"

/* What a file is to the host. */
enum lsp_kind { LSP_OTHER, LSP_PACKAGE, LSP_TOSCA, LSP_HEAT, LSP_YAY, LSP_WORKFLOW, LSP_KINDS };

typedef struct lsp_host {
	void *ctx;
	const char *const *paths; /* of -I */
	uint32_t npaths;
	/* By name and content; LSP_OTHER: nothing that is checked. */
	enum lsp_kind (*kind)(void *ctx, vc *, const char *path);
	/* Reports to the compilation all that `vetro check -I SEARCH... PATH...` would. */
	void (*check)(void *ctx, vc *, const char *const *paths, uint32_t npaths,
		const char *const *search, uint32_t n);
} lsp_host;

/* Serves until the client says exit, or ends.  The exit status: 0 after `shutdown`, else 1. */
int lsp_serve(const lsp_host *);

#endif
