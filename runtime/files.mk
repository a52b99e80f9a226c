# Sources of the runtime library that emitted C links with, and the rows of its function registry.
RUNTIME_SRC := $(sort $(wildcard runtime/*/*.c))
RUNTIME_ASM := $(sort $(wildcard runtime/*/*.S))
RUNTIME_FILES := $(sort $(wildcard runtime/*/*.[chS] runtime/*/*.def runtime/*/*.fn))
REGISTRY_FN := $(sort $(wildcard runtime/lib/*.fn))

# The page of `deploy serve`, with the form library where `make page` has fetched it.  It is the same for every CONFIG.
FORM_LIBRARY := build/page/library.js
page: | $(B)/.tools
	sh templates/form/fetch.sh templates/form/library.txt $(FORM_LIBRARY)
	@$(MAKE) CONFIG=$(CONFIG) all
.PHONY: page
$(G)/page.h: templates/form/page.html lua/build/page.lua lua/build/sha256.lua lua/build/cstring.lua $(wildcard $(FORM_LIBRARY)) | $(B)/.tools
	@mkdir -p $(G)
	$(call say,LUA,$@)
	$(Q)$(LUA) lua/build/page.lua $< $(G)/page.html $(G)/page.csp $(wildcard $(FORM_LIBRARY)) && gzip -9n < $(G)/page.html > $(G)/page.html.gz
	$(Q)$(LUA) lua/build/cstring.lua vt_page $(G)/page.html.gz > $@.tmp && $(LUA) lua/build/cstring.lua vt_page_policy $(G)/page.csp >> $@.tmp && mv $@.tmp $@
$(B)/runtime/program/serve_api.o: $(G)/page.h
# The page of a package's own form; it needs no library.
$(G)/form_page.h: templates/form/package.html lua/build/page.lua lua/build/sha256.lua lua/build/cstring.lua | $(B)/.tools
	@mkdir -p $(G)
	$(call say,LUA,$@)
	$(Q)$(LUA) lua/build/page.lua $< $(G)/form_page.html $(G)/form_page.csp && gzip -9n < $(G)/form_page.html > $(G)/form_page.html.gz
	$(Q)$(LUA) lua/build/cstring.lua vt_form_page $(G)/form_page.html.gz > $@.tmp && $(LUA) lua/build/cstring.lua vt_form_page_policy $(G)/form_page.csp >> $@.tmp && mv $@.tmp $@
$(B)/runtime/program/serve_form.o: $(G)/form_page.h
