/*
 * place.c - lines and columns of places, when one is shown.
 *
 * A place is a byte of a file.  The model has where lines begin, and runs of characters that take
 * several bytes each: all other characters take one.
 */
#include "runtime/tosca/tosca.h"

/* The last line that begins at or before the offset, from 0 on. */
static uint32_t
line_of(const uint32_t *start, uint32_t n, uint32_t at)
{
	uint32_t low = 0, high = n;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (start[mid] <= at)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* How many bytes in front of the offset are not the first one of a character. */
static uint32_t
extra(const vt_trun *run, uint32_t n, uint32_t at)
{
	uint32_t low = 0, high = n, end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (run[mid].from <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return 0;
	run += low - 1;
	end = at < run->to ? at : run->to;
	return run->before + (end - run->from) / run->length * (run->length - 1);
}

bool
vt_tosca_locate(const vt_tmodel *m, vt_tplace p, uint32_t *line, uint32_t *col)
{
	const vt_tlines *l;
	uint32_t i, begin;

	if (!p.file || p.file >= m->n_file || p.file >= m->n_lines)
		return false;
	l = &m->lines[p.file];
	i = line_of(m->start + l->starts.first, l->starts.n, p.at);
	begin = m->start[l->starts.first + i];
	*line = i + 1;
	*col = 1 + (p.at - begin) - extra(m->run + l->runs.first, l->runs.n, p.at) +
	       extra(m->run + l->runs.first, l->runs.n, begin);
	return true;
}
