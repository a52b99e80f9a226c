/*
 * mpl_words.h - words of MuranoPL for the targets that read classes (structure.h).
 */
#ifndef T_FUZZ_MPL_WORDS_H
#define T_FUZZ_MPL_WORDS_H

#include "t/fuzz/structure.h"

const char *const fuzz_keys[] = {"Name", "Namespaces", "Extends", "Properties", "Methods", "Import",
	"Usage", "Meta", "Contract", "Default", "Arguments", "Scope", "Body", "If", "Then", "Else",
	"While", "Do", "For", "In", "Repeat", "Try", "Catch", "With", "As", "Finally", "Throw",
	"Message", "Match", "Switch", "Value", "Parallel", "Limit", "Break", "Continue", "Return",
	"Rethrow", "$x", "$.p", "$this.p", "=", "std", "$x[0]", "$x.y.z", "deploy", ".init",
	".destroy", "[$x, $y]", "$.p.q[$i]", NULL};
const char *const fuzz_values[] = {"$", "$this", "$.p", "$x", "$x + 1", "$.string().notNull()",
	"$.int().check($ > 0)", "$.class(Base).owned()", "$.template(Base)", "[$.bool(), 1, 3]",
	"'{$.string(): $.int()}'", "new(Base, p => 1)", "$.m($x)", "super($, $.m())",
	"cast($, Base).m()", "$.find(std:Object)", "$x.where($ > 1).select($ * 2).toList()",
	"let(a => 1) -> $a + $x", "range(10).aggregate($1 + $2, 0)", "typeinfo($this)",
	"yaql('$ + 1', 2)", "In", "Out", "InOut", "Const", "Runtime", "Static", "Config", "Action",
	"Extension", "Public", "Session", "std:Object", "io.murano.Object", "Base", "name()",
	"$.methods.first().invoke($)", "with($x) -> $1", "Contract", NULL};

#endif
