/* A process that gives up executable memory, as hardened services do: expressions go through the C
 * compiler. */
#include "libvetro_check.h"

#include <sys/prctl.h>

enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 }; /* of Linux 6.3, newer than the headers may be */

int
main(void)
{
	vetro_engine *e;

	if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0) {
		check(1, "the kernel does not know how to refuse");
		return 0;
	}
	e = vetro_engine_new();
	same(answer(e, "$.select($ + 1).sum()", "[1,2]"), "5",
		"evaluates without executable memory");
	same(answer(e, "let(x => $) -> $x.where($ > 1)", "[1,2]"), "[2]", "and the next one");
	vetro_engine_free(e);
	return 0;
}
