/* help.c - `vetro help`, `completion` and `--version`; and options as the compiler wants them. */
#include "compiler/cmd/cmd.h"

uint32_t
cmd_passes_off(const cmd_options *o)
{
	uint32_t off = 0;

	for (uint32_t i = 0; i < o->passes.n; i++)
		(void)vc_pass_option(o->passes.v[i], &off);
	return off;
}

int
cmd_help(cmd_options *o)
{
	return o->man ? cmd_man(o->man) : vt_cli_help(&o->line);
}

int
cmd_completion(cmd_options *o)
{
	return vt_cli_completion(&o->line, o->line.words.v[0]);
}

int
cmd_version(cmd_options *o)
{
	(void)o;
	puts("vetro " VETRO_VERSION);
	return VC_OK;
}
