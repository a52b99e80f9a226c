/*
 * left.c - what a killed run has left behind: the process groups of its operations.
 *
 * A group is ours while its leader is the process that was noted, by its number, its start and the
 * boot of the system; or, when the leader has ended, while a process of the group has the id of the
 * step in its environment.  All processes of a group belong together, and its number is not given
 * away as long as there are any.
 */
#include "runtime/deploy/deploy.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double asked_every = 0.01, grace = 2.0, patience = 5.0;

/* What /proc tells of a process. */
typedef struct known {
	char state;
	pid_t group;
	uint64_t start;
} known;

static bool
look(pid_t pid, known *k)
{
	char path[64], text[1024], *p;
	unsigned long long start = 0;
	int group = 0;
	FILE *f;
	size_t n;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "rb");
	if (!f)
		return false;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')'); /* the name before it may have anything in it */
	if (!p || p[1] != ' ')
		return false;
	*k = (known){.state = p[2]};
	/* fields 3 state, 4 parent, 5 group ... 22 start */
	p += 2;
	for (int field = 3; field < 22 && p; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
		if (p && field + 1 == 5)
			group = (int)strtol(p, NULL, 10);
	}
	if (p)
		start = strtoull(p, NULL, 10);
	k->group = group;
	k->start = start;
	return p != NULL;
}

static void
read_boot(char *to, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "rb");
	if (!f || !fgets(to, (int)size, f))
		*to = '\0';
	to[strcspn(to, "\n")] = '\0';
	if (f)
		fclose(f);
}

bool
vt_group_note(vt_group *g, pid_t pid, const char *id)
{
	known k;
	*g = (vt_group){.pid = pid};
	snprintf(g->id, sizeof g->id, "%s", id);
	read_boot(g->boot, sizeof g->boot);
	if (!look(pid, &k))
		return false;
	g->start = k.start;
	return true;
}

/* Has it that variable?  What we may not read is not ours. */
static bool
has_id(pid_t pid, const char *id)
{
	char path[64], *want = vt_asprintf("VETRO_STEP_ID=%s", id), *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;
	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	f = fopen(path, "rb");
	while (f && !found && getdelim(&line, &cap, '\0', f) > 0)
		found = strcmp(line, want) == 0;
	if (f)
		fclose(f);
	free(line);
	free(want);
	return found;
}

/* How many processes of the group live; *ours: one of them shows whose they are. */
static uint32_t
count(const vt_group *g, bool *ours)
{
	DIR *d = opendir("/proc");
	uint32_t n = 0;
	known k;
	*ours = false;
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		pid_t pid = isdigit((unsigned char)*e->d_name) ? (pid_t)atol(e->d_name) : 0;
		if (pid == 0 || !look(pid, &k) || k.group != g->pid || k.state == 'Z' ||
			k.state == 'X')
			continue;
		n++;
		*ours |= (pid == g->pid && k.start == g->start) || has_id(pid, g->id);
	}
	if (d)
		closedir(d);
	return n;
}

static bool
wait_for_end(const vt_group *g, double seconds)
{
	const struct timespec pause = {0, (long)(asked_every * 1e9)};
	bool ours;
	for (double t = 0; t < seconds; t += asked_every) {
		if (count(g, &ours) == 0 || !ours)
			return true;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

bool
vt_group_end(const vt_group *g)
{
	char boot[sizeof g->boot];
	bool ours;
	read_boot(boot, sizeof boot);
	if (g->pid <= 1 || strcmp(boot, g->boot) != 0 || count(g, &ours) == 0 || !ours)
		return true;
	kill(-g->pid, SIGTERM);
	kill(-g->pid, SIGCONT);
	if (wait_for_end(g, grace))
		return true;
	kill(-g->pid, SIGKILL);
	return wait_for_end(g, patience);
}
