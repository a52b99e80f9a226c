/* const.c - constants and names in emitted C. */
#include "compiler/emit/int.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "compiler/yaml/yaml.h"

#include <string.h>

static uint32_t
code_points(const char *s, uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		k += ((unsigned char)s[i] & 0xc0) != 0x80;
	return k;
}

static void
rehash(em *e)
{
	uint32_t cap = e->nhash ? e->nhash * 2 : 64;

	e->hash = vc_alloc(e->c, sizeof *e->hash * cap);
	e->nhash = cap;
	for (uint32_t i = 0; i < e->nstrs; i++) {
		uint32_t h = (uint32_t)vc_hash(e->c, e->strs[i].s, e->strs[i].n) & (cap - 1);
		while (e->hash[h])
			h = (h + 1) & (cap - 1);
		e->hash[h] = i + 1;
	}
}

/* number of the constant: s<N> */
static uint32_t
em_string(em *e, const char *s, uint32_t n)
{
	uint32_t h, points = code_points(s, n);

	if (e->nstrs * 2 >= e->nhash)
		rehash(e);
	for (h = (uint32_t)vc_hash(e->c, s, n) & (e->nhash - 1); e->hash[h];
		h = (h + 1) & (e->nhash - 1)) {
		const em_str *x = &e->strs[e->hash[h] - 1];
		if (x->n == n && memcmp(x->s, s, n) == 0)
			return e->hash[h] - 1;
	}
	vc_push(e->c, e->strs, e->nstrs) = (em_str){s, n};
	e->hash[h] = e->nstrs;
	if (!e->is_query && n == 1 && (unsigned char)*s < 128) {
		/* --emit=c prints several files in a row */
		vt_buf_printf(&e->consts, "#undef s%u\n#define s%u vt_one_character[%d]\n",
			e->nstrs - 1, e->nstrs - 1, *s);
		return e->nstrs - 1;
	}
	vt_buf_printf(&e->consts,
		"static const VT_STR_CONST(%u) s%u = {{VT_IMMORTAL, VT_K_STR, %s, 0}, %u, %u, "
		"0x%llxULL, ",
		n, e->nstrs - 1, points == n ? "VT_F_ASCII" : "0", n, points,
		(unsigned long long)vt_hash_bytes(s, n));
	ct_string(&e->consts, s, n);
	vt_buf_puts(&e->consts, "};\n");
	return e->nstrs - 1;
}

uint32_t
em_str_number(em *e, const char *s)
{
	return em_string(e, s, (uint32_t)strlen(s));
}

const char *
em_str_ref(em *e, const char *s)
{
	if (s == NULL)
		return "NULL";
	return vc_format(e->c, "(const vt_str *)&s%u", em_string(e, s, (uint32_t)strlen(s)));
}

bool
em_on_heap(const ir_const *k)
{
	return k->kind == IK_STR || (k->kind == IK_FLOAT && vt_float_word(k->f) == VT_UNDEF);
}

static const char *
float_ref(em *e, double d)
{
	uint32_t i;
	vt_value word = vt_float_word(d);
	vt_buf b = {0};
	vt_buf r = {0};

	if (word != VT_UNDEF)
		return vc_format(e->c, "((vt_value)0x%llxULL)", (unsigned long long)word);
	for (i = 0; i < e->nfloats; i++)
		if (memcmp(&e->floats[i], &d, sizeof d) == 0)
			return vc_format(e->c, "vt_mkptr(&f%u)", i);
	vc_push(e->c, e->floats, e->nfloats) = d;
	vt_float_repr(&r, d);
	vt_buf_putc(&r, '\0');
	vt_buf_printf(&b, "static const vt_float f%u = {{VT_IMMORTAL, VT_K_FLOAT, 0, 0}, %s};\n", i,
		d != d                        ? "(1e308 * 10) - (1e308 * 10)"
		: d > 1.7976931348623157e308  ? "1e308 * 10"
		: d < -1.7976931348623157e308 ? "-1e308 * 10"
					      : r.p);
	vt_buf_put(&e->consts, b.p, b.n);
	vt_buf_free(&b);
	vt_buf_free(&r);
	return vc_format(e->c, "vt_mkptr(&f%u)", i);
}

/* Each has a constant of its own: they are rare. */
static const char *
stamp_ref(em *e, const char *text)
{
	uint32_t n = e->serial++;
	vc_stamp s = {0};

	(void)vc_read_stamp(text, &s); /* who made the constant has looked */
	vt_buf_printf(&e->consts,
		"static const vt_datetime dt%u = {{VT_IMMORTAL, VT_K_DATETIME, 0, %s}, %lldLL, %d, "
		"%d, \"\"};\n",
		n, s.date ? "VT_DATE_ONLY" : "0", (long long)s.us, (int)s.offset, s.naive);
	return vc_format(e->c, "vt_mkptr(&dt%u)", n);
}

__extension__ typedef unsigned __int128 two_limbs;

/* n limbs times ten and the digit; how many there are then. */
static uint32_t
add_digit(uint64_t *limb, uint32_t n, unsigned digit)
{
	two_limbs carry = digit;
	for (uint32_t i = 0; i < n; i++) {
		carry += (two_limbs)limb[i] * 10;
		limb[i] = (uint64_t)carry;
		carry >>= 64;
	}
	if (carry != 0)
		limb[n++] = (uint64_t)carry;
	return n;
}

/* An integer of more than 62 bits as runtime/core/bigint.c has it. NULL: it is too long. */
const char *
em_big(em *e, const ir_const *k)
{
	enum { LIMBS = 16, DIGITS = 19 * LIMBS };
	uint64_t limb[LIMBS + 1];
	bool negative = k->s[0] == '-';
	const char *digits = k->s + negative;
	uint32_t n = 0, number;
	size_t long_ = strlen(digits);
	if (long_ == 0 || long_ > DIGITS || strspn(digits, "0123456789") != long_)
		return NULL;
	for (; *digits != '\0'; digits++)
		n = add_digit(limb, n, (unsigned)(*digits - '0'));
	if (n == 0 || (n == 1 && limb[0] <= (uint64_t)VT_INT_MAX + negative))
		return NULL;
	number = e->serial++;
	vt_buf_printf(&e->consts,
		"static const struct { vt_head h; int32_t size; uint64_t limb[%u]; } bi%u = "
		"{{VT_IMMORTAL, VT_K_BIGINT, 0, 0}, %s%u, {",
		n, number, negative ? "-" : "", n);
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(&e->consts, "%lluULL, ", (unsigned long long)limb[i]);
	vt_buf_printf(&e->consts, "}};\n");
	return vc_format(e->c, "vt_mkptr(&bi%u)", number);
}

const char *
em_value(em *e, const ir_const *k)
{
	switch ((enum ir_const_kind)k->kind) {
	case IK_NULL: return "VT_NULL";
	case IK_TRUE: return "VT_TRUE";
	case IK_FALSE: return "VT_FALSE";
	case IK_NOVALUE: return "VT_NOVALUE";
	case IK_INT: return vc_format(e->c, "vt_mkint(%lldLL)", (long long)k->i);
	case IK_FLOAT: return float_ref(e, k->f);
	case IK_STR: return vc_format(e->c, "vt_mkptr(&s%u)", em_string(e, k->s, k->n));
	case IK_STAMP: return stamp_ref(e, k->s);
	case IK_BIG: break;
	}
	return "VT_UNDEF";
}
