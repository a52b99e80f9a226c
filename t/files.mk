# Tests: TAP, run by prove. t/unit_*.c are programs over the runtime library.
UNIT_SRC := $(sort $(wildcard t/unit_*.c))
UNIT_BIN := $(UNIT_SRC:t/%.c=$(B)/t/%)
TESTS := $(sort $(wildcard t/*.t))

$(B)/t/unit_%: t/unit_%.c $(B)/libvt.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/libvt.a $(RT_LIBS)

# installs what is missing, then builds and tests
check: deps
	$(MAKE) CONFIG=$(CONFIG) check-quick
check-quick: all $(UNIT_BIN)
	VETRO=$(abspath $(B))/vetro CONFIG=$(CONFIG) BUILD=$(abspath $(B)) prove --timer -j2 $(TESTS)

# the benchmark; ratios from one run
bench: all
	perl t/bench/bench.pl $(B)/vetro build/bench.json
	perl t/bench/chart.pl build/bench.json > docs/bench.svg

# installs what is missing, builds, compiles an example package and runs it
demo: deps
	$(MAKE) CONFIG=$(CONFIG) all
	$(B)/vetro build examples/hello -o $(B)/hello
	@echo; echo "examples/hello is now the binary $(B)/hello. It loads examples/hello/model.json and runs deploy:"; echo
	$(B)/hello run --model examples/hello/model.json

# Each fuzz target for a bounded time, under the sanitizers; a crash keeps its input in build/.
FUZZ_SRC := $(filter-out t/fuzz/driver.c,$(sort $(wildcard t/fuzz/*.c)))
FUZZ_SECONDS ?= 20
fuzz-smoke:
	$(MAKE) CONFIG=asan all
	@for f in $(FUZZ_SRC); do sh t/fuzz/smoke.sh build/asan $$f $(FUZZ_SECONDS) || exit 1; done

# The pages that are made from tables; t/23-docs.t fails when one is stale.
docs: $(G)/functions.md
	cp $(G)/functions.md docs/functions.md
	$(LUA) lua/irdoc.lua compiler/vc.h docs/IR.md > $(G)/IR.md && cp $(G)/IR.md docs/IR.md

check-conformance: all
	VETRO=$(abspath $(B))/vetro prove t/90-conformance-muranopl.t t/91-conformance-yaql.t
.PHONY: check-conformance
