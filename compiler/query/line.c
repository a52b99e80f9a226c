/*
 * line.c - lines that a user edits on a terminal.
 *
 * The terminal is in raw mode only while a line is read, so that what is evaluated can be
 * interrupted as any command can.  A line that is longer than the terminal is wide is shown in
 * part.
 *
 * Invariant: text[0..n) is UTF-8, and `at` stands between two characters of it.
 */
#include "compiler/query/line.h"
#include "runtime/core/bytes.h"
#include "runtime/core/value.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { MOST_HISTORY = 1000, MOST_LINE = 1 << 20, ESCAPE_WAIT = 50, MOST_SHOWN = 200 };

struct query_line {
	query_complete *complete;
	void *ctx;
	const char *prompt;
	char *text;
	size_t n, at, room;
	size_t from; /* the first byte that is shown */
	char *history[MOST_HISTORY];
	size_t nhistory, back; /* back: how many lines before the newest one is shown; 0: its own */
	char *draft;           /* the own line, while another one is shown; or NULL */
	char *killed;          /* malloc'd, or NULL */
};

/* ---- the terminal ---- */

static struct termios cooked; /* of the process: what a signal has to put back */
static volatile sig_atomic_t is_raw;
static bool at_prompt; /* the terminal edits nothing: between two lines, too */

static void
leave_raw(void)
{
	if (is_raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &cooked);
	is_raw = 0;
}

