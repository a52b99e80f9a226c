/*
 * value.h - values: their representation, and what all kinds share.
 *
 * Sections name the file that implements them.
 */
#ifndef VT_CORE_VALUE_H
#define VT_CORE_VALUE_H

#include "vt.h"

#include "runtime/core/base.h"
#include "runtime/core/siphash.h"

#include <stdarg.h>
#include <stdbool.h>

#define unlikely(x) __builtin_expect(!!(x), 0)
#define likely(x) __builtin_expect(!!(x), 1)
#define VT_TRY(e) \
	do { \
		vt_status st_ = (e); \
		if (unlikely(st_ != VT_OK)) \
			return st_; \
	} while (0)
#define VT_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- heap.c, str.c, value.c: slab free lists ---- */
/*
 * Chunks of 64 KiB, aligned, whose header names the heap: freeing needs no session.  Sizes above
 * 512 bytes come from malloc (VT_F_LARGE).  Out of memory ends the process with status 3.
 */

typedef struct vt_heap vt_heap;
vt_heap *vt_heap_new(void);
void vt_heap_destroy(vt_heap *);
/* counted objects alive: a debug session fails when not 0 at its end */
uint64_t vt_heap_live(const vt_heap *);
/* A zeroed-header object of `size` bytes with rc 1. */
void *vt_alloc(vt_rt *, size_t size, enum vt_kind);
void vt_free_mem(void *head); /* gives the memory back; the kind's finaliser has run */
/* vt_free for kinds that hold others: runs the finaliser, now or, when they are nested deep,
 * later. */
void vt_free_with(vt_head *, void (*drop)(vt_head *));
void (*vt_finaliser(unsigned kind))(vt_head *); /* value.c; NULL: plain memory */
/* str.c: makes the bytes valid UTF-8. */
void vt_buf_repair(vt_buf *);

/* torture.c: is this allocation to fail? */
#ifdef VT_TORTURE
bool vt_torture_fails(void);
#else
#define vt_torture_fails() false
#endif

/* ---- representation of the kinds ---- */
/* DICT: insertion-ordered.  dict.c hides shapes and hashing behind these functions. */
typedef struct vt_dict vt_dict;
typedef struct vt_set vt_set; /* SET: insertion-ordered, hashed */

typedef struct vt_lambda {
	vt_head h;
	const vt_code *code; /* NULL: native below */
	vt_scope *scope;     /* counted; where the lambda was written */
	vt_status (*native)(vt_rt *, void *data, uint32_t n, const vt_value *args, vt_value *out);
	void (*native_free)(void *data);
	void *data;
	uint8_t method; /* Lambda[method]: called with the receiver as an argument */
} vt_lambda;

typedef struct vt_cast {
	vt_head h;
	vt_object *obj;
	vt_class *cls;
} vt_cast;

typedef struct vt_mapping {
	vt_head h;
	vt_value key, value;
} vt_mapping;
/* h.aux says what %Z shows: "UTC" at offset 0 and else nothing; UTC+hh:mm; the name in `zone`, set
 * only then. */
enum vt_zone { VT_ZONE_OFFSET, VT_ZONE_FIXED, VT_ZONE_NAMED };
#define vt_is_date(v) (vt_is(v, DATETIME) && vt_head_of(v)->aux == VT_DATE_ONLY)
typedef struct vt_view_obj {
	vt_head h;
	vt_value dict;
} vt_view_obj; /* h.aux: enum vt_view */
/* iterator and the tuple so far */
typedef struct vt_memo {
	vt_head h;
	vt_value source;
	vt_value seen;
} vt_memo;

