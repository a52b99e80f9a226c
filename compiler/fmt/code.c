/*
 * code.c - where MuranoPL has expressions: bodies, contracts and defaults.
 *
 * These are plain scalars, and those of the tag !yaql.
 * Elsewhere a plain text may look like an expression and be meant as it is written.  Words with
 * operators (m1-small) are text in a default too, so only what has a variable or a call counts.
 */
#include "compiler/fmt/int.h"

#include <string.h>

static bool
is_key(const fmt_node *key, const char *name)
{
	return key->shape == FMT_SCALAR && key->raw.n == strlen(name) &&
	       memcmp(key->raw.p, name, key->raw.n) == 0;
}

/* Text in quotes is text, unless a tag says otherwise. */
static bool
is_yaql(const fmt_node *node)
{
	static const char tag[] = "!yaql";

	return node->props.n == sizeof tag - 1 && memcmp(node->props.p, tag, node->props.n) == 0;
}

static void
mark_scalar(fmt_node *node)
{
	node->code =
		((node->plain && !node->props.n) ||
			((node->plain || node->quote) && is_yaql(node))) &&
		(memchr(node->raw.p, '$', node->raw.n) || memchr(node->raw.p, '(', node->raw.n));
}

/* All below is code. */
static void
mark_all(fmt_node *node)
{
	if (node->shape == FMT_SCALAR && node->raw.n)
		mark_scalar(node);
	for (uint32_t i = 0; i < node->n; i++) {
		if (node->items[i].key)
			mark_all(node->items[i].key);
		mark_all(node->items[i].value);
	}
}

/* Looks for what is code in properties and methods. */
static void
mark_parts(fmt_node *node)
{
	for (uint32_t i = 0; i < node->n; i++) {
		fmt_item *it = &node->items[i];
		if (it->key && is_key(it->key, "Meta"))
			continue;
		if (it->key && (is_key(it->key, "Body") || is_key(it->key, "Contract") ||
				       is_key(it->key, "Default")))
			mark_all(it->value);
		else
			mark_parts(it->value);
	}
}

void
fmt_mark_code(fmt_file *file)
{
	for (uint32_t i = 0; i < file->n; i++) {
		fmt_node *root = file->documents[i].root;
		for (uint32_t k = 0; root->shape == FMT_MAP && k < root->n; k++)
			if (is_key(root->items[k].key, "Properties") ||
				is_key(root->items[k].key, "Methods"))
				mark_parts(root->items[k].value);
	}
}
