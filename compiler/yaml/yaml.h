/*
 * yaml.h - YAML text to a tree of nodes, each of which knows its bytes in the file.
 */
#ifndef VC_YAML_YAML_H
#define VC_YAML_YAML_H

#include "compiler/base/base.h"
#include "compiler/yaql/yaql.h"
#include "runtime/core/value.h"

/* ---- map.c, scalar.c, yaml.c: events to YNode ---- */
enum yn_kind { YN_SCALAR, YN_SEQ, YN_MAP, YN_ERROR };
/* What a plain scalar means to PyYAML (YAML 1.1), and !!tags. */
/* A date or time of YAML: false when there is no such day or time. */
typedef struct vc_stamp {
	int64_t us;
	int32_t offset;
	bool naive, date;
} vc_stamp;
bool vc_read_stamp(const char *, vc_stamp *);
enum yn_type { YT_STR, YT_NULL, YT_BOOL, YT_INT, YT_FLOAT, YT_DATE, YT_DATETIME, YT_BINARY };
/* value[at..] stands at src in the file */
typedef struct yn_piece {
	uint32_t at;
	uint32_t src;
} yn_piece;
typedef struct ynode ynode;
struct ynode {
	uint8_t kind;   /* enum yn_kind */
	uint8_t type;   /* enum yn_type, of a scalar */
	bool plain : 1; /* scalar without quotes, block style or explicit tag */
	/* a YAQL expression by the plain-scalar rule (C9) or !yaql; expr is its AST */
	bool is_expr : 1;
	bool flow : 1;
	bool fits : 1;     /* YT_INT fits int64; digits has it in any case */
	bool verbatim : 1; /* the text is the bytes from span.from on: there is no map */
	bool merge : 1;    /* a key that has the tag !!merge */
	bool literal : 1;  /* made here: a map that calls nothing, whatever its key is */
	uint32_t n;        /* of items */
	vc_span span;
	const char *text; /* scalar: the decoded value, closed by NUL */
	uint32_t ntext, nmap;
	union {
		ynode **item;         /* sequence items; map values */
		const char *digits;   /* YT_INT: decimal text */
		struct yq_node *expr; /* is_expr */
	};
	union {
		/* map keys; duplicates keep the last value at the first place, as PyYAML does */
		ynode **key;
		/* nmap is not 0: piecewise map from text to source offsets; numbers have none */
		yn_piece *map;
		int64_t i; /* YT_INT (when it fits), YT_BOOL */
		double f;  /* YT_FLOAT */
	};
};
/* All documents of a source.  Without options: YAML 1.1 as PyYAML reads it, empty documents are
 * dropped, no expression but behind !yaql. */
typedef struct vc_yaml_opts {
	bool expressions; /* plain scalars are tried as YAQL: rule C9 */
	bool core;        /* YAML 1.2: scalars by its core schema, keys may not repeat, any key */
	bool keys_once;   /* a key that stands twice is a fault and no warning */
	bool keep_empty;  /* gives documents that are null, empty or 0 as well */
	unsigned flags;   /* of expressions, those of !yaql too: YQ_F_* */
} vc_yaml_opts;
ynode **vc_yaml_parse(vc *, vc_source *, const vc_yaml_opts *, uint32_t *n);
ynode *yn_get(const ynode *map, const char *key); /* value or NULL */
ynode *yn_key(const ynode *map, const char *key); /* the key node or NULL */
/* source offset of a byte of the decoded text */
uint32_t yn_offset(const ynode *, uint32_t in_text);
vc_span yn_subspan(const ynode *, uint32_t from, uint32_t to); /* source span of text[from..to) */
/* a scalar of type YT_STR that is no expression */
bool yn_is_str(const ynode *);
void yn_dump(vt_buf *, const ynode *, int indent); /* --emit=yaml */

/* ---- make.c: YAML under construction; `at` is the node that it stands for ---- */
/* The name of a function that a text like "{ get_input: x }" seems to call; NULL: it does not. */
const char *yn_called_in_text(const char *, size_t *n);
ynode *yn_make_map(vc *, const ynode *at);
ynode *yn_make_list(vc *, const ynode *at);
ynode *yn_make_text(vc *, const ynode *at, const char *);
ynode *yn_make_int(vc *, const ynode *at, int64_t);
void yn_put(vc *, ynode *map, const char *key, ynode *value); /* the key has the value's place */
void yn_put_key(vc *, ynode *map, ynode *key, ynode *value);
void yn_add(vc *, ynode *list, ynode *item);

/* ---- value.c ---- */
vt_value yn_value(vt_rt *, const ynode *); /* as JSON has it; errors are null */

#endif
