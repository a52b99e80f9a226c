# The Python module of libvetro: packages vetro and yaql (docs/python.md).  `make python` builds them into $(B)/python;
# nothing else of the tree needs Python.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
# Where the module looks for libvetro: beside itself, and where `make python` builds it. Empty: where the system has it.
PYTHON_RPATH ?= -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../..'
PYTHON_DIR := compiler/libvetro/python
PYTHON_SRC := $(sort $(wildcard $(PYTHON_DIR)/*.c))
PYTHON_FILES := $(sort $(shell find $(PYTHON_DIR)/vetro $(PYTHON_DIR)/yaql -name '*.py' -o -name '*.pyi' -o -name py.typed))
PYTHON_INCLUDE = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)

python:
	$(Q)if [ -e "$(PYTHON_INCLUDE)/Python.h" ]; then \
		$(MAKE) --no-print-directory CONFIG=$(CONFIG) B=$(B) $(B)/python/.made; \
	else \
		echo "make python: left out, for $(PYTHON) has no Python.h (Debian's package python3-dev)"; \
	fi
$(B)/python/vetro/_vetro.abi3.so: $(PYTHON_SRC) $(PYTHON_DIR)/int.h compiler/libvetro/vetro_host.h $(B)/libvetro.so
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O2 -g -fPIC -Wall -Wextra -Wno-missing-field-initializers -fvisibility=hidden -shared \
		$(filter -fsanitize% -fno-sanitize%,$(CFLAGS_$(CONFIG))) \
		-Icompiler/libvetro -I$(PYTHON_INCLUDE) -o $@ $(PYTHON_SRC) -L$(B) -lvetro $(PYTHON_RPATH)
$(B)/python/.made: $(B)/python/vetro/_vetro.abi3.so $(PYTHON_FILES) $(PYTHON_DIR)/groups.py $(wildcard runtime/lib/*.fn)
	$(call say,PYTHON,$(@D))
	$(Q)cd $(PYTHON_DIR) && cp -R --parents $(PYTHON_FILES:$(PYTHON_DIR)/%=%) $(abspath $(@D))
	$(Q)$(PYTHON) $(PYTHON_DIR)/groups.py $(sort $(wildcard runtime/lib/*.fn)) > $(@D)/_groups.tmp
	$(Q)mv $(@D)/_groups.tmp $(@D)/vetro/yaql/_groups.py && touch $@
# A wheel that holds libvetro too, and a source distribution; neither asks a package index.
python-dist: python
	$(Q)mkdir -p build/dist && cd $(PYTHON_DIR) && VETRO_BUILD=$(abspath $(B)) $(PYTHON) build_backend.py $(abspath build/dist)
# yaql and vetro.yaql from Python, one table; RECORDS=10000.
bench-python: python
	$(Q)PYTHONPATH=$(B)/python $(PYTHON) t/bench/python_side.py $(RECORDS)
.PHONY: python python-dist bench-python
