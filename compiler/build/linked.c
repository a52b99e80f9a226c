/*
 * linked.c - which libraries a binary was linked with, from the linker's map and from the binary
 * itself, and what is known of them.  Versions are those that the files of the libraries tell.
 */
#define _GNU_SOURCE
#include "compiler/build/linked.h"
#include "runtime/text/digest.h"
#include "runtime/text/outfile.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FILES: what files of it are called up to a dot or a dash. MARK: what stands before the version in
 * a file; PC: the file of pkg-config beside it, for those that have no mark. */
static const struct known {
	const char *name, *files, *licence, *mark, *pc;
} known[] = {
	{"lua", "liblua5.4", "MIT", "$LuaVersion: Lua ", NULL},
	{"pcre2", "libpcre2-8", "BSD-3-Clause", NULL, "libpcre2-8"},
	{"gmp", "libgmp", "LGPL-3.0-or-later OR GPL-2.0-or-later", NULL, "gmp"},
	{"libyaml", "libyaml|libyaml-0", "MIT", NULL, "yaml-0.1"},
	{"expat", "libexpat", "MIT", "expat_", NULL},
	{"glibc", "libc|libc_nonshared|libm|libmvec|libdl|libpthread|librt|libresolv|ld",
		"LGPL-2.1-or-later", "stable release version ", NULL},
	{"gcc", "libgcc|libgcc_eh|libgcc_s|libasan|libubsan",
		"GPL-3.0-or-later WITH GCC-exception-3.1", NULL, NULL},
	{"curl", "libcurl", "curl", "libcurl/", NULL},
	{"rabbitmq-c", "librabbitmq", "MIT", NULL, "librabbitmq"},
	{"openssl", "libcrypto|libssl", "Apache-2.0", "OpenSSL ", NULL},
	{"zlib", "libz", "Zlib", " deflate ", NULL},
	/* the text behind what __TINYC__ is read from */
	{"tinycc", "libtcc", "LGPL-2.1-or-later", "%d.%d.%d", NULL},
	{"minizip", "libminizip", "Zlib", NULL, "minizip"},
};

/* What the runtime loads when it is needed: the member of libvt.a that does so. */
static const struct {
	const char *member, *library;
} loaded[] = {{"http.o", "curl"}, {"amqp.o", "rabbitmq-c"}, {"sign.o", "openssl"}};

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libm-2.36.a", "libm.so.6" and "libm.a" are of libm. */
static bool
is_file_of(const struct known *k, const char *file)
{
	for (const char *p = k->files; *p;) {
		size_t n = strcspn(p, "|");
		if (strncmp(file, p, n) == 0 && (file[n] == '.' || file[n] == '-'))
			return true;
		p += n + (p[n] == '|');
	}
	return false;
}

static const struct known *
find_known(const char *file)
{
	for (size_t i = 0; i < VC_LEN(known); i++)
		if (is_file_of(&known[i], file))
			return &known[i];
	return NULL;
}

const char *
vc_file_sha256(vc *c, const char *path)
{
	char hex[VT_DIGEST_TEXT];
	vt_buf b = {0};
	bool good = vt_read_file(path, SIZE_MAX, &b);

	if (good)
		vt_digest("sha256", b.p ? b.p : "", b.n, hex);
	vt_buf_free(&b);
	return good ? vc_strdup(c, hex) : NULL;
}

/* ---- versions ---- */

/* "3.0.19", of digits and dots that begin and end with a digit; NULL: there is none. */
static const char *
version_at(vc *c, const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && (isdigit((unsigned char)p[n]) || p[n] == '.'))
		n++;
	while (n && p[n - 1] == '.')
		n--;
	return n && isdigit((unsigned char)*p) && memchr(p, '.', n) ? vc_strndup(c, p, n) : NULL;
}

