# raid5sim: one file, no recursion into folders; everything made lives under build/$(VARIANT)/.
# VARIANT = release debug asan cov clang o0 fiu. FIU=1: the failure points of faults/points.def can be made to fail (libfiu), as in VARIANT=fiu. V=1 shows commands, WERROR=1 makes warnings errors.
# CC, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS, PREFIX and DESTDIR are respected; flags that change rebuild what they concern.
VARIANT ?= release
PREFIX  ?= /usr/local
B       := build/$(VARIANT)
Q       := $(if $(V),,@)
ifeq ($(origin CC),default)
CC      := $(if $(filter clang,$(VARIANT)),clang,gcc)
endif
release := -O2 -g
debug   := -O1 -g -DDEEP_CHECKS
asan    := -O1 -g -DDEEP_CHECKS -fsanitize=address,undefined -fno-sanitize-recover
cov     := -O0 -g --coverage
clang   := -O2 -g
o0      := -O0 -g
fiu     := -O1 -g
$(if $($(VARIANT)),,$(error VARIANT=$(VARIANT): choose release, debug, asan, cov, clang, o0 or fiu))
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith
FIU     ?= $(filter fiu,$(VARIANT))
FLAGS   := -std=gnu11 -I. $(if $(FIU),-DRAID5SIM_FIU) $($(VARIANT)) $(CPPFLAGS) $(CFLAGS) -ffp-contract=off -fdebug-prefix-map=$(CURDIR)=.
COMPILE  = $(CC) $(WARN) $(if $(WERROR),-Werror) $(FLAGS) -MMD -MP
LINK     = $(CC) $($(VARIANT)) $(CFLAGS) $(LDFLAGS)
LIBS    := -linih -ljansson -lm -lpthread $(if $(FIU),-lfiu) $(LDLIBS)

