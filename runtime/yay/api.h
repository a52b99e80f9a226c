/*
 * api.h - a Yay configuration in the hands of a program: texts in, places and values out.
 *
 * compiler/yay/api.c implements it, because it needs the front end.  That is part of vetro and of
 * libvetro; a binary has it when it was built --with-yay (libvtyay.a), and otherwise vt_yay_reader
 * has no address: whoever may run there asks `vt_yay_has_reader()` first.  So a binary that reads
 * no Yay carries nothing of it.
 */
#ifndef YAY_API_H
#define YAY_API_H

#include "runtime/yay/yay.h"

#include <string.h>

typedef struct vt_yconf vt_yconf; /* documents in layers, and the session that evaluates them */

typedef struct vt_yconf_options {
	bool files;           /* documents may come from the file system; else only from texts */
	const char *gpg;      /* the program that decrypts; NULL: gpg */
	vt_yay_limits limits; /* 0: as in yay.h */
	/* Class bindings of the program itself, asked before those of Lua; NULL: none. */
	void *ctx;
	bool (*has_class)(void *ctx, const char *name);
	vt_status (*make)(void *ctx, vt_rt *, const char *name, vt_value params, vt_value *out);
} vt_yconf_options;

/*
 * What stands at the top of a document, key by key.  A scalar comes as the text that is written,
 * for whoever knows its type; anything else, and what is no text or number, as a value.
 */
typedef bool vt_yay_entry(void *ctx, const char *key, vt_value v, bool text);

enum vt_yshape_kind { VT_YS_SCALAR, VT_YS_LIST, VT_YS_MAP };

/* false and NULL: fault() says why. Places live as long as their configuration. */
typedef struct vt_yay_api {
	vt_yconf *(*open)(vt_rt *, const vt_yconf_options *);
	void (*close)(vt_yconf *);
	void (*search)(vt_yconf *, const char *dir);
	/* A document that may be included under that name, before files are looked at. */
	bool (*provide)(vt_yconf *, const char *name, const char *text, size_t n);
	/* Layers: a later one wins. */
	bool (*load_file)(vt_yconf *, const char *path);
	bool (*load_text)(vt_yconf *, const char *name, const char *text, size_t n);
	bool (*load_dict)(vt_yconf *, vt_value dict);
	bool (*override)(vt_yconf *, const char *arg); /* a.b=VALUE */
	/* from NULL: the whole configuration. */
	vt_ynode *(*at)(vt_yconf *, vt_ynode *from, const char *path, size_t n);
	vt_ynode *(*expression)(vt_yconf *, const char *text, size_t n);
	bool (*value)(vt_yconf *, vt_ynode *, enum vt_yay_as, vt_value *out);
	/* What a place is, and of how many parts; the parts are not evaluated. */
	bool (*shape)(vt_yconf *, vt_ynode *, enum vt_yshape_kind *, uint32_t *n);
	/* Part i, with its key where it is one of a mapping (borrowed). */
	vt_ynode *(*part)(vt_yconf *, vt_ynode *, uint32_t i, vt_value *key);
	vt_yplace (*anchor)(vt_yconf *, vt_ynode *);
	const vt_yfault *(*fault)(const vt_yconf *);
	/* How much C stack the next calls may take, where it is less than the limit. */
	void (*stack)(vt_yconf *, size_t bytes);
	/*
	 * The object model of a MuranoPL program.  `create "CLASS"` makes an object of a class of
	 * the program; an object that is used again is a reference; what has no Objects is the root
	 * object.  path "-": the text.  False: *why says, malloc'd, with the places.
	 */
	bool (*model)(
		vt_rt *, const char *path, const char *text, size_t n, vt_value *out, char **why);
	bool (*entries)(vt_rt *, const char *path, const char *text, size_t n, vt_yay_entry *,
		void *ctx, char **why);
} vt_yay_api;

extern const vt_yay_api vt_yay_reader __attribute__((weak));
/* The same for who always has it: a library takes what it finds by this name out of its archive. */
const vt_yay_api *vt_yay_front(void);

/* walk.c: the part of it that needs no front end. */
bool vt_yay_shape(vt_yay *, vt_ynode *, enum vt_yshape_kind *, uint32_t *n);
vt_ynode *vt_yay_part(vt_yay *, vt_ynode *, uint32_t i, vt_value *key);
void vt_yay_stack(vt_yay *, size_t bytes);
/* Equal for places that are the same list or mapping; NULL: it failed. */
const void *vt_yay_identity(vt_yay *, vt_ynode *);

/*
 * input.c: Yay where a program takes JSON, object models and inputs; they come with the reader
 * as `model` and `entries`.
 */
bool vt_yay_model(vt_rt *, const char *path, const char *text, size_t n, vt_value *out, char **why);
bool vt_yay_entries(vt_rt *, const char *path, const char *text, size_t n, vt_yay_entry *,
	void *ctx, char **why);

/* Does the name say that it is Yay? */
static inline bool
vt_yay_is_named(const char *path)
{
	return vt_ends_with(path, ".yay") || vt_ends_with(path, ".yay.gpg");
}
/* Or, of standard input, how the text begins? Only a program with a reader asks that. */
static inline bool
vt_yay_is_begun(const char *path, const char *text, size_t n)
{
	size_t i = 0;

	if (&vt_yay_reader == NULL || strcmp(path, "-") != 0)
		return false;
	while (i < n && strchr(" \t\r\n", text[i]))
		i++;
	return i < n && text[i] != '{' && text[i] != '[';
}
#define VT_YAY_NO_READER \
	"this binary does not read Yay; build it --with-yay, or give it what `vetro yay -c` " \
	"prints"

#endif
