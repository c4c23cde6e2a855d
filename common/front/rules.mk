# front: clang in nvcc's place (the script cudac needs this program), and how its programs compare
# with nvcc's.
$(call c_program,launches,common/front/launches)
CUDAC_PROGRAMS := $(BUILD)/bin/launches $(BUILD)/bin/simt

# ---- Every metric of clang's program beside nvcc's, in build/front, for each of CLANGS --------

CLANGS       ?= $(CLANG)
front_version = clang$(shell $(1) -dumpversion | cut -d . -f 1)
front_size    = $(or $(SIZE),$(filter-out 0,$(word 3,$(call field,$(1),check_sizes))),5000)
front_measure = $(MAKE) --no-print-directory FROM=solutions DEVICE=sim SIM_GPU=$(SIM_GPU) PLOT=0 \
	METRICS=all SIZE=$(front_size) profile-lab$(1)
front_clang   = $(front_measure) FRONT=clang CLANG=$(2) BUILD=$(BUILD)/front >/dev/null && \
	mkdir -p $(BUILD)/front/$(call front_version,$(2))
# $(call front_pair,NUMBER,TAIL OF THE BUILD): what nvcc's program and clang's count.
front_pair    = $(BUILD)/solutions/lab$(1)/metrics$(2).csv \
	$(BUILD)/front/solutions/lab$(1)/metrics$(2).csv
# $(call front_compare,NUMBER,TAIL OF THE BUILD,CLANG)
front_compare = $(BUILD)/bin/compare compilers \
	--output $(BUILD)/front/$(call front_version,$(3))/lab$(1)$(2).txt $(call front_pair,$(1),$(2))

# One simulator runs both.
$(addprefix front-lab,$(LAB_NUMBERS)): front-lab%: $(BUILD)/bin/compare | $(BUILD)/front/.
	+$(hush) $(call front_measure,$*) FRONT=nvcc >/dev/null && \
		cp -au $(addprefix $(BUILD)/,bin simt labprof setup) $(BUILD)/front/
	+$(hush) $(foreach c,$(CLANGS),$(call front_clang,$*,$(c)) && \
		$(foreach b,$(call builds,$*),$(call front_compare,$*,$(call tail,$(b)),$(c)) &&)) true

# What both count, side by side, kept as a reference. One lab at a time: they share a folder.
NVCC_VERSION   = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
record-front:
	+@$(MAKE) --no-print-directory -j1 $(addprefix front-lab,$(LAB_NUMBERS))
	@$(BUILD)/bin/compare compilers --overview plots/reference/clang.md \
		--versions "clang $(shell $(CLANG) -dumpversion), nvcc $(NVCC_VERSION)" \
		$(foreach n,$(LAB_NUMBERS),$(call front_pair,$(n))) >/dev/null
	@echo '  wrote   plots/reference/clang.md'
.PHONY: record-front
