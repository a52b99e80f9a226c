/*
 * kinds.c - the table of kinds: kind.h.  A regular expression and a value of Lua have rows only in
 * programs that link what makes them.
 */
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"
#include "runtime/core/session.h"

/* A value of Lua exists where Lua is linked. */
static void
host_free(vt_head *h)
{
	const vt_foreign *f = vt_foreign_of(vt_mkptr(h));

	if (f == NULL)
		vt_linked.lua->free_host(h);
	else if (f->ops->drop != NULL)
		f->ops->drop(f->user);
}

const vt_kind_ops vt_kinds[VT_K_COUNT] = {
	[VT_K_TUPLE] = {.free = vt_list_free, .iterate = vt_iterate},
	[VT_K_LIST] = {.free = vt_list_free, .iterate = vt_iterate},
	[VT_K_DICT] = {.free = vt_dict_free, .iterate = vt_iterate},
	[VT_K_SET] = {.free = vt_set_free, .iterate = vt_iterate},
	[VT_K_ITER] = {.free = vt_iter_fini, .iterate = vt_iterate},
	[VT_K_VIEW] = {.free = vt_view_free, .iterate = vt_iterate},
	[VT_K_ORDERING] = {.free = vt_ordering_free, .iterate = vt_iterate},
	[VT_K_MEMO] = {.free = vt_memo_free, .iterate = vt_iterate},
	[VT_K_LAMBDA] = {.free = vt_lambda_fini},
	[VT_K_SCOPE] = {.free = vt_scope_fini},
	[VT_K_MAPPING] = {.free = vt_mapping_free},
	[VT_K_EXC] = {.free = vt_exc_fini},
	[VT_K_OBJECT] = {.equal = vt_object_equal,
		.hash = vt_object_hash,
		.repr = vt_object_repr,
		.json = vt_encode_result,
		.label = vt_object_label},
	[VT_K_CAST] = {.free = vt_cast_free,
		.equal = vt_object_equal,
		.hash = vt_object_hash,
		.repr = vt_object_repr,
		.json = vt_encode_result,
		.label = vt_object_label},
	[VT_K_TYPEREF] = {.hash = vt_typeref_hash,
		.repr = vt_typeref_repr,
		.json = vt_encode_result},
	[VT_K_REFLECT] = {.equal = vt_reflect_equal,
		.hash = vt_reflect_hash,
		.repr = vt_reflect_repr},
	[VT_K_REGEX] = {.free = vt_regex_free,
		.equal = vt_regex_equal,
		.hash = vt_regex_hash,
		.repr = vt_regex_repr},
	[VT_K_HOST] = {.free = host_free},
};
