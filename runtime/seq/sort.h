/* sort.h - the order of rows by columns of numbers or texts: sort.c. */
#ifndef VT_SORT_H
#define VT_SORT_H

#include "runtime/core/value.h"

/*
 * The stable order of n rows by m columns, the first decides first; bit k of `down` turns the k-th.
 * False: a column is neither of small integers alone nor of texts alone.  Where *exact comes out
 * false, rows may stand beside each other in an order that nobody looked at: tied[i] is then 1 when
 * the i-th row in `order` is one of those and so is the one before it.  The columns are written
 * over.
 */
bool vt_sort_columns(vt_rt *rt, uint32_t n, uint32_t m, vt_value *const *column, uint64_t down,
	uint32_t *order, bool *exact, uint8_t *tied);

/* The stable order of at most VT_ORDER_FEW keys: each is compared with each, and nothing that a
 * comparison says decides a branch.  False: they are not numbers alone, or texts alone, or only
 * what texts say behind their first eight bytes would tell. */
enum { VT_ORDER_FEW = 16 };
bool vt_order_few(uint32_t n, const vt_value *key, bool down, uint8_t *order);

#endif
