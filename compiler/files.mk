# Sources of the compiler. yaql.re and yaql.y are translated into $(G).
# libvetro.so alone has libvetro*.c.
LIBVETRO_SRC := $(sort $(wildcard compiler/libvetro*.c))
COMPILER_SRC := $(filter-out $(LIBVETRO_SRC),$(sort $(wildcard compiler/*.c)))
ASSETS := runtime/vt.h $(G)/prelude.h $(sort $(wildcard templates/*.yaml templates/*.txt templates/*.c templates/tosca/*.yaml))
ARCHIVE_LIBS := -lminizip -lz

# What libtcc reads of vt.h for an expression, and the functions in it.
$(G)/prelude.h: lua/prelude.lua runtime/vt.h | $(B)/.tools
	@mkdir -p $(G)
	$(call say,LUA,$@)
	$(Q)$(LUA) $< runtime/vt.h > $@.tmp && mv $@.tmp $@
$(G)/prelude_abi.h: lua/abi.lua $(G)/prelude.h
	$(call say,LUA,$@)
	$(Q)$(LUA) $< $(G)/prelude.h > $@.tmp && mv $@.tmp $@
$(B)/compiler/tcc.o: $(G)/prelude_abi.h
