/*
 * run.c - runs one command and notes what it took: run USE.json COMMAND ARG...
 *
 * Time from fork to the end of the process, its processor time, and its greatest resident size,
 * without a shell and without the size of the caller, whose pages a child of its own would count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int
main(int argc, char **argv)
{
	struct rusage use;
	double start = now();
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3 || (pid = fork()) < 0)
		return 2;
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	/* Standard input and output are the child's: a reader must see their end when it ends. */
	close(0);
	close(1);
	if (wait4(pid, &status, 0, &use) < 0)
		return 2;
	start = now() - start;
	f = fopen(argv[1], "w");
	if (!f)
		return 2;
	fprintf(f, "{\"seconds\":%.9g,\"cpu\":%.9g,\"peak_bytes\":%ld}\n", start,
		(double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
			(double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6,
		use.ru_maxrss * 1024L);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
