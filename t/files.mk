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
	VETRO=$(CURDIR)/$(B)/vetro CONFIG=$(CONFIG) BUILD=$(CURDIR)/$(B) prove --timer -j2 $(TESTS)

# the benchmark; ratios from one run
bench: all
	perl t/bench/bench.pl $(B)/vetro build/bench.json

# installs what is missing, builds, compiles an example package and runs it
demo: deps
	$(MAKE) CONFIG=$(CONFIG) all
	$(B)/vetro build examples/hello -o $(B)/hello
	@echo; echo "examples/hello is now the binary $(B)/hello. It loads examples/hello/model.json and runs deploy:"; echo
	$(B)/hello run --model examples/hello/model.json

# the fuzz targets, each over its seeds; CONFIG=asan is where it finds most
FUZZ_BIN := $(patsubst t/fuzz/%.c,$(B)/t/fuzz_%,$(sort $(wildcard t/fuzz/*.c)))
$(B)/t/fuzz_%: t/fuzz/%.c $(B)/vetro
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -rdynamic -o $@ $< $(filter-out $(B)/compiler/main.o,$(OBJ_VC)) \
		-Wl,--whole-archive $(B)/libvt.a -Wl,--no-whole-archive $(VC_LIBS) $(RT_LIBS)
fuzz-smoke: $(FUZZ_BIN)
	for t in $(FUZZ_BIN); do echo "$$t"; $$t t/fuzz/$${t##*fuzz_}.txt 2000 || exit 1; done
