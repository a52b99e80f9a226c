/* graph_int.h - graph.c, the command, and graph_batch.c, its JSON lines. */
#ifndef GRAPH_INT_H
#define GRAPH_INT_H

#include "runtime/mugl/mugl.h"

/* Exit status. */
int graph_batch(const mugl_options *);

#endif
