/*
 * text.h - JSON, YAML, dates and Python's regular expressions as texts of values.
 */
#ifndef VT_TEXT_TEXT_H
#define VT_TEXT_TEXT_H

#include "vt.h"

#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <stdbool.h>

/* ---- datetime_format.c, regex.c ---- */
/* Hooks of kinds that other files own; absent in a program that has no such values. */
void vt_regex_free(vt_head *) __attribute__((weak));
bool vt_regex_equal(vt_value, vt_value) __attribute__((weak));
/* NULL: the plain hash */
uint64_t vt_regex_hash(vt_value, const vt_seed *) __attribute__((weak));
void vt_regex_repr(vt_buf *, vt_value) __attribute__((weak));
/* {"$regex": ..,"flags": ..} */
void vt_regex_json(vt_buf *, const vt_head *) __attribute__((weak));
vt_status vt_regex_make(vt_rt *, vt_value pattern, int64_t flags, vt_value *out)
	__attribute__((weak));
/* forgets the session's compiled expressions */
void vt_regex_drop(vt_rt *) __attribute__((weak));
/* format(datetime, spec) */
vt_status vt_datetime_strftime(vt_rt *, vt_buf *, const vt_datetime *, const char *format, size_t);

/* ---- json_read.c, json_write.c, yaml_read.c, yaml_write.c ---- */
/*
 * Reads one JSON text (RFC 8259; NaN and Infinity refused) into FrozenDict and TUPLE values, or,
 * with VT_JSON_MUTABLE, dict and list.  VT_JSON_TAGGED decodes the value encoding of the
 * conformance suite ({"$int": ..}, {"$set": ..}, {"$datetime": ..}, {"$gen": ..} ...).  On failure
 * *err is a malloc'd message "line L column C: ..." and the result false.  Depth is limited to
 * max_depth (0: 1000).
 */
enum {
	VT_JSON_MUTABLE = 1,
	VT_JSON_TAGGED = 2,
	VT_JSON_TUPLES = 32 /* writer: TUPLE is {"$tuple": ..} */,
	VT_JSON_PYTHON = 64 /* reader: NaN, Infinity and -Infinity, as json.loads() takes them */
};
bool vt_json_read(
	vt_rt *, const char *, size_t, int flags, uint32_t max_depth, vt_value *out, char **err);
/* Reads the value at the front of a text; *used is where it ends (blanks behind it are not used).
 * A number that ends where the text ends might go on in the next piece: who streams pieces asks
 * again with more. */
bool vt_json_read_prefix(vt_rt *, const char *, size_t, int flags, uint32_t max_depth,
	vt_value *out, size_t *used, char **err);
/* Writes JSON; VT_JSON_TAGGED encodes what JSON cannot hold, else sets become arrays, datetimes
 * strings. */
enum { VT_JSON_PRETTY = 4, VT_JSON_SORT = 8, VT_JSON_ASCII = 16, VT_JSON_TAB = 128 };
#define VT_JSON_INDENT(n) ((n) << 8) /* by 1 to 15 spaces; else by 2 */
/* --compact, --tab and --indent, which is -1 where it was not given, as flags */
static inline int
vt_json_layout(bool compact, bool tab, int indent)
{
	return compact || indent == 0 ? 0
	       : tab                  ? VT_JSON_PRETTY | VT_JSON_TAB
				      : VT_JSON_PRETTY | VT_JSON_INDENT(indent < 0 ? 2 : indent);
}
void vt_json_line(vt_buf *, int flags, uint32_t depth); /* VT_JSON_PRETTY: a line begins */
void vt_json_write(vt_rt *, vt_buf *, vt_value, int flags);
/* To a file, in pieces: without the whole text in memory. Errors are the file's.  An ITER whose aux
 * is one of these stands for a list of what it gives, or for a dict whose keys and values it gives
 * by turns; it begins anew behind its end, and does not fail. */
enum { VT_PARTS_LIST = 0x4000, VT_PARTS_DICT };
void vt_json_print(vt_rt *, FILE *, vt_value, int flags);
/* The same with null for floats that JSON cannot hold. False: there was one. */
bool vt_json_write_finite(vt_rt *, vt_buf *, vt_value, int flags);
/* inside of so many containers */
void vt_json_write_at(vt_rt *, vt_buf *, vt_value, int flags, uint32_t depth);
/* yaml_write.c: reads back as the same, by YAML 1.1 and 1.2 */
void vt_yaml_write(vt_rt *, vt_buf *, vt_value);
void vt_json_str(vt_buf *, const char *, size_t); /* a quoted, escaped string */
/* page.c: a page of HTML that shows a graph; the data as templates/graph/page.html reads them. */
void vt_put_graph_page(vt_buf *, const char *json, size_t);
/* Lays out JSON that comes in pieces, in one line each, as vt_json_write() would have.  Starts as
 * {flags}. */
typedef struct vt_json_pieces {
	int flags;
	uint32_t depth;
	bool in_text, escaped, opened;
} vt_json_pieces;
void vt_json_lay_out(vt_json_pieces *, vt_buf *, const char *, size_t);
/* yaml_read.c: one small document of JSON's types; *err (malloc'd: line, column, why) when it is
 * none. */
