/*
 * tcc.c - C that runs in this process.  For `vetro query` and libvetro: through libtcc in memory,
 * or through cc and dlopen where the system does not let memory become executable.  For `vetro run`
 * and `vetro test` (jit.c): many files as one program, through libtcc only.
 *
 * The text includes vt.h only, so the compiler needs no header of the system: the few names of
 * <stddef.h> and <stdint.h> that vt.h uses are written here, and nothing is read from disk.
 */
#define _GNU_SOURCE /* memfd_create */
#define VT_TOSCA
#define VT_YAY
#include "compiler/base/base.h"
#include "runtime/core/printable.h"
#include "compiler/build/build.h"
#include "vt.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef VC_NO_LIBTCC
#include "compiler/build/no_libtcc.h"
enum { HAS_LIBTCC = 0 };
#else
#include <libtcc.h>
enum { HAS_LIBTCC = 1 };
#endif

struct vc_tcc {
	TCCState *state; /* or NULL */
	void *code;      /* its memory */
	size_t ncode;
	void *handle; /* of dlopen, or NULL */
};

static const char *const preamble =
	"typedef signed char int8_t; typedef unsigned char uint8_t; typedef unsigned short "
	"uint16_t;\n"
	"typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t;\n"
	"typedef unsigned long long uint64_t; typedef unsigned long size_t; typedef unsigned long "
	"uintptr_t;\n"
	"#define NULL ((void *)0)\n";

/* libtcc looks nothing up by itself: -nostdlib keeps it from reading libc.so for every expression.
 */
typedef struct symbol {
	const char *name;
	const void *address;
} symbol;
static const symbol symbols[] = {
#include "abi.h"
};
static const symbol few_symbols[] = {
#include "prelude_abi.h"
};
static const symbol program_symbols[] = {
	{"vt_deploy_main", (const void *)vt_deploy_main},
	{"vt_direct_body", &vt_direct_body},
	{"vt_operator_body", &vt_operator_body},
	{"vt_lambda_programs", &vt_lambda_programs},
	{"vt_form_serving", &vt_form_serving},
	{"vt_stepping", &vt_stepping},
	{"vt_one_character", &vt_one_character},
#include "program_abi.h"
};
static const symbol libc_symbols[] = {
	{"memcpy", (const void *)memcpy},
	{"memmove", (const void *)memmove},
	{"memset", (const void *)memset},
};

static void
on_error(void *opaque, const char *message)
{
	vt_buf *b = opaque;

	vt_buf_printf(b, "%s\n", message);
}

/* The text without its #include lines. */
static void
put_without_includes(vt_buf *b, const char *s, size_t n)
{
	for (const char *p = s, *end = s + n, *nl; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end - 1;
		if (strncmp(p, "#include", 8) != 0)
			vt_buf_put(b, p, (size_t)(nl + 1 - p));
	}
}

/* abi is the asset with the declarations: vt.h, or prelude.h, the part of it that nearly every
 * expression gets by with. */
static void
put_source(vt_buf *b, const char *abi, const char *text)
{
	size_t n;
	const char *declarations = vc_asset(abi, &n);

	vt_buf_puts(b, preamble);
	put_without_includes(b, declarations, n);
	put_without_includes(b, text, strlen(text));
}

/* ---- in memory ------------------------------------------------------------------------------ */

/* Hardened systems (SELinux, systemd's MemoryDenyWriteExecute) refuse what libtcc needs, and libtcc
 * would end the process then: this asks first. */
