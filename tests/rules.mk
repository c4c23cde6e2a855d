# Tests. `make test` is the one command: it builds everything, runs every suite, and ends with the
# numbers.
#
#   unit/        programs in C with cmocka; sanitized, too
#   programs/    CUDA programs that check themselves
#   labs/        one file for each lab, and what all labs share
#   targets/     what make and the tools do
#   stand-ins/   what is not on every machine, such as ncu
#   planted/, submissions/, data/, golden/, front/    what the tests work on
#
# After `make all` a file runs alone, from any folder: bats tests/labs/lab3.bats; and so does a
# test: bats -f 'every size' FILE.

# ---- Unit tests: tests/unit/test_X.c, one program each ----------------------------------------

# What a unit test is linked with beside cmocka and common/lib: simt without the runtime's API,
# unless the objects it needs stand here.
UNIT_OBJS_test_guard     := $(addprefix common/guard/,guard merge lex)
UNIT_OBJS_test_similar   := common/grade/class/similar common/guard/lex
UNIT_OBJS_test_elf_probe := common/simt/image/elf_probe
UNIT_OBJS_test_labprof    = $(LABPROF_PARTS)
UNIT_OBJS_test_activities = $(LABPROF_PARTS)
UNIT_OBJS_test_labncu     = $(LABNCU_PARTS) $(LABPROF_PARTS)
UNIT_OBJS_test_records    = $(if $(RECORDER),common/labprof/cupti/records)
UNIT_OBJS_test_recorder   = $(if $(RECORDER),$\
	$(addprefix common/labprof/cupti/,records recorder))
UNIT_LIBS_test_labprof    = $(LABPROF_LIBS)
UNIT_LIBS_test_activities = $(LABPROF_LIBS)
UNIT_LIBS_test_labncu     = $(LABPROF_LIBS)

# Ours against the toolkit's occupancy calculator, where there is a toolkit.
CFLAGS_tests/unit/test_occupancy.o = $(if $(WITH_CLANG),,-isystem $(CUDA_HOME)/include)
# The recorder, where there is CUPTI.
CFLAGS_tests/unit/test_records.o  = $(if $(RECORDER),\
	-DWITH_CUPTI $(CFLAGS_common/labprof/cupti/records.o))
CFLAGS_tests/unit/test_recorder.o = $(CFLAGS_tests/unit/test_records.o)

UNIT_TESTS = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
unit_deps  = $(or $(UNIT_OBJS_$(1):%=$(BUILD)/obj/%.o),\
	$(BUILD)/simt/simt.o $(BUILD)/simt/gpus.tsv) $(BUILD)/lib.a

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $$(call unit_deps,$$*) | $$(@D)/. $(BUILD)/setup/tests
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) \
		-lcmocka $(UNIT_LIBS_$*) $(SIMT_LIBS)

unit-tests: $(UNIT_TESTS)

# ---- All of them ------------------------------------------------------------------------------

