/*
 * object.h - linked classes, objects and their store, contracts, models.
 */
#ifndef VT_OBJECT_OBJECT_H
#define VT_OBJECT_OBJECT_H

#include "vt.h"

#include "runtime/core/base.h"
#include "runtime/core/heap.h"
#include "runtime/core/value.h"

#include <stdbool.h>
#include <time.h>

/* ---- class.c, class_merge.c, object.c, packages.c: linked classes ---- */
/*
 * A vt_class_decl is constant data; a vt_class is its session's linked form: parents resolved,
 * symbols chosen, slots laid out.  Slots: one a (declared property name of the hierarchy) for
 * In..Config, then one a (class, private name) made on first write.
 */
typedef struct vt_slotdef {
	const vt_str *name;
	const vt_prop_decl *decl; /* most derived */
} vt_slotdef;
struct vt_class {
	const vt_class_decl *decl;
	vt_rt *rt;
	vt_class **parents;
	uint32_t nparents;
	/* self, then ancestors breadth first without repetition */
	vt_class **linear;
	uint32_t nlinear;
	vt_slotdef *slots;
	uint32_t nslots;
	struct vt_symtab *methods, *props; /* chosen symbols, filled on demand; class.c */
	vt_value *statics;                 /* one a Static property declared here; class.c */
	bool destroys;                     /* a class of the hierarchy has .destroy */
	bool clone;       /* class_merge.c: typeref and statics belong to the original */
	vt_value typeref; /* the one TYPEREF value, immortal */
	/* methods the runtime or Lua adds to the class; or NULL */
	const vt_class_decl *native, *host;
	/* object/init_properties.c: how its objects are initialized; NULL before the first */
	struct vt_init_plan *plan;
	/* model_text.c, template_data.c: how they are written; NULL before the first */
	struct vt_text_plan *text;
	struct vt_data_plan *data;
};
/* What few objects have. */
typedef struct vt_object_more {
	vt_value metadata;     /* ?.metadata, or VT_NULL */
	vt_value designer;     /* dict of ?._* attributes, or VT_NULL */
	vt_value dependencies; /* dict or VT_NULL */
	vt_dict *privates;     /* "FQN.name" -> value; or NULL */
	void *native;          /* state of a native class; or NULL */
	void (*native_free)(void *);
} vt_object_more;
extern const vt_object_more vt_object_plain; /* of those that have none of it */
/* OBJECT. Counted from VT_OBJ_BIAS on: the store frees what collect.c finds nobody to hold. */
struct vt_object {
	vt_head h;
	vt_class *cls;
	vt_value id; /* str; VT_UNDEF: nobody has asked: vt_object_id */
	/* behind the object; cls->nslots; VT_UNDEF is not initialised. At its offset emitted code
	 * reads it: vt_record */
	vt_value *v;
	vt_value name;    /* str or null */
	vt_object *owner; /* or NULL */
	vt_object *next;  /* in the store */
	uint8_t initialized, destroyed;
	uint8_t doomed;       /* its destruction is under way, or was at the end of the run */
	uint8_t held : 1;     /* vt_find_held: something that runs, or a class, holds it */
	uint8_t owns : 1;     /* it is or was the owner of another, which does not count it */
	uint8_t runs : 1;     /* vt_mark_receivers */
	uint32_t mark;        /* model_text.c */
	uint32_t inner, rank; /* collect.c; object/gc.c */
	uint64_t order;       /* in which loads ended; 0: its load has not */
	/* makes the properties that nobody has read so far, VT_UNDEF; or NULL */
	void (*fill)(vt_object *);
	const vt_object_more *more; /* its own, or vt_object_plain: written by vt_object_own */
};
/* The part that only few have, as one that may be written to. */
vt_object_more *vt_object_own(vt_object *);
/* Sets the state of a native class, which goes by `drop`, or by nothing where that is NULL. */
void vt_object_set_native(vt_object *, void *native, void (*drop)(void *));
_Static_assert(offsetof(vt_object, cls) == offsetof(vt_record, shape) &&
		       offsetof(vt_object, v) == offsetof(vt_record, v),
	"emitted code reads properties");
