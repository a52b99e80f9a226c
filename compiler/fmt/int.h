/*
 * int.h - between tree.c, which reads YAML with all that means nothing, write.c, which lays it
 * out, same.c, which compares, and yay.c.
 */
#ifndef FMT_INT_H
#define FMT_INT_H

#include "compiler/base/base.h"
#include "compiler/fmt/fmt.h"

typedef struct fmt_slice {
	const char *p;
	size_t n;
} fmt_slice;

typedef struct fmt_comment {
	fmt_slice text;   /* from the # on, without blanks at its end */
	uint32_t col;     /* bytes before it on its line */
	bool own_line;    /* nothing stands before it */
	bool after_empty; /* an empty line does */
} fmt_comment;

typedef struct fmt_comments {
	fmt_comment *v;
	uint32_t n;
} fmt_comments;

enum fmt_shape { FMT_SCALAR, FMT_BLOCK_TEXT, FMT_MAP, FMT_SEQ };

typedef struct fmt_node fmt_node;
typedef struct fmt_item {
	fmt_comments lead; /* before it, each on its line */
	bool after_empty;  /* an empty line is right before it */
	bool marked;       /* its key is behind a `?` */
	bool valued;       /* a map's: there is a `:` */
	bool own_line;     /* in brackets: it begins a line */
	fmt_node *key;     /* of a map */
	fmt_node *value;
} fmt_item;

struct fmt_node {
	uint8_t shape;    /* enum fmt_shape */
	bool flow;        /* of a collection: in brackets */
	bool bare;        /* the one pair of a flow map without braces: [a: 1] */
	bool plain;       /* of a scalar */
	char quote;       /* the quotes that it stands in, or 0 */
	bool own_line;    /* it begins on a line behind the one of its key or - */
	bool broken;      /* it has a line end in it */
	bool code;        /* an expression whose blanks may change */
	bool closes_line; /* of brackets: the last is the first on its line */
	fmt_slice props;  /* anchor and tag, one blank between them */
	fmt_slice raw;    /* of a scalar: its bytes; of a block text: its header */
	fmt_slice *lines; /* of a block text: without their indentation */
	uint32_t nlines;
	fmt_comments inner; /* in brackets: before the closing one */
	fmt_comments head;  /* between the key or - and this */
	fmt_comments
		tail; /* behind it: on the line of a scalar, or below a collection's last item */
	fmt_item *items;
	uint32_t n;
};

typedef struct fmt_document {
	fmt_comments lead; /* before its `---` */
	fmt_slice *directives;
	uint32_t ndirectives;
	bool opened, closed; /* `---` and `...` */
	bool after_empty;
	fmt_node *root;
} fmt_document;

typedef struct fmt_file {
	fmt_document *documents;
	uint32_t n;
	fmt_comments tail;
	uint64_t comments; /* of all of them, in any order */
} fmt_file;

/* tree.c: the text has \n as its only line end.  False: reported. */
bool fmt_read(vc *, vc_source *, fmt_file *);
/* code.c: marks the expressions of MuranoPL that may be laid out. */
void fmt_mark_code(fmt_file *);
/* write.c */
void fmt_write(vc *, vt_buf *, const fmt_file *, unsigned flags);
/* same.c: whether two texts are the same to libyaml, but for the blanks of expressions. */
bool fmt_same_yaml(vc *, const char *, size_t, const char *, size_t, unsigned flags);
/* yay.c */
bool fmt_yay(vc *, vc_source *, vt_buf *);

/* yay_blanks.c: a text that can be read, with the blanks of its directives and templates. */
void fmt_yay_blanks(vc *, const vc_source *, vt_buf *);

#endif
