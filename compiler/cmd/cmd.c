/* cmd.c - what the commands share: options, usage errors, the clock. */
#include "compiler/cmd/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *
cmd_option_value(const char *name, int argc, char **argv, int *i, bool *missing)
{
	size_t n = strlen(name);

	if (strcmp(argv[*i], name) == 0) {
		*missing = *i + 1 >= argc;
		return *missing ? NULL : argv[++*i];
	}
	if (strncmp(argv[*i], name, n) == 0 && argv[*i][n] == '=' && name[1] == '-')
		return argv[*i] + n + 1;
	return NULL;
}

int
cmd_usage(const char *command, const char *what, const char *arg)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "vetro: %s", what);
	if (arg) {
		vt_buf_puts(&b, " ");
		vc_put_printable(&b, arg, strlen(arg));
	}
	vt_buf_printf(&b, "\nhint: see 'vetro help %s'\n", command);
	fwrite(b.p, 1, b.n, stderr);
	vt_buf_free(&b);
	return VC_EUSAGE;
}

/* The long options that a help text names, each once or more often. */
static size_t
named_options(vc *c, const char *help, const char **names, size_t most)
{
	size_t n = 0;

	for (const char *p = help; p && (p = strstr(p, "--")) != NULL && n < most;) {
		size_t len = 2 + strspn(p + 2, "abcdefghijklmnopqrstuvwxyz0123456789-");
		if (len > 2)
			names[n++] = vc_format(c, "%.*s", (int)len, p);
		p += len;
	}
	return n;
}

/* What an option is the beginning of, else what it is nearly. */
static const char *
nearest_option(const char *arg, const char *const *names, size_t n)
{
	size_t len = strlen(arg);

	for (size_t i = 0; i < n && len > 3; i++)
		if (strncmp(names[i], arg, len) == 0)
			return names[i];
	return vc_nearest(arg, names, n);
}

int
cmd_unknown_option(const char *command, const char *arg)
{
	enum { MOST = 128 };
	const char *names[MOST], *near = NULL;
	vc *c = vc_new();
	size_t n = named_options(c, cmd_help_text(command), names, MOST);
	vt_buf b = {0};

	if (strncmp(arg, "--", 2) == 0)
		near = nearest_option(vc_format(c, "%.*s", (int)strcspn(arg, "="), arg), names, n);
	vt_buf_puts(&b, "vetro: unknown option ");
	vc_put_printable(&b, arg, strlen(arg));
	if (near)
		vt_buf_printf(
			&b, "\nhint: did you mean %s? 'vetro help %s' lists them\n", near, command);
	else
		vt_buf_printf(&b, "\nhint: see 'vetro help %s'\n", command);
	fwrite(b.p, 1, b.n, stderr);
	vt_buf_free(&b);
	vc_free(c);
	return VC_EUSAGE;
}

bool
cmd_mebibytes(const char *text, size_t *mib)
{
	size_t n = strspn(text, "0123456789");

	*mib = n && n < 5 && !text[n] ? (size_t)atoi(text) : 0;
	return *mib > 0 && *mib <= 1024;
}

bool
cmd_jit(const char *name, enum vc_jit *jit)
{
	static const char *const names[] = {
		[VC_JIT_AUTO] = "auto", [VC_JIT_MEMORY] = "memory", [VC_JIT_CC] = "cc"};

	for (size_t i = 0; i < VC_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return *jit = (enum vc_jit)i, true;
	return false;
}

int
cmd_each_line(void (*each)(void *ctx, const char *line, size_t n), void *ctx)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			n--;
		each(ctx, line, (size_t)n);
	}
	free(line);
	return VC_OK;
}

bool
cmd_diag_format(const char *name, enum vc_diag_format *format)
{
	static const char *const names[] = {"text", "json", "sarif"};

	for (int i = 0; i < 3; i++)
		if (strcmp(name, names[i]) == 0) {
			*format = (enum vc_diag_format)i;
			return true;
		}
	return false;
}
