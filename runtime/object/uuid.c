/* uuid.c - the ids of new objects, and what else a run draws. */
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

static void
random_bytes(unsigned char *p, size_t n)
{
#ifdef VT_STEADY /* as in vt_seed_new */
	static uint64_t drawn;
	for (size_t i = 0; i < n; i++, drawn++)
		p[i] = (unsigned char)(drawn * UINT64_C(0x9e3779b97f4a7c15) >> 56);
	n = 0;
#endif
	while (n > 0) {
		ssize_t k = getrandom(p, n, 0);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			fputs("vetro: the system gives no random numbers\n", stderr);
			_exit(3);
		}
		p += k;
		n -= (size_t)k;
	}
}

/* A version 4 UUID without its dashes, as the engine names objects. */
vt_value
vt_new_uuid(vt_rt *rt)
{
	static const char digit[] = "0123456789abcdef";
	unsigned char b[16];
	char text[32];
	random_bytes(b, sizeof b);
	b[6] = (unsigned char)(0x40 | (b[6] & 0x0f));
	b[8] = (unsigned char)(0x80 | (b[8] & 0x3f));
	for (int i = 0; i < 16; i++) {
		text[2 * i] = digit[b[i] >> 4];
		text[2 * i + 1] = digit[b[i] & 15];
	}
	return vt_str_new(rt, text, sizeof text);
}

vt_value
vt_drawn(vt_rt *rt, vt_value fresh)
{
	return rt->s->drawn != NULL ? rt->s->drawn(rt, fresh) : fresh;
}

void
vt_drawn_time(vt_rt *rt, struct timespec *t)
{
	enum { SECOND = 1000000000 };
	int64_t at = (int64_t)t->tv_sec * SECOND + t->tv_nsec;
	vt_value v = vt_drawn(rt, vt_int_new(rt, at));
	(void)vt_int_fits(v, &at);
	vt_release(v);
	*t = (struct timespec){at / SECOND, at % SECOND};
}
