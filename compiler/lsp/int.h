/*
 * int.h - what the parts of the server share.
 *
 * One process holds the documents and talks to the client; it runs no front end.  A project - a
 * package, or a lone file - is looked at by a worker: a fork that reads, checks, publishes what it
 * found and then answers the requests about this state, until an edit makes it stale.  So memory
 * does not grow with edits, and a fault in a front end costs one answer.
 */
#ifndef VC_LSP_INT_H
#define VC_LSP_INT_H

#include "compiler/lsp/lsp.h"
#include "compiler/yaml/yaml.h"
#include "runtime/core/value.h"

#include <poll.h>
#include <sys/types.h>

/* ---- position.c: places of the protocol, and URIs ---- */
enum lsp_encoding { LSP_UTF16, LSP_UTF8, LSP_UTF32 };
typedef struct lsp_position {
	uint32_t line, character; /* both from 0 on; characters in units of the encoding */
} lsp_position;
/* A position behind a line's end is its end, one behind the text's end that. Bytes. */
size_t lsp_offset(const char *text, size_t n, enum lsp_encoding, lsp_position);
lsp_position lsp_position_of(const char *text, size_t n, enum lsp_encoding, size_t offset);
/* malloc'd; the path of a URI file:..., or NULL: another scheme, or a NUL in it */
char *lsp_path_of_uri(const char *uri);
void lsp_put_uri(vt_buf *, const char *path); /* in quotes, as JSON */

/* ---- frame.c: members of messages; VT_UNDEF where there is none ---- */
vt_value lsp_get(vt_value, const char *name);
vt_value lsp_at(vt_value, const char *a, const char *b);     /* of a member's member */
const char *lsp_text(vt_value, const char *name);            /* NULL: it is no text */
int64_t lsp_int(vt_value, const char *name, int64_t absent); /* whole */
bool lsp_read_position(vt_value, lsp_position *);            /* {line, character} */
void lsp_put_text(vt_buf *, const char *);                   /* in quotes */
void lsp_put_id(vt_buf *, vt_value);                         /* a number, a text, else null */

/* Error codes of JSON-RPC and of the protocol. */
enum lsp_error {
	LSP_E_PARSE = -32700,
	LSP_E_REQUEST = -32600,
	LSP_E_METHOD = -32601,
	LSP_E_PARAMS = -32602,
	LSP_E_INTERNAL = -32603,
	LSP_E_NOT_INITIALIZED = -32002,
	LSP_E_CANCELLED = -32800,
	LSP_E_MODIFIED = -32801
};

/* ---- and messages behind headers ---- */
enum {
	LSP_MAX_HEADER = 4096,
	LSP_MAX_MESSAGE = 64 << 20, /* bytes; a longer one is passed over */
	LSP_MAX_DEPTH = 128         /* of JSON */
};
typedef struct lsp_frames {
	vt_buf in;
	size_t skip; /* bytes of a body that is too large */
} lsp_frames;
enum lsp_framed {
	LSP_FRAME_NONE, /* more bytes are needed */
	LSP_FRAME,
	LSP_FRAME_LARGE, /* its body is passed over */
	LSP_FRAME_BAD    /* the header makes no sense: there is no way to go on */
};
/* The next message; *body lies in the buffer until lsp_frame_done(). */
enum lsp_framed lsp_frame_next(lsp_frames *, const char **body, size_t *n, size_t *used);
void lsp_frame_done(lsp_frames *, size_t used);
void lsp_put_frame(vt_buf *, const char *body, size_t n); /* with its header */

/* ---- document.c: what the editor holds ---- */
typedef struct lsp_document {
	char *uri, *path;
	char *text;
	size_t n;
	int64_t version;
	struct lsp_project *project;
	char *known; /* the last text that could be read, or NULL */
	size_t nknown;
	char *tokens; /* numbers of the tokens that the client has, or NULL: tokens.c */
	size_t ntokens;
} lsp_document;

