/*
 * build.h - C to binaries: the cache of objects, the C compiler, libtcc.
 */
#ifndef VC_BUILD_BUILD_H
#define VC_BUILD_BUILD_H

#include "compiler/base/base.h"
#include "compiler/emit/emit.h"

/* ---- cache.c: what was built before ---- */
enum { VC_CACHE_KEY = 65 };
/* The directory, made; NULL with a reason where nothing may be kept. */
const char *vc_cache_dir(vc *, const char **why);
/* What all objects of a build have in common: the compiler and its arguments, the headers. */
void vc_cache_base(
	vc *, const char *const *argv, const char *const *headers, char base[VC_CACHE_KEY]);
/* name of the object's file */
const char *vc_cache_key(vc *, const char *base, const vt_buf *text);
/* whole, and in use now; what is damaged goes */
bool vc_cache_has(vc *, const char *path);
bool vc_cache_is_whole(const char *path); /* whoever it belongs to */
/* a copy, where there is room */
bool vc_cache_put(vc *, const char *file, const char *path, unsigned mode);
/* to VETRO_CACHE_MIB, now and then */
void vc_cache_trim(vc *, const char *dir);

/* ---- libraries.c: what a binary is linked with ---- */
/* directories, with colons between, of what `cc -print-search-dirs` says */
const char *vc_library_dirs(vc *, const char *told);
/* What links libNAME: its archive, or -lNAME where there is none. */
const char *vc_library_argument(vc *, const char *dirs, const char *name);

/* ---- symbols.c ---- */
const void *vc_symbol(const char *name); /* of the runtime, in this process; NULL: there is none */
bool vc_loads_code(void);                /* false: vetro is static */

/* ---- target.c: for which machine; target: NULL is this one ---- */
const char *vc_runtime_home(vc *, const char *target);
const char *vc_compiler_name(vc *, const char *target);
/* What the runtime has itself goes before what the compiler knows. */
const char *vc_target_library_dirs(vc *, const char *home, const char *told);
bool vc_is_target(const char *name);
bool vc_target_is_here(vc *, const char *target); /* false: reported */

/* the file of that name, or NULL */
const char *vc_library_file(vc *, const char *dirs, const char *file);

/* ---- sbom.c: what a binary is made of ---- */
typedef struct vc_sbom {
	const char *file;
	const char *name, *version; /* of the application; version: or NULL */
	const char *source;         /* what was built, for the names of its files */
	bool is_library;
} vc_sbom;
/* False: reported. map: the linker's; dirs: where libraries are. */
bool vc_sbom_write(vc *, const vc_sbom *, const char *binary, const char *map, const char *dirs);

/* ---- jit.c, tcc.c, toolchain.c: C to binaries ---- */
typedef struct vc_build_opts {
	const char *out;      /* binary */
	const char *target;   /* the machine, as its C compiler is called; NULL: this one */
	const char *emit_dir; /* keep the C here, or NULL */
	int opt;              /* 0, 1, 2 */
	bool debug, shared, verbose;
	bool no_cache;  /* compiles every file, and keeps no object */
	bool with_yay;  /* links the reader of Yay */
	bool is_static; /* nothing but static, or an error */
	bool kept;      /* `out` is a place in the cache */
	/* With `shared`: whoever loads it has the runtime, so it is linked with nothing. */
	bool hosted;
	/* Compiles only: this directory gets the objects, as vetro comes with them; or NULL. */
	const char *ship;
	vc_sbom sbom; /* without a file: none */
} vc_build_opts;
/* Status as the command's exit status: 0, 3 or 4. Writes by rename. */
int vc_toolchain_build(vc *, vc_cfile *, uint32_t n, const vc_build_opts *);
/* cc makes a shared object, this is its dlopen handle; NULL: reported */
void *vc_toolchain_load(vc *, const char *text, size_t n);
/* The name in the cache of the binary that vc_toolchain_build makes of the same: all that it comes
 * from, as SHA-256. */
const char *vc_toolchain_key(vc *, const vc_cfile *, uint32_t n, const vc_build_opts *);
/* Bytes of C that a build would compile now: no object of them is kept. */
size_t vc_toolchain_missing(vc *, const vc_cfile *, uint32_t n, const vc_build_opts *);
/* Compiles C text in memory and gives the address of `symbol`, or NULL. free with vc_tcc_free. */
typedef struct vc_tcc vc_tcc;
vc_tcc *vc_tcc_compile(vc *, const char *text, const char *symbol, void **address);
void vc_tcc_free(vc_tcc *);
bool vc_tcc_possible(void); /* memory may become executable here */
void vc_tcc_refuse(vc *);   /* reports why it is not */
/* an object file in memory; -1: not possible, not reported */
int vc_tcc_object(vc *, const vt_buf *text);
typedef struct vc_tcc_part {
	const vt_buf *text;
	const char *object; /* a path, or NULL: the text */
} vc_tcc_part;
/* All as one program in memory; NULL with the reason in errors. */
vc_tcc *vc_tcc_link(
	const vc_tcc_part *, uint32_t n, const char *symbol, void **address, vt_buf *errors);
size_t vc_tcc_size(const vc_tcc *);
/* jit.c: the same from the files of a program; main() of it, or NULL: reported. The code is freed
 * after its use. */
typedef int vc_main_fn(int argc, char **argv);
vc_main_fn *vc_jit_program(
	vc *, const vc_cfile *, uint32_t n, const vc_build_opts *, vc_tcc **code);
/* The same for another function of it. */
void *vc_jit_symbol(vc *, const vc_cfile *, uint32_t n, const vc_build_opts *, const char *symbol,
	vc_tcc **code);

#endif
