# Tests: TAP, run by prove. t/unit has programs over the runtime library.
UNIT_SRC := $(sort $(wildcard t/unit/unit_*.c))
UNIT_BIN := $(UNIT_SRC:t/unit/%.c=$(B)/t/%)
TESTS := $(sort $(wildcard t/*/*.t))

$(B)/t/unit_%: t/unit/unit_%.c t/unit/unit.h $(B)/libvt.a
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/libvt.a $(RT_LIBS)
$(B)/t/unit_uniname: compiler/yaql/uniname.c $(G)/uninames.h

# What kills a program between two of its system calls: t/lib/Kills.pm.
TRACER := $(B)/t/tracer
$(TRACER): t/kills/tracer.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) -O1 -g $(WARN) -o $@ $<

# installs what is missing, then builds and tests
test: check
check: deps
	$(MAKE) CONFIG=$(CONFIG) check-quick
check-quick: all $(UNIT_BIN) $(TRACER)
	VETRO=$(abspath $(B))/vetro CONFIG=$(CONFIG) BUILD=$(abspath $(B)) prove --timer -j2 $(TESTS)

# The tests of forms with what they can use: a JSON schema validator and a browser.
FORMS_DEPS := python3-jsonschema chromium chromium-driver
check-forms: deps
	$(if $(filter 0,$(shell id -u)),,sudo )apt-get install -y --no-install-recommends $(FORMS_DEPS)
	$(MAKE) CONFIG=$(CONFIG) all
	VETRO=$(abspath $(B))/vetro CONFIG=$(CONFIG) prove t/murano/schema.t t/murano/form.t t/murano/page.t t/form/page.t
.PHONY: check-forms

# The site in a browser: nothing is asked of a network, the search finds, colours and widths.
check-site:
	$(if $(filter 0,$(shell id -u)),,sudo )apt-get install -y --no-install-recommends cmark-gfm chromium chromium-driver
	SITE_SHOTS=$(abspath build/site-shots) prove -v t/project/site.t
.PHONY: check-site

# Against a real Keystone, Heat, RabbitMQ and murano-agent, which are installed (docs/openstack.md); VETRO_HEAT_STACKS=50
# says how many stacks are made at once.
check-heat: deps
	bash t/heat/install.sh
	$(MAKE) CONFIG=$(CONFIG) all
	VETRO_HEAT_REAL=1 VETRO=$(abspath $(B))/vetro CONFIG=$(CONFIG) BUILD=$(abspath $(B)) prove --timer -v t/cloud/heat.t
.PHONY: check-heat

# `vetro engine` against a real murano-api, Keystone and RabbitMQ, which are installed (docs/engine.md); MOMENTS=200 says how
# often an engine is ended.
MOMENTS ?= 20
check-engine: deps
	bash t/engine/install.sh
	$(MAKE) CONFIG=$(CONFIG) all
	VETRO_ENGINE_REAL=1 MOMENTS=$(MOMENTS) VETRO=$(abspath $(B))/vetro CONFIG=$(CONFIG) BUILD=$(abspath $(B)) \
		prove --timer -v t/engine/real.t
.PHONY: check-engine
# The table of faults for either engine, beside each other (t/engine/table.py): half an hour each on a busy machine.
ENGINES ?= vetro murano
ROWS ?=
engine-faults: deps
	bash t/engine/install.sh
	command -v faketime >/dev/null || apt-get install -y -q --no-install-recommends faketime
	$(MAKE) CONFIG=$(CONFIG) all
	for e in $(ENGINES); do MURANO_HOME=$(abspath $(B))/faults-$$e VETRO=$(abspath $(B))/vetro \
		/usr/bin/python3 t/engine/table.py $$e $(ROWS) || exit 1; done
.PHONY: engine-faults

# Debian's packages of this tree in a fresh Debian 12, and the source in a newer one with gcc and clang; both as root.
check-deb:
	$(MAKE) deb
	sh t/distros/deb.sh build/deb
DISTROS ?= trixie:gcc trixie:clang bookworm:clang
check-distros:
	for d in $(DISTROS); do sh t/distros/source.sh "$${d%:*}" "$${d#*:}" || exit 1; done
.PHONY: check-deb check-distros
# What somebody sees who begins with README.md and a bare Debian 12, with the minutes: docs/first-hour.md; as root.
first-hour:
	sh t/distros/first-hour.sh > build/first-hour.md
	cp build/first-hour.md docs/first-hour.md
.PHONY: first-hour

# A static vetro by itself, and its archive in a fresh Debian that has a C compiler and nothing else; as root.
check-static: static
	VETRO=$(abspath $(B))/vetro BUILD=$(abspath $(B)) prove -v t/build/static-vetro.t
	sh t/distros/static.sh build/dist/vetro-$(VERSION)-$(shell uname -m)-linux-static.tar.gz
.PHONY: check-static

# The core of the tests with programs of another machine, which qemu-user runs (docs/packages.md). It takes half an hour.
TARGET_TESTS ?= t/conformance/muranopl.t $(addprefix t/murano/,statements.t contracts.t calls.t exceptions.t properties.t load.t \
	model.t gc.t parallel.t versions.t resources.t run.t schema.t config.t) $(addprefix t/tosca/,deploy.t lives.t heat.t out.t) \
	t/yay/build.t t/yay/operate.t t/yay/code.t t/passes/straight.t t/cloud/dry-run.t t/cloud/plan-bodies.t t/cloud/core-library.t
TARGET_ROOT = build/sysroot/$(TARGET)-run
# A line with $(MAKE) runs under `make -n` too, so it has nothing else.
ifneq ($(filter check-target,$(MAKECMDGOALS)),)
TARGET_IS_HERE := $(shell sh t/lib/target-missing.sh $(TARGET) >&2 && echo yes)
endif
check-target: $(if $(TARGET_IS_HERE),check-target-run)
	@$(if $(TARGET_IS_HERE),:,echo 'check-target is skipped')
check-target-run:
	$(MAKE) CONFIG=$(CONFIG) all target
	sh templates/cross.sh $(TARGET) $(TARGET_ROOT) run
	ON_HOST=$(abspath $(B))/vetro TARGET=$(TARGET) TARGET_ROOT=$(abspath $(TARGET_ROOT)) VETRO=$(abspath t/lib/target.sh) CONFIG=$(CONFIG) BUILD=$(abspath $(B)) \
		prove --timer $(TARGET_TESTS)
.PHONY: check-target-run
.PHONY: check-target

# Deployments that are killed between two system calls, begun again, and compared with one that nobody killed. KILLS=5000
# is how many; SCENARIOS='cloud-new scripts-.*' takes those. With RabbitMQ and murano-agent (make check-heat installs them)
# also against those.
KILLS ?= 2200
SCENARIOS ?= .*
check-kills: all $(TRACER)
	@set -f; \
		VETRO=$(abspath $(B))/vetro CONFIG=$(CONFIG) BUILD=$(abspath $(B)) perl t/kills/run.pl $(KILLS) $(SCENARIOS)
.PHONY: check-kills

# Engines in threads under ThreadSanitizer, with a build of libvetro of its own.
check-threads:
	$(MAKE) CONFIG=release B=build/tsan CFLAGS='-O1 -fsanitize=thread' LDFLAGS=-fsanitize=thread build/tsan/libvetro.so
	$(CC) -g -O1 -fsanitize=thread -Icompiler/libvetro -I. -o build/tsan/threads t/unit/libvetro_threads.c -Lbuild/tsan \
		-lvetro -lpthread -Wl,-rpath,$(abspath build/tsan)
	TSAN_OPTIONS=halt_on_error=1 build/tsan/threads
.PHONY: check-threads

# The benchmark; ratios from one run. JOBS='yaql-* json-parse' runs those only and leaves the chart as it is, JOBS=python
# the module for Python (compiler/libvetro/python/files.mk); DEPS=1
# installs the contestants that Debian has. What is missing is left out with a line.
BENCH := $(addprefix $(B)/bench/,run hand loops yaql events) $(if $(and $(wildcard /usr/include/simdjson.h),$(shell command -v $(CXX))),$(B)/bench/simd)
BENCH_DEPS := python3-murano python3-yaql jq gojq lua5.4 luajit g++ libsimdjson-dev python3-tosca-parser
bench: all
	@if [ "$(DEPS)" = 1 ]; then $(if $(filter 0,$(shell id -u)),,sudo )apt-get install -y --no-install-recommends $(BENCH_DEPS); fi
	@[ '$(JOBS)' = python ] || $(MAKE) CONFIG=$(CONFIG) bench-run
	@case '$(JOBS)' in ''|python) $(MAKE) CONFIG=$(CONFIG) bench-python ;; esac
bench-run: $(BENCH) $(B)/t/unit_task
	@JOBS='$(JOBS)' perl -It/bench/lib t/bench/bench.pl $(B)/vetro $(B)/bench build/bench.json
	@[ -n '$(JOBS)' ] || { perl -It/bench/lib t/bench/chart.pl build/bench.json > docs/bench.svg.tmp && mv docs/bench.svg.tmp docs/bench.svg; }
# The figures of the last run of all jobs into docs/performance.md.
bench-docs:
	@perl -It/bench/lib t/bench/table.pl --page docs/performance.md build/bench.json build/bench-run.json
# The picture of docs/debugging.md, from a run under perf.
perf-picture: all
	perl t/bench/perf-picture.pl $(abspath $(B))/vetro > docs/perf.svg.tmp && mv docs/perf.svg.tmp docs/perf.svg
# The table of services at three sizes in docs/performance.md; KINDS='star range' prints those rows.
bench-growth: all
	@perl t/bench/growth.pl $(abspath $(B))/vetro $(KINDS)
# Pipelines and methods put together from parts, beside Python; GRID='--every 20', '--only words.' or '--growth' (t/bench/grid.py), and of methods
# '--pairs' (t/bench/pairs.py).
bench-grid: all $(B)/bench/yaql
	@mkdir -p build/grid && /usr/bin/python3 t/bench/grid.py $(B)/bench/yaql build/grid $(GRID)
bench-methods: all
	@mkdir -p build/grid && /usr/bin/python3 t/bench/method_grid.py $(B)/vetro build/grid $(GRID)
.PHONY: bench-run bench-docs bench-growth bench-grid bench-methods perf-picture
$(B)/bench/run: t/bench/run.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) -O2 -Wall -Wextra -o $@ $<
$(B)/bench/hand: t/bench/hand.c t/bench/timer.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) -O2 -Wall -Wextra -DPCRE2_CODE_UNIT_WIDTH=8 -o $@ $< -lpcre2-8
$(B)/bench/loops: t/bench/loops.c t/bench/timer.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) -O2 -Wall -Wextra -o $@ $<
$(B)/bench/events: t/bench/events.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) -O2 -Wall -Wextra -o $@ $< -lyaml
$(B)/bench/yaql: t/bench/yaql.c t/bench/timer.h compiler/libvetro/vetro.h $(B)/libvetro.so
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) -O2 -Wall -Wextra -I. -o $@ $< -L$(B) -lvetro -Wl,-rpath,$(abspath $(B))
$(B)/bench/simd: t/bench/simd.cpp t/bench/timer.h
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) -O2 -Wall -Wextra -o $@ $< -lsimdjson

# installs what is missing, builds, compiles an example package and runs it
demo: deps
	$(MAKE) CONFIG=$(CONFIG) all
	$(B)/vetro build examples/hello -o $(B)/hello
	@echo; echo "examples/hello is now the binary $(B)/hello. It loads examples/hello/model.json and runs deploy:"; echo
	$(B)/hello run --model examples/hello/model.json

# Each fuzz target for a bounded time, under the sanitizers; a crash keeps its input in build/.
# FUZZ=regex runs that one only; ENGINE=libfuzzer builds everything with clang and searches by coverage.
FUZZ_SRC := $(filter-out t/fuzz/driver.c t/fuzz/structure.c,$(sort $(wildcard t/fuzz/*.c)))
FUZZ_SECONDS ?= 20
FUZZ ?= $(FUZZ_SRC:t/fuzz/%.c=%) differential
ENGINE ?= builtin
FUZZ_BUILD := $(if $(filter libfuzzer,$(ENGINE)),build/fuzz,build/asan)
FUZZ_CLANG := $(if $(filter libfuzzer,$(ENGINE)),CC=clang CFLAGS=-fsanitize=fuzzer-no-link)
fuzz-smoke:
	$(MAKE) CONFIG=asan B=$(FUZZ_BUILD) $(FUZZ_CLANG) all
	@for f in $(FUZZ); do \
		if [ -e t/fuzz/$$f.c ]; then ENGINE=$(ENGINE) sh t/fuzz/smoke.sh $(FUZZ_BUILD) t/fuzz/$$f.c $(FUZZ_SECONDS); \
		else perl t/fuzz/$$f.pl $(FUZZ_BUILD)/vetro $(FUZZ_SECONDS); fi || exit 1; done

# make fuzz HOURS=2: all targets in turn with libFuzzer, and a table at the end. make fuzz-corpus keeps the best of what
# was found in t/fuzz/corpus.
HOURS ?= 1
FUZZ_ROUND := $(if $(filter command line,$(origin FUZZ)),$(FUZZ),$(FUZZ_SRC:t/fuzz/%.c=%) differential gen-yaql gen-murano)
fuzz:
	$(MAKE) CONFIG=asan B=build/fuzz CC=clang CFLAGS=-fsanitize=fuzzer-no-link all
	TABLE=build/fuzz/table.md perl t/fuzz/rounds.pl build/fuzz $(HOURS) $(FUZZ_ROUND)
fuzz-corpus:
	perl t/fuzz/rounds.pl build/fuzz --keep $(FUZZ_ROUND)
.PHONY: fuzz fuzz-corpus

# Random expressions and random classes through vetro and through the references, where they are installed.
DIFFERENTIAL_SECONDS ?= 60
check-differential: all
	perl t/fuzz/gen-yaql.pl $(B)/vetro $(DIFFERENTIAL_SECONDS)
	perl t/fuzz/gen-murano.pl $(B)/vetro $(DIFFERENTIAL_SECONDS)
.PHONY: check-differential

# The recorded cases without any optimisation, without each, and with each alone. PASSES='flow arith' tries those.
check-passes: all
	VETRO=$(abspath $(B))/vetro sh t/lib/check-passes.sh $(PASSES)
.PHONY: check-passes

# Tasks change wherever they may, in a random order, and each of many allocations fails once: runtime/core/torture.c.
SEEDS ?= 1 2 3
TORTURE_RUNS ?= 300
check-torture:
	$(MAKE) CONFIG=torture torture-run
torture-run: all $(UNIT_BIN)
	TORTURE_RUNS=$(TORTURE_RUNS) SEEDS='$(SEEDS)' sh t/lib/torture.sh $(abspath $(B))
.PHONY: check-torture torture-run

# The examples and, where ../shared is, a sample of the recorded cases through a batch under valgrind; VALGRIND_SEED draws another.
check-valgrind: all
	VETRO=$(abspath $(B))/vetro VALGRIND_CASES=600 prove -v t/murano/valgrind.t
.PHONY: check-valgrind

# The pages that are made from tables; t/project/docs.t and t/libvetro/manual.t fail when one is stale.
LIBVETRO_HEADERS := compiler/libvetro/vetro.h compiler/libvetro/vetro_host.h
docs: $(G)/functions.md $(B)/vetro
	$(Q)rm -f docs/man/*.1 && for page in $$($(B)/vetro man); do $(B)/vetro man $$page > docs/man/$$page.1 || exit 1; done
	$(Q)mkdir -p docs/man/man3 && rm -f docs/man/man3/*.3
	$(Q)$(LUA) lua/build/mandoc.lua pages compiler/libvetro/manual.txt docs/man/man3 $(LIBVETRO_HEADERS)
	$(Q)$(LUA) lua/build/mandoc.lua overview docs/man/libvetro.3 $(LIBVETRO_HEADERS) > $(G)/libvetro.3 && cp $(G)/libvetro.3 docs/man/libvetro.3
	$(Q)cp $(G)/functions.md docs/functions.md
	$(Q)$(LUA) lua/build/irdoc.lua compiler/ir/ops.def docs/IR.md > $(G)/IR.md && cp $(G)/IR.md docs/IR.md
	$(Q)VETRO=$(abspath $(B))/vetro BUILD=$(abspath $(B)) perl t/project/tutorials.t --write
	$(Q)$(LUA) lua/build/language.lua templates/language.txt > docs/muranopl-reference.md
	$(Q)$(LUA) lua/build/language.lua templates/yay-language.txt > docs/yay-reference.md
	$(Q)$(LUA) lua/build/language.lua templates/tosca-keynames.txt > docs/tosca-keynames.md
	$(Q)$(LUA) lua/build/language.lua templates/heat.txt > docs/heat-reference.md
	$(Q)$(LUA) lua/build/language.lua templates/forms.txt > docs/forms-reference.md
	$(Q)$(LUA) lua/build/toscadoc.lua runtime/tosca/fn.def > docs/tosca-functions.md
	$(Q)perl t/tosca/standard.t --write
	$(Q)$(LUA) lua/build/coredoc.lua docs/core-library.md \
		$(filter runtime/lib/io.murano/Classes/%,$(CORE_LIBRARY)) \
		$(filter runtime/lib/io.murano.applications/Classes/%,$(CORE_LIBRARY)) \
		> $(G)/core-library.md && cp $(G)/core-library.md docs/core-library.md

check-conformance: all
	VETRO=$(abspath $(B))/vetro prove t/conformance/muranopl.t t/conformance/yaql.t t/conformance/tosca.t
	VETRO_FLAGS=--jit=cc VETRO=$(abspath $(B))/vetro prove t/conformance/yaql.t
	IN_MEMORY=$(abspath $(B))/vetro VETRO=$(abspath t/lib/in-memory.sh) prove t/conformance/muranopl.t t/murano/oracle.t t/cloud/core-library.t
.PHONY: check-conformance

# Changes one operator at a time in a file and runs the tests of its room, in a copy below build/mutate: t/lib/mutate.pl.
mutate:
	@MAKE='$(MAKE_COMMAND)' CONFIG=$(CONFIG) perl t/lib/mutate.pl '$(FILE)'
.PHONY: mutate