typedef struct vt_typeref_obj {
	vt_head h;
	vt_class *cls;
} vt_typeref_obj;
enum vt_reflect {
	VT_R_TYPE,
	VT_R_METHOD,
	VT_R_PROPERTY,
	VT_R_ARGUMENT,
	VT_R_PACKAGE,
	VT_R_VERSION
};
/* h.aux: enum vt_reflect */
typedef struct vt_reflect_obj {
	vt_head h;
	const void *what;
	const void *of;
} vt_reflect_obj;

/* class.c: all that linking made, at the session's end */
void vt_classes_destroy(vt_rt *);
void vt_statics_drop(vt_rt *); /* before the store goes */
/* the class it is seen as: of a CAST the ancestor */
vt_class *vt_cls_of(vt_value);
/* cached; raises on bad inheritance */
vt_class *vt_class_link(vt_rt *, const vt_class_decl *, bool *ok);
/* Lookup as K8; raises NoClassFound. name is an FQN. */
vt_class *vt_find_class(vt_rt *, const vt_package_decl *from, const vt_str *name);
/* for ?.type: NoPackageForClassFound */
vt_class *vt_find_class_model(vt_rt *, const char *fqn);
/* ns:Name -> FQN str, owned; KeyError -> VT_UNDEF */
vt_value vt_resolve_name(vt_rt *, const vt_unit *, const vt_str *name);
bool vt_class_is(const vt_class *, const vt_class *ancestor);
/* The method of the class by symbol choice C6; NULL when there is none or (exception set)
 * ambiguous. */
const vt_method_decl *vt_class_method(vt_rt *, vt_class *, const vt_str *name, bool *ambiguous);
const vt_prop_decl *vt_class_prop(vt_rt *, vt_class *, const vt_str *name, bool *ambiguous);
bool vt_exposed(vt_rt *, const vt_method_decl *); /* may it be called from outside? */
/* The class a name written in the unit means; the answer is cached. NULL: NoClassFound, KeyError,
 * ValueError. */
vt_class *vt_unit_class(vt_rt *, const vt_unit *, const vt_str *prefixed);
vt_status vt_class_merge(vt_rt *, vt_class *); /* C5: one version a package among its ancestors */
vt_class *vt_class_clone(vt_rt *, const vt_class *, vt_class *const *parents);
/* the ancestor (or itself) with that declaration, or NULL */
vt_class *vt_class_seen(vt_class *real, const vt_class_decl *);
/* Methods the class itself declares, the host's and the runtime's first: pos from 0 until NULL. */
const vt_method_decl *vt_own_method(const vt_class *, uint32_t *pos);
/* Everything about a property's name in a class; false when no class of the hierarchy declares
 * it. */
typedef struct vt_propinfo {
	const vt_prop_decl *decl;       /* chosen; NULL when ambiguous */
	const vt_prop_decl *const *all; /* every declaration, breadth first */
	uint32_t nall;
	int32_t slot; /* -1: Static */
	bool ambiguous;
} vt_propinfo;
/* K14; borrowed, VT_UNDEF when not configured */
vt_value vt_class_config(vt_rt *, const vt_class *, const vt_str *name);
bool vt_class_symbol(vt_class *, const vt_str *name, vt_propinfo *out);
const char *vt_class_version(const vt_class_decl *); /* of its package */
bool vt_is_typename(const vt_str *, bool needs_colon);
/* ?.type with the defaults of ?.classVersion and ?.package (NULL: none). */
vt_class *vt_model_class(vt_rt *, const char *type, const char *version, const char *package);
extern const vt_package_decl vt_core_package; /* io.murano, when the program brings none */
extern const vt_unit vt_core_unit;
/* Does "1.2.3" satisfy a requirement's specification? */
bool vt_version_in(vt_rt *, const char *version, const char *spec);
int vt_version_cmp(const char *, const char *);
/* May code of package `from` see an object as that class?  version: a specification, or VT_NULL:
 * what from requires. */
