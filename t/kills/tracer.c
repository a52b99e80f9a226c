/*
 * tracer.c - kills a program between two of its system calls.
 *
 *     tracer [-m] [-s] [-t SECONDS] REPORT N PROGRAM [ARGUMENT]...
 *
 * follows the program and all that it starts, counts the system calls that begin, and kills every
 * process with SIGKILL before the N-th; 0: never.  With -m only calls of the program itself count
 * and only it is killed: what it has started lives on.  With -s the program gets a SIGTERM and
 * goes on.  After SECONDS all is killed.
 *
 * REPORT gets a line: the calls that were counted, what came of the program ("exit", "signal",
 * "killed" or "late"), and its status.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096 };

typedef struct tracee {
	pid_t tid, tgid;
} tracee;

static tracee all[MOST];
static size_t n;
static pid_t root;
static bool only_asks, only_main, counting, killing, late;
static unsigned long count, kill_at;
static int root_status;
static bool root_ended;

static void
die(const char *what)
{
	perror(what);
	exit(125);
}

static pid_t
group_of(pid_t tid)
{
	char path[64], line[256];
	pid_t tgid = tid;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", tid);
	f = fopen(path, "r");
	while (f != NULL && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return tgid;
}

static tracee *
find(pid_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].tid == tid)
			return &all[i];
	if (n == MOST) {
		errno = ENOMEM;
		die("tracer: more tasks than it follows");
	}
	all[n] = (tracee){tid, group_of(tid)};
	return &all[n++];
}

static void
forget(pid_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].tid == tid) {
			all[i] = all[--n];
			return;
		}
}

static void
go_on(pid_t tid, int signal)
{
	(void)ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(long)signal);
}

/* From now on: what is killed dies, what is left alone is let go when it stops. */
static void
end_it(void)
{
	killing = true;
	for (size_t i = 0; i < n; i++)
		if (!only_main || late || all[i].tgid == root)
			kill(all[i].tgid, SIGKILL);
		else
			(void)ptrace(PTRACE_INTERRUPT, all[i].tid, NULL, NULL);
}

static void
let_go(pid_t tid, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);

	if (!only_main || late) {
		kill(group_of(tid), SIGKILL);
		go_on(tid, 0);
		return;
	}
	if (event != 0 || signal == (SIGTRAP | 0x80))
		signal = 0;
	if (ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)signal) == 0)
		forget(tid);
}

static bool
is_entry(pid_t tid)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

static void
stopped(pid_t tid, int status)
{
	tracee *t = find(tid);
	int event = status >> 16, signal = WSTOPSIG(status);

	if (killing) {
		if (t->tgid != root)
			let_go(tid, status);
		else
			go_on(tid, 0);
	} else if (event == PTRACE_EVENT_EXEC) {
		counting |= tid == root;
		go_on(tid, 0);
	} else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
		(void)ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	} else if (event != 0) {
		go_on(tid, 0);
	} else if (signal != (SIGTRAP | 0x80)) {
		go_on(tid, signal);
	} else {
		bool now = counting && is_entry(tid) && (!only_main || t->tgid == root) &&
			   ++count == kill_at;
		if (now && !only_asks) {
			end_it();
			return;
		}
		if (now)
			kill(root, SIGTERM);
		go_on(tid, 0);
	}
}

static void
on_alarm(int signal)
{
	(void)signal;
	late = true;
}

static void
begin(char **command)
{
	enum {
		OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			  PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC
	};
	int gate[2];
	char c = 0;

	if (pipe(gate) != 0)
		die("pipe");
	root = fork();
	if (root < 0)
		die("fork");
	if (root == 0) {
		close(gate[1]);
		if (read(gate[0], &c, 1) != 1)
			_exit(125);
		close(gate[0]);
		execvp(command[0], command);
		die(command[0]);
	}
	close(gate[0]);
	if (ptrace(PTRACE_SEIZE, root, NULL, (void *)(long)OPTIONS) != 0 ||
		ptrace(PTRACE_INTERRUPT, root, NULL, NULL) != 0)
		die("tracer: ptrace");
	find(root);
	if (write(gate[1], &c, 1) != 1)
		die("write");
	close(gate[1]);
}

/* What the program has left behind when it ended by itself goes on without us. */
static void
follow(void)
{
	while (n > 0) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == EINTR && late && !killing)
			end_it();
		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			break;
		if (WIFSTOPPED(status)) {
			stopped(tid, status);
			continue;
		}
		forget(tid);
		if (tid != root)
			continue;
		root_ended = true;
		root_status = status;
		only_main |= !killing;
		if (!killing)
			end_it();
	}
}

static void
tell(const char *path)
{
	FILE *f = fopen(path, "w");
	const char *how = late ? "late" : "killed";

	if (f == NULL)
		die(path);
	if (!late && WIFEXITED(root_status))
		how = "exit";
	else if (!late && kill_at != 0 && count < kill_at)
		how = "signal";
	fprintf(f, "%lu %s %d\n", count, how,
		WIFEXITED(root_status) ? WEXITSTATUS(root_status) : WTERMSIG(root_status));
	fclose(f);
}

int
main(int argc, char **argv)
{
	unsigned seconds = 120;
	int c;

	while ((c = getopt(argc, argv, "+mst:")) != -1) {
		only_main |= c == 'm';
		only_asks |= c == 's';
		if (c == 't')
			seconds = (unsigned)atoi(optarg);
		if (c == '?')
			return 125;
	}
	if (argc - optind < 3) {
		fprintf(stderr, "usage: tracer [-m] [-s] [-t SECONDS] REPORT N PROGRAM "
				"[ARGUMENT]...\n");
		return 125;
	}
	kill_at = strtoul(argv[optind + 1], NULL, 10);
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
	begin(argv + optind + 2);
	alarm(seconds);
	follow();
	tell(argv[optind]);
	return WIFEXITED(root_status) ? WEXITSTATUS(root_status) : 128 + WTERMSIG(root_status);
}