static void
end_by_signal(int sig)
{
	leave_raw();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
on_signals(void (*handler)(int))
{
	static const int of[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

	for (size_t i = 0; i < VT_LEN(of); i++)
		signal(of[i], handler);
}

/* Keys come as they are typed, and are not shown; those that end or stop a process are sent as
 * signals, or are keys as well. */
static bool
set_keys(bool signals)
{
	struct termios raw;

	if (!is_raw && tcgetattr(STDIN_FILENO, &cooked) != 0)
		return false;
	raw = cooked;
	raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
	raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
	if (signals)
		raw.c_lflag |= cooked.c_lflag & ISIG;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	on_signals(end_by_signal);
	is_raw = 1;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0)
		return true;
	is_raw = 0;
	on_signals(SIG_DFL);
	return false;
}

static bool
enter_raw(void)
{
	return set_keys(false);
}

/* Behind a line the terminal stays so, for what is typed while an expression runs. */
static void
finish(void)
{
	if (at_prompt && set_keys(true))
		return;
	leave_raw();
	on_signals(SIG_DFL);
}

static size_t
columns(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	return 80;
}

static void
put(const char *s, size_t n)
{
	while (n > 0) {
		ssize_t did = write(STDOUT_FILENO, s, n);
		if (did < 0 && errno != EINTR)
			return;
		s += did > 0 ? did : 0;
		n -= did > 0 ? (size_t)did : 0;
	}
}

/* -1: the input is over. */
static int
get_byte(void)
{
	unsigned char c;
	ssize_t n;

	do
		n = read(STDIN_FILENO, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? c : -1;
}

static bool
comes_soon(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, ESCAPE_WAIT) > 0;
}

/* ---- characters ---- */

/* What stands on the character before it, and what takes two columns. */
static size_t
width_of(uint32_t cp)
{
	static const struct {
		uint32_t from, to;
		uint8_t width;
	} other[] = {
		{0x300, 0x36f, 0},
		{0x1100, 0x115f, 2},
		{0x1ab0, 0x1aff, 0},
		{0x200b, 0x200f, 0},
		{0x20d0, 0x20ff, 0},
		{0x2e80, 0x303e, 2},
		{0x3041, 0xa4cf, 2},
		{0xac00, 0xd7a3, 2},
		{0xf900, 0xfaff, 2},
		{0xfe00, 0xfe0f, 0},
		{0xfe30, 0xfe6f, 2},
		{0xff00, 0xff60, 2},
		{0xffe0, 0xffe6, 2},
		{0x1f300, 0x1f64f, 2},
		{0x1f900, 0x1f9ff, 2},
		{0x20000, 0x3fffd, 2},
	};

	for (size_t i = 0; i < VT_LEN(other); i++)
		if (cp >= other[i].from && cp <= other[i].to)
			return other[i].width;
	return 1;
}

static size_t
width(const char *s, size_t n)
{
	const char *end = s + n;
	size_t w = 0;

	while (s < end)
		w += width_of(vt_utf8_next(&s));
	return w;
}

static size_t
next_of(const query_line *l, size_t at)
{
	for (at++; at < l->n && ((unsigned char)l->text[at] & 0xc0) == 0x80;)
		at++;
	return at < l->n ? at : l->n;
}

static size_t
before(const query_line *l, size_t at)
{
	while (at > 0 && ((unsigned char)l->text[--at] & 0xc0) == 0x80)
		;
	return at;
}

static bool
is_word_at(const query_line *l, size_t at)
{
	unsigned char c = (unsigned char)l->text[at];

	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static size_t
word_back(const query_line *l, size_t at)
{
	while (at > 0 && !is_word_at(l, before(l, at)))
		at = before(l, at);
	while (at > 0 && is_word_at(l, before(l, at)))
		at = before(l, at);
	return at;
}

static size_t
word_on(const query_line *l, size_t at)
{
	while (at < l->n && !is_word_at(l, at))
		at = next_of(l, at);
	while (at < l->n && is_word_at(l, at))
		at = next_of(l, at);
	return at;
}

/* ---- what is shown ---- */

static void
show(query_line *l)
{
	size_t head = width(l->prompt, strlen(l->prompt)), all = columns(), end;
	size_t free = all > head + 2 ? all - head - 1 : 1;
	vt_buf b = {NULL, 0, 0};

	if (l->from > l->at)
		l->from = l->at;
	while (width(l->text + l->from, l->at - l->from) >= free)
		l->from = next_of(l, l->from);
	end = l->from;
	while (end < l->n && width(l->text + l->from, next_of(l, end) - l->from) <= free)
		end = next_of(l, end);
	vt_buf_printf(&b, "\r%s", l->prompt);
	vt_buf_put(&b, l->text + l->from, end - l->from);
	vt_buf_puts(&b, "\033[0K\r");
	head += width(l->text + l->from, l->at - l->from);
	if (head > 0)
		vt_buf_printf(&b, "\033[%zuC", head);
	put(b.p, b.n);
	vt_buf_free(&b);
}

/* ---- changes ---- */

static void
insert(query_line *l, const char *s, size_t n)
{
	if (l->n + n > MOST_LINE)
		return;
	if (l->n + n + 1 > l->room) {
		l->room = 2 * (l->n + n + 1);
		l->text = vt_xrealloc(l->text, l->room);
	}
	memmove(l->text + l->at + n, l->text + l->at, l->n - l->at);
	memcpy(l->text + l->at, s, n);
	l->n += n;
	l->at += n;
}

static void
cut(query_line *l, size_t from, size_t to)
{
	memmove(l->text + from, l->text + to, l->n - to);
	l->n -= to - from;
	l->at = from;
}

/* The same, for ctrl-Y. */
static void
kill_text(query_line *l, size_t from, size_t to)
{
	if (from == to)
		return;
	free(l->killed);
	l->killed = vt_xmalloc(to - from + 1);
	memcpy(l->killed, l->text + from, to - from);
	l->killed[to - from] = '\0';
	cut(l, from, to);
}

static void
replace_all(query_line *l, const char *s)
{
	l->n = l->at = l->from = 0;
	insert(l, s, strlen(s));
}

/* ---- the history ---- */

void
query_line_remember(query_line *l, const char *text, size_t n)
{
	char *made = vt_xmalloc(n + 1);

	for (size_t i = 0; i < n; i++)
		made[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
	made[n] = '\0';
	if (n == 0 || vt_utf8_check(made, n) != n ||
		(l->nhistory > 0 && strcmp(l->history[l->nhistory - 1], made) == 0)) {
		free(made);
		return;
	}
	if (l->nhistory == MOST_HISTORY) {
		free(l->history[0]);
		memmove(l->history, l->history + 1, (MOST_HISTORY - 1) * sizeof l->history[0]);
		l->nhistory--;
	}
	l->history[l->nhistory++] = made;
}

/* The line so many before the newest; 0 is the one that was being written. */
static void
go_to(query_line *l, size_t back)
{
	if (back > l->nhistory || back == l->back)
		return;
	if (l->back == 0) {
		free(l->draft);
		l->draft = vt_xmalloc(l->n + 1);
		memcpy(l->draft, l->text, l->n);
		l->draft[l->n] = '\0';
	}
	l->back = back;
	replace_all(l, back == 0 ? l->draft : l->history[l->nhistory - back]);
}

/* The next earlier line that has what was written in it. */
static void
search_back(query_line *l)
{
	const char *what = l->back > 0 ? l->draft : NULL;
	char *own = NULL;

	if (what == NULL) {
		own = vt_xmalloc(l->n + 1);
		memcpy(own, l->text, l->n);
		own[l->n] = '\0';
		what = own;
	}
	for (size_t back = l->back + 1; back <= l->nhistory; back++)
		if (strstr(l->history[l->nhistory - back], what) != NULL) {
			go_to(l, back);
			break;
		}
	free(own);
}

/* ---- completion ---- */

void
query_words_add(query_words *w, const char *s, size_t n)
{
	w->v = vt_xrealloc(w->v, (w->n + 1) * sizeof *w->v);
	w->v[w->n] = vt_xmalloc(n + 1);
	memcpy(w->v[w->n], s, n);
	w->v[w->n++][n] = '\0';
}

static void
free_words(query_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (query_words){NULL, 0};
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those that begin with the prefix, in order and once. */
static void
choose(query_words *w, const char *prefix, size_t n)
{
	size_t kept = 0;

	if (w->n > 0)
		qsort(w->v, w->n, sizeof *w->v, by_text);
	for (size_t i = 0; i < w->n; i++)
		if (strncmp(w->v[i], prefix, n) != 0 ||
			(kept > 0 && strcmp(w->v[kept - 1], w->v[i]) == 0))
			free(w->v[i]);
		else
			w->v[kept++] = w->v[i];
	w->n = kept;
}

/* How much the words have in common; whole characters. */
static size_t
common(const query_words *w)
{
	size_t n = strlen(w->v[0]);

	for (size_t i = 1; i < w->n; i++) {
		size_t k = 0;
		while (k < n && w->v[i][k] == w->v[0][k])
			k++;
		n = k;
	}
	while (n > 0 && ((unsigned char)w->v[0][n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Below the line, which is shown again then. */
static void
list_words(const query_words *w)
{
	size_t widest = 0, all = columns(), in_row, shown = w->n > MOST_SHOWN ? MOST_SHOWN : w->n;
	vt_buf b = {NULL, 0, 0};

	for (size_t i = 0; i < shown; i++) {
		size_t k = width(w->v[i], strlen(w->v[i]));
		widest = k > widest ? k : widest;
	}
	in_row = all / (widest + 2) ? all / (widest + 2) : 1;
	for (size_t i = 0; i < shown; i++) {
		bool last = i + 1 == shown || (i + 1) % in_row == 0;
		vt_buf_puts(&b, i % in_row ? "" : "\n");
		vt_buf_puts(&b, w->v[i]);
		for (size_t k = width(w->v[i], strlen(w->v[i])); !last && k < widest + 2; k++)
			vt_buf_putc(&b, ' ');
	}
	if (shown < w->n)
		vt_buf_printf(&b, "\n... and %zu more", w->n - shown);
	vt_buf_puts(&b, "\n");
	put(b.p, b.n);
	vt_buf_free(&b);
}

static void
complete(query_line *l)
{
	query_words found = {NULL, 0};
	size_t word = l->at, n;

	while (word > 0 && is_word_at(l, before(l, word)))
		word = before(l, word);
	l->complete(l->ctx, l->text != NULL ? l->text : "", word, l->at, &found);
	choose(&found, l->text != NULL ? l->text + word : "", l->at - word);
	n = found.n > 0 ? common(&found) : 0;
	if (n > l->at - word)
		insert(l, found.v[0] + (l->at - word), n - (l->at - word));
	else if (found.n > 1)
		list_words(&found);
	else if (found.n == 0)
		put("\a", 1);
	free_words(&found);
}

/* ---- keys ---- */

enum { DELETE = 127, ESCAPE = 27 };
#define WITH_CTRL(c) ((c)&31)

/* Behind ESC [ or ESC O. */
static void
sequence(query_line *l)
{
	int first = 0, c = get_byte();
	bool modified = false;

	for (; (c >= '0' && c <= '9') || c == ';'; c = get_byte()) {
		modified |= c == ';';
		first = modified ? first : c == ';' || first > 99 ? first : 10 * first + (c - '0');
	}
	if (c == 'A')
		go_to(l, l->back + 1);
	else if (c == 'B' && l->back > 0)
		go_to(l, l->back - 1);
	else if (c == 'C')
		l->at = modified ? word_on(l, l->at) : next_of(l, l->at);
	else if (c == 'D')
		l->at = modified ? word_back(l, l->at) : before(l, l->at);
	else if (c == 'H' || (c == '~' && (first == 1 || first == 7)))
		l->at = 0;
	else if (c == 'F' || (c == '~' && (first == 4 || first == 8)))
		l->at = l->n;
	else if (c == '~' && first == 3 && l->at < l->n)
		cut(l, l->at, next_of(l, l->at));
}

static void
escape(query_line *l)
{
	int c = comes_soon() ? get_byte() : -1;

	if (c == '[' || c == 'O')
		sequence(l);
	else if (c == 'b')
		l->at = word_back(l, l->at);
	else if (c == 'f')
		l->at = word_on(l, l->at);
	else if (c == 'd')
		kill_text(l, l->at, word_on(l, l->at));
	else if (c == DELETE || c == '\b')
		kill_text(l, word_back(l, l->at), l->at);
}

/* The bytes of one character. What is no UTF-8 is left out. */
static void
character(query_line *l, int first)
{
	size_t n = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	char s[4] = {(char)first};

	for (size_t i = 1; i < n; i++) {
		int c = get_byte();
		if (c < 0)
			return;
		s[i] = (char)c;
	}
	if (vt_utf8_check(s, n) == n)
		insert(l, s, n);
}

static void
suspend(void)
{
	leave_raw();
	kill(0, SIGTSTP);
	(void)enter_raw();
}

static void
edit(query_line *l, int c)
{
	switch (c) {
	case WITH_CTRL('a'): l->at = 0; return;
	case WITH_CTRL('e'): l->at = l->n; return;
	case WITH_CTRL('b'): l->at = before(l, l->at); return;
	case WITH_CTRL('f'): l->at = next_of(l, l->at); return;
	case WITH_CTRL('k'): kill_text(l, l->at, l->n); return;
	case WITH_CTRL('u'): kill_text(l, 0, l->at); return;
	case WITH_CTRL('w'): kill_text(l, word_back(l, l->at), l->at); return;
	case WITH_CTRL('y'):
		if (l->killed != NULL)
			insert(l, l->killed, strlen(l->killed));
		return;
	case WITH_CTRL('p'): go_to(l, l->back + 1); return;
	case WITH_CTRL('n'):
		if (l->back > 0)
			go_to(l, l->back - 1);
		return;
	case WITH_CTRL('r'): search_back(l); return;
	case WITH_CTRL('l'): put("\033[H\033[2J", 7); return;
	case WITH_CTRL('z'): suspend(); return;
	case '\t': complete(l); return;
	case '\b':
	case DELETE:
		if (l->at > 0)
			cut(l, before(l, l->at), l->at);
		return;
	case WITH_CTRL('d'):
		if (l->at < l->n)
			cut(l, l->at, next_of(l, l->at));
		return;
	case ESCAPE: escape(l); return;
	default:
		if (c >= ' ')
			character(l, c);
	}
}

/* ---- lines ---- */

query_line *
query_line_new(query_complete *fn, void *ctx)
{
	const char *term = getenv("TERM");
	struct termios t;
	query_line *l;

	if (term == NULL || *term == '\0' || strcmp(term, "dumb") == 0 ||
		tcgetattr(STDIN_FILENO, &t) != 0)
		return NULL;
	l = vt_xzalloc(sizeof *l);
	l->complete = fn;
	l->ctx = ctx;
	at_prompt = set_keys(true);
	atexit(leave_raw); /* also where memory is out */
	return l;
}

void
query_line_free(query_line *l)
{
	if (l == NULL)
		return;
	at_prompt = false;
	finish();
	for (size_t i = 0; i < l->nhistory; i++)
		free(l->history[i]);
	free(l->text);
	free(l->draft);
	free(l->killed);
	free(l);
}

enum query_line_got
query_line_read(query_line *l, const char *prompt, vt_buf *to)
{
	enum query_line_got got = QUERY_LINE;
	int c;

	l->prompt = prompt;
	l->n = l->at = l->from = l->back = 0;
	insert(l, "", 0);
	if (!enter_raw())
		return QUERY_LINE_END;
	for (show(l); (c = get_byte()) != '\r' && c != '\n'; show(l)) {
		if (c < 0 || (c == WITH_CTRL('d') && l->n == 0))
			got = QUERY_LINE_END;
		else if (c == WITH_CTRL('c'))
			got = QUERY_LINE_CANCELLED;
		else
			edit(l, c);
		if (got != QUERY_LINE)
			break;
	}
	l->at = l->n;
	show(l);
	put(got == QUERY_LINE_CANCELLED ? "^C\n" : "\n", got == QUERY_LINE_CANCELLED ? 3 : 1);
	finish();
	if (got == QUERY_LINE)
		vt_buf_put(to, l->text, l->n);
	return got;
}
