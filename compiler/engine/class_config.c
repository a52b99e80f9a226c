/*
 * class_config.c - the files of [engine] class_configs: values of a class's properties that the
 * operator of the cloud sets.
 *
 * As murano has it, the first that is there counts: NAME-1.2.3.json, NAME-1.2.3.yaml, then those of
 * 1.2 and 1, and without a version where the package's is 0.  A file that holds no mapping counts
 * as an empty one.
 */
#include "compiler/engine/work.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20, DEEP = 200 };

static bool
has_files(const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	bool any = false;
	while (d != NULL && !any && (e = readdir(d)) != NULL)
		any = e->d_name[0] != '.';
	if (d != NULL)
		closedir(d);
	return any;
}

/* The version with so many numbers; none for 0. NULL: there is no such name. */
static char *
candidate(const char *folder, const vt_class_decl *c, const char *version, int numbers,
	const char *ext)
{
	size_t n = 0;
	if (numbers == 0)
		return strncmp(version, "0.", 2) == 0
			       ? vt_asprintf("%s/%s.%s", folder, c->name->s, ext)
			       : NULL;
	for (int left = numbers; version[n] && (version[n] != '.' || --left > 0);)
		n++;
	return vt_asprintf("%s/%s-%.*s.%s", folder, c->name->s, (int)n, version, ext);
}

/* A path, malloc'd, or NULL. A name with a slash would leave the folder. */
static char *
find(const char *folder, const vt_class_decl *c, const char *version)
{
	static const char *const ext[] = {"json", "yaml"};
	if (strchr(c->name->s, '/') != NULL)
		return NULL;
	for (int numbers = 3; numbers >= 0; numbers--)
		for (int i = 0; i < 2; i++) {
			char *path = candidate(folder, c, version, numbers, ext[i]);
			if (path != NULL && access(path, F_OK) == 0)
				return path;
			free(path);
		}
	return NULL;
}

static vt_status
read_file(vt_rt *rt, const char *path, vt_value *out)
{
	vt_buf b = {0};
	char *why = NULL;
	bool ok = vt_read_file(path, FILE_MAX, &b);
	if (!ok)
		why = vt_xstrdup(strerror(errno));
	else if (strcmp(path + strlen(path) - 5, ".json") == 0)
		ok = vt_json_read(rt, b.p, b.n, VT_JSON_MUTABLE | VT_JSON_PYTHON, DEEP, out, &why);
	else
		ok = vt_yaml_read(rt, b.p ? b.p : "", b.n, out, &why);
	vt_buf_free(&b);
	if (!ok)
		(void)vt_raise(rt, VT_E_VALUE,
			"the configuration of a class cannot be read: %s: %s", path,
			why ? why : "");
	free(why);
	return ok ? VT_OK : VT_ERROR;
}

static vt_status
add(vt_rt *rt, const char *path, const vt_class_decl *c, const char *version, vt_dict *to)
{
	vt_value v = VT_UNDEF, key;
	char *name = vt_asprintf("%s/%s", c->name->s, version);
	vt_status st = read_file(rt, path, &v);
	if (st == VT_OK && vt_is(v, DICT)) {
		key = vt_str_c(rt, name);
		st = vt_dict_set(rt, to, key, v);
		vt_release(key);
	} else if (st == VT_OK) {
		vt_buf b = {0};
		vt_put_printable(&b, path, strlen(path));
		vt_say("%s holds no mapping of properties, so it says nothing\n", b.p);
		vt_buf_free(&b);
	}
	vt_release(v);
	free(name);
	return st;
}

static vt_status
add_package(vt_rt *rt, const char *folder, const vt_package_decl *p, vt_dict *to)
{
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < p->nclasses && st == VT_OK; i++) {
		char *path = find(folder, p->classes[i], p->version);
		if (path != NULL)
			st = add(rt, path, p->classes[i], p->version, to);
		free(path);
	}
	return st;
}

vt_status
eng_class_configs(vt_rt *rt, const eng_conf *c)
{
	const char *folder = eng_conf_text(c, "engine", "class_configs");
	vt_dict *d;
	vt_status st = VT_OK;
	if (!has_files(folder))
		return VT_OK;
	d = vt_dict_new(rt, false);
	for (uint32_t i = 0; i < rt->program->npackages && st == VT_OK; i++)
		st = add_package(rt, folder, rt->program->packages[i], d);
	if (st == VT_OK)
		st = add_package(rt, folder, &vt_core_package, d);
	if (st == VT_OK && vt_dict_len(d) > 0)
		vt_move(&rt->s->config, vt_mkptr(d));
	else
		vt_release(vt_mkptr(d));
	return st;
}
