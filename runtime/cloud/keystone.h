/*
 * keystone.h - who asks an OpenStack, and where its services are: credentials, tokens, the
 * catalogue.
 */
#ifndef VT_KEYSTONE_H
#define VT_KEYSTONE_H

#include "runtime/cloud/cloud.h"
#include "runtime/net/http.h"

typedef struct vt_keystone {
	vt_rt *rt;
	vt_net *http;
	vt_value cloud;   /* DICT of STR: the credentials and options by their names in clouds.yaml,
			     flat */
	char *token;      /* NULL: none yet */
	int64_t expires;  /* seconds since 1970 */
	vt_value catalog; /* LIST, or VT_NULL */
	vt_value user, project; /* DICT {id, name, domain, ...} of the token, or VT_NULL */
	bool asking;            /* a task is getting a token; others wait */
} vt_keystone;

/* Reads OS_* or clouds.yaml. Raises VT_E_CLOUD that says what is missing. */
vt_status vt_keystone_open(vt_rt *, vt_keystone *);
void vt_keystone_close(vt_keystone *);
/* An option of the cloud ("region_name"), or NULL. */
const char *vt_keystone_get(const vt_keystone *, const char *name);
/* There is a token that lasts for some time; `refused` is one that a service did not take, or NULL.
 */
vt_status vt_keystone_token(vt_keystone *, const char *refused);
/* malloc'd, without a slash at the end. */
vt_status vt_keystone_endpoint(vt_keystone *, const char *service, const char *region, char **out);
/* Certificates, time-outs and limits, the same for every request. */
void vt_keystone_options(const vt_keystone *, vt_net_request *);
/* Raises "POST http://host/v3/auth/tokens: connection refused; what to do". */
vt_status vt_keystone_unreachable(vt_rt *, const vt_net_request *, const vt_net_response *);

#endif
