/* package_int.h - between package.c, manifest.c and version.c. */
#ifndef PACKAGE_INT_H
#define PACKAGE_INT_H

#include "compiler/base/base.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"

/* ---- version.c: semantic versions, and the specifications of K9 ---- */
/* pre: "" when there is none */
typedef struct pk_version {
	uint64_t n[3];
	const char *pre;
} pk_version;

/* Text to "major.minor.patch[-pre][+build]" as the reference coerces it; NULL when it does not
 * begin with a number. */
char *pk_version_text(vc *, const char *);
bool pk_version_parse(const char *, pk_version *);
int pk_version_compare(const pk_version *, const pk_version *);
bool pk_spec_valid(vc *, const char *spec);
/* Specifications that are not valid match nothing. */
bool pk_spec_match(vc *, const char *spec, const pk_version *);

/* ---- manifest.c ---- */
/* The manifest's fields into a new package, without its classes; NULL when there is nothing to go
 * on with. */
mpl_package *pk_manifest(vc *, vc_files *, vc_source *, const char *path);
/* Reads the class files that the manifest names. */
void pk_classes(vc *, mpl_package *);

/* ---- kinds.c ---- */
enum mpl_kind pk_kind(const char *format); /* MPL_MURANO: no other kind */
/* The class of a package that is no MuranoPL, of its template; reports. */
void pk_made_class(vc *, mpl_package *);

/* ---- stub.c ---- */
bool pk_is_stub(const char *path);
/* Reports; NULL when there is nothing to go on with. */
mpl_package *pk_load_stub(vc *, const char *path);

/* ---- resource.c ---- */
/* The node as JSON, which is YAML as well. */
void mpl_put_value(vt_buf *, const ynode *);

#endif
