/*
 * xml.c - is a text well-formed XML?  The one file that names libexpat.
 *
 * A value may be a piece of a document, so several elements may stand on the outermost level.
 * Expat reads the text up to the second of these; the rest is read once more, inside of an element
 * of our own.
 *
 * Texts are hostile.  External entities are not loaded, because no handler for them is set.  Entity
 * references in text are not expanded, because a default handler is set.  Those in attributes are;
 * expat limits the expansion to 100 times the text.  Older releases of expat recurse there once for
 * an entity, so that few of them may be declared.
 */
#include "runtime/text/xml.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The deepest nesting, in elements; expat keeps some 150 bytes for each that is open. */
enum { DEEPEST = 400000, MOST_ENTITIES = 32 };

typedef struct reader {
	XML_Parser parser;
	const char *why;
	uint32_t depth, entities;
	uint32_t line; /* of the text's first, less one */
	bool pieces;   /* what is read is behind the root element */
} reader;

static void
stop(reader *x, const char *why)
{
	if (x->why == NULL)
		x->why = why;
	(void)XML_StopParser(x->parser, XML_FALSE);
}

static void XMLCALL
start_element(void *data, const XML_Char *name, const XML_Char **attributes)
{
	reader *x = data;
	if (++x->depth > DEEPEST)
		stop(x, "elements that are nested too deep");
}

static void XMLCALL
end_element(void *data, const XML_Char *name)
{
	reader *x = data;
	if (--x->depth == 0 && x->pieces)
		stop(x, "an end tag that closes nothing");
}

static void XMLCALL
characters(void *data, const XML_Char *s, int n)
{
	reader *x = data;
	for (int i = 0; x->pieces && x->depth == 1 && i < n; i++)
		if (strchr(" \t\r\n", s[i]) == NULL)
			return stop(x, "text outside of the root element");
}

static void XMLCALL
start_section(void *data)
{
	reader *x = data;
	if (x->pieces && x->depth == 1)
		stop(x, "text outside of the root element");
}

static void XMLCALL
end_section(void *data)
{
}

/* That there is one keeps expat from expanding entities in text. */
static void XMLCALL
anything_else(void *data, const XML_Char *s, int n)
{
	reader *x = data;
	if (x->pieces && x->depth == 1 && n > 0 && *s == '&')
		stop(x, "text outside of the root element");
}

static void XMLCALL
declare_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int n,
	const XML_Char *base, const XML_Char *system, const XML_Char *public,
	const XML_Char *notation)
{
	reader *x = data;
	if (++x->entities > MOST_ENTITIES)
		stop(x, "more than 32 entities");
}

static void
begin(reader *x)
{
	static const XML_Memory_Handling_Suite memory = {vt_xmalloc, vt_xrealloc, free};
	x->parser =
		XML_ParserCreate_MM("UTF-8", &memory, NULL); /* whatever a text says of itself */
	XML_SetUserData(x->parser, x);
	XML_SetElementHandler(x->parser, start_element, end_element);
	XML_SetCharacterDataHandler(x->parser, characters);
	XML_SetCdataSectionHandler(x->parser, start_section, end_section);
	XML_SetDefaultHandler(x->parser, anything_else);
	XML_SetEntityDeclHandler(x->parser, declare_entity);
}

/* What is wrong, once for all errors of expat. */
static const char *
reason(const reader *x)
{
	enum XML_Error code = XML_GetErrorCode(x->parser);
	if (x->why != NULL)
		return x->why;
	if (code == XML_ERROR_NO_ELEMENTS)
		return x->depth > 0 ? "an element that is not closed" : "no root element";
	return XML_ErrorString(code);
}

static bool
fail(reader *x, char **err)
{
	*err = vt_asprintf("%s in line %lu", reason(x),
		(unsigned long)XML_GetCurrentLineNumber(x->parser) + x->line);
	XML_ParserFree(x->parser);
	return false;
}

/* Is it an element that stands behind the root element? */
static bool
is_piece(const reader *x, const char *s, size_t n)
{
	XML_Index at = XML_GetCurrentByteIndex(x->parser);
	return x->why == NULL && XML_GetErrorCode(x->parser) == XML_ERROR_JUNK_AFTER_DOC_ELEMENT &&
	       at >= 0 && (size_t)at + 1 < n && s[at] == '<' && strchr("!?/", s[at + 1]) == NULL;
}

static bool
read_pieces(reader *x, const char *s, size_t n, char **err)
{
	begin(x);
	x->pieces = true;
	if (!XML_Parse(x->parser, "<_>", 3, 0) || !XML_Parse(x->parser, s, (int)n, 0))
		return fail(x, err);
	x->pieces = false;
	if (!XML_Parse(x->parser, "</_>", 4, 1)) {
		if (XML_GetErrorCode(x->parser) == XML_ERROR_TAG_MISMATCH)
			x->why = "an element that is not closed";
		return fail(x, err);
	}
	XML_ParserFree(x->parser);
	return true;
}

bool
vt_xml_check(const char *s, size_t n, char **err)
{
	reader x = {0};
	begin(&x);
	if (n > INT_MAX) {
		x.why = "more than 2 GiB";
		return fail(&x, err);
	}
	if (XML_Parse(x.parser, s, (int)n, 1)) {
		XML_ParserFree(x.parser);
		return true;
	}
	if (is_piece(&x, s, n)) {
		size_t at = (size_t)XML_GetCurrentByteIndex(x.parser);
		uint32_t line = (uint32_t)XML_GetCurrentLineNumber(x.parser) - 1;
		XML_ParserFree(x.parser);
		x = (reader){.line = line, .entities = x.entities};
		return read_pieces(&x, s + at, n - at, err);
	}
	return fail(&x, err);
}
