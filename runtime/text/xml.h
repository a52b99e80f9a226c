/*
 * xml.h - is a text XML?
 *
 * Only programs that may meet values of XML link libexpat.  The function is weak: the linker takes
 * xml.o where a program names it (compiler/tosca/emit_tables.c); elsewhere it is NULL.
 */
#ifndef VT_XML_H
#define VT_XML_H

#include <stdbool.h>
#include <stddef.h>

/* Is it well-formed? *err is malloc'd. */
bool vt_xml_check(const char *, size_t, char **err) __attribute__((weak));

#endif
