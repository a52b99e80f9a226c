# Sources of the runtime library that emitted C links with, and the rows of its function registry.
RUNTIME_SRC := $(sort $(wildcard runtime/*.c))
RUNTIME_ASM := $(sort $(wildcard runtime/*.S))
REGISTRY_FN := $(sort $(wildcard runtime/lib/*.fn))
