/*
 * hand.c - the jobs of the benchmark as a C programmer writes them for exactly this data.
 *
 * usage: hand JOB DATA.tsv SECONDS RESULT.json
 *
 * Records are an array of structs, parsed beforehand; strings are pointers into the text with a
 * length. A job leaves its result as arrays in memory, which `show` prints once, outside the time,
 * to be compared. Giving the result back is inside the time, as it is for the others.
 */
#include "timer.h"

#include <pcre2.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>

typedef struct str {
	const char *p;
	uint32_t n;
} str;

typedef struct record {
	str name, region, owner, text;
	int64_t id, cpu, mem;
} record;

typedef struct owner {
	str name, team;
} owner;

typedef struct pair {
	str text, other;
	int64_t number;
} pair;

typedef struct bench {
	record *items;
	owner *owners;
	size_t n, nowners, nout;
	pair *out;           /* filter, group, join, string: malloc'd by the job */
	const record **refs; /* order, regex: the same */
	char *arena;         /* string */
	int64_t number[4];   /* any, aggregate */
	pcre2_code *re;
	pcre2_match_data *match;
} bench;

static void
die(const char *what)
{
	fprintf(stderr, "hand: %s\n", what);
	exit(1);
}

static void *
room(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		die("out of memory");
	return p;
}

static int
same(str a, str b)
{
	return a.n == b.n && !memcmp(a.p, b.p, a.n);
}

static uint32_t
hash(str s)
{
	uint32_t h = 2166136261u;

	for (uint32_t i = 0; i < s.n; i++)
		h = (h ^ (uint8_t)s.p[i]) * 16777619u;
	return h;
}

/* ---- jobs ---- */

static void
filter(bench *b)
{
	b->out = room(b->n * sizeof *b->out);
	for (size_t i = 0; i < b->n; i++)
		if (b->items[i].cpu > 32)
			b->out[b->nout++] =
				(pair){.text = b->items[i].name, .number = b->items[i].cpu * 2};
}

/* Open addressing; slots hold the place in b->out plus one. The table doubles at half full. */
typedef struct table {
	uint32_t *slot, mask, used;
} table;

