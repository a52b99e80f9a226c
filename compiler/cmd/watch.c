/*
 * watch.c - --watch: a command runs again when a file changes that it is about.
 *
 * The command runs in a process of its own.  inotify only says that something may have happened:
 * what counts is the difference between two scans, so that it does not matter how an editor saves.
 * Where the system has no more watches to give, scans are made each second.
 */
#define _GNU_SOURCE /* st_mtim with pipe2 and others */
#include "compiler/cmd/cmd.h"
#include "runtime/core/printable.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MOST_FOLDERS = 8192,
	MOST_FILES = 200000,
	MOST_DEPTH = 64,
	SETTLES = 60,       /* milliseconds without an event: an editor has saved */
	SETTLES_MOST = 500, /* where events do not end */
	LOOKS = 1000,       /* milliseconds between scans without inotify */
	GRACE = 10000,      /* what a run has to end in order */
	ITS_OWN = 3         /* runs in each of which a file changed: the runs change it */
};

typedef struct stamp {
	const char *path;
	struct timespec at;
	off_t size;
	ino_t inode;
} stamp;

/* What there was at a time, by path. */
typedef struct scan {
	vc *c;
	stamp *v;
	uint32_t n, folders;
} scan;

/* A file that changed while the command ran, in so many runs. */
typedef struct suspect {
	const char *path;
	uint32_t runs;
} suspect;

typedef struct watch {
	vc *c;
	cmd_options *o;
	int events, signals; /* inotify, signalfd */
	bool polls;          /* not all folders could be watched */
	bool limited;        /* there was more than can be looked at, which is said once */
	pid_t pid;           /* of the command; 0: it is over */
	bool restarts;       /* a change ends a command that still runs */
	scan base;           /* as the command began */
	suspect *suspects;
	uint32_t nsuspects;
	sigset_t mask; /* as it was */
} watch;

/* ---- what is looked at ---- */

/* Editors put such files beside the one that they save. */
static bool
is_aside(const char *name)
{
	size_t n = strlen(name);

	return name[0] == '.' || name[0] == '#' || name[n - 1] == '~' ||
	       vt_ends_with(name, ".swp") || vt_ends_with(name, ".tmp");
}

/* What runs of services and packages write beside their sources. */
static bool
is_state(const char *name)
{
	return vt_ends_with(name, ".mugl") || vt_ends_with(name, ".journal");
}

static bool
is_same(const struct stat *a, const char *path)
{
	struct stat b;

	return path && stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* What the command writes is no reason to run it again. */
static bool
is_output(const watch *w, const struct stat *st)
{
	struct stat out;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &out) == 0 && out.st_dev == st->st_dev && out.st_ino == st->st_ino)
			return true;
	return is_same(st, w->o->emit_dir) || is_same(st, w->o->coverage);
}

static void
add_file(watch *w, scan *s, const char *path, const struct stat *st)
{
	if (s->n < MOST_FILES)
		vc_push(s->c, s->v, s->n) =
			(stamp){vc_strdup(s->c, path), st->st_mtim, st->st_size, st->st_ino};
	else
		w->limited = true;
}

static bool
enter(watch *w, scan *s, const char *dir)
{
	static const uint32_t what = IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE |
				     IN_ATTRIB | IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF |
				     IN_ONLYDIR;

	if (s->folders >= MOST_FOLDERS) {
		w->limited = true;
		return false;
	}
	s->folders++;
	if (inotify_add_watch(w->events, dir, what) < 0 && errno != ENOENT && errno != ENOTDIR)
		w->polls = true;
	return true;
}

