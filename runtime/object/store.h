/*
 * store.h - the inner side of store.c: a load that is under way, and how its objects get their
 * properties (init_properties.c).
 */
#ifndef VT_STORE_H
#define VT_STORE_H

#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/maker.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"

/* What runs once all properties are set; o NULL: nothing for made[from..to), which are settled. */
typedef struct vt_pending_init {
	vt_object *o;
	uint32_t from, to;
	const vt_method_decl *init;
	vt_native_fn native;
	vt_value args; /* VT_UNDEF: none */
	bool last;
} vt_pending_init;

/*
 * model: the data it was made from, held so that no other data comes to lie there.  end: a second
 * pass would do just what the first one did, for this object and those that were made for it, up to
 * made[end]; 0: it might not.
 */
typedef struct vt_made {
	vt_object *o;
	vt_value model;
	uint32_t end;
	bool dry;   /* of a template: it is none of the store's */
	bool named; /* the data has its id, so a second pass finds it */
	bool loose; /* or it makes another one, or another owner of it */
} vt_made;

/*
 * A property that got VT_OBJREF: data of ids.  Its contract runs again when every id is known, in
 * the place of a second pass.  made: whose it is.
 */
typedef struct vt_owed {
	uint32_t made;
	vt_object *o;
	vt_class *part;
	const vt_prop_decl *decl;
	vt_value v;
	const vt_class_decl *calling;
	const struct vt_planned *p; /* v is an id, and the contract is class(); or NULL */
} vt_owed;

/* One running load; the innermost is session.storing.load. */
typedef struct vt_load {
	struct vt_load *up;
	vt_dict *ids;
	vt_object *root_owner;
	bool first_pass, keep_ids;
	bool odd_ids; /* an id is no text: the object has another one */
	/* There are references by id, and objects that a second pass finds below others that it
	 * makes anew: it leaves them with an owner that nobody else knows. */
	bool refers, mixed;
	vt_pending_init *todo;
	uint32_t ntodo;
	vt_made *made;
	uint32_t nmade, capmade;
	uint32_t next; /* second pass: the object of `made` that is likely to come next */
	uint32_t at;   /* the object that is being initialized; UINT32_MAX: it was there before */
	vt_owed *owed;
	uint32_t nowed, paid; /* those before `paid` are done, or a second pass does them */
} vt_load;

/* Members of "?", and "?" itself. */
enum vt_header_key {
	VT_H_ID,
	VT_H_NAME,
	VT_H_METADATA,
	VT_H_DESTROYED,
	VT_H_DEPENDENCIES,
	VT_H_TYPE,
	VT_H_VERSION,
	VT_H_PACKAGE,
	VT_H_HEADER,
	VT_H_COUNT
};
/* Where data of that shape has them: the place + 1, or 0. */
typedef struct vt_known_shape {
	const struct vt_shape *shape;
	uint8_t at[VT_H_COUNT];
	bool typed;    /* a key may be the name of a type */
	bool designer; /* a key begins with "_" */
	bool plain;    /* of the keys above it has id and type at most, and no designer's */
} vt_known_shape;
/* What a contract of a record makes of a dict of that shape: one of another. */
enum { VT_RECORD_KEYS = 14, VT_KNOWN_RECORDS = 16 };
typedef struct vt_known_record {
	const struct vt_shape *from;
	struct vt_shape *to;
	uint8_t at[VT_RECORD_KEYS]; /* the place there + 1, or 0 */
} vt_known_record;
/* What `type` of "?" says without a version or package. */
typedef struct vt_known_type {
	const vt_str *type; /* a copy; NULL: none */
	vt_class *cls;
} vt_known_type;
/* A model of known shapes whose "?" has id and type at most. */
typedef struct vt_known_model {
	const struct vt_shape *model, *of_header;
	const vt_str *name; /* of the type; held */
	vt_class *cls;
	uint8_t header, type; /* places */
	uint8_t id;           /* the place + 1, or 0 */
} vt_known_model;
enum { VT_KNOWN_MODELS = 8 };
enum { VT_KNOWN_SHAPES = 32, VT_KNOWN_TYPES = 16, VT_EXC_SLOTS = 6 };

