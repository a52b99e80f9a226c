/*
 * log.c - the log: oslo's lines, or JSON.
 */
#define _GNU_SOURCE
#include "compiler/engine/int.h"
#include "runtime/core/printable.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of the process: descriptors are too. */
static struct {
	char *path;
	int fd;
	bool json, debug, both;
} log_to = {.fd = STDERR_FILENO};

static const char *const levels[] = {"DEBUG", "INFO", "WARNING", "ERROR"};

void
eng_log_again(void)
{
	int fd;
	if (log_to.path == NULL)
		return;
	fd = open(log_to.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
	if (fd < 0) {
		vt_say("vetro engine: %s: %s; the log goes to standard error\n", log_to.path,
			strerror(errno));
		fd = STDERR_FILENO;
	}
	if (log_to.fd != STDERR_FILENO)
		close(log_to.fd);
	log_to.fd = fd;
}

void
eng_log_forget(void)
{
	log_to.fd = STDERR_FILENO;
}

void
eng_log_open(const eng_conf *c)
{
	const char *file = eng_conf_text(c, "DEFAULT", "log_file"),
		   *dir = eng_conf_text(c, "DEFAULT", "log_dir");
	free(log_to.path);
	log_to.path = NULL;
	if (file != NULL && *file)
		log_to.path = dir != NULL && *dir && file[0] != '/'
				      ? vt_asprintf("%s/%s", dir, file)
				      : vt_xstrdup(file);
	else if (dir != NULL && *dir)
		log_to.path = vt_asprintf("%s/vetro-engine.log", dir);
	log_to.json = eng_conf_flag(c, "DEFAULT", "use_json");
	log_to.debug = eng_conf_flag(c, "DEFAULT", "debug");
	log_to.both = eng_conf_flag(c, "DEFAULT", "use_stderr");
	eng_log_again();
}

static void
put_json(vt_buf *b, const char *name, const char *text, size_t n)
{
	vt_buf_printf(b, ", \"%s\": ", name);
	vt_json_str(b, text, n);
}

static void
put_line(vt_buf *b, enum eng_level level, const eng_about *a, const vt_buf *text)
{
	const char *request = a && a->request ? a->request : "-";
	const char *environment = a && a->environment ? a->environment : "-";
	struct timespec now;
	struct tm t;
	char when[32];
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &t);
	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &t);
	if (log_to.json) {
		vt_buf_printf(b,
			"{\"asctime\": \"%s.%03ld\", \"process\": %d, \"levelname\": \"%s\"", when,
			now.tv_nsec / 1000000, (int)getpid(), levels[level]);
		put_json(b, "request_id", request, strlen(request));
		put_json(b, "environment", environment, strlen(environment));
		put_json(b, "message", text->p ? text->p : "", text->n);
		vt_buf_puts(b, "}\n");
		return;
	}
	vt_buf_printf(b, "%s.%03ld %d %s vetro.engine [", when, now.tv_nsec / 1000000,
		(int)getpid(), levels[level]);
	vt_put_printable(b, request, strlen(request));
	vt_buf_putc(b, ' ');
	vt_put_printable(b, environment, strlen(environment));
	vt_buf_puts(b, "] ");
	vt_put_printable(b, text->p ? text->p : "", text->n);
	vt_buf_putc(b, '\n');
}

static void
write_line(int fd, const vt_buf *b)
{
	for (size_t at = 0; at < b->n;) {
		ssize_t n = write(fd, b->p + at, b->n - at);
		if (n < 0 && errno != EINTR)
			return; /* a full disk stops no task */
		at += n > 0 ? (size_t)n : 0;
	}
}

void
eng_log(enum eng_level level, const eng_about *about, const char *fmt, ...)
{
	vt_buf text = {0}, line = {0};
	va_list ap;
	if (level == ENG_DEBUG && !log_to.debug)
		return;
	va_start(ap, fmt);
	vt_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	vt_buf_repair(&text);
	vt_redact(&text, 0);
	put_line(&line, level, about, &text);
	write_line(log_to.fd, &line);
	if (log_to.both && log_to.fd != STDERR_FILENO)
		write_line(STDERR_FILENO, &line);
	vt_buf_free(&text);
	vt_buf_free(&line);
}
