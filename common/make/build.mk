# build.mk: how make works here, and how a C file, a program and a CUDA file are built.

MAKEFLAGS += --no-builtin-rules
# All processors, unless the user says how many.
PROCESSORS := $(if $(filter 0,$(MAKELEVEL)),$(shell \
	while IFS= read -rd '' word; do [[ $$word != -j* ]] || exit; done </proc/$$PPID/cmdline; \
	echo "-j$$(nproc)"))
MAKEFLAGS += $(PROCESSORS)
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SECONDARY:
.SUFFIXES:

# $(call say,WORD,WHAT) begins a recipe line: one quiet line of output, or with V=1 the command
# itself.
say = $(if $(call on,V),,@printf '  %-8s%s\n' '$(1)' '$(2)' &&)
# $(call hush) begins one that prints nothing of its own.
hush = $(if $(call on,V),,@)

# A directory is made when something in it is: name it as an order-only prerequisite, `| $$(@D)/.`
.PRECIOUS: $(BUILD)/. $(BUILD)/%/.
$(BUILD)/%/.:
	@mkdir -p $@
$(BUILD)/.:
	@mkdir -p $@

# What a group of targets needs from the system, installed once: build/setup/<group>, groups as in
# common/packages.tsv.
$(addprefix $(BUILD)/setup/,build front plots handouts install watch tests grading bare notebook explore): \
		$(BUILD)/setup/%: common/packages.tsv | $$(@D)/.
	@common/tools/setup.sh $* && touch $@

# ---- C ----------------------------------------------------------------------------------------

# What runs long asks for more: $(HOT) among its flags. Neighbouring fields that are read as a pair
# would wait until each has been stored; a function that a library shows is inlined there, too. With
# sanitizers nothing is optimised.
SANITIZE ?=
HOT       = $(if $(SANITIZE),,-O2 -fno-tree-slp-vectorize -fno-semantic-interposition)
CFLAGS    = -std=c11 -D_GNU_SOURCE -O1 -g1 -fsigned-char -Wall -Wextra -Werror $(SANITIZE)
LDFLAGS   = $(SANITIZE)

# Compiling also writes the list of the headers that were read; the Makefile includes it.
DEPFLAGS = -MMD -MF $(@:.o=.d) -MT $@

# Every C file: build/obj/<path>.o, with its own flags in CFLAGS_<path>.o if a room sets them.
$(BUILD)/obj/%.o: %.c | $$(@D)/. $(BUILD)/setup/build
	$(call say,CC,$<) $(CC) $(CFLAGS) $(CFLAGS_$*.o) $(DEPFLAGS) -Icommon -c -o $@ $<

# Rooms add what they build to these lists.
LIBS     :=
PROGRAMS :=

