/*
 * plan.h - what a simulated agent makes of an execution plan: plan_check.c looks at it, plan.c runs
 * its Body.
 */
#ifndef VT_SIM_PLAN_H
#define VT_SIM_PLAN_H

#include "runtime/core/value.h"

/*
 * What a script gave, for the next of its calls: a dict with any of exitCode, stdout, stderr and
 * seconds, borrowed; or VT_NULL, when it went well and wrote nothing worth a word.
 */
typedef vt_value sim_outcome_fn(void *ctx, const char *script, const char *commandline);

typedef struct sim_plan_answer {
	bool sent;             /* false: a real agent sends nothing */
	int code;              /* 0: it went well */
	vt_value body;         /* the result, or {"Message", "AdditionalInfo"}; owned */
	vt_value commandlines; /* a dict: script -> list of texts; owned */
	double seconds;        /* that its scripts took */
} sim_plan_answer;

/* Raises nothing. */
void sim_plan_run(vt_rt *, vt_value plan, sim_outcome_fn *, void *ctx, sim_plan_answer *out);
void sim_plan_drop(sim_plan_answer *);

/* plan_check.c: the code of what is wrong and its message (malloc'd), or 0. */
int sim_plan_check(vt_value plan, char **message);

#endif
