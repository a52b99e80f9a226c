/*
 * vetro_program.h - a MuranoPL program inside of your own: `vetro build --shared PACKAGE -o
 *shop.so` makes a shared object with these functions and no others.  Link with it, or load it:
 *
 *	void *so = dlopen("./shop.so", RTLD_NOW | RTLD_LOCAL);
 *	vetro_session_open_fn *open = (vetro_session_open_fn *)dlsym(so, "vetro_session_open");
 *	...
 *	vetro_session *s = open(NULL, NULL);
 *	char *answer = ask(s, "{\"op\":\"load\",\"model\":{\"Objects\":...}}", (size_t)-1);
 *	free_text(answer);
 *	close(s);
 *
 * Requests and answers are those of `deploy session`, a line of JSON each: docs/muranopl.md.  A
 * session is used by one thread at a time, which may have a small stack; different sessions, also
 *of one object, are independent.  When the system has no memory left the process ends with
 *status 3.
 */
#ifndef VETRO_PROGRAM_H
#define VETRO_PROGRAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vetro_session vetro_session;
typedef int vetro_program_main_fn(int argc, char **argv);
typedef vetro_session *vetro_session_open_fn(const char *expose, char **why);
typedef char *vetro_session_ask_fn(vetro_session *, const char *request, size_t n);
typedef void vetro_session_free_text_fn(char *);
typedef void vetro_session_close_fn(vetro_session *);

/* The commands of a deploy binary: its exit status. It uses standard input and output and the
 * signals of the process, as that binary does; to be called by the first thread. */
vetro_program_main_fn vetro_program_main;
/* A session without a model. expose: a pattern of methods that may be called although they are not
 * public, or NULL. NULL when the host functions of the program do not load; *why (or why NULL)
 * says. */
vetro_session_open_fn vetro_session_open;
/* The answer to one request, which ends at its NUL when n is (size_t)-1. Whatever it holds, it is
 * answered. NULL: there is no memory for a stack. */
vetro_session_ask_fn vetro_session_ask;
/* For answers and reasons. */
vetro_session_free_text_fn vetro_session_free_text;
vetro_session_close_fn vetro_session_close;

#ifdef __cplusplus
}
#endif

#endif
