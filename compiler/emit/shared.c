/*
 * shared.c - what `vetro build --shared` adds to a program: the functions of vetro_program.h.
 * Nothing else of the shared object is seen from outside.  And what gives the program itself to
 * whoever has it in memory: the engine.
 */
#include "compiler/base/base.h"
#include "compiler/emit/emit.h"

#include <string.h>

/*
 * Archives for executables take the streams of libc by their addresses, which a shared object
 * cannot do with what is another's.  The linker gives them these instead (build/toolchain.c).
 */
static const char streams[] = "\nextern void *__real_stdin, *__real_stdout, *__real_stderr;\n"
			      "void *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;\n"
			      "__attribute__((constructor(101))) static void\n"
			      "take_streams(void)\n"
			      "{\n\t__wrap_stdin = __real_stdin;\n"
			      "\t__wrap_stdout = __real_stdout;\n"
			      "\t__wrap_stderr = __real_stderr;\n}\n";

static const char exported[] =
	"\n#include <stddef.h>\n"
	"#include <stdlib.h>\n"
	"#define API __attribute__((visibility(\"default\")))\n"
	"struct vetro_session;\n"
	"struct vetro_session *vt_embed_open(const vt_program *, const char *, char **);\n"
	"char *vt_embed_ask(struct vetro_session *, const char *, size_t);\n"
	"void vt_embed_close(struct vetro_session *);\n"
	"API int\n"
	"vetro_program_main(int argc, char **argv)\n"
	"{\n\treturn vt_deploy_main(argc, argv, &program);\n}\n"
	"API struct vetro_session *\n"
	"vetro_session_open(const char *expose, char **why)\n"
	"{\n\treturn vt_embed_open(&program, expose, why);\n}\n"
	"API char *\n"
	"vetro_session_ask(struct vetro_session *s, const char *request, size_t n)\n"
	"{\n\treturn vt_embed_ask(s, request, n);\n}\n"
	"API void\n"
	"vetro_session_free_text(char *text)\n"
	"{\n\tfree(text);\n}\n"
	"API void\n"
	"vetro_session_close(struct vetro_session *s)\n"
	"{\n\tvt_embed_close(s);\n}\n";

void
vc_emit_shared(vc_cfile *files, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(files[i].name, "main.c") == 0) {
			vt_buf_puts(&files[i].text, streams);
			vt_buf_puts(&files[i].text, exported);
		}
}

/* The name of the function that gives the program. */
const char vc_program_symbol[] = "vetro_the_program";

void
vc_emit_program_symbol(vc_cfile *files, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(files[i].name, "main.c") == 0)
			vt_buf_puts(&files[i].text, "__attribute__((visibility(\"default\")))\n"
						    "const vt_program *vetro_the_program(void);\n"
						    "const vt_program *\nvetro_the_program(void)\n"
						    "{\n\treturn &program;\n}\n");
}
