/*
 * archive.c - a package's files, from a directory or a zip archive (minizip).
 *
 * Nothing is unpacked to disk.  An archive is judged as a whole before anything is read from it:
 * one entry with a name that leaves the package, or a link that does, and the archive is refused,
 * since other tools would unpack it.  Names are relative and '/'-separated; the single top folder
 * that some tools put around a package is part of no name.
 */
#include "compiler/base/base.h"
#include "compiler/murano/package.h"
#include "compiler/yaml/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <minizip/unzip.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_LIMIT = 1024, LINK_HOPS = 8, DIR_DEPTH = 32 };

typedef struct entry {
	const char *name;
	unz64_file_pos pos;
	uint64_t size;
	const char *link; /* where a symbolic link leads, from the root; or NULL */
	bool is_dir;
} entry;

struct vc_files {
	const char *path;
	unzFile zip;        /* NULL: a directory or assets */
	const char *assets; /* "io.murano/": files that vetro itself carries; or NULL */
	char *real;         /* the directory's canonical path */
	entry *entries;
	uint32_t n;       /* sorted by name */
	const char *root; /* "" or "folder/" in front of every name */
	uint64_t total;   /* bytes read so far */
};

/* ---- names ---- */

/* Without "." and "..", "" for the root itself; NULL when it leaves the root. */
char *
vc_path_normal(vc *c, const char *path)
{
	char *out = vc_alloc(c, strlen(path) + 1);
	size_t n = 0;
	if (*path == '/')
		return NULL;
	while (*path) {
		size_t part = strcspn(path, "/");
		if (part == 2 && !strncmp(path, "..", 2)) {
			if (!n)
				return NULL;
			while (n && out[--n] != '/')
				;
		} else if (part && !(part == 1 && *path == '.')) {
			if (n)
				out[n++] = '/';
			memcpy(out + n, path, part);
			n += part;
		}
		path += part + (path[part] == '/');
	}
	out[n] = 0;
	return out;
}

static vc_span
inside(vc *c, const vc_files *f, const char *name)
{
	return vc_file_span(c, vc_format(c, "%s/%s", f->path, name));
}

/* What some tool somewhere would write outside of the directory it unpacks to. */
static bool
leaves(const char *name)
{
	if (*name == '/' || strchr(name, '\\') || (name[0] && name[1] == ':'))
		return true;
	for (const char *p = name; *p; p += *p == '/') {
		size_t part = strcspn(p, "/");
		if (part == 2 && !strncmp(p, "..", 2))
			return true;
		p += part;
	}
	return false;
}

/* ---- zip ---- */

static bool
damaged(vc *c, vc_span at, const char *what)
{
	vc_report(c, VC_E0104, at, "the archive is damaged: %s", what);
	vc_hint(c, "pack it again; 'unzip -t' names what is broken");
	return false;
}

/* The whole content of the current entry; the size it declares is a promise that is checked. */
static char *
read_current(vc *c, vc_files *f, const char *name, uint64_t size)
{
	vc_span at = inside(c, f, name);
	f->total += size;
	if (size > c->limit.max_file || f->total > (uint64_t)c->limit.max_file * 4) {
		vc_report(c, VC_E0102, at,
			"the entry unpacks to %llu bytes; a file may have %zu MiB, a package four "
			"times as much",
			(unsigned long long)size, c->limit.max_file >> 20);
		return NULL;
	}
	int rc = unzOpenCurrentFile(f->zip);
	if (rc != UNZ_OK) {
		vc_report(c, VC_E0111, at, "the entry cannot be read: %s",
			rc == UNZ_BADZIPFILE ? "its header does not fit the archive's directory, "
					       "or it is packed in an unknown way"
					     : "it cannot be opened");
		return NULL;
	}
	char *text = vc_alloc(c, size + 1);
	uint64_t got = 0;
	while (got < size && (rc = unzReadCurrentFile(f->zip, text + got,
				      size - got > 1 << 20 ? 1 << 20 : (unsigned)(size - got))) > 0)
		got += (uint64_t)rc;
	rc = rc < 0 ? rc : UNZ_OK;
	int crc = unzCloseCurrentFile(f->zip);
	if (got == size && rc == UNZ_OK && crc == UNZ_OK)
		return text;
	if (got == size && crc == UNZ_CRCERROR)
		vc_report(c, VC_E0108, at,
			"the entry has not the size of %llu bytes or not the checksum that the "
			"archive declares",
			(unsigned long long)size);
	else
		damaged(c, at,
			vc_format(c, "the entry ends after %llu of %llu bytes",
				(unsigned long long)got, (unsigned long long)size));
	return NULL;
}