bool vt_yaml_read(vt_rt *, const char *, size_t, vt_value *out, char **err);
/* The members of such a document, or of an empty one. plain: v is the text of a scalar without
 * quotes, whose type is for the caller to find. */
typedef void vt_yaml_entry(void *ctx, const char *name, vt_value v, bool plain);
bool vt_yaml_entries(vt_rt *, const char *, size_t, vt_yaml_entry *, void *ctx, char **err);

/* ---- regex.c, regex_dfa.c, regex_parse.c, regex_token.c: Python's re ---- */
enum {
	VT_RE_IGNORECASE = 2,
	VT_RE_MULTILINE = 8,
	VT_RE_DOTALL = 16,
	VT_RE_UNICODE = 32,
	VT_RE_VERBOSE = 64,
	VT_RE_ASCII = 256
};
typedef struct vt_regex_name {
	vt_value name;
	uint32_t group;
} vt_regex_name;
/* What a pattern becomes for PCRE2; names own their strings. */
typedef struct vt_regex_source {
	vt_buf text;
	int64_t flags;
	uint32_t ngroups, nnames;
	vt_regex_name *names;
} vt_regex_source;
/* re.error */
vt_status vt_regex_translate(vt_rt *, const vt_str *pattern, int64_t flags, vt_regex_source *out);
void vt_regex_source_free(vt_regex_source *);
typedef struct vt_regex {
	vt_head h;
	int64_t flags; /* as Pattern.flags shows them */
	vt_value pattern;
	uint32_t ngroups, nnames; /* groups are numbered from 1 */
	vt_regex_name *names;
	uint32_t used;              /* matches so far, until it is worth machine code */
	void *code, *match;         /* of PCRE2 */
	struct vt_dfa *dfa;         /* or NULL */
	struct vt_letters *letters; /* an expression that is a class of characters; or NULL */
	uint32_t matches;           /* that were asked for one by one, up to some */
} vt_regex;
/* regex_dfa.c: an automaton for a simple expression without flags, or NULL; does it match anywhere
 * in a text of ASCII? -1: it has become too large, and is of no use any more. */
struct vt_dfa *vt_dfa_new(const vt_str *pattern);
void vt_dfa_free(struct vt_dfa *);
int vt_dfa_test(struct vt_dfa *, const char *, uint32_t n);
/* Does it match anywhere? Of these bytes, which are valid UTF-8. */
vt_status vt_regex_test(vt_rt *, vt_regex *, const char *, uint32_t n, bool ascii, bool *found);
#define VT_RE_UNSET ((size_t)-1)
/* Searches from a byte offset on. *spans: NULL, or start and end of each group, [0] the whole;
 * until the next call. */
vt_status vt_regex_match(vt_rt *, vt_regex *, const vt_str *, size_t from, bool no_empty_first,
	const size_t **spans);
bool vt_is_identifier(const vt_str *); /* str.isidentifier() */

/* Room for the text of a result, which is given back empty. */
vt_buf vt_regex_take_room(vt_rt *);
void vt_regex_give_room(vt_rt *, vt_buf *);
/* The text with another one for each match, at most so many (0: all), where the expression is a
 * class of characters.  False: it is none, or not yet known to be one. */
bool vt_regex_replace_letters(
	vt_rt *, vt_regex *, const vt_str *, int64_t most, const char *with, size_t n, vt_buf *);
/* ---- jsonpatch.c, regex.c, regex_dfa.c ---- */
/* jsonpatch.c: tuples and lists are alike */
bool vt_json_equal(vt_value, vt_value);

/* Bytes that lie somewhere; valid UTF-8. */
typedef struct vt_text {
	const char *p;
	uint32_t n, points;
} vt_text;
/* regex.c, absent in a program without expressions: which texts, or strings where v != NULL, match
 * the pattern; *done: how many were looked at. */
void vt_regex_texts(vt_rt *, const vt_str *pattern, bool wanted, uint32_t n, const vt_value *v,
	const vt_text *, vt_value *out, uint32_t *done) __attribute__((weak));
/* The first match in each text, as far as nothing fails: where `most` groups begin and end, the
 * match itself first.  VT_SPAN_NONE: there is no match, or no such group in it.  How many texts. */
#define VT_SPAN_NONE UINT32_MAX
uint32_t vt_regex_spans(vt_rt *, const vt_str *pattern, int64_t flags, uint32_t n, const vt_text *,
	uint32_t most, uint32_t *spans) __attribute__((weak));
/* Of all matches the text of a group, or (what) rows of all groups, or where the groups begin and
 * end, -1: nowhere.  False: it fails, or there are not so many groups, VT_GROUPS_MOST at most, the
 * match itself one of them. */
bool vt_regex_all(vt_rt *, vt_regex *, const vt_str *, uint32_t groups, int64_t what, vt_list *to)
	__attribute__((weak));
/* How many pieces split() makes of the text; -1: it fails. */
int64_t vt_regex_pieces(vt_rt *, vt_regex *, const vt_str *) __attribute__((weak));
/* regex_dfa.c: the same as vt_regex_texts(), up to the first that the automaton is not for. */
uint32_t vt_dfa_column(struct vt_dfa *, bool wanted, uint32_t n, const vt_value *v, const vt_text *,
	vt_value *out);
static inline vt_text
vt_text_of(const vt_str *x)
{
	return (vt_text){x->s, x->bytes, x->points};
}

#endif