static const char *
version_behind(vc *c, const vt_buf *file, const char *mark)
{
	size_t n = strlen(mark);
	const char *p = file->p, *end = file->p + file->n, *v;

	while (p && (p = memmem(p, (size_t)(end - p), mark, n)) != NULL) {
		p += n;
		p += p < end && *p == '\0'; /* a text of its own */
		if ((v = version_at(c, p, end)))
			return v;
	}
	return NULL;
}

static const char *
version_told(vc *c, const char *path, const char *mark)
{
	vt_buf b = {0};
	const char *v = NULL;

	if (vt_read_file(path, SIZE_MAX, &b))
		v = version_behind(c, &b, mark);
	vt_buf_free(&b);
	return v;
}

static const char *
version_of(vc *c, const struct known *k, const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;

	if (k->mark) { /* parts of glibc leave it to libc itself */
		const char *v = version_told(c, path, k->mark);
		return v || strcmp(k->name, "glibc") != 0
			       ? v
			       : version_told(c, vc_format(c, "%.*s/libc.a", dir, path), k->mark);
	}
	if (k->pc)
		return version_told(
			c, vc_format(c, "%.*s/pkgconfig/%s.pc", dir, path, k->pc), "Version: ");
	if (strcmp(k->name, "gcc") == 0 &&
		strstr(path, "/gcc/")) { /* .../gcc/MACHINE/12/libgcc.a */
		int from = dir;
		while (from > 0 && path[from - 1] != '/')
			from--;
		return isdigit((unsigned char)path[from])
			       ? vc_strndup(c, path + from, (size_t)(dir - from))
			       : NULL;
	}
	return NULL;
}

/* ---- what was linked ---- */

/* One of a name: the first that is found, with a version where one of its files tells it. */
static void
put(vc *c, vc_linked *l, const char *file, const char *path, enum vc_linkage how)
{
	const struct known *k = find_known(file);
	const char *name = k ? k->name : vc_strndup(c, file, strcspn(file, "."));
	vc_library *at = NULL;

	for (uint32_t i = 0; i < l->n && !at; i++)
		if (strcmp(l->v[i].name, name) == 0 && l->v[i].how == how)
			at = &l->v[i];
	if (!at) {
		vc_push(c, l->v, l->n) =
			(vc_library){.name = name, .licence = k ? k->licence : NULL, .how = how};
		at = &l->v[l->n - 1];
	}
	if (!at->version && k && path && how != VC_LOADED)
		at->version = version_of(c, k, path);
	vc_push(c, at->file, at->nfiles) = vc_strdup(c, file);
}

/* "/usr/lib/libm-2.36.a(e_pow.o)" of a section that is in the binary. */
static void
put_member(vc *c, vc_linked *l, const char *file, bool *seen)
{
	const char *open = strrchr(file, '('), *name;
	const char *path = open ? vc_strndup(c, file, (size_t)(open - file)) : NULL;

	if (!path || !vt_ends_with(path, ".a"))
		return;
	name = base_of(path);
	if (strncmp(name, "libvt", 5) == 0) { /* ours */
		for (size_t i = 0; i < VC_LEN(loaded); i++)
			if (strncmp(open + 1, loaded[i].member, strlen(loaded[i].member)) == 0)
				seen[i] |= strcmp(name, "libvt.a") == 0;
		return;
	}
	for (uint32_t i = 0; i < l->n; i++)
		for (uint32_t k = 0; k < l->v[i].nfiles; k++)
			if (strcmp(l->v[i].file[k], name) == 0)
				return;
	put(c, l, name, path, VC_ARCHIVE);
}

static void
read_map(vc *c, const char *map, vc_linked *l, bool *seen)
{
	FILE *f = fopen(map, "r");
	char line[8192], file[4096];
	bool in = false;

	while (f && fgets(line, sizeof line, f)) {
		unsigned long long at, size;
		const char *number = strstr(line, " 0x");
		in |= strncmp(line, "Linker script and memory map", 28) == 0;
		if (in && *line == ' ' && number &&
			sscanf(number, " 0x%llx 0x%llx %4095[^\n]", &at, &size, file) == 3 && at &&
			size)
			put_member(c, l, file, seen);
	}
	if (f)
		fclose(f);
}