MODEL   := $(sort $(wildcard model/*.c model/check/*.c))
CODE    := $(MODEL) $(sort $(wildcard disks/*.c faults/*.c sim/*.c))
SUITES  ?= unit laws verdicts golden host
TESTS   := $(sort $(wildcard $(SUITES:%=tests/%/test_*.c)))
BENCHES := $(sort $(wildcard tests/bench/*.c))
CLI     := $(filter-out $(if $(filter release,$(VARIANT)),,%/install.sh %/points.sh),$(sort $(wildcard tests/cli/*.sh)))
JUDGE   := $(sort $(wildcard tests/conformance/*.c))
COSTS   := $(sort $(wildcard tests/costs/*.c)) $(filter-out %/conformance.c,$(JUDGE))
CASES   := $(sort $(wildcard scenarios/run/*.cfg scenarios/check/*.cfg))
FORMAT  := $(filter-out tests/oracle/%,$(sort $(wildcard $(addsuffix /*.[ch],model model/check disks faults sim tests/*))))
DATA    := $(sort $(shell grep -ls RAID5SIM_SOURCE_DATA sim/*.c)) # know where data are: compiled once more to install
obj      = $(patsubst %.c,$(B)/%.o,$(1))
LIB     := $(call obj,$(filter-out sim/main.c,$(CODE)))
TESTLIB := $(call obj,$(sort $(wildcard tests/lib/*.c)))

all: $(B)/raid5sim ## build the program
run: $(B)/raid5sim ## a first run: eight SATA disks of 2006
	$(Q)$< run scenarios/run/2006-a4.cfg

$(B)/raid5sim: $(B)/sim/main.o $(B)/libraid5sim.a
$(B)/installed/raid5sim: $(filter-out $(call obj,$(DATA)),$(B)/sim/main.o) $(DATA:%.c=$(B)/installed/%.o) $(B)/libraid5sim.a
%/raid5sim:
	@echo "  LD    $@"
	$(Q)$(LINK) -o $@ $^ $(LIBS)
$(B)/libraid5sim.a: $(LIB)
	@echo "  AR    $@"
	$(Q)rm -f $@; $(AR) rcs $@ $^
$(B)/installed/%.o: %.c $(B)/flags $(B)/installed/flags
	@mkdir -p $(@D); echo "  CC    $< (to install)"
	$(Q)$(COMPILE) -DRAID5SIM_DATA='"$(PREFIX)/share/raid5sim"' -c -o $@ $<
$(call obj,$(DATA)): PLACES := -DRAID5SIM_SOURCE_DATA='"$(CURDIR)/scenarios"'
$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D); echo "  CC    $<"
	$(Q)$(COMPILE) $(PLACES) -c -o $@ $<
$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/libraid5sim.a
	$(Q)$(LINK) -o $@ $^ $(LIBS)
$(B)/tests/%: $(B)/tests/%.o $(TESTLIB) $(B)/libraid5sim.a
	$(Q)$(LINK) -o $@ $^ -lcmocka $(LIBS)
$(B)/tests/conformance/conformance: $(JUDGE:%.c=$(B)/%.o) $(B)/libraid5sim.a
	$(Q)$(LINK) -o $@ $^ $(LIBS)
$(B)/tests/costs/costs: $(COSTS:%.c=$(B)/%.o) $(B)/libraid5sim.a
	$(Q)$(LINK) -o $@ $^ $(LIBS)
# Stamps that change when what they stand for changes.
$(B)/flags: STAMP := $(CC) $(FLAGS) $(DATA)
$(B)/installed/flags: STAMP := $(PREFIX)
$(B)/flags $(B)/installed/flags: FORCE
	@mkdir -p $(@D); echo '$(STAMP)' | cmp -s - $@ || echo '$(STAMP)' >$@

# Each test program and script leaves a log in TAP; the summary counts them all.
SUITE_LOGS := $(TESTS:%.c=$(B)/%.tap)
RUN_LOGS   := $(patsubst %.sh,$(B)/%.tap,$(CLI)) $(CASES:%.cfg=$(B)/%.tap)
TREE_LOGS  := $(patsubst %,$(B)/tests/%.tap,harness tidy headers pure determinism)
LOGS       := $(SUITE_LOGS) $(RUN_LOGS) $(B)/tests/conformance/floor.tap $(B)/tests/conformance/judge.tap $(B)/tests/costs/bands.tap $(B)/tests/costs/judge.tap $(if $(filter release,$(VARIANT)),$(TREE_LOGS))
test: $(LOGS) ## every test; the last line counts them
	@tests/summary.sh $^ >$(B)/summary; status=$$?; cat $(B)/summary; exit $$status
suites: $(SUITE_LOGS) ## the cmocka tests only; SUITES="unit laws" chooses
	@tests/summary.sh $^
scenarios: $(CASES:%.cfg=$(B)/%.tap) ## every scenario against its own [expect]
	@tests/summary.sh $^
GOLDEN ?= tests/golden/md-6.1
conformance: $(B)/tests/conformance/conformance ## member I/O against recordings of the real driver; ONLY=write STRICT=1 SHOW=1 TIMES=1 GOLDEN=dir
	$(Q)$< $(if $(ONLY),--only=$(ONLY)) $(if $(STRICT),--strict) $(if $(SHOW),--show) $(if $(TIMES),--times) $(GOLDEN)
costs: $(B)/tests/costs/costs ## calls of each function beside the recorded profile; ONLY=randw-q1 CYCLES=1 MARKDOWN=1
	$(Q)$< $(if $(ONLY),--only=$(ONLY)) $(if $(CYCLES),--cycles) $(if $(MARKDOWN),--markdown)
$(B)/tests/costs/bands.tap: $(B)/tests/costs/costs FORCE
	@tests/tap.sh $@ $< --bands=tests/costs/bands
$(B)/tests/costs/judge.tap: $(B)/tests/costs/costs FORCE
	@tests/tap.sh $@ tests/costs/judge.sh $<
$(B)/tests/conformance/floor.tap: $(B)/tests/conformance/conformance FORCE
	@tests/tap.sh $@ $< --tap tests/golden/md-6.1
$(B)/tests/conformance/judge.tap: $(B)/tests/conformance/conformance FORCE
	@tests/tap.sh $@ tests/conformance/judge.sh $<
$(SUITE_LOGS): $(B)/%.tap: $(B)/% FORCE
	@tests/tap.sh $@ $(RUN) $<
$(B)/tests/cli/%.tap: tests/cli/%.sh $(B)/raid5sim FORCE
	+@RAID5SIM=$(B)/raid5sim VARIANT=$(VARIANT) tests/tap.sh $@ $< $(B)/raid5sim
$(B)/scenarios/%.tap: scenarios/%.cfg $(B)/raid5sim FORCE
	@tests/tap.sh $@ tests/scenarios.sh $(B)/raid5sim $<
# sim/panic*.c remember whom to name in an obituary, and main belongs to one process: they alone may keep state.
PURE := $(call obj,$(MODEL)) -- $(filter-out $(call obj,$(MODEL)) %/panic.o %/panic_catch.o,$(LIB))
$(B)/tests/pure.tap: $(LIB)
TWINS := build/release/raid5sim build/o0/raid5sim build/clang/raid5sim
$(B)/tests/determinism.tap: $(B)/raid5sim twins
$(B)/tests/%.tap: tests/%.sh FORCE
	@tests/tap.sh $@ $< $(if $(filter pure,$*),$(PURE)) $(if $(filter determinism,$*),$(TWINS))
twins:
	+@$(MAKE) --no-print-directory VARIANT=o0 CC=gcc all
	+@$(MAKE) --no-print-directory VARIANT=clang CC=clang all
clang: ## build program and tests with the second compiler
	+@$(MAKE) --no-print-directory VARIANT=clang CC=clang programs
programs: $(B)/raid5sim $(TESTS:%.c=$(B)/%) $(BENCHES:%.c=$(B)/%)
check-valgrind: ## the cmocka tests under valgrind; SUITES="laws" chooses
	+@$(MAKE) --no-print-directory VARIANT=debug RUN='valgrind -q --leak-check=full --error-exitcode=9' suites
coverage: ## line coverage of the cmocka tests and scenarios
	@mkdir -p build/cov; find build/cov -name '*.gcda' -delete
	+@$(MAKE) --no-print-directory VARIANT=cov test
	@lcov -q -c -d build/cov -o build/cov/all.info
	@lcov -q -r build/cov/all.info '/usr/*' '*/tests/*' -o build/cov/lines.info
	@lcov --list build/cov/lines.info
bench: $(B)/raid5sim $(BENCHES:%.c=$(B)/%) ## speed: event queue, simulator, growth
	@for b in $(BENCHES:%.c=$(B)/%); do $$b || exit 1; done
	@for b in $(sort $(wildcard tests/bench/*.sh)); do $$b $(B)/raid5sim || exit 1; done
mutants: ## change the model in COUNT=300 places, one at a time: which changes does no test notice?
	@tests/mutants/mutants.sh $(or $(COUNT),300) $(or $(SEED),1)
pure: $(LIB) ## prove that the model keeps no state and calls nobody
	@tests/pure.sh $(PURE)
tidy: ## layering, lengths, words that must not stay
	@tests/tidy.sh
format: ## clang-format the tree
	$(Q)clang-format -i $(FORMAT)
format-check: ## fail if clang-format would change anything
	$(Q)clang-format --dry-run -Werror $(FORMAT)

BIN_TO  = $(DESTDIR)$(PREFIX)/bin
SHARE   = $(DESTDIR)$(PREFIX)/share
MAN     := $(sort $(wildcard docs/man/*.[15]))
COMPLETE := $(wildcard sim/completion/raid5sim.bash)
PAPERS  := README.md LICENSE $(sort $(wildcard docs/*.md))
install: $(B)/installed/raid5sim ## install below PREFIX; DESTDIR is put in front
	$(Q)install -D -m 755 $< $(BIN_TO)/raid5sim
	$(Q)for m in $(MAN); do install -D -m 644 $$m $(SHARE)/man/man$${m##*.}/$${m##*/} || exit 1; done
	$(Q)for c in $(COMPLETE); do install -D -m 644 $$c $(SHARE)/bash-completion/completions/raid5sim || exit 1; done
	$(Q)for d in $(PAPERS); do install -D -m 644 $$d $(SHARE)/doc/raid5sim/$${d##*/} || exit 1; done
	$(Q)cd scenarios && find . -type f | while read -r f; do install -D -m 644 $$f $(SHARE)/raid5sim/$$f || exit 1; done
uninstall: ## remove what install put there
	$(Q)rm -f $(BIN_TO)/raid5sim $(SHARE)/bash-completion/completions/raid5sim
	$(Q)rm -f $(foreach m,$(MAN),$(SHARE)/man/man$(patsubst .%,%,$(suffix $m))/$(notdir $m))
	$(Q)rm -rf $(SHARE)/raid5sim $(SHARE)/doc/raid5sim
clean: ## remove build/
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1	/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: all run test suites scenarios conformance costs twins clang programs check-valgrind coverage bench mutants pure tidy format format-check \
        install uninstall clean help FORCE
.SECONDARY:
.DELETE_ON_ERROR:
-include $(patsubst %.o,%.d,$(B)/sim/main.o $(LIB) $(TESTLIB) $(call obj,$(TESTS) $(BENCHES) $(JUDGE) $(COSTS)) $(DATA:%.c=$(B)/installed/%.o))