bool vt_version_fits(vt_rt *, const vt_package_decl *from, const vt_class_decl *, vt_value version);
/* owned: the object itself when cls is its own class */
vt_value vt_upcast(vt_rt *, vt_object *, vt_class *);

vt_status vt_get_prop(
	vt_rt *, const vt_unit *caller, vt_value object, const vt_str *name, vt_value *out);
/* put_in.c: the slot of a property that code of the unit reads as declared, in aux, and its one
 * declaration, where the code may write it, as target. */
bool vt_learn_slot(vt_rt *, const vt_unit *, vt_object *, const vt_str *name, vt_ic *);
/* An assignment leaves it as it is. */
static inline bool
vt_stays(vt_value v)
{
	return !vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR ||
	       (vt_head_of(v)->flags & VT_F_FINAL) || vt_is(v, OBJECT) || vt_is(v, TYPEREF);
}
/* Does the contract, if any, which has accepted a list or dict, take one more element as it is? */
bool vt_accepts(vt_rt *, vt_value of, const vt_prop_decl *, vt_value all, vt_value key, vt_value v);
/* What it makes of it, owned; VT_UNDEF: nothing, or others count for that. */
vt_value vt_made_element(vt_rt *, vt_value, const vt_prop_decl *, vt_value, vt_value, vt_value);

/* The way from a variable or $this down to what stands below it: put_in.c. */
typedef struct vt_way {
	vt_rt *rt;
	const vt_unit *u;
	vt_ic *ic; /* n of them */
	uint32_t n;
	const vt_value *path;  /* a name, key or index for each level */
	vt_value v;            /* what is put there, or VT_UNDEF */
	const vt_value *held;  /* temporaries that hold the levels as well, or NULL */
	vt_value of;           /* the last object or type on it, or VT_UNDEF, */
	const vt_prop_decl *d; /* its property, or NULL, */
	uint32_t at;           /* and the level below that */
	bool whole;            /* the way may end with the property: at is n then */
} vt_way;
/* Does the way lead to the list, dict or set x, which has so many holders? */
bool vt_leads_to(vt_way *, vt_value root, vt_value x, uint32_t holders);
/* May the element be put into x, where the way has led to; or elements be taken out? */
bool vt_way_takes(const vt_way *, vt_value x, vt_value key, vt_value v);
bool vt_way_gives(const vt_way *, vt_value x);
/* Is it a list, dict or set, evaluated, with no other holders? */
static inline bool
vt_may_change(vt_value all, uint32_t holders)
{
	const vt_head *h = vt_head_of(all);
	uint8_t want;

	if (!vt_is_ptr(all) || h->rc != holders)
		return false;
	if (h->kind != VT_K_DICT && h->kind != VT_K_TUPLE && h->kind != VT_K_SET)
		return false;
	want = h->kind == VT_K_DICT ? VT_F_FINAL | VT_F_FROZEN : VT_F_FINAL;
	return (h->flags & (want | VT_F_BORROWED)) == want;
}
vt_status vt_set_prop(
	vt_rt *, const vt_unit *caller, vt_value object, const vt_str *name, vt_value v);
/* In the cache of a site that reads or writes a Static property: where objects have it. */
void vt_learn_static(vt_rt *, const vt_unit *, vt_value of, const vt_str *name, vt_ic *);
/* False: the cache does not know it. */
bool vt_get_static_again(
	vt_rt *, const vt_unit *, vt_value of, const vt_ic *, vt_value *out, vt_status *);