/* A link's target is its content; relative to its folder it has to stay inside. */
static bool
read_link(vc *c, vc_files *f, entry *e)
{
	if (e->size > NAME_LIMIT)
		return damaged(c, inside(c, f, e->name), "a link's target is too long");
	char *target = read_current(c, f, e->name, e->size);
	if (!target)
		return false;
	const char *slash = strrchr(e->name, '/');
	char *path =
		vc_format(c, "%.*s%s", slash ? (int)(slash - e->name + 1) : 0, e->name, target);
	e->link = *target == '/' ? NULL : vc_path_normal(c, path);
	if (e->link)
		return true;
	vc_report(c, VC_E0106, inside(c, f, e->name), "the link leads out of the package, to %s",
		target);
	return false;
}

static bool
check_name(vc *c, const vc_files *f, const char *name, uint64_t length)
{
	if (!*name || strlen(name) != length)
		return damaged(c, inside(c, f, name), "an entry has an impossible name");
	if (leaves(name)) {
		vc_report(c, VC_E0105, vc_file_span(c, f->path),
			"the entry '%s' would leave the directory it is unpacked to", name);
		vc_hint(c, "a package's archive holds relative names without '..' only");
		return false;
	}
	return true;
}

static bool
add_entry(vc *c, vc_files *f)
{
	unz_file_info64 info;
	char name[NAME_LIMIT + 1];
	vc_span at = vc_file_span(c, f->path);
	if (unzGetCurrentFileInfo64(f->zip, &info, name, sizeof name, NULL, 0, NULL, 0) != UNZ_OK)
		return damaged(c, at, "its directory cannot be read");
	if (info.size_filename > NAME_LIMIT)
		return damaged(c, at, "an entry has a name of more than 1024 bytes");
	name[info.size_filename] = 0;
	if (!check_name(c, f, name, info.size_filename))
		return false;
	if (f->n >= c->limit.max_entries) {
		vc_report(c, VC_E0107, at, "the archive has more than %u entries",
			c->limit.max_entries);
		return false;
	}
	if (info.flag & 1) {
		vc_report(c, VC_E0111, inside(c, f, name), "the entry is encrypted");
		return false;
	}
	/* without empty parts and dots: what stands behind a folder's name is never absolute */
	const char *clean = vc_path_normal(c, name);
	entry e = {.name = clean, .size = info.uncompressed_size};
	e.is_dir = name[info.size_filename - 1] == '/';
	if (!clean || !*clean)
		return true;
	if (e.is_dir)
		e.name = vc_format(c, "%s/", clean);
	unzGetFilePos64(f->zip, &e.pos);
	/* the upper half of the attributes is st_mode when a Unix tool (3) or macOS (19) wrote the
	 * entry */
	unsigned host = (unsigned)(info.version >> 8) & 0xff;
	if ((host == 3 || host == 19) && S_ISLNK((unsigned)(info.external_fa >> 16) & 0xffff) &&
		!read_link(c, f, &e))
		return false;
	vc_push(c, f->entries, f->n) = e;
	return true;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static entry *
find_entry(const vc_files *f, const char *name)
{
	entry key = {.name = name};
	return f->n ? bsearch(&key, f->entries, f->n, sizeof key, by_name) : NULL;
}

static bool
sort_entries(vc *c, vc_files *f)
{
	if (!f->n)
		return true;
	qsort(f->entries, f->n, sizeof *f->entries, by_name);
	for (uint32_t i = 1; i < f->n; i++)
		if (!strcmp(f->entries[i - 1].name, f->entries[i].name)) {
			vc_report(c, VC_E0110, vc_file_span(c, f->path),
				"the archive has two entries named '%s'", f->entries[i].name);
			return false;
		}
	return true;
}

/* "folder/" when the only manifest is that of a top folder; an archive's own leavings do not count.
 */
static void
find_root(vc *c, vc_files *f)
{
	f->root = "";
	if (find_entry(f, "manifest.yaml"))
		return;
	const char *found = NULL;
	for (uint32_t i = 0; i < f->n; i++) {
		const char *name = f->entries[i].name, *slash = strchr(name, '/');
		if (!slash || strcmp(slash, "/manifest.yaml") != 0)
			continue;
		if (found)
			return;
		found = vc_strndup(c, name, (size_t)(slash - name) + 1);
	}
	if (found)
		f->root = found;
}

static bool
read_directory(vc *c, vc_files *f)
{
	int rc = unzGoToFirstFile(f->zip);
	unz_global_info64 info;
	if (unzGetGlobalInfo64(f->zip, &info) != UNZ_OK)
		return damaged(c, vc_file_span(c, f->path), "its directory cannot be read");
	if (!info.number_entry)
		return true;
	for (; rc == UNZ_OK; rc = unzGoToNextFile(f->zip))
		if (!add_entry(c, f))
			return false;
	if (rc != UNZ_END_OF_LIST_OF_FILE)
		return damaged(
			c, vc_file_span(c, f->path), "its directory cannot be read to the end");
	return sort_entries(c, f);
}

static void
close_zip(void *zip)
{
	unzClose(zip);
}

bool
vc_is_zip(const char *path)
{
	char magic[4] = {0};
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(magic, 1, 4, f) : 0;
	if (f)
		fclose(f);
	return n == 4 && magic[0] == 'P' && magic[1] == 'K' && (magic[2] == 3 || magic[2] == 5);
}

/*
 * The archive's last record has to end where the file does: minizip takes a record that is cut
 * short for one with zeros in it. 22 bytes, the length of a comment last, then the comment.
 */
static bool
has_end(const char *path)
{
	enum { RECORD = 22, COMMENT = 65535 };
	FILE *f = fopen(path, "rb");
	char *tail = vt_xmalloc(RECORD + COMMENT);
	bool found = false;
	if (f && !fseek(f, 0, SEEK_END)) {
		long size = ftell(f), from = size > RECORD + COMMENT ? size - RECORD - COMMENT : 0;
		size_t n = fseek(f, from, SEEK_SET) ? 0 : fread(tail, 1, (size_t)(size - from), f);
		for (size_t at = n >= RECORD ? n - RECORD + 1 : 0; at-- && !found;) {
			const unsigned char *p = (const unsigned char *)tail + at;
			found = !memcmp(p, "PK\5\6", 4) &&
				at + RECORD + (p[20] | (size_t)p[21] << 8) == n;
		}
	}
	free(tail);
	if (f)
		fclose(f);
	return found;
}

/* Does a line of the file begin with a version of CloudFormation, as Amazon or Heat writes it? */
static bool
is_cloudformation(const char *path)
{
	char line[256];
	bool is = false;
	FILE *f = vc_source_open(path);

	for (int i = 0; f && i < 100 && !is && fgets(line, sizeof line, f); i++) {
		const char *p = line + strspn(line, "{ \t\"'");
		is = strncmp(p, "AWSTemplateFormatVersion", 24) == 0 ||
		     strncmp(p, "HeatTemplateFormatVersion", 25) == 0;
	}
	if (f)
		fclose(f);
	return is;
}

/* The folder with a manifest that the file lies in, or one above it; NULL: there is none. */
static const char *
package_around(vc *c, const char *path)
{
	enum { ABOVE = 4 };
	const char *at = path;

	for (int i = 0; i < ABOVE; i++) {
		const char *slash = strrchr(at, '/');
		at = slash ? vc_strndup(c, at, slash == at ? 1 : (size_t)(slash - at)) : ".";
		if (access(vc_format(c, "%s/manifest.yaml", at), F_OK) == 0)
			return at;
		if (!slash || slash == at)
			break;
	}
	return NULL;
}

/* A file that is no archive, and that nobody else reads: what was meant? */
static vc_files *
no_archive(vc *c, const char *path, vc_span at)
{
	bool yaml = vt_ends_with(path, ".yaml") || vt_ends_with(path, ".yml");
	vc_source *src = yaml ? vc_source_read(c, path) : NULL;
	const int errors = vc_errors(c);
	const vc_yaml_opts plain = {0};
	const char *around;
	uint32_t n;

	if (yaml && src == NULL)
		return NULL;
	if (src && (vc_yaml_parse(c, src, &plain, &n), vc_errors(c) != errors))
		return NULL;
	around = package_around(c, path);
	if (src && src->n == strspn(src->text, " \r\n\t"))
		vc_report(c, VC_E0103, at, "the file is empty");
	else if (yaml && around)
		vc_report(c, VC_E0103, at, "this is one file of a package");
	else if (yaml)
		vc_report(c, VC_E0103, at,
			"this is no package, and no service, template or workflow either");
	else
		vc_report(c, VC_E0103, at, "this is neither a directory nor a zip archive");
	if (around)
		vc_hint(c, "name the directory of the package: %s", around);
	else if (yaml)
		vc_hint(c, "a TOSCA service begins with tosca_definitions_version, a template of "
			   "Heat with heat_template_version, a workflow with version; a package is "
			   "a directory with manifest.yaml");
	else
		vc_hint(c, "name the directory that holds manifest.yaml, or the package's .zip");
	return NULL;
}

static vc_files *
open_zip(vc *c, vc_files *f)
{
	vc_span at = vc_file_span(c, f->path);
	if (!vc_is_zip(f->path) && is_cloudformation(f->path)) {
		vc_report(c, VC_E0103, at,
			"this is a template of CloudFormation, which vetro does not read");
		vc_hint(c, "Heat takes it as it is; vetro reads templates with "
			   "heat_template_version");
		return NULL;
	}
	if (!vc_is_zip(f->path) && !vt_ends_with(f->path, ".zip"))
		return no_archive(c, f->path, at);
	f->zip = has_end(f->path) ? unzOpen64(f->path) : NULL;
	if (!f->zip) {
		damaged(c, at,
			"it has no directory at its end; it is cut short, or no zip archive");
		return NULL;
	}
	vc_defer(c, close_zip, f->zip);
	if (!read_directory(c, f))
		return NULL;
	find_root(c, f);
	vc_input_file(c, f->path);
	return f;
}

/* Follows links; NULL when there is no such file. */
static entry *
file_entry(vc *c, const vc_files *f, const char *name)
{
	entry *e = NULL;
	name = vc_format(c, "%s%s", f->root, name);
	for (unsigned hops = 0; name && hops < LINK_HOPS; hops++) {
		e = find_entry(f, name);
		name = e ? e->link : NULL;
	}
	return e && !e->is_dir && !e->link ? e : NULL;
}

static char *
entry_bytes(vc *c, vc_files *f, const entry *e)
{
	if (unzGoToFilePos64(f->zip, &e->pos) != UNZ_OK) {
		damaged(c, inside(c, f, e->name), "an entry is not where the directory says");
		return NULL;
	}
	return read_current(c, f, e->name, e->size);
}

static vc_source *
read_entry(vc *c, vc_files *f, const char *name)
{
	entry *e = file_entry(c, f, name);
	char *text = e ? entry_bytes(c, f, e) : NULL;
	return text ? vc_source_take(c, vc_format(c, "%s/%s", f->path, e->name), text, e->size)
		    : NULL;
}

/* ---- directories ---- */

static bool
stays_in(const char *root, const char *path)
{
	size_t n = strlen(root);
	return !strcmp(root, "/") || (!strncmp(root, path, n) && (path[n] == '/' || !path[n]));
}

/* NULL when there is no such file, or it is not the package's own, which is reported. */
static const char *
file_path(vc *c, vc_files *f, const char *name)
{
	char *path = vc_format(c, "%s/%s", f->path, name);
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return NULL;
	char *real = vc_real_path(c, path);
	if (real && stays_in(f->real, real))
		return path;
	vc_report(c, VC_E0106, vc_file_span(c, path), "the link leads out of the package, to %s",
		real ? real : "nowhere");
	return NULL;
}

static vc_source *
read_file(vc *c, vc_files *f, const char *name)
{
	const char *path = file_path(c, f, name);
	return path ? vc_source_read(c, path) : NULL;
}

typedef struct listing {
	const char **name;
	size_t n;
	bool full;
	bool links; /* the links that lead to no file, and not the files */
} listing;

static bool
add_name(vc *c, vc_files *f, listing *l, const char *name)
{
	if (l->n >= c->limit.max_entries) {
		if (!l->full)
			vc_report(c, VC_E0107, vc_file_span(c, f->path),
				"the package has more than %u files", c->limit.max_entries);
		l->full = true;
		return false;
	}
	vc_push(c, l->name, l->n) = name;
	return true;
}

/* Itself or through a link. */
static bool
is_file(const char *path, const struct stat *own)
{
	struct stat st = *own;
	return S_ISREG(st.st_mode) ||
	       (S_ISLNK(own->st_mode) && !stat(path, &st) && S_ISREG(st.st_mode));
}

/* Links to directories are not followed: they may form a circle. */
static void
list_dir(vc *c, vc_files *f, listing *l, const char *prefix, unsigned depth)
{
	DIR *d = depth < DIR_DEPTH ? opendir(vc_format(c, "%s/%s", f->path, prefix)) : NULL;
	if (!d)
		return;
	for (struct dirent *e; !l->full && (e = readdir(d));) {
		struct stat st;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *name = *prefix ? vc_format(c, "%s/%s", prefix, e->d_name)
				     : vc_strdup(c, e->d_name);
		const char *path = vc_format(c, "%s/%s", f->path, name);
		if (lstat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			list_dir(c, f, l, name, depth + 1);
		else if (is_file(path, &st) != l->links && (S_ISLNK(st.st_mode) || !l->links))
			add_name(c, f, l, name);
	}
	closedir(d);
}

static void
list_zip(vc *c, vc_files *f, listing *l, const char *prefix)
{
	char *front = vc_format(c, "%s%s%s", f->root, prefix, *prefix ? "/" : "");
	for (uint32_t i = 0; i < f->n; i++) {
		const entry *e = &f->entries[i];
		const char *name = e->name + strlen(f->root);
		if (e->is_dir || strncmp(e->name, front, strlen(front)) != 0 ||
			(l->links && file_entry(c, f, name)))
			continue;
		if (!add_name(c, f, l, name))
			return;
	}
}

/* ---- what vetro carries ---- */

static const char *
asset_text(vc *c, const vc_files *f, const char *name, size_t *n)
{
	return vc_asset(vc_format(c, "%s%s", f->assets, name), n);
}

static vc_source *
read_asset(vc *c, vc_files *f, const char *name)
{
	size_t n;
	const char *text = asset_text(c, f, name, &n);
	return text ? vc_source_new(c, vc_format(c, "%s/%s", f->path, name), text, n) : NULL;
}

static char *
asset_bytes(vc *c, vc_files *f, const char *name, size_t *n)
{
	const char *text = asset_text(c, f, name, n);
	return text ? vc_strndup(c, text, *n) : NULL;
}

static void
list_assets(vc *c, vc_files *f, listing *l, const char *prefix)
{
	const char *front = vc_format(c, "%s%s%s", f->assets, prefix, *prefix ? "/" : "");
	for (const vc_asset_row *a = vc_assets; a->name && !l->links; a++)
		if (!strncmp(a->name, front, strlen(front)) &&
			!add_name(c, f, l, a->name + strlen(f->assets)))
			return;
}

vc_files *
vc_files_assets(vc *c, const char *package)
{
	vc_files *f = vc_alloc(c, sizeof *f);
	f->path = vc_format(c, "<%s>", package);
	f->assets = vc_format(c, "%s/", package);
	f->root = "";
	return f;
}

/* A directory whose one entry is a folder with the manifest stands for that folder, as in an
 * archive. */
static const char *
inner_folder(vc *c, const char *path)
{
	DIR *d = access(vc_format(c, "%s/manifest.yaml", path), F_OK) ? opendir(path) : NULL;
	const char *only = NULL;
	unsigned n = 0;
	if (!d)
		return path;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		if (n++ == 0)
			only = vc_format(c, "%s/%s", path, e->d_name);
	}
	closedir(d);
	return n == 1 && access(vc_format(c, "%s/manifest.yaml", only), F_OK) == 0 ? only : path;
}

/* ---- all of them ---- */

vc_files *
vc_files_open(vc *c, const char *path)
{
	vc_files *f = vc_alloc(c, sizeof *f);
	struct stat st;
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	f->path = vc_strndup(c, path, n);
	f->root = "";
	if (stat(f->path, &st)) {
		vc_report(c, VC_E0101, vc_file_span(c, f->path), "cannot read this: %s",
			strerror(errno));
		return NULL;
	}
	if (S_ISREG(st.st_mode))
		return open_zip(c, f);
	if (S_ISDIR(st.st_mode))
		f->path = inner_folder(c, f->path);
	f->real = S_ISDIR(st.st_mode) ? vc_real_path(c, f->path) : NULL;
	if (f->real)
		return f;
	vc_report(c, VC_E0103, vc_file_span(c, f->path),
		"this is neither a directory nor a zip archive");
	return NULL;
}

vc_source *
vc_files_read(vc *c, vc_files *f, const char *path)
{
	char *name = vc_path_normal(c, path);
	if (!name || !*name)
		return NULL;
	return f->zip      ? read_entry(c, f, name)
	       : f->assets ? read_asset(c, f, name)
			   : read_file(c, f, name);
}

char *
vc_files_bytes(vc *c, vc_files *f, const char *path, size_t *n)
{
	char *name = vc_path_normal(c, path);
	if (!name || !*name)
		return NULL;
	if (f->zip) {
		entry *e = file_entry(c, f, name);
		*n = e ? (size_t)e->size : 0;
		return e ? entry_bytes(c, f, e) : NULL;
	}
	if (f->assets)
		return asset_bytes(c, f, name, n);
	const char *file = file_path(c, f, name);
	return file ? vc_bytes_read(c, file, n) : NULL;
}

static const char *const *
list(vc *c, vc_files *f, const char *prefix, bool links, size_t *n)
{
	listing l = {.links = links};
	char *clean = vc_path_normal(c, prefix);
	if (!clean)
		return *n = 0, NULL;
	if (f->zip)
		list_zip(c, f, &l, clean);
	else if (f->assets)
		list_assets(c, f, &l, clean);
	else
		list_dir(c, f, &l, clean, 0);
	if (l.n)
		qsort(l.name, l.n, sizeof *l.name, vt_compare_texts);
	*n = l.n;
	return l.name;
}

/* Every file below the prefix, "" for all, sorted. */
const char *const *
vc_files_list(vc *c, vc_files *f, const char *prefix, size_t *n)
{
	return list(c, f, prefix, false, n);
}

const char *const *
vc_files_dead_links(vc *c, vc_files *f, const char *prefix, size_t *n)
{
	return list(c, f, prefix, true, n);
}
