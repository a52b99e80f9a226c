/*
 * engine.h - `vetro engine`: serves murano-api over RabbitMQ in place of murano-engine.
 */
#ifndef VC_ENGINE_ENGINE_H
#define VC_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct eng_start {
	const char *const *files; /* --config-file */
	uint32_t nfiles;
	const char *const *dirs; /* --config-dir */
	uint32_t ndirs;
	double memory, seconds; /* of a task: they win over murano.conf; 0: not given */
} eng_start;

/* The exit status of each: 0, or 1 reported. */
int eng_serve(const eng_start *);
int eng_check_config(const eng_start *);
int eng_status(const eng_start *);

#endif
