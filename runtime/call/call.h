/*
 * call.h - the function registry, overload resolution, calls, functions of the host, sessions.
 */
#ifndef VT_CALL_CALL_H
#define VT_CALL_CALL_H

#include "vt.h"

#include "runtime/core/args.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/core/session.h"

#include <stdbool.h>

/* ---- yaql.md 3.1 ---- */
/* Parameter types of the registry; names in .fn files are the lower-case of these. See
 * docs/internals/runtime-lib.md. */
enum vt_type {
#define X(sym, name) VT_T_##sym,
#include "runtime/call/types.def"
#undef X
	VT_T_COUNT
};
/* The function gets the argument's expression. */
static inline bool
vt_is_lazy_type(uint8_t t)
{
	return t == VT_T_LAMBDA || t == VT_T_LAMBDA_CTX || t == VT_T_LAMBDA_METHOD ||
	       t == VT_T_LAMBDA_CTX_METHOD || t == VT_T_EXPR || t == VT_T_RULE_LAZY ||
	       t == VT_T_OWN_LAZY;
}

/* Is a lambda of such a parameter called with the receiver as an argument? */
static inline bool
vt_is_method_lambda(uint8_t t)
{
	return t == VT_T_LAMBDA_METHOD || t == VT_T_LAMBDA_CTX_METHOD;
}

enum {
	VT_FN_FUNCTION = 1,
	VT_FN_METHOD = 2,
	VT_FN_NO_KWARGS = 4,
	VT_FN_PURE = 8,
	VT_FN_EXCLUSIVE = 16,
	VT_FN_CONTEXT = 32 /* reads or keeps the variables of its caller */,
	VT_FN_LEVEL = 0xff00 /* rows of the host: larger is further in; 0 is the level of std */,
	VT_FN_GROUP = 16 /* from this bit on, four of them: enum vt_function_group */,
	VT_FN_PLACE = 24 /* from this bit on: enum vt_in_place, or 0 */
};
/* The groups of the library that may be left out; in the order of VETRO_GROUP_.... */
enum vt_function_group {
	VT_G_NONE,
	VT_G_SYSTEM,
	VT_G_COMMON,
	VT_G_BOOLEAN,
	VT_G_STRINGS,
	VT_G_MATH,
	VT_G_COLLECTIONS,
	VT_G_SETS,
	VT_G_QUERIES,
	VT_G_REGEX,
	VT_G_BRANCHING,
	VT_G_DATETIME
};
static inline uint32_t
vt_row_group(const vt_fnrow *r)
{
	return r->flags >> VT_FN_GROUP & 15;
}
/* Is the row of the library there for a unit with those layers? */
static inline bool
vt_row_is_there(const vt_fnrow *r, uint32_t layers)
{
	uint32_t g = vt_row_group(r);

	return (r->layer & layers & 0xffff) != 0 &&
	       !(g != VT_G_NONE && layers >> (VT_L_LEFT_OUT + g - 1) & 1);
}
/* the overloads of a name: n of them, or NULL */
const vt_fnrow *vt_fn_find(const char *name, uint32_t *n);
/* the same in a table that is sorted by name */
const vt_fnrow *vt_rows_find(const vt_fnrow *, uint32_t nrows, const char *name, uint32_t *n);
/* Does a function of that name which a unit with those layers has look at the scope of its call, or
 * keep it?  *known: has it any? */
bool vt_fn_sees_scope(const char *name, uint32_t layers, bool *known);
/* the same by the names that a unit with those layers has for them: convention.c */
const vt_fnrow *vt_library_find(vt_rt *, const char *name, uint32_t layers, uint32_t *n);
void vt_snake_free(struct vt_snake *);
/* How names that a host gives become names of expressions: as they are, user_name as userName, or
 * without underscores at the end. */
enum vt_names_as { VT_NAMES_GIVEN, VT_NAMES_CAMEL, VT_NAMES_PYTHON };
char *vt_shown_name(enum vt_names_as, const char *name, bool of_function); /* malloc'd */
struct vt_sig;
void vt_sig_rename(enum vt_names_as, struct vt_sig *); /* its parameters */
/* the library has it and the program has not: vt_parts */
bool vt_fn_absent(const char *name);

/* vt_call_hooks.ready */
bool vt_ready(
	vt_rt *, vt_scope *, const vt_site *, vt_value recv, const vt_value *argv, vt_ready_call *);

/* A call from C by name, with eager positional arguments: Delegate of the reference. */
vt_status vt_call_name(vt_rt *, vt_scope *, const vt_unit *, const char *name, uint32_t n,
	const vt_value *args, vt_value *out);
