/*
 * sbom.c - `make sbom`: what vetro itself is made of, in the form that `vetro build --sbom` writes.
 *
 *	sbom VERSION BINARY MAP LIBRARY-DIRS OUT SOURCE...
 */
#include "compiler/build/build.h"

int
main(int argc, char **argv)
{
	vc *c = vc_new();
	vc_sbom s = {.name = "vetro", .source = ""};
	bool good = argc > 5;

	c->keeps_inputs = true;
	for (int i = 6; i < argc; i++)
		vc_input_file(c, argv[i]);
	if (good) {
		s.version = argv[1];
		s.file = argv[5];
		good = !vc_errors(c) && vc_sbom_write(c, &s, argv[2], argv[3], argv[4]);
	}
	vc_print_diags(c, VC_TEXT, stderr);
	vc_free(c);
	return good ? 0 : 1;
}