static uint32_t *
find(const table *t, const pair *rows, str key)
{
	uint32_t i = hash(key) & t->mask;

	while (t->slot[i] && !same(rows[t->slot[i] - 1].text, key))
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

static void
grow(table *t, pair *rows)
{
	uint32_t n = t->slot ? (t->mask + 1) * 2 : 64;

	free(t->slot);
	t->slot = calloc(n, sizeof *t->slot);
	if (!t->slot)
		die("out of memory");
	t->mask = n - 1;
	for (uint32_t i = 0; i < t->used; i++)
		*find(t, rows, rows[i].text) = i + 1;
}

static void
group(bench *b)
{
	table t = {NULL, 0, 0};
	uint32_t *at;

	b->out = room(b->n * sizeof *b->out);
	grow(&t, b->out);
	for (size_t i = 0; i < b->n; i++) {
		at = find(&t, b->out, b->items[i].region);
		if (!*at) {
			if (t.used * 2 > t.mask) {
				grow(&t, b->out);
				at = find(&t, b->out, b->items[i].region);
			}
			b->out[t.used] = (pair){.text = b->items[i].region};
			*at = ++t.used;
		}
		b->out[*at - 1].number += b->items[i].cpu;
	}
	b->nout = t.used;
	free(t.slot);
}

static int
by_cpu_and_name(const void *a, const void *b)
{
	const record *x = *(const record *const *)a, *y = *(const record *const *)b;
	int c;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	c = memcmp(x->name.p, y->name.p, x->name.n < y->name.n ? x->name.n : y->name.n);
	return c ? c : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

static void
order(bench *b)
{
	b->refs = room(b->n * sizeof *b->refs);
	for (size_t i = 0; i < b->n; i++)
		b->refs[i] = &b->items[i];
	b->nout = b->n;
	qsort(b->refs, b->n, sizeof *b->refs, by_cpu_and_name);
}

static void
any(bench *b)
{
	size_t i;

	for (i = 0; i < b->n && b->items[i].cpu <= 1000; i++)
		;
	b->number[0] = i < b->n;
	for (i = 0; i < b->n && b->items[i].cpu > 0; i++)
		;
	b->number[1] = i == b->n;
}

static void
join(bench *b)
{
	table t = {NULL, 0, 0};
	pair *owners = room(b->nowners * sizeof *owners);
	uint32_t at;

	grow(&t, owners);
	for (size_t i = 0; i < b->nowners; i++) {
		owners[i] = (pair){.text = b->owners[i].name, .other = b->owners[i].team};
		if (t.used * 2 > t.mask)
			grow(&t, owners);
		*find(&t, owners, owners[i].text) = ++t.used;
	}
	b->out = room(b->n * sizeof *b->out);
	for (size_t i = 0; i < b->n; i++)
		if ((at = *find(&t, owners, b->items[i].owner)))
			b->out[b->nout++] =
				(pair){.text = b->items[i].name, .other = owners[at - 1].other};
	free(t.slot);
	free(owners);
}

static void
regex(bench *b)
{
	b->refs = room(b->n * sizeof *b->refs);
	for (size_t i = 0; i < b->n; i++) {
		str s = b->items[i].owner;
		if (pcre2_jit_match(b->re, (PCRE2_SPTR)s.p, s.n, 0, 0, b->match, NULL) > 0)
			b->refs[b->nout++] = &b->items[i];
	}
}

static void
string(bench *b)
{
	size_t bytes = 0;
	char *p;

	for (size_t i = 0; i < b->n; i++)
		bytes += b->items[i].text.n + b->items[i].region.n + 1;
	p = b->arena = room(bytes);
	b->out = room(b->n * sizeof *b->out);
	for (size_t i = 0; i < b->n; i++) {
		const record *r = &b->items[i];
		b->out[b->nout++].text = (str){p, r->text.n + r->region.n + 1};
		for (uint32_t k = 0; k < r->text.n; k++) {
			char ch = r->text.p[k];
			*p++ = ch == ' ' ? '-' : ch >= 'a' && ch <= 'z' ? (char)(ch - 32) : ch;
		}
		*p++ = '/';
		memcpy(p, r->region.p, r->region.n);
		p += r->region.n;
	}
}

static void
aggregate(bench *b)
{
	int64_t sum = 0, least = b->items[0].cpu, most = b->items[0].mem;

	for (size_t i = 0; i < b->n; i++) {
		sum += b->items[i].cpu;
		if (b->items[i].cpu < least)
			least = b->items[i].cpu;
		if (b->items[i].mem > most)
			most = b->items[i].mem;
	}
	memcpy(b->number, (int64_t[]){(int64_t)b->n, sum, least, most}, sizeof b->number);
}

/* ---- results ---- */

static void
put(FILE *f, str s)
{
	fprintf(f, "\"%.*s\"", (int)s.n, s.p);
}

static void
show_filter(const bench *b, size_t i, FILE *f)
{
	fprintf(f, "{\"load\":%lld,\"name\":", (long long)b->out[i].number);
	put(f, b->out[i].text);
	fputc('}', f);
}

static void
show_group(const bench *b, size_t i, FILE *f)
{
	fputc('[', f);
	put(f, b->out[i].text);
	fprintf(f, ",%lld]", (long long)b->out[i].number);
}

static void
show_join(const bench *b, size_t i, FILE *f)
{
	fputc('[', f);
	put(f, b->out[i].text);
	fputc(',', f);
	put(f, b->out[i].other);
	fputc(']', f);
}

static void
show_name(const bench *b, size_t i, FILE *f)
{
	put(f, b->refs[i]->name);
}

static void
show_text(const bench *b, size_t i, FILE *f)
{
	put(f, b->out[i].text);
}

static void
show_bool(const bench *b, size_t i, FILE *f)
{
	fputs(b->number[i] ? "true" : "false", f);
}

static void
show_number(const bench *b, size_t i, FILE *f)
{
	fprintf(f, "%lld", (long long)b->number[i]);
}

static const struct job {
	const char *name;
	void (*run)(bench *);
	void (*show)(const bench *, size_t, FILE *);
	size_t fixed; /* how many results, or 0: as many as the job says */
} jobs[] = {
	{"filter", filter, show_filter, 0},
	{"group", group, show_group, 0},
	{"order", order, show_name, 0},
	{"any", any, show_bool, 2},
	{"join", join, show_join, 0},
	{"regex", regex, show_name, 0},
	{"string", string, show_text, 0},
	{"aggregate", aggregate, show_number, 4},
};

/* ---- the frame ---- */

static const struct job *job;

static void
forget(bench *b)
{
	free(b->out);
	free(b->refs);
	free(b->arena);
	b->out = NULL;
	b->refs = NULL;
	b->arena = NULL;
	b->nout = 0;
}

static int
once(void *data)
{
	job->run(data);
	forget(data);
	return 1;
}

static str
field(char **at)
{
	char *p = *at;
	size_t n = strcspn(p, "\t\n");

	*at = p + n + (p[n] != 0);
	p[n] = 0;
	return (str){p, (uint32_t)n};
}

static char *
read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0)
		die(path);
	rewind(f);
	text = room((size_t)n + 1);
	text[fread(text, 1, (size_t)n, f)] = 0;
	fclose(f);
	return text;
}