/* ---- what is loaded, as the binary says ---- */

static const void *
part(const vt_buf *b, uint64_t at, uint64_t n)
{
	return at <= b->n && n <= b->n - at ? b->p + at : NULL;
}

/* The place in the file of an address. */
static uint64_t
place_of(const vt_buf *b, const Elf64_Ehdr *h, uint64_t address)
{
	for (uint32_t i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = part(b, h->e_phoff + i * sizeof *p, sizeof *p);
		if (p && p->p_type == PT_LOAD && address >= p->p_vaddr &&
			address - p->p_vaddr < p->p_filesz)
			return p->p_offset + (address - p->p_vaddr);
	}
	return UINT64_MAX;
}

static const char *
text_at(vc *c, const vt_buf *b, uint64_t at)
{
	return at < b->n ? vc_strndup(c, b->p + at, strnlen(b->p + at, b->n - at)) : "";
}

static void
read_dynamic(vc *c, const vt_buf *b, const Elf64_Ehdr *h, const Elf64_Phdr *dynamic,
	const char *dirs, vc_linked *l)
{
	uint64_t texts = UINT64_MAX;
	const Elf64_Dyn *d;

	for (int pass = 0; pass < 2; pass++)
		for (uint64_t i = 0; i < dynamic->p_filesz / sizeof *d; i++) {
			d = part(b, dynamic->p_offset + i * sizeof *d, sizeof *d);
			if (!d || d->d_tag == DT_NULL)
				break;
			if (pass == 0 && d->d_tag == DT_STRTAB)
				texts = place_of(b, h, d->d_un.d_ptr);
			else if (pass == 1 && d->d_tag == DT_NEEDED && texts < b->n &&
				 d->d_un.d_val < b->n) {
				const char *name = text_at(c, b, texts + d->d_un.d_val);
				put(c, l, name, vc_library_file(c, dirs, name), VC_NEEDED);
			}
		}
}

static void
read_binary(vc *c, const char *binary, const char *dirs, vc_linked *l)
{
	vt_buf b = {0};
	const Elf64_Ehdr *h = vt_read_file(binary, SIZE_MAX, &b) ? part(&b, 0, sizeof *h) : NULL;

	if (h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64)
		for (uint32_t i = 0; i < h->e_phnum; i++) {
			const Elf64_Phdr *p = part(&b, h->e_phoff + i * sizeof *p, sizeof *p);
			if (p && p->p_type == PT_DYNAMIC)
				read_dynamic(c, &b, h, p, dirs, l);
		}
	vt_buf_free(&b);
}

static int
by_name(const void *a, const void *b)
{
	const vc_library *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : (int)x->how - (int)y->how;
}

vc_linked
vc_linked_of(vc *c, const char *binary, const char *map, const char *dirs)
{
	bool seen[VC_LEN(loaded)] = {false}, loads = false;
	vc_linked l = {0};

	read_map(c, map, &l, seen);
	read_binary(c, binary, dirs, &l);
	for (uint32_t i = 0; i < l.n; i++) /* a static binary loads nothing */
		loads |= l.v[i].how == VC_NEEDED;
	for (size_t i = 0; loads && i < VC_LEN(loaded); i++)
		for (size_t k = 0; seen[i] && k < VC_LEN(known); k++)
			if (strcmp(known[k].name, loaded[i].library) == 0)
				put(c, &l,
					vc_format(c, "%.*s.so", (int)strcspn(known[k].files, "|"),
						known[k].files),
					NULL, VC_LOADED);
	if (l.n)
		qsort(l.v, l.n, sizeof *l.v, by_name);
	for (uint32_t i = 0; i < l.n; i++)
		qsort(l.v[i].file, l.v[i].nfiles, sizeof *l.v[i].file, vt_compare_texts);
	return l;
}