/* ---- project.c: packages and lone files, and who looks at them ---- */
typedef struct lsp_request {
	char *id;   /* as JSON */
	char *body; /* the message, until a worker has it */
	size_t n;
	bool cancelled;
} lsp_request;
typedef struct lsp_project {
	char *path; /* of the package or the file */
	enum lsp_kind kind;
	bool dirty, checked; /* checked: the worker has published */
	bool gone;           /* no document is open: is dropped when it has cleared its places */
	uint64_t used;       /* when last, by a counter */
	pid_t pid;           /* 0: none */
	int to, from;
	double since; /* when the worker began with what it does */
	vt_buf in, out;
	lsp_request *request;      /* asked and not answered, in order */
	uint32_t nrequests, given; /* given: how many the worker has */
	char **published;          /* URIs with something wrong */
	uint32_t npublished;
	uint32_t faults; /* workers that ended by themselves since the last edit */
	char **fresh;    /* what the worker at work has published, until it is done */
	uint32_t nfresh;
} lsp_project;

typedef struct lsp_server {
	const lsp_host *host;
	vt_rt *rt;
	lsp_frames frames;
	int fd; /* to the client: standard output is closed to all else */
	vt_buf out;
	bool initialized, shut, ended, failed;
	enum lsp_encoding encoding;
	lsp_document **doc;
	uint32_t ndocs;
	lsp_project **project;
	uint32_t nprojects;
	char **folder; /* of the workspace */
	uint32_t nfolders;
	char **search; /* -I: the client's option `search` */
	uint32_t nsearch;
	uint64_t clock;
	bool snippets; /* the client takes them in completions */
} lsp_server;

void lsp_take(lsp_server *); /* acts on the messages that have come */
void lsp_send(lsp_server *, const char *body, size_t n);
void lsp_send_error(lsp_server *, const char *id, enum lsp_error, const char *message);
void lsp_log(lsp_server *, const char *message); /* window/logMessage, a warning */

lsp_document *lsp_document_of(const lsp_server *, const char *uri);
lsp_document *lsp_document_at(const lsp_server *, const char *path);
/* params of didOpen, didChange, didClose. False: they make no sense. */
bool lsp_open(lsp_server *, vt_value params);
bool lsp_change(lsp_server *, vt_value params);
bool lsp_close(lsp_server *, vt_value params);
void lsp_documents_free(lsp_server *);
void lsp_document_read(lsp_server *, const char *version_and_uri); /* its text is known now */

void lsp_document_tokens(lsp_server *, const char *uri_and_numbers);

/* Finds the project of a document that was opened, and says that all have to look again. */
void lsp_project_join(lsp_server *, lsp_document *);
void lsp_project_leave(lsp_server *, lsp_document *);
void lsp_projects_touch(lsp_server *); /* a text has changed */
void lsp_project_ask(lsp_server *, lsp_project *, const char *id, const char *body, size_t n);
bool lsp_project_cancel(lsp_server *, const char *id);
void lsp_projects_run(lsp_server *); /* starts workers that are wanted */
/* Descriptors for poll(), and what became readable or writable. */
uint32_t lsp_projects_poll(lsp_server *, struct pollfd *, uint32_t room);
void lsp_projects_ready(lsp_server *);
int lsp_projects_wait(const lsp_server *); /* milliseconds; -1: for ever */
void lsp_projects_free(lsp_server *);

/* ---- worker.c: in the fork ---- */
typedef struct lsp_listed {
	struct mpl_class *cls;
	const char *path; /* the real one of its file */
} lsp_listed;
typedef struct lsp_worker {
	lsp_server *s;
	lsp_project *p;
	vc *c; /* with all that the check made */
	/* It has looked a second time (lsp_look_without); what it published is in `whole`. */
	bool patched;
	vc *whole;                 /* or NULL */
	const lsp_document *known; /* for which its known text was looked at, or NULL */
	struct lsp_view *view;     /* of view.c: the last one; or NULL */
	struct lsp_names *names;   /* of yays.c: of all configurations at hand; or NULL */
	const vc *listed;          /* of which `classes` are: scope.c */
	lsp_listed *classes;
	uint32_t nclasses;
	int to, from;
	/* References are looked for: a word that only might be a name is none, and of several
	 * declarations of one name the oldest counts. */
	bool exact;
	bool renames;        /* all of a name have to be found, or none is changed */
	const char *refused; /* why the request at hand has no answer, or NULL */
} lsp_worker;
_Noreturn void lsp_work(lsp_server *, lsp_project *, int in, int out);
/* Looks again, as if these bytes of the document were blank: for what is broken as it is typed.
 * The worker goes on with what it found then. */
