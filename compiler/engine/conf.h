/*
 * conf.h - murano.conf: options by group and name.
 */
#ifndef VC_ENGINE_CONF_H
#define VC_ENGINE_CONF_H

#include "compiler/engine/engine.h"
#include "runtime/core/base.h"

enum eng_kind { ENG_TEXT, ENG_SECRET, ENG_FLAG, ENG_NUMBER, ENG_LIST };

/* A row of conf.def. */
typedef struct eng_option {
	const char *group, *name, *dflt, *about;
	enum eng_kind kind;
	bool used;
} eng_option;
extern const eng_option eng_options[];
extern const uint32_t eng_noptions;
const eng_option *eng_option_find(const char *group, const char *name);

/* One that a file has; of several with one name the last counts. */
typedef struct eng_setting {
	char *group, *name, *value;
	const char *file; /* of the command line, or files[] */
	uint32_t line;
	bool over; /* a later one has its name */
} eng_setting;
typedef struct eng_conf {
	eng_setting *v;
	uint32_t n;
	char **files;
	uint32_t nfiles;
	char **wrong; /* "FILE:LINE: why" */
	uint32_t nwrong;
} eng_conf;

/* Files, then folders.  False: one cannot be read or is no such file, which wrong[] says. */
bool eng_conf_read(eng_conf *, const eng_start *);
void eng_conf_free(eng_conf *);
/* As it is set, else its default; NULL: neither. With $names replaced. */
const char *eng_conf_text(const eng_conf *, const char *group, const char *name);
bool eng_conf_has(const eng_conf *, const char *group, const char *name);
bool eng_conf_flag(const eng_conf *, const char *group, const char *name);
int64_t eng_conf_number(const eng_conf *, const char *group, const char *name);
/* The items of a list, malloc'd and closed by NULL; one block. */
char **eng_conf_list(const eng_conf *, const char *group, const char *name);
void eng_conf_set(eng_conf *, const char *group, const char *name, int64_t value);
/* murano_auth's, else keystone_authtoken's. */
const char *eng_conf_auth(const eng_conf *, const char *name);
/* What is wrong with the value of that kind; NULL: nothing. */
const char *eng_value_is_wrong(const eng_option *, const char *value);

#endif