static void
read_records(bench *b, char *at)
{
	size_t lines = 0;

	for (char *p = at; *p; p++)
		lines += *p == '\n';
	b->items = room(lines * sizeof *b->items);
	b->owners = room(lines * sizeof *b->owners);
	while (*at) {
		if (*field(&at).p == 'o') {
			owner *o = &b->owners[b->nowners++];
			o->name = field(&at);
			o->team = field(&at);
			continue;
		}
		record *r = &b->items[b->n++];
		r->id = atoll(field(&at).p);
		r->name = field(&at);
		r->cpu = atoll(field(&at).p);
		r->mem = atoll(field(&at).p);
		r->region = field(&at);
		r->owner = field(&at);
		r->text = field(&at);
	}
}

static void
compile(bench *b)
{
	int error;
	size_t at;

	b->re = pcre2_compile(
		(PCRE2_SPTR) "^user[0-9]*7@", PCRE2_ZERO_TERMINATED, 0, &error, &at, NULL);
	if (!b->re || pcre2_jit_compile(b->re, PCRE2_JIT_COMPLETE))
		die("the expression does not compile");
	b->match = pcre2_match_data_create_from_pattern(b->re, NULL);
}

static void
write_result(bench *b, const char *path)
{
	FILE *f = fopen(path, "w");
	size_t n;

	if (!f)
		die(path);
	job->run(b);
	n = job->fixed ? job->fixed : b->nout;
	for (size_t i = 0; i < n; i++) {
		fputc(i ? ',' : '[', f);
		job->show(b, i, f);
	}
	fputs(n ? "]\n" : "[]\n", f);
	fclose(f);
}

int
main(int argc, char **argv)
{
	bench b = {0};
	timer t;

	if (argc != 5)
		die("usage: hand JOB DATA.tsv SECONDS RESULT.json");
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
		if (!strcmp(jobs[i].name, argv[1]))
			job = &jobs[i];
	if (!job)
		die("no such job");
	read_records(&b, read_file(argv[2]));
	compile(&b);
	if (!b.n || !timer_run(&t, atof(argv[3]), once, &b))
		die("no records");
	timer_print(&t);
	write_result(&b, argv[4]);
	return 0;
}
