/*
 * yay.h - evaluating Yay documents (vt_yay.h): what commands, libraries and deploy binaries call.
 *
 * A session holds documents in layers, of which a later one wins.  Nothing is evaluated before it
 * is asked for, and only what the answer needs.  After a failure the session goes on with what did
 * not fail.
 */
#ifndef YAY_RT_H
#define YAY_RT_H

#include "runtime/core/value.h"
#include "runtime/core/diag.h"
#include "vt_yay.h"

/* type, as the reference's classes are called, and the code of diag.def */
/* clang-format off */
#define VT_YAY_ERRORS(X) \
	X(NO_MATCHING, "NoMatching", E3004) \
	X(TYPE, "TypeError", E3005) \
	X(CYCLE, "CycleError", E3006) \
	X(PARADOX, "ParadoxError", E3008) \
	X(ZERO_DIVISION, "ZeroDivisionError", E3010) \
	X(NOT_FOUND, "NotFound", E3009) \
	X(LIMIT, "LimitError", E3007) \
	X(HOST, "HostError", E3011) \
	X(SYNTAX, "SyntaxError", E3002) /* of an included file: type says which */
/* clang-format on */
enum vt_yay_error {
	VT_YE_NONE,
#define X(sym, name, code) VT_YE_##sym,
	VT_YAY_ERRORS(X)
#undef X
};

typedef struct vt_yplace {
	const vt_ydoc *doc;
	const char *name;
	uint32_t line, col;
} vt_yplace;
enum { VT_YAY_PLACES = 24 };
/* The first place is where it went wrong; the others led there. */
typedef struct vt_yfault {
	enum vt_yay_error kind;
	char type[32]; /* "NoMatching" */
	char *message; /* malloc'd */
	vt_yplace place[VT_YAY_PLACES];
	uint32_t nplaces;
} vt_yfault;
enum vt_diag vt_yay_diag(const vt_yfault *);

const char *vt_yay_function(size_t i); /* the names of all functions; NULL behind the last */

typedef struct vt_yay vt_yay;
typedef struct vt_ynode vt_ynode; /* a place in the graph, as long as the session */

/* What a session asks of whoever made it. Each may be NULL. */
typedef struct vt_yay_host {
	void *ctx;
	/*
	 * The document of that name: a path or URL as written, or below an entry of the search
	 * path. NULL: it is not there, unless the call reported with vt_yay_refuse. *id: equal for
	 * equal documents, to see loops.
	 */
	const vt_ydoc *(*open)(
		void *ctx, vt_yay *, const char *name, const vt_ydoc *from, bool *secret);
	bool (*has_class)(void *ctx, const char *name);
	/* Members that an object of a class binding has besides its parameters: a dict. */
	vt_status (*make)(void *ctx, vt_rt *, const char *name, vt_value params, vt_value *out);
} vt_yay_host;

typedef struct vt_yay_limits {
	uint64_t steps;    /* rows evaluated: 50 million */
	uint32_t nodes;    /* places, frames and lists of the graph: 20 million */
	uint32_t stack;    /* bytes of C stack: 4 MiB */
	uint32_t includes; /* documents: 10,000 */
	uint64_t text;     /* bytes of one string, bits of one number: 64 Mi */
} vt_yay_limits;

vt_yay *vt_yay_new(vt_rt *, const vt_yay_host *, const vt_yay_limits * /* or NULL */);
void vt_yay_free(vt_yay *);
/* One more layer. */
bool vt_yay_load(vt_yay *, const vt_ydoc *, bool secret);
/* The same for a dict that is there already: defaults below documents, overrides above them. */
bool vt_yay_layer(vt_yay *, vt_value dict);
/* given.c: a layer of a.b=VALUE, false: it is none; the value of such a text, which is JSON or else
 * a text */
bool vt_yay_override(vt_rt *, vt_yay *, const char *arg);
bool vt_yay_input(vt_rt *, vt_yay *, const char *arg); /* the same, where the value is YAML */
/* What a path that leads nowhere was to be: a key beside it, or at the root one of the other names;
 * malloc'd, or NULL. */
char *vt_yay_near_path(vt_yay *, const char *path, const char *const *more, size_t nmore);
/* Tells of an override of what the configuration without overrides does not have, where that was
 * likely meant to be another. */
void vt_yay_note_new(vt_yay *before, const char *self, const char *option, const char *arg);
/* Of a command, to standard output; layout as vt_json_layout() says. */
void vt_yay_print(vt_rt *, vt_value, bool raw, bool yaml, int layout);
vt_value vt_yay_given_value(vt_rt *, const char *text); /* owned */
/* Functions of the host, which are Lua's, as class bindings. */
bool vt_yay_has_class(vt_rt *, const char *name);
vt_status vt_yay_make_object(vt_rt *, const char *name, vt_value params, vt_value *out);
/* How a binary finds the document of a URL: without user and password, and of its query a digest.
 * malloc'd. */
char *vt_yay_url_key(const char *url);
/* A path without what says nothing: "./", doubled slashes, and "DIR/../". */
void vt_yay_put_plain(vt_buf *, const char *path, size_t n);
bool vt_yay_is_encrypted(const char *name);    /* by its name */
void vt_yay_search(vt_yay *, const char *dir); /* a directory behind those of the documents */

/* ---- reading: false or NULL means that vt_yay_fault says why ---- */
vt_ynode *vt_yay_root(vt_yay *);
/* a.b[0]["c"] below a place, without looking at the rest; an empty path is the place itself. */
vt_ynode *vt_yay_at(vt_yay *, vt_ynode *, const char *path, size_t n);
vt_ynode *vt_yay_expression(vt_yay *, const vt_ydoc *);
/* What a part can be asked for as. */
#define VT_YAY_AS(X) \
	X(VALUE, "value") \
	X(INT, "int") \
	X(FLOAT, "float") \
	X(NUMBER, "number") \
	X(BOOL, "bool") \
	X(STRING, "string") \
	X(SAFE_STRING, "safe_string") \
	X(LIST, "list") \
	X(ITERABLE, "iterable") \
	X(DICT, "dict") \
	X(KEYS, "keys") \
	X(LABELS, "labels") \
	X(TYPE, "type") \
	X(SAFE_VALUE, "safe_value")
enum vt_yay_as {
#define X(id, name) VT_YAS_##id,
	VT_YAY_AS(X)
#undef X
		VT_YAS_COUNT
};
extern const char *const vt_yay_as_names[VT_YAS_COUNT];
extern const struct vt_cli vt_yay_cli; /* main.c: of the binary of a configuration */
#define VT_YAY_AS_NAME(id, name) "|" name
#define VT_YAY_AS_NAMES VT_YAY_AS(VT_YAY_AS_NAME) /* as options list them: "|value|int..." */
bool vt_yay_value(vt_yay *, vt_ynode *, enum vt_yay_as, vt_value *out);
/* The value for vt_yay_print() and nothing else, while the session is there: what is long and plain
 * is made as it is written, so it takes no memory. safe: with secrets masked. */
bool vt_yay_shown(vt_yay *, vt_ynode *, bool safe, vt_value *out);
vt_yplace vt_yay_anchor(vt_yay *, vt_ynode *);
const vt_yfault *vt_yay_fault(const vt_yay *); /* kind VT_YE_NONE: nothing failed */
/* For open(): the document is there and cannot be used. */
void vt_yay_refuse(vt_yay *, const char *type, const char *message, vt_yplace);

#endif