/* What it holds, borrowed, where code of the unit may write it; or VT_UNDEF. */
vt_value vt_static_slot(
	vt_rt *, const vt_unit *, vt_value of, const vt_str *name, vt_ic *, const vt_prop_decl **);
vt_status vt_get_static(
	vt_rt *, const vt_unit *caller, vt_class *, const vt_str *name, vt_value *out);
vt_status vt_set_static(vt_rt *, const vt_unit *caller, vt_class *, const vt_str *name, vt_value v);
/* One contract over one value: VT_NOVALUE is replaced by dflt. *path (or NULL) is what to put
 * behind the name. */
typedef struct vt_contract_use {
	vt_contract_fn contract;
	const vt_code *dflt;
	const vt_class_decl *cls;          /* declares it */
	vt_value self, owner;              /* as vt_cx */
	const vt_class_decl *calling_type; /* or NULL */
	uint8_t mode;                      /* enum vt_contract_mode */
} vt_contract_use;
vt_status vt_contract_run(
	vt_rt *, const vt_contract_use *, vt_value in, vt_value *out, char **path);
/* Puts "[text] " before the message of a pending ContractViolationException. */
void vt_contract_prefix(vt_rt *, const char *const *where);
void vt_c_close(vt_cx *);           /* what the contracts run with it have made; not the path */
#define VT_OBJREF ((vt_value)0x2e)  /* first pass of a load: a reference the second pass resolves */
#define VT_PASSKEY ((vt_value)0x36) /* template(): an excluded property; passes every contract */
/* A model ({"?": ..} or {ns:Type: {..}}) becomes an object, in two passes (O4). dflt_type may be
 * NULL. keep_ids as when a whole model is loaded; scope resolves names in the inline form. */
vt_status vt_store_load(vt_rt *, vt_value model, vt_object *owner, vt_class *dflt_type,
	bool keep_ids, const vt_unit *scope, vt_value *out);
/* A whole model to be looked at: contracts and defaults make its properties, but nothing of it
 * runs. */
vt_status vt_store_look(vt_rt *, vt_value model, vt_value *out);
vt_status vt_new_object(vt_rt *, const vt_unit *caller, vt_class *, vt_value params_dict,
	vt_value owner, vt_value name, vt_value extra, vt_value *out);
vt_value vt_object_id(const vt_object *); /* borrowed */
/* An object without an owner, initialized, all of its properties VT_UNDEF: what new() makes when
 * nothing of the class has to run. */
vt_object *vt_object_bare(vt_rt *, vt_class *);
bool vt_is_registered(vt_rt *, const vt_object *); /* would its id find it? */
vt_object *vt_store_find(vt_rt *, const vt_str *id);
/* A dry run makes the objects and applies the contracts, but runs no .init and stores nothing for
 * later. */
vt_status vt_store_template(vt_rt *, vt_value model, vt_object *owner, vt_class *dflt_type,
	const vt_unit *scope, const vt_class_decl *calling, vt_value *out);
/* Objects of dicts below a class() contract: in the running load, or in one of their own. */
vt_status vt_store_nested(vt_rt *, vt_value model, vt_object *owner, vt_class *dflt_type,
	const vt_unit *scope, const vt_class_decl *calling, vt_value *out);
bool vt_store_first_pass(vt_rt *);        /* is an id that is not known yet a forward reference? */
bool vt_writes_allowed(vt_rt *, int set); /* set < 0: returns it; else sets, and returns what was */
/* id -> object, in the order in which their loads ended */
const vt_dict *vt_store_ids(vt_rt *);
/* the objects made so far, newest first; NULL starts and ends */
vt_object *vt_object_at(vt_rt *, vt_object *prev);
/* While an object is being initialized: part is the class whose declarations are being read, info
 * of the object's. */
vt_status vt_init_property(vt_rt *, vt_object *, vt_class *part, const vt_prop_decl *,
	const vt_propinfo *info, vt_value, const vt_class_decl *calling);