# A suite is a file of bats, by its name without .bats, or one of those that have a RUN below. What
# it prints goes to build/tests/SUITE.tap. ONLY='lint lab*': these suites alone. What takes long, or
# is waited for, begins first. Some run on request alone; where clang compiles, what needs nvcc is
# left out.
ONLY     ?=
LONG      = see front targets grade check timeline progress calibrate lab9 lab6 simt
REQUESTED = slurm sanitized-all explore-module ncu-h200
FILES     = $(basename $(notdir $(filter-out $(if $(WITH_CLANG),\
	$(shell grep -l '^\# needs nvcc' tests/*/*.bats)),$(wildcard tests/*/*.bats))))
SUITES    = programs $(if $(WITH_CLANG),,$(if $(wildcard solutions),claims)) \
	$(filter $(FILES),$(LONG)) $(if $(WITH_CLANG),,checked) sanitized unit \
	$(filter-out $(LONG) $(REQUESTED),$(FILES))
CHOSEN    = $(foreach word,$(subst *,%,$(ONLY)),$(or $(filter $(word),$(SUITES) $(REQUESTED)),\
	$(error no suite is called $(word): $(SUITES) $(REQUESTED))))

test: $(addprefix $(BUILD)/setup/,build plots handouts watch grading install tests)
	@BUILD='$(BUILD)' FRONT='$(FRONT)' CLANG='$(CLANG)' SUITES='$(SUITES)' \
		tests/run.sh $(CHOSEN)

# What the tests build with nvcc is no program to be fast, and C++14 has half the headers to read.
# Labs' pictures as png take longest: tests/targets/pages.bats has those.
$(BUILD)/tests/%.tap: FORCE | $$(@D)/.
	@unset MAKEFLAGS MAKELEVEL MFLAGS ONLY; TIMEFORMAT='# cpu %U %S'; \
		export FORMATS=svg HOST_OPTIMISE='-O0 $(if $(WITH_CLANG),,-std=c++14)'; \
		exec 3>&1 >$@ 2>&1 </dev/null; time ($(RUN)) || echo "# status $$?"; \
		awk -f tests/count.awk $@ >&3 || true
BATS = bats --tap --print-output-on-failure tests/*/$*.bats
$(BUILD)/tests/%.tap: RUN = $(BATS)
$(BUILD)/tests/programs.tap: RUN = $(if $(WITH_CLANG),tests/front/programs.sh,tests/programs/run)
$(BUILD)/tests/checked.tap: RUN = CHECK=1 tests/programs/run -r
$(BUILD)/tests/claims.tap: RUN = make DEVICE=sim claims
$(BUILD)/tests/unit.tap: RUN = $(call each,$(UNIT_TESTS))
each = for program in $(1); do $$program || failed=1; done; exit $${failed:-0}

# Builds in folders of their own, in which stray accesses and undefined behaviour end a test: of
# what reads files that others wrote, and on request of all. What is not optimised has all its
# accesses, and compiles in half the time; checks that are calls, not code in each place, save a
# quarter of it.
OUTSIDE    := activities answers csv cubin elf_probe expr fatbin gpu guard labncu labprof machine_code \
	ptx recorder records results similar source timeline
SANITIZERS := -O0 -fsanitize=address,undefined -fno-sanitize-recover=all -g1 \
	--param=asan-instrumentation-with-call-threshold=0
# $(call sanitized,UNIT-TESTS,FOLDER,SETTINGS)
sanitized   = programs='$(1:$(BUILD)/%=$(BUILD)/$(2)/%)'; \
	make BUILD=$(BUILD)/$(2) SANITIZE='$(SANITIZERS)' $(3) $$programs && $(call each,$$programs)
$(BUILD)/tests/sanitized.tap: RUN = $(call sanitized,$(filter $(OUTSIDE:%=$(BUILD)/tests/test_%),$\
	$(UNIT_TESTS)),sanitized,SIMT_ROOMS='image ptx device machine' SIMT_HOT=)
$(BUILD)/tests/sanitized-all.tap: RUN = $(call sanitized,$(UNIT_TESTS),sanitized-all)
# Some look at what others have made. What order compares it makes itself where claims does not.
$(BUILD)/tests/order.tap: RUN = $(if $(filter %/claims.tap,$(MAKECMDGOALS)),,\
	make -s DEVICE=sim $(HANDOUTS:%=measured-%) &&) $(BATS)
$(BUILD)/tests/checked.tap $(BUILD)/tests/notes.tap: \
		| $(filter $(BUILD)/tests/programs.tap,$(MAKECMDGOALS))
$(BUILD)/tests/order.tap $(BUILD)/tests/pages.tap: \
		| $(filter $(BUILD)/tests/claims.tap,$(MAKECMDGOALS))

# test-lab3: the tests of lab 3.
$(addprefix test-lab,$(LAB_NUMBERS)): test-%:
	+@$(MAKE) --no-print-directory test ONLY=$*
.PHONY: $(addprefix test-lab,$(LAB_NUMBERS))

# What the tests share beside the solutions: the labs as they are handed out, and what the grader
# links them with.
handed-out: $(foreach n,$(LAB_NUMBERS),$(BUILD)/lab$(n)/$(call field,$(n),program)) \
	$(if $(wildcard solutions),$(if $(WITH_CLANG),,$(LAB_NUMBERS:%=$(BUILD)/grade/lab%/host.o)))
.PHONY: handed-out

# With LAB_BUILD=strict a warning of a lab's or of the harness is an error, and the solutions are
# compiled as C++11: nvcc alone can do both. The harness as C++11: tests/targets/check.bats. No
# program of the handed-out labs is there to be fast.
ifeq ($(LAB_BUILD)$(WITH_CLANG),strict)
$(filter-out $(BUILD)/solutions/%,$(LAB_PROGRAMS)): private HOST_OPTIMISE := -O0 -std=c++14
$(BUILD)/grade/lab%/host.o: private HOST_OPTIMISE := -O0 -std=c++14
$(LAB_PROGRAMS) $(HARNESS): private HOST_OPTIMISE += \
		-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror
$(filter $(BUILD)/solutions/%,$(LAB_PROGRAMS)): private HOST_OPTIMISE += -std=c++11
endif

test-gpu: $(PROFILER) $(BUILD)/bin/guard
	+@BUILD=$(BUILD) LAUNCHER='$(LAUNCHER)' tests/gpu.sh

# Labs and conformance programs with each clang that is here: half an hour. What fails does not keep
# the rest from being tried.
CLANGS_HERE = $(shell for version in 14 16 19; do command -v clang++-$$version; done)
test-front: all
	+@$(MAKE) --no-print-directory -k -j1 CLANGS='$(CLANGS_HERE)' \
		$(addprefix front-lab,$(LAB_NUMBERS)) && \
		for clang in $(CLANGS_HERE); do echo "$$clang" && rm -rf $(BUILD)/front/programs && \
		BUILD=$(BUILD)/front CLANG=$$clang tests/front/programs.sh || exit 1; done

# The README's commands on a minimal Debian, made in a temporary folder and removed again. Needs
# root; half an hour.
test-bare: | $(BUILD)/setup/bare
	@tests/bare/run.sh

# The Containerfile carried out in such a system, and the lab and the tests in it. Needs root; a
# quarter of an hour and as long as the tests take.
test-container: | $(BUILD)/setup/bare
	@tests/bare/container.sh

# The notebook as Colab would run it, but from this repository and on the simulator.
test-notebook: | $(BUILD)/setup/notebook
	@tests/notebook.sh

# What `simt --see` and `simt --explore` write, in two browsers. npm's packages go to
# build/browser.
test-browser: all $(foreach n,1 2 3 4 5 6 7 8,$(call complete,$(n))) \
		$(addprefix $(BUILD)/browser/,hostile kinds wrong) $(BUILD)/simt/explore.html
	@command -v chromium >/dev/null && command -v firefox-esr >/dev/null && \
		command -v npm >/dev/null || common/tools/setup.sh browser
	@BUILD=$(BUILD) tests/see/browser.sh

$(BUILD)/browser/%: tests/see/%.cu | $$(@D)/.
	$(call say,CC,$@) $(NVCC) -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
		-o $@ $<
$(BUILD)/browser/kinds: tests/see/kinds.cu | $$(@D)/.
	$(call say,CC,$@) $(NVCC) -lineinfo -cudart shared -rdc=true \
		-gencode arch=compute_90,code=compute_90 -o $@ $< -lcudadevrt

.PHONY: test test-gpu test-front test-browser test-bare test-container test-notebook unit-tests
