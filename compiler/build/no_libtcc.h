/* no_libtcc.h - what tcc.c uses of libtcc, where a machine has none (make TCC=no): nothing of it is
 * ever called. */
#ifndef NO_LIBTCC_H
#define NO_LIBTCC_H

typedef struct TCCState TCCState;
enum { TCC_OUTPUT_MEMORY, TCC_OUTPUT_OBJ };

#define tcc_new() ((TCCState *)0)
#define tcc_delete(s) ((void)(s))
#define tcc_set_error_func(s, ctx, fn) ((void)(s), (void)(ctx), (void)(fn))
#define tcc_set_options(s, text) ((void)(s), (void)(text))
#define tcc_set_output_type(s, type) ((void)(s), (void)(type))
#define tcc_add_symbol(s, name, p) ((void)(s), (void)(name), (void)(p))
#define tcc_compile_string(s, text) ((void)(s), (void)(text), -1)
#define tcc_add_file(s, path) ((void)(s), (void)(path), -1)
#define tcc_output_file(s, path) ((void)(s), (void)(path), -1)
#define tcc_relocate(s, p) ((void)(s), (void)(p), -1)
#define tcc_get_symbol(s, name) ((void)(s), (void)(name), (void *)0)

#endif
