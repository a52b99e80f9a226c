/*
 * entity.h - what a file of TOSCA is read into (read.c): entities, whose keynames keys.def has, and
 * a lookup for long lists of them (index.c).
 */
#ifndef TOSCA_ENTITY_H
#define TOSCA_ENTITY_H

#include "compiler/base/base.h"
#include "compiler/yaml/yaml.h"
#include "runtime/abi/vt_tosca.h"

/* ---- keys.def: entities and keynames ---- */
enum te_kind {
#define ENTITY(sym, noun, shorthand) TE_##sym,
#define KEY(entity, name, reader, of, versions, flags)
#include "compiler/tosca/keys.def"
#undef ENTITY
#undef KEY
	TE_KINDS
};
/* How the value of a keyname is read. */
enum tk_reader {
	TK_STR, /* a string */
	TK_BOOL,
	TK_VALUE,  /* anything: a value, or an expression that a later phase reads */
	TK_VALUES, /* a map of values by name */
	TK_STRS,   /* a list of strings; a lone string is a list of one */
	TK_META,   /* a map of texts by name (before 2.0 of anything) */
	TK_RANGE,  /* [lower, upper or UNBOUNDED] */
	TK_ONE,    /* an entity */
	TK_MAP,    /* entities by name */
	TK_LIST,   /* a list of entities */
	/* a list of maps with one key each: entities by name, in order, names may repeat */
	TK_SEQ,
	TK_SEQ1,    /* the same where a name may not repeat; a plain map will do before 2.0 */
	TK_STATUS,  /* of a declaration: supported, unsupported, experimental, deprecated */
	TK_VERSION, /* of a type: 1.0, 1.0.0.beta-2 */
	TK_DSL      /* dsl_definitions: anchors are all that is used of it */
};
enum {
	TK_MANDATORY = 1,
	TK_REST = 2,   /* any other key: the entities of the row, by name */
	TK_LENIENT = 4 /* not in the text of these versions, and yet written: a warning */
};
/* Dialects, in the sets of enum vt_tversion: what Alien4Cloud and Yorc write, and has keynames of
 * its own; what ONAP's SDC writes; Yorc's own types, which have no short names. */
enum { TK_A4C = VT_TV_ALIEN, TK_SDC = 512, TK_YORC = 1024 };
typedef struct tk_row {
	const char *name;
	uint8_t reader, of /* enum te_kind */, flags;
	uint16_t versions; /* enum vt_tversion, TK_A4C */
} tk_row;
typedef struct te_info {
	const char *noun, *shorthand;
	const tk_row *row; /* ended by one without a name */
} te_info;
extern const te_info te_infos[TE_KINDS];

/* ---- index.c: names of long lists ---- */
typedef const char *tosca_name_of(const void *ctx, const void *list, uint32_t i); /* or NULL */
typedef struct tosca_lookup {
	const void *of;
	uint32_t done, cap, *at;
} tosca_lookup;
/* Position of the first entry of that name + 1; 0: none. `of` tells one list from another. */
uint32_t tosca_lookup_find(vc *, tosca_lookup *, const void *of, uint32_t n, tosca_name_of *,
	const void *ctx, const char *name);
enum { TOSCA_SHORT = 24 }; /* shorter lists are walked */

/* ---- read.c: entities ---- */
typedef struct te te;
typedef struct tosca_unit tosca_unit;
typedef struct te_field {
	const tk_row *row;
	ynode *key, *y; /* key: NULL when a short notation implies it */
	te **item;
	uint32_t n; /* entities: TK_ONE has one */
} te_field;
struct te {
	uint8_t kind; /* enum te_kind */
	/* something in it was reported; users that miss parts stay quiet */
	bool bad;
	const char *name; /* the key it stands under, or NULL */
	ynode *key, *y;   /* y: its value, or the scalar of the short notation */
	tosca_unit *unit;
	te_field *field;
	uint32_t n;
	void *of; /* what later phases make of it: ty_type, ty_def or a row */
};
te *te_read(tosca_unit *, enum te_kind, ynode *key, ynode *y);
const te_field *te_get(const te *, const char *keyname); /* or NULL */
/* text of a TK_STR, or NULL */
const char *te_str(const te *, const char *keyname);
/* the value's node, or NULL */
ynode *te_y(const te *, const char *keyname);
bool te_bool(const te *, const char *keyname, bool otherwise);
/* the entity of a TK_ONE, or NULL */
te *te_one(const te *, const char *keyname);
/* the entities of a TK_MAP, TK_LIST, TK_SEQ */
te **te_all(const te *, const char *keyname, uint32_t *n);
te *te_named(const te *, const char *keyname, const char *name); /* one of them */
/* names.c: the name of an interface, which may be written as that of its type */
const char *te_interface_name(const tosca_unit *, const char *name);
vc_span te_span(const te *); /* the key, else the value */
/* false: absent or reported */
bool te_range(const te *, const char *keyname, uint32_t *lo, uint32_t *hi);
/* the text of a scalar string, or NULL */
const char *te_text(const ynode *);

/* ---- hints.c: what was probably meant; the last diagnostic gets a hint, or none ---- */
const char *th_primitive(const char *name); /* a primitive type; NULL: who knows */
void th_no_map(vc *, const te *, const ynode *);
void th_no_list(vc *, const ynode *, const char *wanted); /* where a map is wanted */
/* A property that a capability of the node template has. */
void th_in_capability(vc *, const te *, const char *name);
void th_no_sequence(vc *, const ynode *);
void th_no_keyname(vc *, const te *, const char *key);
void th_elsewhere(vc *, const char *key, const char *versions); /* that have it */
/* one of the entities of a keyname */
void te_hint_near(const te *, const char *keyname, const char *name);
struct ty_defs;
void ty_hint_near(vc *, const struct ty_defs *, const char *name); /* one of the declarations */

#endif