/* Folders behind links are left out: they could lead back. */
static void
add_tree(watch *w, scan *s, const char *dir, unsigned depth)
{
	DIR *d = depth < MOST_DEPTH && enter(w, s, dir) ? opendir(dir) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		const char *path = vc_format(s->c, "%s/%s", dir, e->d_name);
		struct stat st;
		if (is_aside(e->d_name) || is_state(e->d_name) || lstat(path, &st) != 0 ||
			is_output(w, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			add_tree(w, s, path, depth + 1);
		else if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
			add_file(w, s, path, &st);
	}
	if (d)
		closedir(d);
}

static const char *
folder_of(vc *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL   ? "."
	       : slash == path ? "/"
			       : vc_strndup(c, path, (size_t)(slash - path));
}

/* A file that need not be there yet. */
static void
add_lone(watch *w, scan *s, const char *path)
{
	struct stat st;

	(void)enter(w, s, folder_of(s->c, path));
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && !is_output(w, &st))
		add_file(w, s, path, &st);
}

static void
add_path(watch *w, scan *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		add_tree(w, s, path, 0);
	else
		add_lone(w, s, path);
}

/* A source that is a file may name others, which lie below its folder. */
static void
add_source(watch *w, scan *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && !vt_ends_with(path, ".zip") &&
		!vt_ends_with(path, ".csar"))
		add_tree(w, s, folder_of(s->c, path), 0);
	add_path(w, s, path);
}

/* Files and folders that options name, and that are no results: in MAP, behind the =. */
static void
add_options(watch *w, scan *s)
{
	const cmd_options *o = w->o;

	for (uint32_t i = 0; i < cmd_cli.noptions; i++) {
		const vt_cli_option *p = &cmd_cli.options[i];
		const char *at = (const char *)o + p->at;
		bool one = p->kind == VT_CLI_PATH || p->kind == VT_CLI_DIR;
		if (!vt_cli_is_option(p) || !vt_cli_is_at(p, o->line.command) ||
			at == (const char *)&o->emit_dir || at == (const char *)&o->coverage)
			continue;
		if (one && *(const char *const *)(const void *)at)
			add_path(w, s, *(const char *const *)(const void *)at);
		if (p->kind == VT_CLI_PATHS || p->kind == VT_CLI_DIRS) {
			const vt_cli_list *l = (const void *)at;
			for (uint32_t k = 0; k < l->n; k++)
				add_path(w, s, l->v[k]);
		}
	}
	for (uint32_t i = 0; i < o->maps.n; i++)
		if (strchr(o->maps.v[i], '='))
			add_path(w, s, strchr(o->maps.v[i], '=') + 1);
}

/* Words behind -- that are files which are there: the model that a run loads. */
static void
add_argument(watch *w, scan *s, const char *word)
{
	const char *path = word[0] == '-' && strchr(word, '=') ? strchr(word, '=') + 1 : word;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && !is_state(path))
		add_lone(w, s, path);
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const stamp *)a)->path, ((const stamp *)b)->path);
}

static scan
look(watch *w)
{
	const vt_cli_list *words = &w->o->line.words;
	scan s = {.c = vc_new()};
	uint32_t n = 0;

	for (uint32_t i = 0; i < words->n; i++)
		if (i >= w->o->line.behind)
			add_argument(w, &s, words->v[i]);
		else
			add_source(w, &s, words->v[i]);
	add_options(w, &s);
	if (s.n)
		qsort(s.v, s.n, sizeof *s.v, by_path);
	for (uint32_t i = 0; i < s.n; i++)
		if (n == 0 || strcmp(s.v[n - 1].path, s.v[i].path) != 0)
			s.v[n++] = s.v[i];
	s.n = n;
	return s;
}

/* ---- what has changed ---- */

static suspect *
suspect_of(const watch *w, const char *path)
{
	for (uint32_t i = 0; i < w->nsuspects; i++)
		if (strcmp(w->suspects[i].path, path) == 0)
			return &w->suspects[i];
	return NULL;
}

/* The runs change it, so its changes are no news. */
static bool
is_own(const watch *w, const char *path)
{
	const suspect *s = suspect_of(w, path);

	return s && s->runs >= ITS_OWN;
}

