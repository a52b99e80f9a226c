/* What messages show of values and secrets: runtime/core/message.c. */
#include "unit.h"

#include "runtime/core/base.h"
#include "runtime/core/printable.h"

#include <stdlib.h>
#include <string.h>

static const int one, other; /* owners */

static void
is_text(const char *got, const char *want, const char *what)
{
	if (!ok(strcmp(got, want) == 0, what))
		printf("# got:  %s\n# want: %s\n", got, want);
}

/* The text as a message has it; static. */
static const char *
shown(const char *text)
{
	static char line[8192];
	vt_buf b = {0};
	vt_buf_puts(&b, text);
	vt_redact(&b, 0);
	snprintf(line, sizeof line, "%.*s", (int)b.n, b.p ? b.p : "");
	vt_buf_free(&b);
	return line;
}

static const char *
cut(const char *text)
{
	static char line[8192];
	vt_buf b = {0};
	vt_put_cut(&b, text, strlen(text));
	snprintf(line, sizeof line, "%.*s", (int)b.n, b.p ? b.p : "");
	vt_buf_free(&b);
	return line;
}

static void VT_PRINTF(2, 3) message(vt_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vmessage(b, fmt, ap);
	va_end(ap);
}

static void
forms(void)
{
	static const char secret[] = "p\"a\\s s/w&<r>'d\n\xc3\xa9+%1";
	static const char *const ways[] = {
		"p\"a\\s s/w&<r>'d\n\xc3\xa9+%1",
		"p\\\"a\\\\s s/w&<r>'d\\n\xc3\xa9+%1",
		"p%22a%5Cs%20s%2Fw%26%3Cr%3E%27d%0A%C3%A9%2B%251",
		"p%22a%5cs%20s%2fw%26%3cr%3e%27d%0a%c3%a9%2b%251",
		"p%22a%5Cs+s%2Fw%26%3Cr%3E%27d%0A%C3%A9%2B%251",
		"p&quot;a\\s s/w&amp;&lt;r&gt;&#39;d\n\xc3\xa9+%1",
		"p\"a\\\\s s/w&<r>\\'d\\n\xc3\xa9+%1",
	};
	vt_secret_add(&one, secret, strlen(secret));
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		char *text = vt_asprintf("before %s after", ways[i]);
		is_text(shown(text), "before ***** after", "a way to write a secret");
		free(text);
	}
	for (int before = 0; before < 4; before++)
		for (int after = 0; after < 4; after++) {
			vt_buf plain = {0}, b = {0};
			vt_buf_printf(&plain, "%.*s%s%.*s", before, "xyz:", secret, after, ":abc");
			vt_base64(&b, plain.p, plain.n, 0);
			vt_buf_putc(&b, '\0');
			ok(strstr(shown(b.p), "*****") != NULL && strlen(shown(b.p)) < 20,
				"in base64, wherever it begins and ends");
			vt_buf_free(&plain);
			vt_buf_free(&b);
		}
	vt_secrets_forget(&one);
	is_text(shown(secret), secret, "forgotten");
}

static void
owners(void)
{
	vt_secret_add(&one, "abc", 3);
	is_text(shown("abcabc"), "abcabc", "three bytes are not looked for");
	vt_secret_add(&one, "hunter2", 7);
	vt_secret_add(&one, "hunter2", 7);
	vt_secret_add(&other, "hunter2", 7);
	vt_secret_add(&other, "hunter2-and-more", 16);
	is_text(shown("hunter2hunter2-and-more hunter3"), "********** hunter3", "the longest one");
	vt_secrets_forget(&other);
	is_text(shown("hunter2-and-more"), "*****-and-more", "each owner has its own");
	vt_secrets_forget(&one);
	is_text(shown("hunter2"), "hunter2", "nobody has it any more");
	vt_secret_add(
		&one, "-----BEGIN KEY-----\nMIIabcdefghijklmnop\nshort\n-----END KEY-----", 61);
	is_text(shown("  | MIIabcdefghijklmnop"), "  | *****", "a key is told line by line");
	is_text(shown("short"), "short", "but not by short ones");
	vt_secrets_forget(&one);
}

static void
cuts(void)
{
	char text[600];
	vt_buf b = {0};
	memset(text, 'x', sizeof text);
	memcpy(text + 190, "hunter2-is-long-enough", 22);
	text[sizeof text - 1] = '\0';
	vt_secret_add(&one, "hunter2-is-long-enough", 22);
	ok(strstr(cut(text), "hunter") == NULL, "a secret at the cut is covered before it");
	ok(strstr(cut(text), "*****") != NULL, "and can be seen to be");
	message(&b, "the value %s is bad", text);
	vt_buf_putc(&b, '\0');
	ok(strstr(b.p, "hunter") == NULL, "in a message too");
	ok(strstr(b.p, "... (382 characters more) is bad") != NULL, "with what is left out");
	vt_buf_free(&b);
	message(&b, "%.*s", VT_WHOLE(text));
	ok(b.n == 599 - 22 + 5, "a text that is a message is not cut");
	vt_buf_free(&b);
	message(&b, "%s", text);
	ok(b.n == 599 - 22 + 5, "nor is one that is the whole");
	vt_buf_free(&b);
	vt_secrets_forget(&one);
	is_text(cut("short"), "short", "short ones stay");
}

/* As many as a large encrypted file has. */
static void
many(void)
{
	char text[64];
	for (int i = 0; i < 20000; i++) {
		int n = snprintf(text, sizeof text, "secret number %d", i);
		vt_secret_add(&one, text, (size_t)n);
	}
	is_text(shown("one secret number 17 and secret number 19999."), "one ***** and *****.",
		"many");
	vt_secrets_forget(&one);
	is_text(shown("secret number 17"), "secret number 17", "all are forgotten");
}

int
main(void)
{
	forms();
	owners();
	cuts();
	many();
	printf("1..%d\n", tests);
	return failures != 0;
}
