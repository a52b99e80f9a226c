/*
 * fixture.c - what `vetro test` would pass over without a word.
 *
 * A test is a method of a fixture, declared in that very class, whose name begins with "test" and
 * goes on with no small letter (runtime/program/testrun.c).  Who writes something near that means a
 * test, and would take silence for success.
 */
#include "compiler/check/int.h"

#include <string.h>
#include <strings.h>

static const char FIXTURE[] = "io.murano.test.TestFixture";

static bool
is_test(const char *name)
{
	return strncmp(name, "test", 4) == 0 && !(name[4] >= 'a' && name[4] <= 'z');
}

static bool
is_fixture(const ck *k)
{
	for (uint32_t i = 1; i < k->nline; i++)
		if (strcmp(k->line[i]->name, FIXTURE) == 0)
			return true;
	return false;
}

/* Does its last word say that it has tests?  WebTest, TestWeb, WebTests, WebTestCase. */
static bool
is_called_so(const mpl_class *cls)
{
	static const char *const ends[] = {"Test", "Tests", "TestCase", "Fixture"};
	const char *dot = strrchr(cls->name, '.'), *name = dot ? dot + 1 : cls->name;
	size_t n = strlen(name);

	for (size_t i = 0; i < VC_LEN(ends); i++)
		if (n > strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
			return true;
	return is_test(name) || strncmp(name, "Test", 4) == 0;
}

static bool
has_children(const ck *k, const mpl_class *cls)
{
	for (uint32_t i = 0; i < k->npkgs; i++)
		for (uint32_t n = 0; n < k->pkgs[i]->nclasses; n++)
			for (uint32_t p = 0; p < k->pkgs[i]->classes[n]->nparents; p++)
				if (strcmp(k->pkgs[i]->classes[n]->parents[p], cls->name) == 0)
					return true;
	return false;
}

/* testurl, TestUrl: nearly the name of a test. tester and testing are words of their own. */
static bool
is_nearly(const char *name)
{
	static const char *const words[] = {"er", "ers", "ed", "ing", "able"};

	for (size_t i = 0; i < VC_LEN(words); i++) {
		const char *rest = name + 4;
		size_t n = strlen(words[i]);
		if (strncmp(name, "test", 4) == 0 && strncmp(rest, words[i], n) == 0 &&
			!(rest[n] >= 'a' && rest[n] <= 'z'))
			return false;
	}
	return !is_test(name) && strncasecmp(name, "test", 4) == 0 && name[4] != '\0';
}

static void
check_test(ck *k, const mpl_method *m)
{
	if (m->nbody == 0)
		vc_report(k->c, VC_W1083, m->span, "the test %s has no statements, so it passes",
			m->name);
	for (uint32_t i = 0; i < m->nargs; i++) {
		if (m->args[i].dflt || m->args[i].usage != MPL_STANDARD)
			continue;
		vc_report(k->c, VC_W1083, m->args[i].span,
			"the test %s gets null for \"%s\": tests are called without arguments",
			m->name, m->args[i].name);
		vc_hint(k->c, "give it a Default, or let a test with its values call this method");
	}
}

static void
check_fixture(ck *k)
{
	const mpl_method *near = NULL;
	uint32_t tests = 0, others = 0;

	for (uint32_t i = 0; i < k->cls->nmethods; i++) {
		const mpl_method *m = k->cls->methods[i];
		if (is_test(m->name)) {
			tests++;
			check_test(k, m);
		} else if (m->name[0] != '.' && strcasecmp(m->name, "setUp") != 0 &&
			   strcasecmp(m->name, "tearDown") != 0) {
			near = m;
			others++;
		}
		if (!is_nearly(m->name))
			continue;
		vc_report(k->c, VC_W1083, m->span, "%s is no test, and is not run", m->name);
		vc_did_you_mean(
			k->c, "%s", vc_format(k->c, "test%c%s", m->name[4] & ~32, m->name + 5));
		tests++;
	}
	if (tests > 0 || others == 0 || has_children(k, k->cls))
		return;
	vc_report(k->c, VC_W1083, k->cls->span, "the fixture %s has no test", k->cls->name);
	vc_hint(k->c, "the name of a test begins with test: test%c%s",
		near->name[0] >= 'a' && near->name[0] <= 'z' ? near->name[0] - 32 : near->name[0],
		near->name + 1);
}

static void
check_other(ck *k)
{
	const mpl_class *cls = k->cls;

	for (uint32_t i = 0; i < cls->nmethods; i++) {
		if (!is_test(cls->methods[i]->name) || !is_called_so(cls))
			continue;
		vc_report(k->c, VC_W1083, cls->methods[i]->span,
			"%s is not run: %s does not extend %s", cls->methods[i]->name, cls->name,
			FIXTURE);
		vc_hint(k->c, "Extends: %s", FIXTURE);
		return;
	}
}

void
ck_tests(ck *k)
{
	if (!k->cls->listed || k->cls->native || strcmp(k->pkg->name, "io.murano") == 0)
		return;
	if (is_fixture(k))
		check_fixture(k);
	else if (k->whole)
		check_other(k);
}
