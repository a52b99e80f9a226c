/*
 * package.h - MuranoPL packages: archives, manifests, requirements, resources.
 */
#ifndef VC_MURANO_PACKAGE_H
#define VC_MURANO_PACKAGE_H

#include "compiler/base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/murano/ast.h"
#include "compiler/yaml/yaml.h"

/* ---- archive.c: packages ---- */
bool vc_is_zip(const char *path); /* begins as one */
/* A package's files, from a directory or an archive. Paths are relative, '/'-separated, never leave
 * the root. */
typedef struct vc_files vc_files;
vc_files *vc_files_open(vc *, const char *path); /* directory or zip; reports */
/* what vetro carries of it: "io.murano" */
vc_files *vc_files_assets(vc *, const char *package);
/* NULL when absent (not reported) or unreadable (reported) */
vc_source *vc_files_read(vc *, vc_files *, const char *path);
/* without . and ..; NULL when it leaves the root */
char *vc_path_normal(vc *, const char *path);
/* the same for what need not be text; arena */
char *vc_files_bytes(vc *, vc_files *, const char *path, size_t *n);
const char *const *vc_files_list(vc *, vc_files *, const char *prefix, size_t *n);
/* Links below the prefix that the list leaves out: to directories, and to nothing. */
const char *const *vc_files_dead_links(vc *, vc_files *, const char *prefix, size_t *n);
/* What a package's class is written in; kinds.c makes those that are no MuranoPL. */
enum mpl_kind { MPL_MURANO, MPL_HOT, MPL_CLOUDIFY };
struct mpl_package {
	enum mpl_kind kind;
	const char *path;    /* as given */
	const char *name;    /* FullName */
	const char *version; /* normalised, "0.0.0" */
	uint32_t format;     /* runtime version: 100..105 */
	const char *type;    /* Application or Library */
	mpl_require *require;
	uint32_t nrequire;
	ynode *manifest;
	ynode *meta; /* or NULL */
	vc_files *files;
	/* in manifest order, then those found in the files besides */
	mpl_class **classes;
	uint32_t nclasses;
	/* classes of the manifest that could not be read, which is reported already */
	const char **absent;
	uint32_t nabsent;
	bool is_main; /* named on the command line, not through -I */
	bool builtin; /* io.murano as vetro brings it */
	bool resources_read;
	vc_resource *resources;
	uint32_t nresources; /* resource.c; ask vc_resources */
};

/* ---- kinds.c ---- */
/* Inside the package: the template that its class is made of, or NULL where its manifest names no
 * such file. kind is not MPL_MURANO. */
const char *mpl_template_path(vc *, const mpl_package *);
vc_source *mpl_made_form(vc *, const mpl_package *); /* of such a package; NULL, reported */

/* ---- natives.c, package.c ---- */
/* Reads a package with all its classes; reports. NULL when there is no manifest to speak of. */
mpl_package *vc_package_load(vc *, const char *path, bool is_main);
/* -I: a package, a zip, or a directory of packages, searched when something requires them. */
void vc_package_path(vc *, const char *path);
/* Loads what the loaded packages require, and io.murano's core classes; reports what is missing. */
void vc_packages_resolve(vc *);
/* Does its text name that class, whole or by a prefix of the file?  Also in a comment. package.c */
bool vc_class_mentions(vc *, const mpl_class *, const char *fqn);
mpl_package **vc_packages(vc *, uint32_t *n); /* loaded ones, main first */
/* Does code of the package name a class of the other one?  Also in a comment. */
bool vc_package_uses(vc *, const mpl_package *, const mpl_package *other);
/* The package on the search path that has the class, or NULL. */
const char *vc_package_having(vc *, const char *fqn);
/* The class of our core library with nearly that name, be it loaded or not; or NULL. */
const char *vc_core_class_near(vc *, const char *fqn);
/* Are the plugins declared that are required?  Reports those that are not: a check goes on. */
bool vc_packages_complete(vc *, bool checking);

/* murano/natives.c: the i-th native class; NULL: no more. */
typedef struct vc_native {
	const char *fqn, *symbol;   /* symbol: of one that needs a cloud, or NULL */
	const char *const *methods; /* up to NULL */
} vc_native;
const vc_native *vc_native_at(uint32_t i);

/* May code of package `from` take an object of package p, in that version, for one of its own? As
 * vt_version_fits. */
bool vc_version_fits(vc *, const mpl_package *from, const mpl_package *p);
/* Is a version among those of a specification?  version.c */
bool vc_version_in(vc *, const char *version, const char *spec);
/* K8; NULL when there is none */
mpl_class *vc_find_class(vc *, const mpl_package *from, const char *fqn);

/* ---- resource.c: the files of Resources/ ---- */
/* All of a package's, sorted by name; reports what cannot be read or is too much. Read once. */
vc_resource *vc_resources(vc *, mpl_package *, uint32_t *n);
/*
 * What the text is as YAML to Resources.yaml(), for vt_resource.yaml: "=" and JSON with tags, or
 * "!", an exception's type, a newline and its message.
 */
char *vc_resource_yaml(vc *, const vc_resource *);

#endif
