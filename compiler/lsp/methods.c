/*
 * methods.c - the requests that workers answer, and what the server says that it can.
 */
#include "compiler/lsp/int.h"

#include <string.h>

static const lsp_method methods[] = {
	{"textDocument/codeAction", lsp_actions},
};

const char lsp_capabilities[] =
	"\"textDocumentSync\":{\"openClose\":true,\"change\":2,\"save\":{\"includeText\":false}},"
	"\"codeActionProvider\":{\"codeActionKinds\":[\"quickfix\"]},"
	"\"workspace\":{\"workspaceFolders\":{\"supported\":true,\"changeNotifications\":true}}";

const lsp_method *
lsp_method_named(const char *name)
{
	for (size_t i = 0; name && i < VC_LEN(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}