/* a contract of a load does more than look at its value: the second pass runs it again */
void vt_load_doubt(vt_rt *);
bool vt_store_is_neat(vt_rt *); /* nothing can be garbage: a model was loaded, and nothing ran */
/* object/gc.c: one entry of dependencies; owned */
vt_value vt_subscription(vt_rt *, vt_object *subscriber, vt_value handler);
/* reflect.c; owned */
vt_value vt_reflect_new(vt_rt *, enum vt_reflect, const void *what, const void *of);
/* parallel_select; owned iterator */
vt_status vt_select_all(vt_rt *, vt_value list, vt_value lambda, vt_value *out);
vt_dict *vt_meta_cache(vt_rt *);
/* The merged metadata of a class, or of its method or property of that name: malloc'd, with the
 * class that brings each. */
enum vt_meta_target { VT_META_TYPE, VT_META_METHOD, VT_META_PROPERTY };
typedef struct vt_meta_item {
	vt_class *cls;
	vt_object *item;
} vt_meta_item;
/* Sets `held` of every object: held from outside of the store, by what is held, or because also()
 * says so. The answer is how many references it looked at. */
uint64_t vt_find_held(vt_rt *, bool (*also)(const vt_object *));
/* Sets `runs` of the receivers of running methods; how many of these there are. */
uint64_t vt_mark_receivers(vt_rt *, bool runs);
static inline void
vt_object_owned(vt_object *o, vt_object *owner)
{
	o->owner = owner;
	if (owner != NULL)
		owner->owns = 1;
}
/* Calls the .destroy methods and onDestruction handlers of all objects that nobody holds (G3),
 * until there are none. */
void vt_store_collect(vt_rt *);
/* Does what the last one has put off. Who has found an object by an id that others gave asks
 * first. */
void vt_store_settle(vt_rt *);
/* As that, of a model that was loaded: where nothing would run, nothing shows what nobody holds. */
void vt_store_take_down(vt_rt *);
/* The same for all that the model with that root does not hold: the end of a run (G5). */
void vt_store_sweep(vt_rt *, vt_value root);
void vt_forget_subscribers(vt_rt *, vt_object *); /* those that are not held */
bool vt_needs_destruction(const vt_object *);     /* would anything run? */
/* Attributes (O8): key is stored by (object, class, key); a null value deletes. */
/* borrowed, VT_NULL when absent */
vt_value vt_attribute_get(vt_rt *, const vt_object *, const vt_str *cls, vt_value key);
vt_status vt_attribute_set(vt_rt *, const vt_object *, const vt_str *cls, vt_value key, vt_value);
vt_status vt_attribute_put(vt_rt *, vt_value id, const vt_str *cls, vt_value key, vt_value);
/* [[id, class, key, value]...] of these objects */
vt_value vt_attribute_rows(vt_rt *, const vt_set *ids);
vt_value vt_attribute_rows_of(
	vt_rt *, bool (*has)(vt_rt *, vt_value id, const void *), const void *);
void vt_attributes_forget(vt_rt *); /* those of destroyed objects */
vt_object *vt_find_owner(vt_object *, vt_class *);
void vt_store_destroy(vt_rt *);
void vt_init_plan_free(struct vt_init_plan *); /* object/init_properties.c; NULL too */
void vt_text_plan_free(struct vt_text_plan *); /* model_text.c; NULL too */
enum vt_dump { VT_DUMP_SERIALIZABLE, VT_DUMP_INLINE, VT_DUMP_MIXED };
/* {"Objects", "ObjectsCopy", "Attributes"} and the session's `kept` */
vt_status vt_serialize_model(vt_rt *, vt_value root, vt_value *out);
/* The text of that; what is there already goes to the sink, if there is one, in pieces of that many
 * bytes or more. */
