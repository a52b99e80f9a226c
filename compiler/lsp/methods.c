/*
 * methods.c - the requests that workers answer, and what the server says that it can.
 */
#include "compiler/lsp/int.h"

#include <string.h>

static const lsp_method methods[] = {
	{"callHierarchy/incomingCalls", lsp_incoming_calls},
	{"callHierarchy/outgoingCalls", lsp_outgoing_calls},
	{"textDocument/codeAction", lsp_actions},
	{"textDocument/completion", lsp_completion},
	{"textDocument/declaration", lsp_declaration},
	{"textDocument/definition", lsp_definition},
	{"textDocument/documentHighlight", lsp_highlight},
	{"textDocument/documentLink", lsp_links},
	{"textDocument/documentSymbol", lsp_symbols},
	{"textDocument/foldingRange", lsp_folding},
	{"textDocument/formatting", lsp_format},
	{"textDocument/hover", lsp_hover},
	{"textDocument/implementation", lsp_implementation},
	{"textDocument/inlayHint", lsp_inlay_hints},
	{"textDocument/onTypeFormatting", lsp_format_typed},
	{"textDocument/prepareCallHierarchy", lsp_prepare_calls},
	{"textDocument/prepareRename", lsp_prepare_rename},
	{"textDocument/prepareTypeHierarchy", lsp_prepare_types},
	{"textDocument/rangeFormatting", lsp_format_range},
	{"textDocument/references", lsp_references},
	{"textDocument/rename", lsp_rename},
	{"textDocument/selectionRange", lsp_selections},
	{"textDocument/semanticTokens/full", lsp_semantic_tokens},
	{"textDocument/semanticTokens/full/delta", lsp_tokens_delta},
	{"textDocument/semanticTokens/range", lsp_tokens_range},
	{"textDocument/signatureHelp", lsp_signature},
	{"textDocument/typeDefinition", lsp_type_definition},
	{"typeHierarchy/subtypes", lsp_subtypes},
	{"typeHierarchy/supertypes", lsp_supertypes},
	{"workspace/symbol", lsp_workspace_symbols},
};

const char lsp_capabilities[] =
	"\"textDocumentSync\":{\"openClose\":true,\"change\":2,\"save\":{\"includeText\":false}},"
	"\"codeActionProvider\":{\"codeActionKinds\":[\"quickfix\"]},"
	"\"completionProvider\":{\"triggerCharacters\":[\".\",\"$\",\":\"]},"
	"\"declarationProvider\":true,\"definitionProvider\":true,"
	"\"implementationProvider\":true,\"typeDefinitionProvider\":true,"
	"\"documentFormattingProvider\":true,\"documentRangeFormattingProvider\":true,"
	"\"documentOnTypeFormattingProvider\":{\"firstTriggerCharacter\":\"\\n\"},"
	"\"documentLinkProvider\":{\"resolveProvider\":false},\"selectionRangeProvider\":true,"
	"\"documentSymbolProvider\":true,\"foldingRangeProvider\":true,"
	"\"callHierarchyProvider\":true,\"inlayHintProvider\":true,"
	"\"typeHierarchyProvider\":true,\"hoverProvider\":true,\"referencesProvider\":true,"
	"\"documentHighlightProvider\":true,"
	"\"renameProvider\":{\"prepareProvider\":true},"
	"\"semanticTokensProvider\":{\"legend\":{\"tokenTypes\":" LSP_TOKEN_TYPES
	",\"tokenModifiers\":[]},\"full\":{\"delta\":true},\"range\":true},"
	"\"signatureHelpProvider\":{\"triggerCharacters\":[\"(\",\",\"]},"
	"\"workspaceSymbolProvider\":true,"
	"\"workspace\":{\"workspaceFolders\":{\"supported\":true,\"changeNotifications\":true}}";

const lsp_method *
lsp_method_named(const char *name)
{
	for (size_t i = 0; name && i < VC_LEN(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}