vt_status vt_call_method_name(vt_rt *, vt_scope *, const vt_unit *, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, vt_value *out);
/* The generic form that `call()` needs: positional values and a dict of keyword values. */
vt_status vt_call_dynamic(vt_rt *, vt_scope *, const vt_unit *, const vt_str *name, vt_value recv,
	vt_value args_seq, vt_value kwargs_dict, vt_value *out);
/* Gives a pending exception that has no place yet the place of the site; returns VT_ERROR. The
 * innermost call says. */
vt_status vt_placed(vt_rt *, const vt_site *);
/* The function #operator_. with a bare word on the right: what vt_attr does where nothing simpler
 * applies. */
vt_status vt_call_member(vt_rt *, vt_scope *, const vt_unit *, const vt_site *, vt_value a,
	const vt_str *name, vt_value *out);
/* Several classes take turns at a site: what each found is kept, by the key in the cache. */
void vt_keep_found(vt_rt *, const vt_site *, const vt_ic *);
const vt_ic *vt_found_by(vt_rt *, const vt_site *, const void *key); /* or NULL */
/* A function of the host calls what its row hides: candidates of outer levels only, on the same
 * receiver form. */
vt_status vt_call_super(
	const vt_args *, uint32_t n, const vt_value *args, const vt_dict *kwargs, vt_value *out);
/* The same on a receiver of its own: VT_UNDEF calls functions. */
vt_status vt_call_hidden(const vt_args *, vt_value recv, uint32_t n, const vt_value *args,
	const vt_dict *kwargs, vt_value *out);
/* Does the value fit the type? The run-time check of overload resolution. */
bool vt_type_check(vt_rt *, const vt_unit *, const vt_fnparam *, vt_value);
/* The same for a type of the library, and a value that is not null. */
bool vt_type_takes(const vt_unit *, uint8_t type, vt_value);
/* Comparison through YAQL's operators, as max, min and sorting do it. */
vt_status vt_yaql_less(vt_rt *, vt_scope *, const vt_unit *, vt_value a, vt_value b, bool *out);

/* Binds site arguments to the method (positional, keywords, VarArgs, KwArgs, defaults, contracts)
 * and runs it. */
vt_status vt_invoke(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs /* dict or VT_NULL */, vt_value *out);
extern const vt_call_hooks vt_call_hooks_of_sessions;

/* ---- invoke.c ---- */
/* What a call would hand to the body: arguments in order (a tuple) and the rest by keyword,
 * contracts applied; what nobody takes comes behind. Both owned. */
vt_status vt_bind_call(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs, vt_value *tuple, vt_value *dict);
/* vt_invoke without contracts and defaults: a missing argument is null. */
vt_status vt_invoke_raw(vt_rt *, const vt_unit *caller, const vt_method_decl *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs, vt_value *out);
/* Could vt_invoke_plain (vt.h) call it? The arguments are as many as its parameters, given by
 * position, on an object; or on its own type, where it is static. */
bool vt_method_is_plain(const vt_method_decl *);
/* Of a method whose last parameter is no plain one: the first that takes what is left, VarArgs or
 * KwArgs.  Both may follow each other so. */
uint32_t vt_first_rest(const vt_method_decl *);
/* From outside: only public methods unless exposed by the session. */
vt_status vt_invoke_public(vt_rt *, vt_value target, const vt_str *name, vt_value args_seq,
	vt_value kwargs, vt_value *out);
/* Does the value pass check_type of the i-th parameter? The overload test of Extension methods. */
bool vt_param_check(vt_rt *, const vt_unit *caller, const vt_method_decl *, uint32_t i, vt_value);

/* ---- reflect.c ---- */
vt_status vt_meta_of(vt_rt *, vt_class *, enum vt_meta_target, const vt_str *name,
	vt_meta_item **out, uint32_t *n);
vt_status vt_meta_of_param(
	vt_rt *, vt_class *, const vt_param_decl *, vt_meta_item **out, uint32_t *n);

/* ---- reflect.c ---- */
/* Synchronize of a method: on_args is a borrowed tuple of names, or VT_UNDEF. reflect.c */
typedef struct vt_sync {
	bool on_this;
	vt_value on_args;
} vt_sync;
vt_status vt_method_sync(vt_rt *, const vt_method_decl *, vt_sync *);

/* ---- session.c ---- */
vt_rt *vt_rt_new(const vt_program *); /* program may be NULL: queries only */
void vt_ics_forget(vt_rt *);          /* empties all inline caches */
void vt_found_forget(vt_rt *);        /* what is kept beside them, by the addresses of sites */
/* aborts in a debug build when counted values are still alive */
void vt_rt_free(vt_rt *);

/* ---- testrun_mock.c ---- */
/* What inject() left: a method of a class is replaced. Either `by` of the object `self`, or a
 * lambda with its scope. */
