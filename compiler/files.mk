# Sources of the compiler. yaql.re and yaql.y are translated into $(G).
COMPILER_SRC := $(sort $(wildcard compiler/*.c))
ASSETS := runtime/vt.h $(sort $(wildcard templates/*.yaml templates/*.txt templates/*.c))
ARCHIVE_LIBS := -lminizip -lz
