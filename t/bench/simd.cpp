/*
 * simd.cpp - times simdjson's DOM over one JSON text.
 *
 * usage: simd DATA.json SECONDS RESULT.json
 *
 * A parser of its own for each run, as a first parse has: its buffers are allocated inside the
 * time, and given back inside it, as vetro's values are. `again` is the same with one parser that
 * keeps its buffers.
 */
#include "timer.h"
#include <fstream>
#include <simdjson.h>

static simdjson::padded_string text;
static simdjson::dom::parser kept;

static int
first(void *)
{
	simdjson::dom::parser parser;
	simdjson::dom::element e;

	return !parser.parse(text).get(e);
}

static int
again(void *)
{
	simdjson::dom::element e;

	return !kept.parse(text).get(e);
}

int
main(int argc, char **argv)
{
	timer t;
	double kept_seconds;

	if (argc != 4 || simdjson::padded_string::load(argv[1]).get(text))
		return 2;
	if (!timer_run(&t, atof(argv[2]), again, nullptr))
		return 1;
	kept_seconds = t.seconds[t.n / 2];
	free(t.seconds);
	if (!timer_run(&t, atof(argv[2]), first, nullptr))
		return 1;
	std::ofstream(argv[3]) << simdjson::minify(kept.parse(text));
	printf("{\"again\":%.9g,\"seconds\":%.9g}\n", kept_seconds, t.seconds[t.n / 2]);
	free(t.seconds);
	return 0;
}