typedef struct vt_mock {
	struct vt_mock *next;
	const vt_str *cls; /* name of the class whose method it replaces */
	const vt_method_decl *m, *by;
	const vt_unit *unit;
	vt_value self, lambda;
	vt_scope *scope;
} vt_mock;
/* inject() and withOriginal() are there from now on */
void vt_mocks_offer(vt_rt *);
void vt_mocks_drop(vt_rt *);
/* last NULL: the first */
const vt_mock *vt_mock_next(vt_rt *, const vt_mock *last, const vt_class *, const vt_str *method);
vt_status vt_mock_call(vt_rt *, vt_scope *caller, const vt_unit *, const vt_mock *, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs, vt_value *out);

/* ---- host.c: functions of the host, of Lua or of C ---- */
/* A parameter list in the registry's own language, as vetro.register and vetro_register take it. */
typedef struct vt_sig {
	vt_fnparam *params;
	uint32_t n, lazy;
} vt_sig;
/* NULL, or what is wrong: nothing is kept then. The session has the names of vt_type_define(). */
const char *vt_sig_read(vt_rt *, vt_sig *, const char *text);
void vt_sig_free(vt_sig *);
const char *vt_type_name(enum vt_type);
bool vt_type_is_lazy(enum vt_type);
/* ---- own.c: types of parameters that a host made, by name in signatures */
typedef struct vt_named_type {
	struct vt_named_type *next;
	char *name;
	bool lazy; /* what is checked and converted is the expression, as a lambda */
	bool (*check)(vt_rt *, void *, vt_value);
	vt_status (*convert)(vt_rt *, void *, vt_value, vt_value *out); /* or NULL */
	/* is it more special than the one of that name? Or NULL */
	bool (*above)(void *, const char *other);
	void *data;
	void (*drop)(void *);
} vt_named_type;
/* Takes over all but the name, which is copied. False: the name is no word, or one has it. */
bool vt_type_define(vt_rt *, const char *name, const vt_named_type *);
const vt_named_type *vt_type_named(vt_rt *, const char *name);
void vt_types_forget(vt_rt *);
/* Parts in turn: how says what each is to those before it.  & is stronger than the others. */
enum vt_own_how { VT_OWN_OR, VT_OWN_AND, VT_OWN_BUT };
typedef struct vt_own_part {
	uint8_t how, type; /* type: of the library, where named is NULL */
	const vt_named_type *named;
} vt_own_part;
typedef struct vt_own_type {
	uint32_t n;
	vt_own_part part[];
} vt_own_type;
bool vt_own_takes(vt_rt *, const vt_unit *, const vt_own_type *, vt_value);
/* What the function gets; *out is owned. */
vt_status vt_own_convert(vt_rt *, const vt_unit *, const vt_own_type *, vt_value, vt_value *out);
/* Is the type of a more special than that of b? One of them is OWN. */
bool vt_own_above(const vt_fnparam *a, const vt_fnparam *b);
enum { VT_HOST_OVERLOADS = 16 };
/* Adds an overload; the signature and data are the registry's from then on, freed by drop (or NULL)
 * with the session. False: the name has VT_HOST_OVERLOADS; both are freed. fn finds data through
 * its row. */
bool vt_host_add(vt_rt *, const char *name, uint32_t flags, vt_sig *, vt_fn, void *data,
	void (*drop)(void *));
/* The same in a table of its own, such as contexts have; *table is NULL at first. */
bool vt_host_add_to(vt_rt *, void **table, const char *name, uint32_t flags, vt_sig *, vt_fn,
	void *data, void (*drop)(void *));
bool vt_host_remove(void *table, const char *name); /* false: it was not there */
const vt_fnrow *vt_host_of_table(void *table, const char *name, uint32_t *n);
void vt_host_drop_table(void *);
void *vt_host_data(const vt_fnrow *);
bool vt_host_defined(vt_rt *, const char *name);
/* the overloads of a name, or NULL; rows never move */
const vt_fnrow *vt_host_find(vt_rt *, const char *name, uint32_t *n);
void vt_host_forget(vt_rt *);
/* An exception of a known type by its name; another name is one of the host's own. The message is
 * valid UTF-8. */
vt_status vt_host_raise(vt_rt *, const char *type, const char *message, size_t n);

/* ---- link/linked.c ---- */
bool vt_lua_load(vt_rt *, const char *text, size_t n, const char *chunk, char **err);
/* What a program brings: files one after the other, each behind a line with its name, which is a
 * comment to Lua. */
#define VT_LUA_FILE "--\1"
bool vt_lua_load_files(vt_rt *, const char *text, char **err);

#endif
