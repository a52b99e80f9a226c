/* json.h - between json_read.c, json_write.c and json_tags.c. */
#ifndef VT_JSON_H
#define VT_JSON_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"

/* Replaces a dict that is a tag by what it stands for; NULL, or what is wrong with it. *v is gone
 * then. */
const char *vt_json_untag(vt_rt *, int flags, vt_value *v);
/* {"$datetime": .., "offset": ..} */
void vt_json_put_datetime(vt_buf *, const vt_datetime *);

#endif
