/* text.h - words of the text form of the IR, by their enums: for print.c and read.c. */
#ifndef IR_TEXT_H
#define IR_TEXT_H

enum { IR_NARG_KINDS = 9, IR_NFUNC_KINDS = 3 };
extern const char *const ir_arg_kinds[IR_NARG_KINDS];   /* enum vt_arg_kind */
extern const char *const ir_func_kinds[IR_NFUNC_KINDS]; /* enum ir_func_kind */

#endif