# What programs share.
$(BUILD)/lib.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard common/lib/*.c))
	$(call say,AR,$@) rm -f $@ && ar qcs $@ $^

# $(call c_program,NAME,FILES,LIBRARIES): build/bin/NAME, linked from these C files, named without
# .c, and common/lib.
c_program = $(eval $(call c_program_rule,$(1),$(2),$(3)))
define c_program_rule
PROGRAMS += $(BUILD)/bin/$(1)
$(BUILD)/bin/$(1): $(patsubst %,$(BUILD)/obj/%.o,$(2)) $(BUILD)/lib.a | $(BUILD)/bin/.
	$$(call say,LD,$$@) $$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $(3)
endef

# ---- CUDA -------------------------------------------------------------------------------------

# PTX for 7.5, which the simulator runs, and code made from it for the GPU at hand or played.
# The runtime is a shared library, so that the simulator can take its place.
PTX_ARCH    = 75
NVCC_FLAGS  = $(HOST_OPTIMISE) -lineinfo -Icommon -cudart shared $(call targets,$(PTX_ARCH)) \
	$(if $(WITH_CLANG),,$(LINKER) -Xlinker -rpath -Xlinker '$(CUDA_HOME)/lib64')
# gold, where it is installed: it links in a quarter of the time.
LINKER      = $(call once,LINKER,$(if $(shell command -v ld.gold),-Xcompiler -fuse-ld=gold))
all_targets = $(sort $(GPU_ARCH))
before_80   = $(filter 5% 6% 7%,$(1))
since_80    = $(filter-out 5% 6% 7%,$(1))
# $(call targets,PTX): 80 where the source has what 8.0 brought; older GPUs get PTX for 7.5 then.
# clang makes one.
targets     = $(if $(filter 75,$(1)),$(call target,75,$(all_targets)),$\
	$(if $(WITH_CLANG),$(call target,$(if $(call before_80,$(at_hand)),75,$(1))),$\
	$(if $(call before_80,$(all_targets)),$(call target,75,$(call before_80,$(all_targets)))) \
	$(if $(call since_80,$(all_targets)),$(call target,$(1),$(call since_80,$(all_targets))))))
target      = -gencode 'arch=compute_$(1),code=[compute_$(1)$(subst $(space),,$(2:%=$(comma)sm_%))]'
# $(call flags_with,FLAGS): these flags too. Debugging information has the source lines, and nvcc
# refuses to be asked twice.
flags_with = $(if $(filter -G,$(1)),$(filter-out -lineinfo,$(NVCC_FLAGS)),$(NVCC_FLAGS)) $(1)

# How hard the compiler of the CPU's part tries, which most of the time goes into. Tests of small
# problems ask for less: that is no reason to build anything again.
HOST_OPTIMISE ?= -O3

# The flags of the last build: programs are built again when they change.
BUILT_WITH = $(CUDAC) $(filter-out $(HOST_OPTIMISE),$(NVCC_FLAGS))
$(BUILD)/nvcc-flags $(BUILD)/host-flags: FORCE | $$(@D)/.
	@printf '%s\n' "$(BUILT_WITH)" | cmp -s - $@ || printf '%s\n' "$(BUILT_WITH)" > $@

CUDA_WORD := $(if $(WITH_CLANG),CLANG,NVCC)
# Compiles a program from a copy of its source.
COMPILE       = common/make/compile.sh
compiler_word = $(if $(call on,V),,$(CUDA_WORD))

# With clang a program is linked with the simulator's library, and built again when the front end
# changes.
front_parts = $(if $(WITH_CLANG),common/front/cudac $(wildcard common/front/*.awk) \
	$(wildcard $(SIMT)/include/*) $(BUILD)/simt/libcudart.so.13 $(CUDAC_PROGRAMS))
front_setup = $(BUILD)/setup/build $(if $(WITH_CLANG),$(BUILD)/setup/front)

# What takes the compiler long and seldom changes is compiled once, as the C++ that the compiler
# takes it for: CUB needs C++17. Labs ran no faster with it at -O3. Their harness has no kernel: nvcc
# need not look for any, and it is the same for every GPU.
HARNESS := $(BUILD)/obj/common/harness/harness.o
$(BUILD)/obj/common/harness/%.o: private HOST_OPTIMISE := $(patsubst -O3,-O1,$\
	$(filter-out -std=%,$(HOST_OPTIMISE)))
$(HARNESS) $(BUILD)/host-flags: private GPU_ARCH :=
$(HARNESS): private HOST_ONLY = $(if $(WITH_CLANG),,-x c++ -include cuda_runtime.h)
# Compilers that know 12.0 know 9.0a. The simulator gets an empty kernel, and runs none.
$(BUILD)/obj/common/harness/product_wgmma.o: private GPU_ARCH :=
$(BUILD)/obj/common/harness/product_wgmma.o: private HOST_ONLY = \
	$(if $(filter 120,$(compiler_knows)),-gencode arch=compute_90a$(comma)code=sm_90a)
$(BUILD)/obj/%.o: %.cu $$(if $$(filter $(HARNESS),$$@),$(BUILD)/host-flags,$(BUILD)/nvcc-flags) \
		$$(front_parts) | $$(@D)/. $(front_setup)
	$(call say,$(CUDA_WORD),$<) $(CUDAC) $(NVCC_FLAGS) $(HOST_ONLY) \
		-MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<
