/*
 * gdb.c - `vetro gdb`: gdb with commands for the variables, objects and tasks of YAML.
 *
 * The commands are templates/gdb.py, which lies in the user's cache while gdb reads it.
 */
#include "compiler/build/build.h"
#include "compiler/cmd/cmd.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NULL: reported. */
static const char *
script_path(vc *c)
{
	const char *why, *dir = vc_cache_dir(c, &why);
	size_t n;
	const char *text = vc_asset("gdb.py", &n);

	if (!dir) {
		vt_say("vetro gdb: %s\n", why);
		return NULL;
	}
	const char *path = vc_format(c, "%s/gdb-" VETRO_VERSION ".py", dir);
	if (vt_replace_file(path, text, n, VT_FILE_PRIVATE))
		return path;
	vt_say("vetro gdb: %s: %s\n", path, strerror(errno));
	return NULL;
}

/* gdb itself goes on without one, and ends as if all was well.  False: reported. */
static bool
is_binary(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen(path, "rb");
	bool read = f != NULL && fread(magic, 1, sizeof magic, f) == sizeof magic;

	if (f == NULL || (!read && ferror(f)))
		vt_say("vetro gdb: %s: %s\n", path, strerror(errno));
	else if (memcmp(magic, "\177ELF", sizeof magic) != 0)
		vt_say("vetro gdb: %s is no binary; `vetro build -g SOURCE -o FILE` makes one\n",
			path);
	if (f != NULL)
		fclose(f);
	return memcmp(magic, "\177ELF", sizeof magic) == 0;
}

static void
push(vc *c, char ***words, uint32_t *n, const char *word)
{
	vc_push(c, *words, *n) = vc_strdup(c, word);
}

int
cmd_gdb(cmd_options *o)
{
	const vt_cli_list *w = &o->line.words;
	vc *c = vc_new();
	const char *script = w->n == 0 || is_binary(w->v[0]) ? script_path(c) : NULL;
	char **words = NULL;
	uint32_t n = 0;

	if (!script) {
		vc_free(c);
		return VC_EINPUT;
	}
	push(c, &words, &n, "gdb");
	push(c, &words, &n, "-q");
	push(c, &words, &n, "-x");
	push(c, &words, &n, script);
	if (o->gdb_batch)
		push(c, &words, &n, "-batch");
	for (uint32_t i = 0; i < o->gdb_commands.n; i++) {
		push(c, &words, &n, "-ex");
		push(c, &words, &n, o->gdb_commands.v[i]);
	}
	push(c, &words, &n, "--args");
	for (uint32_t i = 0; i < w->n; i++)
		push(c, &words, &n, w->v[i]);
	vc_push(c, words, n) = NULL;
	execvp("gdb", words);
	vt_say("vetro gdb: gdb cannot be run: %s\n", strerror(errno));
	vc_free(c);
	return VC_EINPUT;
}
