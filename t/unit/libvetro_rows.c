/* Rows of results, whose members belong to the document: what may go first, and what may be
 * changed. */
#include "libvetro_check.h"

#include <stdio.h>

enum { RECORDS = 500, HELD = 60 };

static vetro_engine *engine;
static vetro_value kept[HELD];
static char *expected[HELD];
static int nkept;

/* A document of `n` records of all kinds of members. */
static vetro_value
document(int n, int seed)
{
	size_t room = (size_t)n * 400 + 1000, at = 0;
	char *text = malloc(room);
	vetro_value d;

	at += (size_t)snprintf(text + at, room - at, "{\"items\":[");
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, room - at,
			"%s{\"id\":%d,\"name\":\"name-%d-%d\",\"wide\":\"\xc3\xbc\xe2\x82\xac%d\","
			"\"half\":%d.5,"
			"\"big\":%d23456789012345678901234567890,\"none\":null,\"yes\":%s,"
			"\"owner\":\"user%d@here\"}",
			i ? "," : "", i, seed, i, i, i, 1 + i % 9, i % 2 ? "true" : "false", i % 7);
	at += (size_t)snprintf(text + at, room - at, "],\"owners\":[");
	for (int i = 0; i < 7; i++)
		at += (size_t)snprintf(text + at, room - at,
			"%s{\"name\":\"user%d@here\",\"team\":\"team-%d-%d\"}", i ? "," : "", i,
			seed, i % 3);
	at += (size_t)snprintf(text + at, room - at, "],\"many\":[");
	for (int i = 0; i < 90; i++)
		at += (size_t)snprintf(text + at, room - at,
			"%s{\"name\":\"user%d@here\",\"team\":\"many-%d\"}", i ? "," : "", i, i);
	snprintf(text + at, room - at, "]}");
	d = vetro_parse_json(engine, text, VETRO_ZSTR, NULL);
	free(text);
	return d;
}

static char *
text_of(vetro_value v)
{
	return vetro_write_json(engine, v, 0, NULL, NULL);
}

static vetro_value
evaluated(const char *expression, vetro_value data)
{
	vetro_error *err = NULL;
	vetro_query *q = vetro_compile(engine, expression, VETRO_ZSTR, &err);
	vetro_value v = vetro_evaluate(q, data, NULL, &err);

	if (v == NULL)
		printf("# %s: %s\n", expression, vetro_error_message(err));
	vetro_error_free(err);
	vetro_query_free(q);
	return v;
}

/* To be compared when its document is gone. */
static void
keep(vetro_value v)
{
	kept[nkept] = v;
	expected[nkept++] = text_of(v);
}

static int
all_are_as_before(void)
{
	int good = 1;

	for (int i = 0; i < nkept; i++) {
		char *text = text_of(kept[i]);
		good = good && strcmp(text, expected[i]) == 0;
		vetro_free_text(text);
	}
	return good;
}

static void
forget_all(void)
{
	while (nkept > 0) {
		vetro_unref(kept[--nkept]);
		vetro_free_text(expected[nkept]);
	}
}

static const char *const expressions[] = {
	"$.items.where($.id > 3).select({n => $.name, i => $.id})",
	"$.items.select([$.name, $.wide, $.half, $.big, $.none, $.yes])",
	"$.items.join($.owners, $1.owner = $2.name, [$1.name, $2.team])",
	"$.items.join($.many, $1.owner = $2.name, {n => $1.wide, t => $2.team})",
	"$.items.join($.items, $1.id = $2.id, [$1.name, $2.wide])",
	"$.items.join($.owners.where($.team != '').select({name => $.name, team => $.team}), "
	"$1.owner = $2.name, [$1.name, $2.team])",
	"$.items.select([$.id, $.id * 2])",
	"$.items.join([{k => 'user1@here', t => one}, {k => 'user2@here', t => two}], $1.owner = "
	"$2.k, [$1.name, $2.t])",
	"$.items.select([$.name + '!', $.wide])",
	"$.items.select($.name.toUpper() + '/' + $.owner)",
	"$.items.select($.wide + $.name)",
	"$.items.select($.name)",
	"$.items.toList().select([$.name])",
	"$.items.orderBy($.name).select([$.name, $.wide])",
	"[$.items.select([$.name]), $.items.select({n => $.wide}), "
	"$.items.select([$.name]).toList().select([$[0]])]",
	"let(x => $.items.where($.id != 7).toList()) -> [$x.select([$.name, $.big]), $x, "
	"$x.select({n => $.wide})]",
	"$.items.where($.id > 3)",
	"$.items.toDict($.id)",
	"$.items.groupBy($.id mod 7)",
	"$.items.select({id => $.id, whole => $, list => [$, $.name]})",
	"$.items.select($.set(more, [$.id]))",
	"$",
};