/* The next path that is not the same in both, from *i and *k on; NULL: there is none. */
static const char *
next_change(const watch *w, const scan *a, const scan *b, uint32_t *i, uint32_t *k)
{
	while (*i < a->n || *k < b->n) {
		int d = *i == a->n ? 1 : *k == b->n ? -1 : strcmp(a->v[*i].path, b->v[*k].path);
		const stamp *x = d <= 0 ? &a->v[(*i)++] : NULL, *y = d >= 0 ? &b->v[(*k)++] : NULL;
		const char *path = x ? x->path : y->path;
		bool same = x && y && x->size == y->size && x->inode == y->inode &&
			    x->at.tv_sec == y->at.tv_sec && x->at.tv_nsec == y->at.tv_nsec;
		if (!same && !is_own(w, path))
			return path;
	}
	return NULL;
}

/* Something that changes in run after run is made by the runs. */
static void
note_changes_of_run(watch *w, const scan *now)
{
	uint32_t i = 0, k = 0;
	const char *path;

	for (uint32_t n = 0; n < w->nsuspects; n++)
		if (w->suspects[n].runs < ITS_OWN) {
			bool again = false;
			for (i = k = 0; !again && (path = next_change(w, &w->base, now, &i, &k));)
				again = strcmp(path, w->suspects[n].path) == 0;
			w->suspects[n].runs *= again;
		}
	for (i = k = 0; (path = next_change(w, &w->base, now, &i, &k)) != NULL;) {
		suspect *s = suspect_of(w, path);
		if (s == NULL)
			vc_push(w->c, w->suspects, w->nsuspects) =
				(suspect){vc_strdup(w->c, path), 1};
		else if (++s->runs == ITS_OWN)
			vt_say("vetro: %s changes in each run: its changes do not count any more\n",
				path);
	}
}

static void
say_change(const watch *w, const scan *now)
{
	uint32_t i = 0, k = 0, n = 0;
	const char *path = next_change(w, &w->base, now, &i, &k);

	while (next_change(w, &w->base, now, &i, &k))
		n++;
	if (n)
		vt_say("vetro: %s and %u more changed\n", path, n);
	else
		vt_say("vetro: %s changed\n", path);
}

/* True: something has; what there is now becomes the base, and the change is said. */
static bool
has_changed(watch *w, bool ended)
{
	scan now = look(w);
	uint32_t i = 0, k = 0;
	bool changed;

	if (ended)
		note_changes_of_run(w, &now);
	changed = next_change(w, &w->base, &now, &i, &k) != NULL;
	if (changed && (w->pid == 0 || w->restarts)) {
		say_change(w, &now);
		vc_free(w->base.c);
		w->base = now;
		return true;
	}
	vc_free(now.c);
	return false;
}

/* ---- the process ---- */

int
cmd_die_of(int signal_number, const sigset_t *mask)
{
	fflush(stdout);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
	sigprocmask(SIG_SETMASK, mask, NULL);
	return VC_EFAULT;
}

static void
cannot(const char *what)
{
	vt_say("vetro: --watch cannot %s: %s\n", what, strerror(errno));
}

static bool
is_over(watch *w)
{
	if (w->pid > 0 && waitpid(w->pid, NULL, WNOHANG) != 0)
		w->pid = 0;
	return w->pid == 0;
}

/* 0, SIGCHLD, or the signal that ends vetro. */
static int
take_signal(const watch *w)
{
	struct signalfd_siginfo info;
	int got = 0;

	while (read(w->signals, &info, sizeof info) == (ssize_t)sizeof info)
		if (got == 0 || got == SIGCHLD)
			got = (int)info.ssi_signo;
	return got;
}

/* Asks the process to end, and makes it when its grace is over or somebody asks again. */
static void
end_process(watch *w, int signal_number)
{
	struct pollfd p = {.fd = w->signals, .events = POLLIN};

	if (w->pid > 0 && signal_number)
		kill(w->pid, signal_number);
	while (!is_over(w)) {
		int ready = poll(&p, 1, GRACE), got = ready > 0 ? take_signal(w) : 0;
		if (ready == 0 || (got && got != SIGCHLD))
			kill(w->pid, SIGKILL);
	}
}

