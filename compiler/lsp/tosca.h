/*
 * tosca.h - what the files about TOSCA share: tosca.c has keynames, types and templates,
 * tosca_value.c values, with functions, and tosca_loose.c what keys.def leaves to later phases:
 * substitution mappings, workflows, triggers and filters.
 */
#ifndef VC_LSP_TOSCA_H
#define VC_LSP_TOSCA_H

#include "compiler/lsp/know.h"
#include "compiler/tosca/front.h"

/* An entity on the way to a spot. */
typedef struct tl_level {
	uint8_t entity; /* enum te_kind */
	uint32_t depth; /* steps to its value */
	const char *name;
} tl_level;
typedef struct tl_place {
	lsp_offers *o;
	const lsp_spot *s;
	struct tosca *t;
	tosca_unit *unit; /* NULL: the file could not be read */
	uint16_t version; /* sets of keys.def */
	tl_level level[LSP_DEEP];
	uint32_t n;
	const tk_row *row;  /* the keyname whose value the spot is in; NULL: of the entity itself */
	uint32_t inner;     /* steps to that value */
	bool names;         /* the author's names stand there, of entities of row->of */
	bool lost;          /* nobody knows what stands there */
	bool part;          /* what is offered is the last part of the word */
	const ty_def *fits; /* types that do not satisfy this requirement are not offered */
} tl_place;

/* ---- tosca.c ---- */
/* The type of the entity: of a template, an assignment or a type itself; or NULL. */
ty_type *tl_type(const tl_place *, uint32_t level);
void tl_offer_types(const tl_place *, enum tn_section);
/* fits: NULL, or the requirement that wants one */
void tl_offer_templates(const tl_place *, const ty_def *fits);
void tl_offer_defs(const tl_place *, const ty_defs *, enum lsp_item_kind, bool key);
ty_type *tl_template_type(const tl_place *, const char *name);
void tl_offer_entities(const tl_place *, const char *keyname, enum lsp_item_kind, bool declared);
/* Those that an entity has below a keyname. */
void tl_offer_all(
	const tl_place *, const te *owner, const char *keyname, enum lsp_item_kind, bool declared);
/* The key at the spot, which the author gives a name with. */
void tl_offer_own_key(const tl_place *, const char *noun);
te *tl_service(const tl_place *); /* or NULL */
ty_type *tl_named_type(const tl_place *, enum tn_section, const char *name);
/* What a template, assignment or refinement at that level is declared by; or NULL. */
ty_def *tl_def(const tl_place *, uint32_t level);

/* ---- tosca_value.c ---- */
/* A value of these definitions begins behind `inner` steps, the first of which is its name. */
void tl_offer_value(const tl_place *, const ty_defs *);
/* The same of one value, which begins behind so many steps. */
void tl_offer_typed(const tl_place *, const ty_schema *, uint32_t steps);
/* A path as that of get_attribute begins behind so many steps. */
void tl_offer_path(const tl_place *, uint32_t steps, bool attributes);
bool tl_in_call(const tl_place *); /* of a function that names something */

/* ---- tosca_loose.c ---- */
/* False: the keyname is none of those, or a value stands there. */
bool tl_offer_loose(tl_place *, uint8_t entity, const char *keyname);
/* What an operation gives, the oldest declaration of a name first. */
void tl_offer_outputs(const tl_place *, const ty_def *operation);
/* May a word that nobody knows be a name in the value of the keyname there? */
bool tl_is_loose(const tl_place *);
/* The type that a node filter around the spot is asked of; NULL: there is none. */
const ty_type *tl_candidate(const tl_place *);

#endif
