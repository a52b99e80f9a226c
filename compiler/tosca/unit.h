/*
 * unit.h - what unit.c (reads units), place.c (finds what imports name) and
 * csar.c (archives) share.
 */
#ifndef TOSCA_UNIT_H
#define TOSCA_UNIT_H

#include "compiler/tosca/front.h"
#include "compiler/murano/package.h"

/* Files that a service may not leave. Paths are normal: no dots, no slash in front. */
struct tosca_files {
	vc_files *f;
	const char *name; /* as given */
	const char *key;  /* canonical path */
	const char *top;  /* "" or "folder/": what an archive has around everything */
	bool archive;     /* a .csar or .zip, not a directory */
	const char *const *list;
	size_t n; /* every file, sorted, with top in front */
};
/* A profile that a file declares. */
typedef struct tosca_declared {
	const char *name, *path;
} tosca_declared;
typedef struct tosca_index {
	const char *dir;
	tosca_declared *d;
	uint32_t n;
} tosca_index;
typedef struct tosca_known {
	uint64_t hash;
	const char *key;
	tosca_unit *unit;
} tosca_known;
struct tosca_loader {
	tosca_known *known;
	uint32_t nknown; /* each file that was read; unit NULL: it could not be */
	tosca_index *index;
	uint32_t nindex;       /* directories and archives that were searched for profiles */
	uint32_t walked;       /* units whose imports were read: the first so many */
	bool full;             /* too many files: said once */
	struct vc_arena *read; /* YAML and entities of all units; NULL: none yet, or dropped */
};

/* Where a file is. All NULL: nowhere, and reported. */
typedef struct tosca_place {
	const char *asset; /* an embedded profile: simple-1.3 */
	tosca_files *files;
	const char *path; /* in files, or of the file system; NULL for an asset */
} tosca_place;

/* ---- place.c ---- */
/* whole: it stands under `url`, not as a short notation. */
tosca_place tosca_find_url(tosca_unit *, const char *url, bool whole, vc_span at);
tosca_place tosca_find_profile(tosca_unit *, const char *name, vc_span at);
const char *tosca_url_scheme(const char *url, size_t *n); /* "https" of https://..., or NULL */
const char *tosca_join(
	vc *, const char *file, const char *path); /* path as seen from the folder of file */
bool tosca_is_file(const char *path);

/* ---- csar.c ---- */
typedef struct tosca_csar {
	tosca_files *files;
	const char *entry; /* the service */
	const char **others;
	uint32_t nothers;
	bool bare; /* an archive without TOSCA.meta: the entry has to say what that would */
} tosca_csar;
bool tosca_csar_is(
	const char *path); /* a directory, or a file that is a zip archive or says so by its name */
bool tosca_csar_open(struct tosca *, const char *path, tosca_csar *); /* reports */
bool tosca_file_says_version(const char *path); /* does it say that it is TOSCA? */
bool tosca_files_has(struct tosca *, const tosca_files *, const char *path);
bool tosca_files_has_folder(struct tosca *, const tosca_files *, const char *path);
vc_source *tosca_files_read(struct tosca *, tosca_files *, const char *path);
void tosca_csar_bare(
	const tosca_unit *entry); /* checks the metadata of an archive without TOSCA.meta */
void tosca_artifacts(
	struct tosca *, uint32_t from); /* files that units of archives name, unit `from` on */

/* file.c: E2017, the file is outside of what the service may bring along */
void tosca_leads_out(struct tosca *, vc_span, const char *name);

#endif
