# CUDA labs: the one user interface. `make` or `make help` says what there is.

SHELL := /bin/bash

# ---- Settings: what each means stands in common/make/help.txt ---------------------------------

FROM    ?= labs
DEVICE  ?= auto
SIM_GPU ?= h200
SIM_DEVICES ?= 1
ARCH    ?= native
NVCC    ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
CLANG   ?= $(firstword $(shell command -v clang++ clang++-19 clang++-16 clang++-14) clang++)
FRONT   ?= $(if $(NVCC),nvcc,clang)
PLOT    ?= 1
BUILD   ?= build
# What to grade, and where.
LAB     ?= 3
ENGINE  ?= local

# Looked for once, not at each use.
NVCC   := $(NVCC)
CLANG  := $(CLANG)
CC     := gcc

help:
	@cat common/make/help.txt

# ---- How it is done: what each file holds -----------------------------------------------------

include common/make/settings.mk       # the settings checked; the tables, the compiler, the device
include common/make/build.mk          # how a C file, a program and a CUDA file are built
include common/simt/rules.mk          # the simulator
include common/see/rules.mk           # the page that shows a recording of a warp
include common/explore/rules.mk      # explore-labN: the page that runs launches again
include common/simt/measure/rules.mk  # calibrate, measure-timeline
include common/labprof/rules.mk       # the profiler
include common/labncu/rules.mk        # ncu's command line
include common/front/rules.mk         # clang in nvcc's place; front-labN
include common/make/answers.mk        # answers-labN, report: what a student predicts and hands in
include common/make/labs.mk           # labN, profile-labN and the like; run FILE=own.cu
include common/slides/rules.mk        # slides-labN
include common/make/install.mk        # install, uninstall
include common/make/measure.mk        # record-labN, race-labN, compare-labN
include common/compare/rules.mk       # truth: modelled times beside measured ones
include handouts/rules.mk             # handouts, their numbers, pictures and claims
-include common/grade/rules.mk        # grade-labN, diff-labN, release: not in the students' edition
include tests/rules.mk                # test
# The headers that each object and each lab was built from; one that is gone is no error.
HEADER_LISTS := $(shell find $(BUILD) -name node_modules -prune -o -name '*.d' -print 2>/dev/null)
-include $(HEADER_LISTS)
$(HEADER_LISTS): ;
%.h %.def: ;

# ---- The verbs --------------------------------------------------------------------------------

labs: $(addprefix lab,$(LAB_NUMBERS))
profile: $(if $(FILE),profile-own,$(addprefix profile-lab,$(LAB_NUMBERS)))
check: $(addprefix check-lab,$(LAB_NUMBERS))
demo: $(addprefix demo-lab,$(LAB_NUMBERS))
all: $(LIBS) $(PROGRAMS)

list:
	@awk -F'\t' 'NR > 1 { printf "lab%-3s %-47s %s\n", $$1, "labs/" $$2 "/" $$3 ".cu", $$4 }' \
		labs/labs.tsv

# The smallest set that serves: clang only where there is no nvcc, the grader's things and NVIDIA's
# toolkit only on request.
setup:
	@common/tools/setup.sh build $(if $(WITH_CLANG),$(if $(call on,CUDA),,front)) \
		plots handouts watch tests $(if $(call on,GRADING),grading)
	$(if $(call on,CUDA),@common/tools/setup-cuda.sh)

doctor:
	@NVCC='$(NVCC)' CLANG='$(CLANG)' FRONT='$(FRONT)' SIM_GPU='$(SIM_GPU)' common/tools/doctor.sh

# How each file is compiled, for clangd: an editor then finds definitions.
compile-commands: | $(BUILD)/.
	$(hush) common/dev/compile-commands.sh $(BUILD)/compile_commands.json

format:
	clang-format -i $(shell git ls-files '*.c' '*.h' '*.cu')

clean:
	$(call say,RM,$(BUILD)) rm -rf $(BUILD)

FORCE:
.PHONY: all check clean compile-commands demo doctor FORCE format help labs list profile setup