bool
vc_tcc_possible(void)
{
	void *p = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool ok = HAS_LIBTCC && p != MAP_FAILED &&
		  mprotect(p, 1, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;

	if (p != MAP_FAILED)
		munmap(p, 1);
	return ok;
}

void
vc_tcc_refuse(vc *c)
{
	vc_report(c, VC_E0902, (vc_span){0},
		HAS_LIBTCC ? "the system gives no memory for code"
			   : "this vetro was built without libtcc");
}

/* The code is written to pages of its own, which are closed for writing once it is there: emitted
 * C has no variables. */
static bool
relocate(vc_tcc *t)
{
	int n = tcc_relocate(t->state, NULL);
	void *p;

	if (n <= 0)
		return false;
	p = mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return false;
	t->code = p;
	t->ncode = (size_t)n;
	return tcc_relocate(t->state, p) >= 0 && mprotect(p, t->ncode, PROT_READ | PROT_EXEC) == 0;
}

static void
forget(vc_tcc *t)
{
	if (t->state)
		tcc_delete(t->state);
	if (t->code)
		munmap(t->code, t->ncode);
	*t = (vc_tcc){NULL, NULL, 0, NULL};
}

static void
add_symbols(TCCState *s, const symbol *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tcc_add_symbol(s, rows[i].name, rows[i].address);
}

static void *
try(vc_tcc *t, const char *abi, const symbol *rows, size_t n, const char *text, const char *name,
	vt_buf *errors)
{
	vt_buf source = {0};
	TCCState *s = t->state = tcc_new();
	void *address = NULL;

	put_source(&source, abi, text);
	tcc_set_error_func(s, errors, on_error);
	tcc_set_options(s, "-nostdlib -nostdinc");
	tcc_set_output_type(s, TCC_OUTPUT_MEMORY);
	add_symbols(s, rows, n);
	add_symbols(s, libc_symbols, VC_LEN(libc_symbols));
	if (tcc_compile_string(s, source.p) == 0 && relocate(t))
		address = tcc_get_symbol(s, name);
	vt_buf_free(&source);
	/* libtcc keeps state of the process, which it leaves as it is then: nothing it compiles now
	 * is right */
	if (address == NULL && errors->n > 0 && strstr(errors->p, "memory full") != NULL)
		vt_no_memory();
	return address;
}

/* What the prelude lacks is not among its symbols either, so that it fails and never goes wrong. */
static void *
compile_in_memory(vc *c, vc_tcc *t, const char *text, const char *name)
{
	vt_buf errors = {0};
	void *address = try(t, "prelude.h", few_symbols, VC_LEN(few_symbols), text, name, &errors);

	if (address == NULL) {
		forget(t);
		errors.n = 0;
		address = try(t, "vt.h", symbols, VC_LEN(symbols), text, name, &errors);
	}
	if (address == NULL)
		vc_report(c, VC_E0902, (vc_span){0},
			"the emitted C does not compile in memory: %.*s",
			VT_WHOLE(errors.n > 0 ? errors.p : "no symbol"));
	vt_buf_free(&errors);
	return address;
}

/* ---- through cc ----------------------------------------------------------------------------- */

/*
 * The object finds the runtime by a table and not by names, so that it does not matter whether the
 * runtime is in an executable, in a library, or hidden in either: every function of vt.h is a
 * pointer there.  A prototype with its name replaced declares that pointer.
 */
static void
put_object_source(vt_buf *b, const char *text, const char *name)
{
	for (size_t i = 0; i < VC_LEN(symbols); i++)
		vt_buf_printf(b, "#define %s (*p_%s)\n", symbols[i].name, symbols[i].name);
	put_source(b, "vt.h", text);
	vt_buf_printf(b, "\n#define SHOWN __attribute__((visibility(\"default\")))\n"
			 "SHOWN const void *vetro_entry(void *const *from)\n{\n");
	for (size_t i = 0; i < VC_LEN(symbols); i++)
		vt_buf_printf(b, "\t*(void **)&p_%s = from[%zu];\n", symbols[i].name, i);
	vt_buf_printf(b, "\treturn &%s;\n}\n", name);
}

static void *
compile_with_cc(vc *c, vc_tcc *t, const char *text, const char *name)
{
	const void *addresses[VC_LEN(symbols)];
	const void *(*entry)(const void *const *);
	vt_buf source = {0};

	put_object_source(&source, text, name);
	t->handle = vc_toolchain_load(c, source.p, source.n);
	vt_buf_free(&source);
	if (t->handle == NULL)
		return NULL;
	*(void **)&entry = dlsym(t->handle, "vetro_entry");
	if (entry == NULL) {
		vc_report(c, VC_E0902, (vc_span){0}, "the compiled code has no entry");
		return NULL;
	}
	for (size_t i = 0; i < VC_LEN(symbols); i++)
		addresses[i] = symbols[i].address;
	return (void *)(uintptr_t)entry(addresses);
}

vc_tcc *
vc_tcc_compile(vc *c, const char *text, const char *name, void **address)
{
	vc_tcc *t = calloc(1, sizeof *t);
	bool memory = c->jit == VC_JIT_MEMORY || (c->jit == VC_JIT_AUTO && vc_tcc_possible());

	*address = NULL;
	if (t == NULL || (memory && c->jit == VC_JIT_MEMORY && !vc_tcc_possible()))
		vc_tcc_refuse(c);
	else if (memory)
		*address = compile_in_memory(c, t, text, name);
	else
		*address = compile_with_cc(c, t, text, name);
	if (*address != NULL)
		return t;
	vc_tcc_free(t);
	return NULL;
}

void
vc_tcc_free(vc_tcc *t)
{
	if (t == NULL)
		return;
	if (t->handle)
		dlclose(t->handle);
	t->handle = NULL;
	forget(t);
	free(t);
}

/* ---- programs ------------------------------------------------------------------------------- */

enum { NESTED = 4 /* how deep headers include each other */ };

/* The text with the headers that vetro carries in the place of their #include lines, and without
 * those of the system. */
static void
put_with_headers(vt_buf *b, const char *s, size_t n, int depth)
{
	for (const char *p = s, *end = s + n, *nl; p < end; p = nl + 1) {
		const char *header = NULL;
		char name[64];
		size_t size;
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end - 1;
		if (strncmp(p, "#include", 8) != 0)
			vt_buf_put(b, p, (size_t)(nl + 1 - p));
		else if (depth < NESTED && sscanf(p, "#include \"%63[^\"\n]", name) == 1)
			header = vc_asset(name, &size);
		if (header)
			put_with_headers(b, header, size, depth + 1);
	}
}

static TCCState *
new_state(int output, vt_buf *errors)
{
	TCCState *s = tcc_new();

	tcc_set_error_func(s, errors, on_error);
	tcc_set_options(s, "-nostdlib -nostdinc");
	tcc_set_output_type(s, output);
	return s;
}

/* See try(). */
static void
end_without_memory(const vt_buf *errors)
{
	if (errors->n > 0 && strstr(errors->p, "memory full") != NULL)
		vt_no_memory();
}

static bool
compile_text(TCCState *s, const vt_buf *text)
{
	vt_buf source = {0};
	bool ok;

	vt_buf_puts(&source, preamble);
	put_with_headers(&source, text->p, text->n, 0);
	ok = tcc_compile_string(s, source.p) == 0;
	vt_buf_free(&source);
	return ok;
}

/* libtcc does not look whether it could write. What it writes last is the table of sections. */
static bool
is_complete(int fd)
{
	Elf64_Ehdr h;
	off_t end = lseek(fd, 0, SEEK_END);

	return sizeof(void *) == 8 && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h &&
	       memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_shoff != 0 &&
	       h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize <= (uint64_t)end;
}

int
vc_tcc_object(vc *c, const vt_buf *text)
{
	vt_buf errors = {0};
	TCCState *s = new_state(TCC_OUTPUT_OBJ, &errors);
	int fd = memfd_create("object", MFD_CLOEXEC);
	bool ok = fd >= 0 && compile_text(s, text) &&
		  tcc_output_file(s, vc_format(c, "/proc/self/fd/%d", fd)) == 0 && is_complete(fd);

	tcc_delete(s);
	end_without_memory(&errors);
	vt_buf_free(&errors);
	if (ok)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- what programs declare by themselves: native classes of a cloud, functions of TOSCA ---- */

typedef struct names {
	char **v;
	uint32_t n;
} names;

static void
keep_name(names *w, const char *p, size_t n)
{
	vt_push(w->v, w->n) = vt_xstrndup(p, n);
}

/* The names of the runtime, and types, which nobody finds, in declarations that begin so. */
static void
find_names(names *w, const char *p, const char *begin)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	while ((p = strstr(p, begin)) != NULL)
		for (p++; *p && *p != ';';) {
			size_t n = strspn(p, letters);
			if (n > 3 && strncmp(p, "vt_", 3) == 0)
				keep_name(w, p, n);
			p += n ? n : 1;
		}
}

/* The executable shows its functions and tables to the dynamic linker. */
static void
add_names(TCCState *s, names *w)
{
	if (w->n)
		qsort(w->v, w->n, sizeof *w->v, vt_compare_texts);
	for (uint32_t i = 0; i < w->n; i++) {
		const void *address =
			i && strcmp(w->v[i], w->v[i - 1]) == 0 ? NULL : vc_symbol(w->v[i]);
		if (address)
			tcc_add_symbol(s, w->v[i], address);
	}
	for (uint32_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

static void *
link_parts(vc_tcc *t, const vc_tcc_part *parts, uint32_t n, const char *name, vt_buf *errors)
{
	TCCState *s = t->state = new_state(TCC_OUTPUT_MEMORY, errors);
	names w = {NULL, 0};
	bool ok = true;

	add_symbols(s, symbols, VC_LEN(symbols));
	add_symbols(s, program_symbols, VC_LEN(program_symbols));
	add_symbols(s, libc_symbols, VC_LEN(libc_symbols));
	for (uint32_t i = 0; i < n; i++) {
		find_names(&w, parts[i].text->p, "\nextern ");
		find_names(&w, parts[i].text->p, "\n_Bool vt_"); /* functions of TOSCA */
	}
	add_names(s, &w);
	for (uint32_t i = 0; i < n && ok; i++)
		ok = parts[i].object ? tcc_add_file(s, parts[i].object) == 0
				     : compile_text(s, parts[i].text);
	return ok && relocate(t) ? tcc_get_symbol(s, name) : NULL;
}

vc_tcc *
vc_tcc_link(const vc_tcc_part *parts, uint32_t n, const char *name, void **address, vt_buf *errors)
{
	vc_tcc *t = calloc(1, sizeof *t);

	if (t == NULL)
		vt_no_memory();
	*address = link_parts(t, parts, n, name, errors);
	end_without_memory(errors);
	tcc_delete(t->state);
	t->state = NULL;
	if (*address != NULL)
		return t;
	vc_tcc_free(t);
	return NULL;
}

size_t
vc_tcc_size(const vc_tcc *t)
{
	return t->ncode;
}