typedef struct vt_sink {
	size_t piece;
	void (*put)(void *ctx, const char *, size_t);
	void *ctx;
} vt_sink;
vt_status vt_write_model(vt_rt *, vt_value root, vt_buf *, const vt_sink *); /* model_text.c */
/* What Objects of it is made from: a tree of dicts in which each reference is the OBJECT, and
 * Attributes. Both owned. */
vt_status vt_serialize_objects(vt_rt *, vt_value root, vt_value *tree, vt_value *rows);
/* dump() and results of actions */
vt_status vt_serialize(vt_rt *, vt_value, enum vt_dump, vt_value *out);
vt_status vt_serialize_refs(vt_rt *, vt_value, enum vt_dump, bool allow_refs, vt_value *out);
void vt_type_string(vt_buf *, const vt_class_decl *); /* FQN/version@package */
/* could it be an object of JSON? */
bool vt_has_text_keys(const vt_dict *);
/* JSON of the suite: {"$object": id, "type": FQN} */
void vt_encode_result(vt_rt *, vt_buf *, vt_value);

/* ---- uuid.c, call/session.c, link/natives.c ---- */
/* Native classes of the runtime (appendix A): sys_*.c register here, statically. */
extern const vt_class_decl *const vt_native_classes[];
extern const uint32_t vt_nnative_classes;
/* of the runtime, or of the program's hosts */
const vt_class_decl *vt_native_class(vt_rt *, const char *fqn);
vt_value vt_new_uuid(vt_rt *); /* 32 hex digits, owned str */
/*
 * What running the same methods again would not come to: a new id, a random number, the time, what
 * the cloud shows; JSON.  It is given away.  A run that goes on after a kill gets back what the
 * killed one had here.  VT_UNDEF: only asks; VT_UNDEF comes back where nothing was drawn.
 */
vt_value vt_drawn(vt_rt *, vt_value fresh);
void vt_drawn_time(vt_rt *, struct timespec *);

/* ---- load_model.c, version_spec.c, program/protocol.c ---- */
/* Objects, Attributes, ObjectsCopy; false: pending exception */
bool vt_load_model(vt_rt *, vt_value model, vt_value config);
/* What the engine of the reference gives back as it got it: SystemData, project_id, user_id. */
void vt_model_rest(vt_rt *, vt_value model, vt_dict *to);
/* the same into a running session: the root object or null */
vt_status vt_load_objects(vt_rt *, vt_value model, vt_value *out);
/* Objects and Attributes by vt_store_look; owned */
vt_status vt_look_at_model(vt_rt *, vt_value model, vt_value *root);
/* a manifest's class of any version; NULL: exception */
vt_class *vt_class_named(vt_rt *, const char *fqn);
/* parse_version_spec, as text */
vt_status vt_version_spec(vt_rt *, vt_value spec, vt_value *out);
/* levels 0: no limit */
vt_status vt_merge_dicts(vt_rt *, vt_value a, vt_value b, int levels, vt_value *out);
/* The same without a limit, in place as far as *a (final) is not shared: small additions to
 * something large are cheap. */
vt_status vt_merge_in(vt_rt *, vt_value *a, vt_value b, bool *changes);
vt_status vt_updated_dict(vt_rt *, vt_value d, vt_value by, vt_value *out);

/* ---- kinds.c: rows of link/kinds.c ---- */
void vt_cast_free(vt_head *);
bool vt_object_equal(vt_value, vt_value);
bool vt_reflect_equal(vt_value, vt_value);
uint64_t vt_object_hash(vt_value, const vt_seed *);
uint64_t vt_typeref_hash(vt_value, const vt_seed *);
uint64_t vt_reflect_hash(vt_value, const vt_seed *);
void vt_object_label(vt_buf *, vt_value);
void vt_object_repr(vt_buf *, vt_value);
void vt_typeref_repr(vt_buf *, vt_value);
void vt_reflect_repr(vt_buf *, vt_value);

#endif
