/*
 * url.c - names of documents: how a binary finds one that came from the network, and which ones
 * are encrypted.
 */
#include "runtime/text/digest.h"
#include "runtime/net/http.h"
#include "runtime/yay/yay.h"

#include <stdlib.h>
#include <string.h>

bool
vt_yay_is_encrypted(const char *name)
{
	size_t n = vt_net_is_url(name) ? strcspn(name, "?#") : strlen(name);

	return n > 4 && strncmp(name + n - 4, ".gpg", 4) == 0;
}

/* A query may hold a token, which the binary need not know to tell two of them apart. */
char *
vt_yay_url_key(const char *url)
{
	size_t from = strcspn(url, "?#"), n = url[from] == '?' ? strcspn(url + from, "#") : 0;
	char *shown = vt_net_shown(url), *key, hex[VT_DIGEST_TEXT];

	if (n <= 1 || !vt_digest("sha256", url + from + 1, n - 1, hex))
		return shown;
	key = vt_asprintf("%.*s?%s", (int)strcspn(shown, "?"), shown, hex);
	free(shown);
	return key;
}

void
vt_yay_put_plain(vt_buf *b, const char *path, size_t n)
{
	size_t start = n && *path == '/', from = b->n + start;

	if (start)
		vt_buf_putc(b, '/');
	for (const char *p = path, *end = path + n; p < end;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		size_t part = (size_t)((slash ? slash : end) - p);
		bool up = part == 2 && memcmp(p, "..", 2) == 0, last_up;
		size_t cut = b->n;
		while (cut > from && b->p[cut - 1] != '/')
			cut--;
		last_up = b->n - cut == 2 && memcmp(b->p + cut, "..", 2) == 0;
		if (up && b->n > from && !last_up)
			b->n = cut > from ? cut - 1 : cut;
		else if (part && !(part == 1 && *p == '.')) {
			if (b->n > from)
				vt_buf_putc(b, '/');
			vt_buf_put(b, p, part);
		}
		p += part + (slash != NULL);
	}
}