/* A terminal has sent ^C to the process too. */
static bool
is_from_terminal(int signal_number)
{
	return signal_number == SIGINT && isatty(STDIN_FILENO) &&
	       tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void
drain(int fd)
{
	char events[4096];

	while (read(fd, events, sizeof events) > 0)
		;
}

/* Until something has changed: 0; or the signal that ends vetro. */
static int
wait_for_change(watch *w)
{
	struct pollfd p[] = {
		{.fd = w->signals, .events = POLLIN}, {.fd = w->events, .events = POLLIN}};
	double since = 0; /* the first event that was not looked at */

	for (;;) {
		bool settled = since > 0 && (vt_clock() - since) * 1000 > SETTLES_MOST;
		int ready = settled ? 0
				    : poll(p, VC_LEN(p),
					      since > 0  ? SETTLES
					      : w->polls ? LOOKS
							 : -1);
		int got = ready > 0 && p[0].revents ? take_signal(w) : 0;
		bool ended = got == SIGCHLD && w->pid > 0 && is_over(w);

		if (got && got != SIGCHLD)
			return got;
		if (ready > 0 && p[1].revents) {
			drain(w->events);
			since = since > 0 ? since : vt_clock();
		}
		if (ended)
			vt_say("vetro: waiting for changes, ^C ends\n");
		if (ended || ready == 0) {
			since = 0;
			if (has_changed(w, ended))
				return 0;
		}
	}
}

/* True in the process that is to run the command. */
static bool
begin_process(watch *w)
{
	pid_t parent = getpid();

	fflush(stdout);
	fflush(stderr);
	w->pid = fork();
	if (w->pid < 0) {
		cannot("start a process");
		w->pid = 0;
	}
	if (w->pid != 0 || getpid() == parent)
		return false;
	close(w->events);
	close(w->signals);
	sigprocmask(SIG_SETMASK, &w->mask, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
		_exit(VC_EFAULT);
	return true;
}

static bool
begin_watch(watch *w)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &w->mask);
	w->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	w->polls = w->events < 0;
	return w->signals >= 0;
}

/* A server ends when it is told to; a deployment is better left to its end. */
static bool
may_be_ended(const cmd_options *o)
{
	const vt_cli_list *w = &o->line.words;

	return strcmp(o->line.command->name, "run") != 0 ||
	       (o->line.behind < w->n && strcmp(w->v[o->line.behind], "serve") == 0);
}

static bool
reads_input(const cmd_options *o)
{
	for (uint32_t i = 0; i < o->line.words.n; i++)
		if (strcmp(o->line.words.v[i], "-") == 0)
			return true;
	return false;
}

int
cmd_watch(cmd_options *o, int (*command)(cmd_options *))
{
	watch w = {.o = o, .restarts = may_be_ended(o)};
	int stop = 0;

	if (reads_input(o))
		return vt_cli_usage(&o->line, "--watch: standard input does not change");
	w.c = vc_new();
	if (!begin_watch(&w)) {
		cannot("wait for signals");
		return VC_EFAULT;
	}
	w.base = look(&w);
	if (w.limited)
		vt_say("vetro: --watch looks at the first %d files in %d folders only\n",
			MOST_FILES, MOST_FOLDERS);
	while (stop == 0) {
		if (begin_process(&w)) {
			o->watch = false;
			vc_free(w.base.c);
			vc_free(w.c);
			return command(o);
		}
		stop = wait_for_change(&w);
		end_process(&w, stop == 0 ? SIGTERM : is_from_terminal(stop) ? 0 : stop);
	}
	close(w.events);
	close(w.signals);
	vc_free(w.base.c);
	vc_free(w.c);
	return cmd_die_of(stop, &w.mask);
}
