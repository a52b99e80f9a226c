/*
 * Fuzz target: the Body of an execution plan, run by the simulated agent with scripts that go well.
 * A '|' stands for the end of a line.  Whatever stands there, an answer comes, and what it holds can be written as JSON. driver.c says how
 * it is run.
 */
#include "runtime/call/call.h"
#include "runtime/sim/plan.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static vt_value
outcome(void *ctx, const char *script, const char *commandline)
{
	(void)script;
	(void)commandline;
	return *(vt_value *)ctx;
}

static const char plan_text[] =
	"{\"FormatVersion\":\"2.1.0\",\"Parameters\":{\"x\":\"text\",\"n\":7,\"l\":[1,2.5,null],"
	"\"o\":{\"k\":true}},\"Files\":{\"f\":{\"Name\":\"f\",\"BodyType\":\"Text\",\"Body\":\"\"}}"
	","
	"\"Scripts\":{\"run\":{\"Type\":\"Application\",\"EntryPoint\":\"f\",\"Options\":{}},"
	"\"chef\":{\"Type\":\"Chef\",\"EntryPoint\":\"a::b\",\"Options\":{}}}}";
static const char outcome_text[] = "{\"exitCode\":0,\"stdout\":\" out ERROR \\n\",\"seconds\":1}";

static vt_value
read_json(vt_rt *rt, const char *s)
{
	vt_value v = VT_UNDEF;
	char *err = NULL;
	if (!vt_json_read(rt, s, strlen(s), VT_JSON_MUTABLE, 0, &v, &err))
		abort();
	return v;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_value plan = read_json(rt, plan_text), given = read_json(rt, outcome_text);
	vt_buf text = {0};
	sim_plan_answer a;
	for (size_t i = 0; i < n; i++)
		vt_buf_putc(&text, data[i] == '|' ? '\n' : (char)data[i]);
	vt_buf_repair(&text);
	vt_dict_set_c(rt, vt_as_dict(plan), "Body", vt_str_take(rt, &text));
	sim_plan_run(rt, plan, outcome, &given, &a);
	vt_json_write(rt, &text, a.body, 0);
	vt_json_write(rt, &text, a.commandlines, 0);
	vt_buf_free(&text);
	sim_plan_drop(&a);
	vt_release(given);
	vt_release(plan);
	vt_rt_free(rt);
	return 0;
}
