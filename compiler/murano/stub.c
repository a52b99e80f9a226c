/*
 * stub.c - stub files: packages in one YAML file, for what murano has in Python.
 *
 * The first document is the manifest without Classes, the others are class files.  A method without
 * Body is one that Python brings: a script with vetro.class does it here, and without one a call
 * raises.  A method with a Body stands in for it.
 */
#include "compiler/murano/murano.h"
#include "compiler/murano/package_int.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The manifest comes first, and names the package. */
static bool
names_package(const char *path)
{
	enum { HEAD = 1000 };
	static const char key[] = "FullName:";
	char line[256];
	bool names = false;
	FILE *f = vc_source_open(path);

	for (int i = 0; f && i < HEAD && !names && fgets(line, sizeof line, f); i++)
		names = strncmp(line, key, sizeof key - 1) == 0;
	if (f)
		fclose(f);
	return names;
}

/* The manifest of a package in a folder is none. */
bool
pk_is_stub(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	return strcmp(slash ? slash + 1 : path, "manifest.yaml") != 0 &&
	       (vt_ends_with(path, ".yaml") || vt_ends_with(path, ".yml")) &&
	       stat(path, &st) == 0 && S_ISREG(st.st_mode) && names_package(path);
}

/* Where the first document ends: at a line ---; at the end when there is no other. */
static size_t
first_document(const vc_source *src)
{
	const char *at = src->text, *end = src->text + src->n;
	bool begun = false; /* a --- in front of the first document is not its end */

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		bool mark = end - at >= 3 && strncmp(at, "---", 3) == 0 &&
			    (at + 3 == end || strchr(" \t\r\n", at[3]));
		if (mark && begun)
			return (size_t)(at - src->text);
		begun |= mark || (*at != '#' && *at != '\n' && *at != '\r' && *at != '%');
		at = nl ? nl + 1 : end;
	}
	return src->n;
}

static vc_source *
part(vc *c, const vc_source *src, size_t from, size_t to)
{
	char *text = vc_strndup(c, src->text, to);

	/* Lines stay, so that places are those of the file. */
	for (size_t i = 0; i < from; i++)
		if (text[i] != '\n')
			text[i] = ' ';
	return vc_source_new(c, src->name, text, to);
}

/* The body of what nobody has brought. */
static void
make_stub(vc *c, mpl_method *m)
{
	const char *text = vc_format(c,
		"- Throw: PluginException\n"
		"  Message: 'method \"%s\" of class \"%s\" is only declared, in a stub file; a "
		"--lua script brings it with vetro.class'\n",
		m->name, m->cls->name);
	uint32_t n = 0;
	ynode **docs = vc_yaml_parse(c, vc_source_new(c, m->span.src->name, text, strlen(text)),
		&(vc_yaml_opts){.expressions = true, .flags = YQ_F_MURANO}, &n);

	m->native = m->stub = true;
	if (n == 1)
		m->body = mpl_block(c, m->cls, docs[0], &m->nbody);
}

mpl_package *
pk_load_stub(vc *c, const char *path)
{
	vc_source *src = vc_source_read(c, path);
	size_t end = src ? first_document(src) : 0;
	mpl_package *p = src ? pk_manifest(c, NULL, part(c, src, 0, end), path) : NULL;

	if (p == NULL)
		return NULL;
	mpl_parse_file(c, p, part(c, src, end, src->n), NULL);
	for (uint32_t i = 0; i < p->nclasses; i++) {
		mpl_class *k = p->classes[i];
		k->native = k->listed = true;
		for (uint32_t m = 0; m < k->nmethods; m++)
			if (k->methods[m]->abstract)
				make_stub(c, k->methods[m]);
	}
	return p;
}