struct vt_store {
	vt_dict *ids;
	vt_object *all;
	vt_store_task *task;      /* of the session: its load is the innermost vt_load */
	uint64_t nmade, nobjects; /* since garbage was last freed; now */
	uint64_t room;            /* so many may be made before that happens again; see next_room */
	uint32_t patience;        /* how often in turn a walk has left most objects */
	uint64_t nheld;           /* objects that the last walk left */
	uint64_t walked;          /* references that the last walk looked at */
	uint64_t norder;          /* of the object that came last */
	bool ends;                /* an object may have something that runs when it is destroyed */
	bool stale;     /* GC.collect() was called, and waits until somebody would see it */
	vt_dict *meta;  /* reflect.c: objects of Meta lists, by the address of the list */
	bool looks;     /* nothing of what is loaded runs */
	bool odd_ids;   /* an object was loaded by an id that is no text */
	uint32_t marks; /* model_text.c: of its last walk */
	bool neat; /* one model was loaded of which the root holds all, and nothing else; nothing
		      ran */
	struct vt_made_by {       /* open addressing; mcap is a power of two */
		const void *site; /* or a shape */
		vt_value type;
		vt_maker *m;
	} * makers;
	uint32_t nmakers, mcap;
	/* exception_class.c: io.murano.Exception, whether making one takes no load, where its
	 * properties are; names that were thrown */
	vt_class *exc_class;
	bool exc_bare;
	int32_t exc_slots[VT_EXC_SLOTS];
	vt_list *thrown;
	uint64_t doubts;   /* grows with what a second pass may do otherwise than the first */
	uint64_t promises; /* VT_OBJREFs of the property that is being set */
	vt_known_shape known[VT_KNOWN_SHAPES]; /* by the shape's address */
	vt_known_type types[VT_KNOWN_TYPES];
	vt_known_model before[VT_KNOWN_MODELS];    /* by the shape's address */
	vt_known_record records[VT_KNOWN_RECORDS]; /* by the address of the first key and `from` */
};

enum { VT_MANY_ITEMS = 64 }; /* so many in a list, and vt_load_expect is told */
struct vt_store *vt_store_new(vt_rt *);
vt_object *vt_store_peek(vt_rt *, const vt_str *id); /* or one that GC.collect() was to take */
/* Of the session; it is made when somebody asks. */
static inline struct vt_store *
vt_store_of(vt_rt *rt)
{
	struct vt_store *s = rt->s->store;
	return likely(s != NULL) ? s : vt_store_new(rt);
}
/*
 * Below so many new objects it is not worth a look: so few that their memory is still near when it
 * is used again.  A torture build walks each time.
 */
#ifdef VT_TORTURE
enum { VT_GARBAGE = 1 };
#else
enum { VT_GARBAGE = 256 };
#endif
/* ---- garbage.c ---- */
void vt_objects_free(vt_object *list); /* all in the list, and what they hold */
void vt_store_make_room(vt_rt *);
/* Frees objects that nobody holds and whose destruction nobody would see, where a walk just now,
 * which looked at so many values, has said what is held. */
void vt_store_free_unheld(vt_rt *, uint64_t walked);
/* Before an object is made: those that programs dropped go, when there may be enough of them. */
static inline void
vt_store_room(vt_rt *rt)
{
	const struct vt_store *s = rt->s->store;
	if (unlikely(s != NULL && s->nmade >= s->room))
		vt_store_make_room(rt);
}
/* Sets all but the head of an object of the class: nothing is set, nobody owns it, it has no id. */
void vt_object_blank(vt_object *, vt_class *);
/* Makes what was just taken from the heap a copy of an object of which nothing has to be counted,
 * and puts it into the store.  where: flags that the heap has set. */
static inline void
vt_object_copy(struct vt_store *s, vt_object *o, const vt_object *from, uint8_t where)
{
	*o = *from;
	o->h.flags |= where;
	o->v = (vt_value *)(void *)(o + 1);
	for (uint32_t i = 0; i < from->cls->nslots; i++)
		o->v[i] = from->v[i];
	o->next = s->all;
	s->all = o;
	o->order = ++s->norder;
	s->nmade++;
	s->nobjects++;
	s->neat = false;
}
void vt_store_forget(vt_rt *, vt_object *); /* its .init has failed */
/* What is to be done when the load is complete. */
void vt_load_later(vt_load *, vt_pending_init);
/* The contract of that property gave a promise. */
void vt_load_owe(vt_load *, vt_owed); /* `made` and a reference to v are set here */
/* All properties from the data; what is to run when the load is complete goes to its list. */
vt_status vt_initialize(
	vt_rt *, vt_load *, vt_object *, vt_value params, const vt_class_decl *calling);

#endif