void lsp_look_without(lsp_worker *, const lsp_document *, size_t from, size_t to);
/* What it found in that compilation is not needed any more, which takes much room. */
void lsp_forget(lsp_worker *, vc *);
/* Texts that stand for files from now on: `also`, and what the editor holds. */
void lsp_hold(const lsp_server *, const vc_held *also, uint32_t n);
/* Where files that others name are looked for; in the compilation. */
const char **lsp_search(const lsp_worker *, vc *, uint32_t *n);
/* Looks again with the last text of the document that could be read. */
void lsp_look_known(lsp_worker *, const lsp_document *);
/* Looks again with the packages of the workspace that may use this one; the worker goes on with
 * what it found then.  `also` stand for files, beside what the editor holds. */
void lsp_look_wide(lsp_worker *, const vc_held *also, uint32_t n);
/* Looks again, at these files beside its own. */
void lsp_look_files(
	lsp_worker *, const char *const *others, uint32_t n, const vc_held *also, uint32_t nalso);
/* A frame to the server: kind, length, bytes. */
enum lsp_word {
	LSP_W_NOTE = 'n',    /* a message for the client */
	LSP_W_ANSWER = 'a',  /* the result of the oldest request, as JSON */
	LSP_W_ERROR = 'e',   /* the same: why there is none */
	LSP_W_CHECKED = 'c', /* the check is over */
	LSP_W_PLACE = 'p',   /* a URI that has something wrong */
	LSP_W_READ = 'r',    /* "VERSION URI": this text can be read */
	LSP_W_TOKENS = 't'   /* "URI\nNUMBERS": the tokens that the client has now */
};
void lsp_tell(const lsp_worker *, enum lsp_word, const char *, size_t);

/* ---- finding.c: what is wrong, and what mends it ---- */
void lsp_publish(lsp_worker *);

/* The text that a span is of, and its place as the protocol has it. */
void lsp_put_range(
	vt_buf *, const lsp_server *, const char *text, size_t n, size_t from, size_t to);
void lsp_put_span(vt_buf *, const lsp_server *, vc_span);

/* ---- sources.c ---- */
/* The file of a source, in the arena; what vetro brings is written into the user's cache, so that
 * an editor can open it.  NULL: it has none. */
const char *lsp_path_of_source(vc *, const vc_source *);
/* hover.c: a range in an open document, or in the file (NULL). */
void lsp_put_place(lsp_worker *, vt_buf *, const lsp_document *, vc_span);
/* A Location; nothing where the place has no file. */
void lsp_put_location(lsp_worker *, vt_buf *, vc_span);

/* tokens.c: kinds of tokens in the order of enum yq_token. */
#define LSP_TOKEN_TYPES \
	"[\"string\",\"number\",\"keyword\",\"variable\",\"function\",\"method\",\"property\"," \
	"\"operator\"]"

/* ---- features; each puts the result, which is `null` when nothing was put ---- */
typedef void lsp_feature(lsp_worker *, const lsp_document *, vt_value params, vt_buf *out);
typedef struct lsp_method {
	const char *name;
	lsp_feature *answer;
} lsp_method;
/* NULL: the method is not known. methods.c */
const lsp_method *lsp_method_named(const char *name);
extern const char lsp_capabilities[]; /* members of ServerCapabilities */
lsp_feature lsp_actions, lsp_hover, lsp_definition, lsp_symbols, lsp_completion, lsp_signature,
	lsp_folding, lsp_format, lsp_prepare_rename, lsp_references, lsp_rename,
	lsp_semantic_tokens, lsp_highlight, lsp_inlay_hints, lsp_prepare_calls, lsp_incoming_calls,
	lsp_outgoing_calls, lsp_prepare_types, lsp_supertypes, lsp_subtypes, lsp_workspace_symbols,
	lsp_declaration, lsp_type_definition, lsp_implementation, lsp_links, lsp_selections,
	lsp_format_range, lsp_format_typed, lsp_tokens_range, lsp_tokens_delta;

#endif