static void
document_goes_first(void)
{
	size_t n = sizeof expressions / sizeof *expressions;

	for (int twice = 0; twice < 2; twice++) {
		vetro_value a = document(RECORDS, 1), b = document(RECORDS, 2);
		for (size_t i = 0; i < n; i++)
			keep(evaluated(expressions[i], i % 2 ? a : b));
		check(all_are_as_before(), "results while their documents are there");
		vetro_unref(a);
		check(all_are_as_before(), "one of the documents is gone");
		vetro_unref(b);
		check(all_are_as_before(), "both are gone");
		forget_all();
	}
}

static void
rows_go_one_by_one(void)
{
	vetro_value d = document(RECORDS, 3), all = evaluated(expressions[0], d);
	vetro_value pairs = evaluated(expressions[2], d);

	for (size_t i = 0; i < 20; i++) {
		keep(vetro_ref(vetro_list_at(all, i * 19)));
		keep(vetro_ref(vetro_list_at(vetro_list_at(pairs, i * 23), i % 2)));
	}
	vetro_unref(all);
	vetro_unref(pairs);
	check(all_are_as_before(), "single rows and members without their lists");
	vetro_unref(d);
	check(all_are_as_before(), "and without the document");
	forget_all();
}

static void
rows_are_changed(void)
{
	vetro_value d = document(RECORDS, 4), all = evaluated(expressions[0], d), row, list;
	char *text;

	row = vetro_ref(vetro_list_at(all, 30));
	check(vetro_dict_put_name(engine, row, "n", vetro_int(engine, 1)) != 0,
		"a row of two owners stays as it is");
	vetro_unref(all);
	check(vetro_dict_put_name(engine, row, "n", vetro_int(engine, 1)) == 0,
		"one of a single owner can be changed");
	check(vetro_dict_put_name(engine, row, "more", vetro_string(engine, "m", 1)) == 0,
		"and grow");
	all = evaluated(expressions[1], d);
	list = vetro_ref(vetro_list_at(all, 31));
	vetro_unref(all);
	check(vetro_list_push(engine, list, vetro_int(engine, 2)) == 0, "a list as well");
	vetro_unref(d);
	text = text_of(row);
	same(text, "{\"n\":1,\"i\":34,\"more\":\"m\"}", "a changed record without its document");
	vetro_free_text(text);
	text = text_of(list);
	same(text,
		"[\"name-4-31\",\"\xc3\xbc\xe2\x82\xac"
		"31\",31.5,523456789012345678901234567890,null,true,2]",
		"a changed list without its document");
	vetro_free_text(text);
	vetro_unref(row);
	vetro_unref(list);
}

/* Parts of a document are in results as they are; nobody can tell but by changing them. */
static void
document_is_shared(void)
{
	vetro_value d = vetro_parse_json(engine, "{\"l\":[[1,[2]],{\"k\":[3]}]}", VETRO_ZSTR, NULL);
	vetro_value shared = evaluated("$.l.where($.len() > 0)", d), first;
	vetro_value made = evaluated("[[1, [2]], {k => [3]}]", NULL);
	char *text = vetro_to_text(engine, shared, NULL);

	same(text, "[[1, [2]], {'k': [3]}]", "the text of a result");
	vetro_free_text(text);
	check(vetro_equal(shared, made) && vetro_equal(made, shared), "equal to what was made");
	check(vetro_equal(shared, vetro_dict_get_name(d, "l")), "and to the document's");
	first = vetro_list_at(shared, 0);
	check(vetro_kind_of(first) == VETRO_LIST && vetro_length(first) == 2, "a list");
	check(vetro_list_push(engine, first, vetro_int(engine, 1)) != 0, "that stays as it is");
	check(vetro_list_push(engine, shared, vetro_int(engine, 1)) == 0,
		"the result itself grows");
	check(!vetro_equal(shared, made) && vetro_length(vetro_dict_get_name(d, "l")) == 2,
		"and the document does not");
	vetro_unref(d);
	text = text_of(shared);
	same(text, "[[1,[2]],{\"k\":[3]},1]", "what is left without the document");
	vetro_free_text(text);
	vetro_unref(shared);
	vetro_unref(made);
}

/* A list that the caller makes, and makes longer while there are rows of it. */
static void
source_is_changed(void)
{
	vetro_value list = vetro_list(engine);
	char name[40];

	for (int i = 0; i < 400; i++) {
		vetro_value d = vetro_dict(engine);
		snprintf(name, sizeof name, "made-%d", i);
		vetro_dict_put_name(engine, d, "name", vetro_string(engine, name, VETRO_ZSTR));
		vetro_list_push(engine, list, d);
		if (i % 50 == 49 && i > 100) {
			keep(evaluated("$.select([$.name])", list));
			keep(evaluated("$.select({n => $.name})", list));
		}
	}
	check(all_are_as_before(), "results of a list that was made longer");
	vetro_unref(list);
	check(all_are_as_before(), "and that is gone");
	forget_all();
}

int
main(void)
{
	engine = vetro_engine_new();
	document_goes_first();
	rows_go_one_by_one();
	rows_are_changed();
	document_is_shared();
	source_is_changed();
	vetro_engine_free(engine);
	return 0;
}
