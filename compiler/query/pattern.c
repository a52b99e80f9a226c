/*
 * pattern.c - is a text a regular expression?  The library that programs use is asked.
 */
#include "compiler/query/compile.h"

#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/text/text.h"

char *
qc_bad_pattern(vc *c, const char *text, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_value pattern = vt_str_new(rt, text, n), re = VT_UNDEF;
	vt_buf why = {NULL, 0, 0};
	char *found = NULL;
	if (vt_regex_make(rt, pattern, 0, &re) != VT_OK) {
		vt_exc_str(rt, &why, vt_pending(rt));
		found = vc_strndup(c, why.p ? why.p : "", why.n);
		vt_exc_clear(rt);
	}
	vt_buf_free(&why);
	vt_release(re);
	vt_release(pattern);
	vt_rt_free(rt);
	return found;
}
