/*
 * identity.h - io.murano.User and io.murano.Project: whose token it is.
 */
#ifndef VT_SYS_IDENTITY_H
#define VT_SYS_IDENTITY_H

#include "runtime/cloud/native_class.h"

/*
 * The object of that class for the token's `kind` ("user", "project"), as Keystone shows it:
 * `fields` are its properties by Keystone's names, `hidden` what stays out, all else is `extra`.
 */
typedef struct vt_identity {
	const char *kind, *path;        /* "user", "/v3/users/" */
	const char *const (*fields)[2]; /* property, name in Keystone; ends with NULL */
	const char *const *hidden;      /* ends with NULL */
} vt_identity;
vt_status vt_identity_object(vt_args *, const vt_identity *, vt_value *out);

#endif
