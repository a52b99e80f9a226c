# Sources of the compiler. yaql.re and yaql.y are translated into $(G).
# libvetro.so alone has compiler/libvetro.
LIBVETRO_SRC := $(sort $(wildcard compiler/libvetro/*.c))
COMPILER_SRC := $(filter-out $(LIBVETRO_SRC),$(sort $(wildcard compiler/*/*.c)))
CORE_LIBRARY := $(sort $(shell find runtime/lib/io.murano runtime/lib/io.murano.applications -type f ! -name README.md))
# What `vetro new` makes; hidden files too.
PROJECTS := $(sort $(shell find templates/new -type f))
ASSETS := runtime/abi/vt.h runtime/abi/vt_tosca.h runtime/abi/vt_tosca_types.h runtime/abi/vt_yay.h $(G)/prelude.h $(sort $(wildcard runtime/lib/*.fn templates/*.yaml templates/*.txt templates/*.html templates/*.c templates/*.py templates/tosca/*.yaml templates/heat/*.yaml templates/hosts/*.yaml)) $(PROJECTS) $(CORE_LIBRARY)
ARCHIVE_LIBS := -lminizip -lz

# What libtcc reads of vt.h for an expression, and the functions in it.
$(G)/prelude.h: lua/build/prelude.lua runtime/abi/vt.h | $(B)/.tools
	@mkdir -p $(G)
	$(call say,LUA,$@)
	$(Q)$(LUA) $< runtime/abi/vt.h > $@.tmp && mv $@.tmp $@
$(G)/prelude_abi.h: lua/build/abi.lua $(G)/prelude.h
	$(call say,LUA,$@)
	$(Q)$(LUA) $< $(G)/prelude.h > $@.tmp && mv $@.tmp $@
# And those of programs that are services or configurations.
$(G)/program_abi.h: lua/build/abi.lua runtime/abi/vt_tosca.h runtime/abi/vt_tosca_types.h runtime/abi/vt_yay.h
	@mkdir -p $(@D)
	$(call say,LUA,$@)
	$(Q)$(LUA) $< runtime/abi/vt_tosca.h > $@.tmp && $(LUA) $< runtime/abi/vt_yay.h >> $@.tmp && mv $@.tmp $@
$(B)/compiler/build/tcc.o: $(G)/prelude_abi.h $(G)/program_abi.h

# Out of these a binary that was built --with-yay takes what it needs.
YAY_READER := $(basename $(filter-out $(addprefix compiler/yay/,batch.c show.c build.c reach.c emit.c emit_expr.c refer.c refer_class.c refer_answer.c refer_places.c),$(sort $(wildcard compiler/yay/*.c))) $(addprefix compiler/base/,arena.c diag.c inputs.c source.c))
