/*
 * sign.h - plans for agents are signed: RSASSA-PKCS1-v1_5 with SHA-256 (agent-protocol.md 2).
 */
#ifndef VT_SIGN_H
#define VT_SIGN_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

typedef struct vt_sign vt_sign;
/* A private key in PEM. NULL: *err (malloc'd) says why. */
vt_sign *vt_sign_open(const char *path, char **err);
void vt_sign_close(vt_sign *);
/* The public half as RSA PUBLIC KEY (PKCS#1) in PEM. */
bool vt_sign_public(vt_sign *, vt_buf *);
bool vt_sign_make(vt_sign *, const void *text, size_t n, vt_buf *signature);

#endif
