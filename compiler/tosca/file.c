/*
 * file.c - what get_file of Heat's templates names: the file's text, read once and kept as a
 * constant.
 *
 * Heat has its client send files along, which are seen from the template; so they are part of what
 * is compiled.  None comes from outside of the template's folder, or of the archive or directory
 * that is given as a whole.
 */
#include "compiler/tosca/unit.h"
#include "compiler/murano/package.h"

#include <string.h>
#include <sys/stat.h>

/* In the unit's files, or NULL: reported. */
static const char *
from_files(tosca_unit *u, const ynode *name, const char *normal, size_t *n)
{
	vc *c = u->t->c;
	if (tosca_files_has(u->t, u->files, normal))
		return vc_files_bytes(
			c, u->files->f, vc_format(c, "%s%s", u->files->top, normal), n);
	vc_report(c, VC_E2058, name->span, "there is no file '%s' in %s", normal, u->files->name);
	return NULL;
}

void
tosca_leads_out(struct tosca *t, vc_span at, const char *name)
{
	vc_report(t->c, VC_E2017, at, "'%s' leads out of the folder of the template", name);
	vc_hint(t->c, "give the directory that has all files, or name theirs: --allow-dir DIR");
}

/* Links count for what they lead to. */
static bool
is_below(const char *folder, const char *path)
{
	size_t n = strlen(folder);
	return !strncmp(folder, path, n) && (path[n] == '/' || !strcmp(folder, "/"));
}

/* Nobody learns from a message whether a file outside is there. */
static bool
leads_out(vc *c, const char *text)
{
	const char *normal = *text == '/' ? NULL : vc_path_normal(c, text);
	return !normal || !*normal;
}

static const char *
from_folder(tosca_unit *u, const ynode *name, size_t *n)
{
	vc *c = u->t->c;
	const char *path = tosca_join(c, u->path ? u->path : "", name->text),
		   *real = vc_real_path(c, path),
		   *folder = vc_real_path(c, tosca_join(c, u->path ? u->path : "", "."));
	struct stat st;
	bool outside;
	if (!real && leads_out(c, name->text)) {
		tosca_leads_out(u->t, name->span, name->text);
		return NULL;
	}
	if (real && (!folder || !is_below(folder, real)) && !vc_allowed(c, real, &outside)) {
		tosca_leads_out(u->t, name->span, name->text);
		return NULL;
	}
	if (!real || stat(real, &st) != 0 || !S_ISREG(st.st_mode)) {
		vc_report(c, VC_E2058, name->span, "there is no file '%s' beside the template",
			name->text);
		return NULL;
	}
	if ((uint64_t)st.st_size <= c->limit.max_resources)
		return vc_bytes_read(c, real, n);
	*n = (size_t)st.st_size;
	return "";
}

static const char *
find(tosca_unit *u, const ynode *name, size_t *n)
{
	vc *c = u->t->c;
	size_t scheme;
	const char *text = name->text, *normal;
	if (strlen(text) != name->ntext || !*text) {
		vc_report(c, VC_E2058, name->span, "get_file takes the path of a file");
		return NULL;
	}
	if (tosca_url_scheme(text, &scheme)) {
		vc_report(c, VC_E2015, name->span,
			"get_file reads files beside the template, and no URLs");
		vc_hint(c, "put the file there, and its path here");
		return NULL;
	}
	if (!u->files)
		return from_folder(u, name, n);
	normal = *text == '/' ? NULL : vc_path_normal(c, tosca_join(c, u->path, text));
	if (!normal || !*normal) {
		vc_report(c, VC_E2017, name->span, "'%s' leads out of the archive", text);
		return NULL;
	}
	return from_files(u, name, normal, n);
}

/* What is no text is sent as lines of base64 of 57 bytes, as Heat's client does. */
static const char *
base64(vc *c, const char *data, size_t *n)
{
	vt_buf b = {0};

	vt_base64(&b, data, *n, 57);
	*n = b.n;
	return vc_take(c, &b);
}

const char *
tosca_file_text(tosca_unit *u, const ynode *name, size_t *n)
{
	vc *c = u->t->c;
	int before = vc_errors(c);
	const char *data = find(u, name, n);
	if (!data) {
		if (vc_errors(c) == before)
			vc_report(c, VC_E2058, name->span, "the file '%s' cannot be read",
				name->text);
		return NULL;
	}
	u->t->files_read += *n;
	if (u->t->files_read > c->limit.max_resources) {
		vc_report(c, VC_E2090, name->span,
			"the files that get_file reads are more than %zu MiB",
			c->limit.max_resources >> 20);
		return NULL;
	}
	return vt_utf8_check(data, *n) == *n ? data : base64(c, data, n);
}
