/*
 * interpret.h - the interpreter of expressions: what runs an image until its code is compiled.
 */
#ifndef QUERYINTERPRET_H
#define QUERYINTERPRET_H

#include "compiler/emit/image.h"

extern const im_interpreter qi_interpreter;

#endif
