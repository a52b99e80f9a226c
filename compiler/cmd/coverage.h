/* coverage.h - which statements of a package its tests have run: counts, lcov's file and a page. */
#ifndef CMD_COVERAGE_H
#define CMD_COVERAGE_H

#include "compiler/base/base.h"

typedef struct coverage coverage;

/* Makes the folder of the results, and room for counts that all processes of the tests share.
 * steps: what the program lists (runtime/program/steps.c), which is changed. NULL: reported. The
 * packages of the compilation say which classes are asked about. */
coverage *coverage_begin(vc *, const char *dir, char *steps);
int coverage_fd(const coverage *); /* of the counts, for --counts-fd */
/* Writes DIR/lcov.info and DIR/index.html; the summary is lines that begin with #. False:
 * reported. Ends the coverage. */
bool coverage_end(coverage *, vt_buf *summary);

#endif