#define VT_KIND(v) (vt_is_ptr(v) ? (int)vt_head_of(v)->kind : vt_is_float_word(v) ? VT_K_FLOAT : -1)
#define vt_is(v, K) \
	(VT_K_##K == VT_K_FLOAT ? vt_is_float(v) : vt_is_ptr(v) && vt_head_of(v)->kind == VT_K_##K)
#define VT_AS(T, v) ((T *)(uintptr_t)(v))
/* Of an OBJECT or a CAST. */
static inline vt_object *
vt_obj_of(vt_value v)
{
	return vt_is(v, CAST) ? VT_AS(vt_cast, v)->obj : VT_AS(vt_object, v);
}
/* A CAST to the object's own class: what find() gives.  The class is where vt_record has it. */
static inline bool
vt_casts_to_own(vt_value v)
{
	const vt_cast *c = VT_AS(vt_cast, v);

	return (const void *)c->cls == ((const vt_record *)(const void *)c->obj)->shape;
}
/* not bool */
static inline bool
vt_is_integer(vt_value v)
{
	return vt_is_int(v) || vt_is(v, BIGINT);
}
/* not bool */
static inline bool
vt_is_number(vt_value v)
{
	return vt_is_integer(v) || vt_is(v, FLOAT);
}
static inline bool
vt_is_sequence(vt_value v)
{
	return vt_is(v, TUPLE) || vt_is(v, LIST);
}

/* What counts of objects begin with: the store frees them. */
#define VT_OBJ_BIAS 0x40000000u

static inline bool
vt_is_leap(int y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

/* ---- str.c ---- */
/* Never 0; the emitter computes the same.  Nothing that outlives the program may depend on it. */
uint64_t vt_hash_bytes(const char *, size_t);
vt_value vt_str_new(vt_rt *, const char *, size_t bytes); /* bytes are valid UTF-8 */
vt_value vt_str_c(vt_rt *, const char *);
/* to be filled at *at with that many code points */
vt_value vt_str_room(vt_rt *, size_t bytes, uint32_t points, char **at);
vt_value vt_str_part(vt_rt *, const vt_str *of, const char *p, size_t n); /* [p, p + n) of it */
vt_value vt_str_character(const vt_str *, uint32_t i);                    /* it is ASCII */
void vt_str_parts(vt_rt *, const vt_str *, uint32_t n, const uint32_t *from, const uint32_t *to,
	vt_value *out);                                          /* the same of [from, to) each */
void vt_str_characters(const vt_str *, vt_value *to);            /* a text of each; it is ASCII */
vt_value vt_str_concat(vt_rt *, const vt_str *, const vt_str *); /* at most 2 GiB together */
vt_value vt_str_printf(vt_rt *, const char *, ...) VT_PRINTF(2, 3);
/* makes a string of the buffer and empties it */
vt_value vt_str_take(vt_rt *, vt_buf *);
static inline const vt_str *
vt_as_str(vt_value v)
{
	return VT_AS(vt_str, v);
}
/* A string's hash: 0 in the field means not computed yet. */
static inline uint64_t
vt_str_hash(const vt_str *s)
{
	if (unlikely(s->hash == 0))
		((vt_str *)(uintptr_t)s)->hash = vt_hash_bytes(s->s, s->bytes);
	return s->hash;
}
int vt_str_cmp(const vt_str *, const vt_str *); /* by code points */
bool vt_str_eq(const vt_str *, const vt_str *);
/* byte offset of a code point index; O(1) if ASCII */
size_t vt_str_offset(const vt_str *, uint32_t point);
/* code points [from, to); find and rfind remember places in a long text, unless rt is NULL */
struct vt_places;
struct vt_bigs;
/* Do the places hold the text, beside whoever else has it? */
bool vt_str_is_known(vt_rt *, const vt_str *);
void vt_places_free(struct vt_places *); /* str.c: NULL too; before the heap goes */
void vt_bigs_free(struct vt_bigs *);     /* const.c: the same */
/* The text at the end of the one in a variable that nobody else holds; false: nothing was done. */
bool vt_str_append(vt_rt *, vt_value *var, const vt_str *);
vt_value vt_str_sub(vt_rt *, const vt_str *, uint32_t from, uint32_t to);
/* code point index or -1 */
int64_t vt_str_find(vt_rt *, const vt_str *, const vt_str *needle, uint32_t from, uint32_t to);
int64_t vt_str_rfind(vt_rt *, const vt_str *, const vt_str *needle, uint32_t from, uint32_t to);
/* decodes one code point of valid UTF-8 */
/* As memmem(), for texts and what is looked for in them, both mostly short. */
const char *vt_find(const char *p, size_t n, const char *x, size_t m);
uint32_t vt_utf8_next(const char **p);
void vt_utf8_put(vt_buf *, uint32_t cp);
size_t vt_utf8_check(const char *, size_t);                 /* length of the valid prefix */
bool vt_utf8_count(const char *, size_t, uint32_t *points); /* false: not valid */

/* ---- unicode.c ---- */
/* full Unicode mapping, as str.upper() */
/* n bytes of UTF-8 in the other case, to where there is room for VT_CASE_GROWTH as many and
 * VT_CASE_ROOM more; where they end. */
enum { VT_CASE_GROWTH = 3, VT_CASE_ROOM = 8 };
char *vt_change_case(bool upper, const char *p, size_t n, char *to);
vt_value vt_str_upper(vt_rt *, const vt_str *);
vt_value vt_str_lower(vt_rt *, const vt_str *); /* with the final sigma rule */
bool vt_is_space(uint32_t cp);                  /* str.isspace() of one code point */
int vt_digit_value(uint32_t cp);                /* decimal digit of any script, or -1 */
bool vt_is_printable(uint32_t cp);              /* for repr */
bool vt_is_word(uint32_t cp);                   /* \w: letter, digit or underscore */

/* ---- dict.c, list.c, set.c ---- */
/* n items VT_UNDEF, to be filled */
vt_list *vt_list_new(vt_rt *, enum vt_kind tuple_or_list, uint32_t n);
vt_list *vt_list_grow(vt_rt *, enum vt_kind, uint32_t cap); /* n == 0, room for cap */
/* builder: only while rc == 1 */
void vt_list_push(vt_rt *, vt_list *, vt_value owned);
/* in place of item i, of a list that nobody else has */
void vt_list_put(vt_list *, uint32_t i, vt_value owned);
/* Of a list that nobody else has: its first k items go; room for n more items at a place, VT_UNDEF;
 * n items from a place on go. */
void vt_list_drop(vt_list *, uint32_t k);
void vt_list_open(vt_rt *, vt_list *, uint32_t at, uint32_t n);
void vt_list_close(vt_list *, uint32_t at, uint32_t n);
void vt_list_extend(vt_rt *, vt_list *, uint32_t n, const vt_value *items);   /* pushes copies */
vt_list *vt_list_and(vt_rt *, const vt_list *, uint32_t n, const vt_value *); /* of what is final */
vt_list *vt_list_join(vt_rt *, const vt_list *, const vt_list *);             /* a tuple of both */
/* Is every item of the list or tuple final? Then a tuple is marked, for it is final itself. */
bool vt_has_final_items(vt_value);
/* Pushes the items of another list, all final, to the end of one that is final and stays so. */
void vt_list_add_final(vt_rt *, vt_list *, const vt_list *more);
static inline vt_list *
vt_as_list(vt_value v)
{
	return VT_AS(vt_list, v);
}
/* a tuple of both */
vt_value vt_pair_of(vt_heap *, vt_value, vt_value);
/* takes the items over */
vt_list *vt_list_owned(vt_rt *, enum vt_kind, uint32_t n, const vt_value *);
/* the same, behind others; flags stay */
void vt_list_append(vt_rt *, vt_list *, uint32_t n, const vt_value *);
/* gives unused room back */
void vt_list_trim(vt_list *);
void vt_list_free(vt_head *);

vt_dict *vt_dict_new(vt_rt *, bool frozen);
vt_dict *vt_dict_new_cap(vt_rt *, bool frozen, uint32_t cap); /* room for cap pairs */
vt_dict *vt_dict_new_hashed(vt_rt *, bool frozen);            /* never takes a shape */
vt_dict *vt_dict_new_table(vt_rt *, bool frozen, uint32_t n); /* the same, with room for n pairs */
uint32_t vt_dict_len(const vt_dict *);
/* Asks the memory for what looking up these keys in a large table will touch. */
void vt_dict_warm(const vt_dict *, uint32_t n, const vt_value *key);
/* Borrowed value or VT_UNDEF.  An unhashable key is TypeError through the _set form only; the get
 * form treats it as absent, so check vt_hashable first where Python would raise. */
vt_value vt_dict_get(const vt_dict *, vt_value key);
vt_value vt_dict_get_str(const vt_dict *, const vt_str *key);
vt_value vt_dict_get_c(const vt_dict *, const char *key);
/* Fast path of `.name`: remembers shape and slot in the cache. */
vt_value vt_dict_get_ic(const vt_dict *, const vt_str *key, vt_ic *);
/* copies both; builder: while rc == 1 */
vt_status vt_dict_set(vt_rt *, vt_dict *, vt_value key, vt_value value);
void vt_dict_set_c(vt_rt *, vt_dict *, const char *key, vt_value owned);
/* Of a dict that nobody else has: the same, and it stays final. Both are final, or objects. */
vt_status vt_dict_put(vt_rt *, vt_dict *, vt_value key, vt_value value);
bool vt_dict_del(vt_rt *, vt_dict *, vt_value key);
/* Where the value of a key that is there stands, in a dict that is about to be changed; or NULL. It
 * stays there until another key comes in or goes. */
vt_value *vt_dict_slot(vt_dict *, vt_value key);
/* The values of a dictionary with a shape, to be changed in place; NULL for others. */
vt_value *vt_dict_record(vt_dict *, uint32_t *n);
/* for tests: places a lookup looks at */
uint32_t vt_dict_probes(const vt_dict *, vt_value key);
/* Iteration by position: 0 .. while it returns true; deleted entries are skipped inside. */
bool vt_dict_at(const vt_dict *, uint32_t *pos, vt_value *key, vt_value *value); /* borrowed */
/* What keys(), values() or items() of it gives from *pos on, as far as there is room; how many. */
uint32_t vt_dict_read(
	vt_rt *, const vt_dict *, enum vt_view, uint32_t *pos, uint32_t room, vt_value *out);
vt_dict *vt_dict_copy(vt_rt *, const vt_dict *, bool frozen);
static inline vt_dict *
vt_as_dict(vt_value v)
{
	return VT_AS(vt_dict, v);
}
void vt_dict_free(vt_head *);
struct vt_shapes;
struct vt_shapes *vt_shapes_new(void);
void vt_shapes_destroy(struct vt_shapes *);

vt_set *vt_set_new(vt_rt *);
uint32_t vt_set_len(const vt_set *);
bool vt_set_has(const vt_set *, vt_value);
bool vt_set_within(const vt_set *, const vt_set *of); /* are all of the first in the other? */
void vt_set_warm(const vt_set *, uint32_t n, const vt_value *key); /* as vt_dict_warm */
/* Adds the members that `filter` has (wanted) or has not; filter NULL: all. */
void vt_set_take(vt_rt *, vt_set *to, const vt_set *from, const vt_set *filter, bool wanted);
vt_status vt_set_add(vt_rt *, vt_set *, vt_value); /* TypeError: unhashable */
bool vt_set_del(vt_set *, vt_value);
bool vt_set_at(const vt_set *, uint32_t *pos, vt_value *item);
static inline vt_set *
vt_as_set(vt_value v)
{
	return VT_AS(vt_set, v);
}
void vt_set_free(vt_head *);

/* ---- quota.c ---- */
/* Takes the size of the value as it would be written from *left; what it has twice counts twice.
 * False: there is not so much left. */
bool vt_takes_at_most(vt_value, uint64_t *left);

/* ---- message.c: messages on standard error, without what a terminal would obey ---- */
void vt_report_line(vt_buf *); /* a line; takes the buffer */
/*
 * What a program logs or reports; takes the buffer.  Its lines after the first are indented, so no
 * text can pass for another record.
 */
void vt_report_record(vt_buf *);
/* One line; a line end in it is shown as \n: nothing that it quotes begins a line. */
void vt_report_event(vt_buf *);
/* What all of these report goes to this file too, as the log of a run; NULL: not any more. */
void vt_report_log(FILE *);
bool vt_report_is_logged(void);
void vt_report_event_quietly(vt_buf *); /* for the log alone */
/* as it is: with its line's end, or the beginning of a line */
void vt_say(const char *, ...) VT_PRINTF(1, 2);
void vt_vsay(const char *, va_list);

/* ---- hash.c: equal values have equal hashes ---- */
bool vt_hashable(vt_value);
uint64_t vt_hash(vt_value);                 /* of a hashable value */
bool vt_hash_try(vt_value, uint64_t *hash); /* false: unhashable */
/* of a hashable value; nobody can foresee it */
uint64_t vt_hash_word(const vt_seed *, uint64_t kind, uint64_t word); /* for vt_kinds */
uint64_t vt_hash_keyed(const vt_seed *, vt_value);
/* the lowest first */
uint64_t vt_hash_magnitude(const vt_seed *, const uint64_t *limb, size_t n, bool negative);

/* ---- value.c: what all kinds share ---- */
/* below it equality, hashing and text stop */
enum { VT_VALUE_DEPTH = 1000 };
/* Python == without a session: same as vt_equal */
bool vt_eq(vt_value a, vt_value b);
/* as containers compare items: identical or equal */
bool vt_same(vt_value a, vt_value b);
bool vt_is_final(vt_value); /* nothing for vt_final to do */
/* raises TypeError: unhashable type: 'list' */
vt_status vt_unhashable(vt_rt *, vt_value);
/* ISO 8601 as str(datetime) shows it, with `sep` between date and time; str(timedelta). */
void vt_datetime_text(vt_buf *, const vt_datetime *, char sep);
vt_value vt_datetime_value(vt_rt *, int64_t us, int32_t offset, bool naive);
vt_value vt_timespan_value(vt_rt *, int64_t us);
void vt_civil(int64_t us, int *y, int *mo, int *d, int *h, int *mi, int *s, int *frac);
void vt_civil_date(int64_t days, int *y, int *mo, int *d);
/* midnight, microseconds since 0001-01-01 */
int64_t vt_civil_us(int y, int mo, int d);
int vt_days_in_month(int year, int month);
/* "int", "str", "tuple", "FrozenDict" ... as Python names it */
const char *vt_py_type(vt_value);
void vt_repr(vt_rt *, vt_buf *, vt_value);  /* Python repr() */
void vt_pystr(vt_rt *, vt_buf *, vt_value); /* Python str(): True, None, (1, 'a') */
/* YAQL str(): true, null at top level, else Python str() */
void vt_yaqlstr(vt_rt *, vt_buf *, vt_value);
/* murano helpers.format_scalar: strings in '', the rest str() */
void vt_format_scalar(vt_rt *, vt_buf *, vt_value);

/* What Python takes for a set: also a dict's keys and items. */
static inline bool
vt_is_set_like(vt_value v)
{
	return vt_is(v, SET) || (vt_is(v, VIEW) && vt_head_of(v)->aux != VT_VIEW_VALUES);
}

/* vt_final of a value that is given away, also on error. */
static inline vt_status
vt_final_own(vt_rt *rt, const vt_unit *u, vt_value owned, vt_value *out)
{
	vt_status st;
	if (likely(!vt_is_ptr(owned) || vt_head_of(owned)->kind <= VT_K_STR ||
		    (vt_head_of(owned)->flags & VT_F_FINAL))) {
		*out = owned;
		return VT_OK;
	}
	st = vt_final_held(rt, u, &owned, out);
	vt_release(owned);
	return st;
}

/* ---- exception.c ---- */
void vt_exc_fini(vt_head *);

/* ---- value.c ---- */

void vt_mapping_free(vt_head *);
void vt_view_free(vt_head *);
void vt_memo_free(vt_head *);

#endif
