/*
 * lower.h - AST to IR.
 */
#ifndef VC_LOWER_LOWER_H
#define VC_LOWER_LOWER_H

#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/yaql/yaql.h"

/* ---- class.c, yaql.c: AST to IR ---- */
ir_module *vc_lower(vc *); /* all loaded packages */
/* layers are VT_L_* bits; opt fills the unit of the expression, so that emitted code carries its
 * options. */
typedef struct vc_query_opts {
	uint32_t layers;
	ir_options opt;
	const char *file;
	uint32_t passes_off;
} vc_query_opts;
ir_module *vc_lower_query(vc *, const yq_node *, const char *text, size_t n, const vc_query_opts *);

#endif
