/* engine.c - `vetro engine`. */
#include "compiler/cmd/cmd.h"
#include "compiler/engine/engine.h"

int
cmd_engine(cmd_options *o)
{
	const eng_start start = {.files = o->config_file.v,
		.nfiles = o->config_file.n,
		.dirs = o->config_dir.v,
		.ndirs = o->config_dir.n,
		.memory = o->task_memory,
		.seconds = o->task_seconds};

	if (o->check_config)
		return eng_check_config(&start);
	return o->status ? eng_status(&start) : eng_serve(&start);
}
