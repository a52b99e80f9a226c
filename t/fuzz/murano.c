/*
 * Fuzz target: a package whose class file is any text goes through the whole front end: package,
 * checks with types, lowering, verifier, C. What was checked without an error lowers to IR that the
 * verifier takes. driver.c says how it is run.
 */
#include "compiler/base/base.h"
#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/lower.h"
#include "compiler/murano/package.h"
#include "t/fuzz/mpl_words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char folder[] = "/tmp/vetro-fuzz-XXXXXX";

static void
write_file(const char *name, const void *text, size_t n)
{
	char path[sizeof folder + 40];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (f == NULL || fwrite(text, 1, n, f) != n || fclose(f) != 0)
		exit(2);
}

static void
remove_folder(void)
{
	static const char *const names[] = {
		"Classes/Class.yaml", "Classes/Base.yaml", "manifest.yaml"};
	char path[sizeof folder + 40];

	for (size_t i = 0; i < VC_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/Classes", folder);
	rmdir(path);
	rmdir(folder);
}

static void
make_folder(void)
{
	static const char manifest[] = "Format: 1.4\nFullName: fuzz\nType: Library\nClasses:\n"
				       "  fuzz.Class: Class.yaml\n  fuzz.Base: Base.yaml\n";
	static const char base[] =
		"Namespaces: { =: fuzz }\nName: Base\nProperties:\n"
		"  p: { Contract: $.int().notNull(), Default: 0 }\nMethods:\n"
		"  m: { Arguments: [ a: { Contract: $ } ], Body: [ Return: $a ] }\n";
	char path[sizeof folder + 40];

	if (mkdtemp(folder) == NULL)
		exit(2);
	atexit(remove_folder);
	snprintf(path, sizeof path, "%s/Classes", folder);
	if (mkdir(path, 0700) != 0)
		exit(2);
	write_file("manifest.yaml", manifest, sizeof manifest - 1);
	write_file("Classes/Base.yaml", base, sizeof base - 1);
}

static bool
begins(const uint8_t *line, const uint8_t *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - line) >= n && memcmp(line, word, n) == 0;
}

/* Whatever the file calls it, the class is the one that the manifest promises: the lines of its own
 * name and namespaces are left out. */
static char *
with_name(const uint8_t *data, size_t *n)
{
	static const char name[] = "Namespaces: { =: fuzz, std: io.murano }\nName: Class\n";
	char *text = malloc(*n + sizeof name), *out = text;
	bool skip = false;

	if (text == NULL)
		exit(2);
	memcpy(out, name, sizeof name - 1);
	out += sizeof name - 1;
	for (const uint8_t *p = data, *end = data + *n, *next; p < end; p = next) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next + 1 : end;
		if (*p != ' ')
			skip = begins(p, end, "Name:") || begins(p, end, "Namespaces:");
		if (!skip) {
			memcpy(out, p, (size_t)(next - p));
			out += next - p;
		}
	}
	*n = (size_t)(out - text);
	return text;
}

static void
translate(vc *c)
{
	ir_module *m;
	vc_cfile *files;
	uint32_t n = 0;

	vc_package_load(c, folder, true);
	vc_packages_resolve(c);
	mpl_check(c);
	m = vc_errors(c) ? NULL : vc_lower(c);
	if (m == NULL || vc_errors(c))
		return;
	if (!ir_verify(c, m))
		abort();
	files = vc_emit(c, m, NULL, true, &n);
	for (uint32_t i = 0; i < n; i++)
		vt_buf_free(&files[i].text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vc *c = vc_new();
	char *text;

	if (folder[sizeof folder - 2] == 'X')
		make_folder();
	c->limit.max_nodes = 20000;
	text = with_name(data, &n);
	write_file("Classes/Class.yaml", text, n);
	translate(c);
	vc_free(c);
	free(text);
	return 0;
}
