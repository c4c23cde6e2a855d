# CUDA labs: the one user interface. `make` or `make help` says what there is.

# ---- Settings: each can be given on the command line, as in `make lab3 FROM=solutions SIZE=1000003` ------------------

FROM     ?= labs
DEVICE   ?= auto
SIM_GPU  ?= h200
ARCH     ?= native
SIZE     ?=
BLOCK    ?=
ARGS     ?=
FILE     ?=
FLAGS    ?=
LAUNCHER ?=
VARIANTS ?=
V        ?=
REPLAY   ?=
PLOT     ?= 1
BUILD    ?= build
CC        = gcc
NVCC     ?= $(or $(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc))
FRONT    ?= $(if $(NVCC),nvcc,clang)
CLANG    ?= $(or $(firstword $(foreach name,clang++ clang++-19 clang++-16 clang++-14,$(shell command -v $(name)))),clang++)

# The compiler of the labs: nvcc, or where there is no toolkit clang behind nvcc's command line.
WITH_CLANG = $(filter clang,$(FRONT))
CUDAC      = $(if $(WITH_CLANG),CLANG='$(CLANG)' BUILD='$(BUILD)' common/front/cudac,$(NVCC))

# The CUDA toolkit's folder: its lib64 has the runtime library. It is nvcc that knows (the nvcc in PATH may be a script that calls
# another); it is asked once. Debian's does not name it, but where its headers are.
CUDA_HOME = $(eval CUDA_HOME := $(if $(NVCC),$$(realpath $$(or $$(shell $(NVCC) --dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^\#$$$$ TOP=//p'),$$(shell \
	$(NVCC) -M -x cu /dev/null 2>/dev/null | grep -o '[^ ]*/include/cuda_runtime.h' | sed 's|/include/.*||')))))$(CUDA_HOME)

# make and the shell give some characters a meaning of their own, which no quoting takes from all of them.
SPECIAL := " ' ` : ; % = * ? [ ] ( ) < > & | ~ \ \#
special_in = $(firstword $(foreach c,$(SPECIAL),$(if $(findstring $(c),$(1)),$(c))) $(if $(findstring $$,$(1)),$$))
$(if $(filter 1,$(words $(BUILD))),$(if $(call special_in,$(BUILD)),$(error BUILD=$(BUILD): make cannot build in a folder with $(call \
	special_in,$(BUILD)) in its path: give another folder)),$(error BUILD=$(BUILD): give one folder, without a space in its path))

## Targets (labN stands for a lab: `make list` names them)
##   labN            build and run the lab: check and time each of its kernels
##   profile-labN    collect the metrics that explain the times, and plot both
##   plot-labN       plot again what was measured last
##   check-labN      look for stray accesses, races, uninitialised reads, misused barriers and leaks
##   run, profile    with FILE=own.cu: run a program of your own; its kernels' metrics
##   demo-labN       walk through the complete program, for an audience
##   diff-labN       your kernels beside the solution's
##   reset-labN      hand the lab out again; your file is kept beside it
##   grade-labN      grade SUBMISSION=path (a file, a folder, an archive); diff-labN SUBMISSION=path: beside the solution
##   grade           grade a class: SUBMISSIONS=folder (or one archive) LAB=3 JOBS=n, on a cluster with ENGINE=slurm
##   release         the students' edition, without the solutions
##   labs, profile, demo, check       the same for all labs
##   list            name the labs
##   setup           install what is missing on this machine; with CUDA=1 NVIDIA's toolkit too, with GRADING=1 the grader's needs
##   doctor          say what this machine has, what is lost without the rest, and what mends it
##   handouts        the labs' texts as web pages, in build/handouts
##   clean           remove build/
##
## Settings, with what they are if you do not give them
##   FROM=labs           which programs: labs (yours) or solutions
##   DEVICE=auto         where they run: gpu, sim (the simulator), or a GPU if there is one
##   SIM_GPU=h200        the GPU that the simulator plays: a name in common/simt/gpus.tsv
##   ARCH=native         compute capability to build for, such as 86
##   FRONT=              the labs' compiler: nvcc if it is here, else clang, whose programs run on the simulator only
##   SIZE= BLOCK=        problem size, such as 5000, or for a matrix 77x131; threads per block
##   ARGS=               more flags for the program; ARGS=--help names them
##   FILE=own.cu         a program of your own, for run and profile; FLAGS=-rdc=true: more flags for its compiler; ARGS=: its arguments
##   METRICS=            the metrics of profile, such as METRICS=ipc,gld_transactions: build/bin/labprof --query-metrics names them
##   LAUNCHER=           what to start programs with, such as LAUNCHER='srun -G1'
##   REPLAY=h200         demo-labN: show what was recorded on that GPU, run nothing
##   PLOT=0              profile-labN: draw nothing, so gnuplot is not needed
##   VARIANTS=1          labN: build and run the lab's other builds too, as profile-labN does
##   V=1                 show the commands; NO_COLOR=1: no colours; NO_INSTALL=1: install nothing
##
## For developers
##   bench-grade     how long a class of 200 takes to grade
##   test, test-gpu, bench-simt     all tests; those that need a GPU; the simulator's speed
##   skeletons       make the students' versions from the solutions
##   record-labN     keep measurements of the solutions as this GPU's reference
##   compare-labN    hold the simulator against the recording of SIM_GPU
##   compare         the same for all labs, and every kernel in one table
##   race-lab6       the last kernels against CUB on a GPU, 2^20 to 2^30 integers; kept as its reference
##   front-labN      hold clang's program against nvcc's, on the simulator; test-front: all labs, with every clang here
##   record-front    keep what clang's and nvcc's programs count, side by side
##   test-bare       the README's commands on a minimal Debian, made for that and removed again; needs root
##   record-model, compare-model     the same for the time model: all labs, three sizes
##   calibrate       measure the constants of the time model
##   format          format C and CUDA
##   compile-commands     tell clangd, and so an editor, how each file is compiled

help:
	@sed -n 's/^## \{0,1\}//p' Makefile

comma := ,
# Rooms add what they build to these lists.
LIBS     :=
PROGRAMS :=

# ---- How things are built -------------------------------------------------------------------------------------------

MAKEFLAGS += --no-builtin-rules
# All processors, unless the user says how many.
PROCESSORS := $(if $(filter 0,$(MAKELEVEL)),$(if $(findstring -j,$(shell tr '\0' ' ' </proc/$$PPID/cmdline)),,-j$(shell nproc)))
MAKEFLAGS += $(PROCESSORS)
SHELL     := /bin/bash
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SECONDARY:
.SUFFIXES:

SANITIZE ?=
CFLAGS    = -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror $(SANITIZE)
LDFLAGS   = $(SANITIZE)

# $(call say,WORD,WHAT) begins a recipe line: one quiet line of output, or with V=1 the command itself.
say = $(if $(filter-out 0,$(V)),,@printf '  %-8s%s\n' '$(1)' '$(2)' &&)
# $(call hush) begins one that prints nothing of its own.
hush = $(if $(filter-out 0,$(V)),,@)
# Compiling a C file also writes the list of the headers it read; the list is included below.
DEPFLAGS = -MMD -MP -MF $(@:.o=.d)

# A directory is made when something in it is: name it as an order-only prerequisite, `| $$(@D)/.`
.PRECIOUS: $(BUILD)/. $(BUILD)/%/.
$(BUILD)/%/.:
	@mkdir -p $@
$(BUILD)/.:
	@mkdir -p $@

# Every C file: build/obj/<path>.o, with its own flags in CFLAGS_<path>.o if a room sets them.
$(BUILD)/obj/%.o: %.c | $$(@D)/. $(BUILD)/setup/build
	$(call say,CC,$<) $(CC) $(CFLAGS) $(CFLAGS_$*.o) $(DEPFLAGS) -Icommon -c -o $@ $<

# What a group of targets needs from the system, installed once: build/setup/<group>, groups as in common/packages.tsv.
SETUP_GROUPS := build front plots handouts tests grading
$(addprefix $(BUILD)/setup/,$(SETUP_GROUPS)): $(BUILD)/setup/%: common/packages.tsv | $$(@D)/.
	@common/tools/setup.sh $* && touch $@

-include common/simt/rules.mk
-include common/simt/measure/rules.mk
-include common/labprof/rules.mk
-include common/front/rules.mk
-include handouts/rules.mk
-include common/compare/rules.mk

# ---- The labs: one row each in labs/labs.tsv, and nowhere else ------------------------------------------------------

LAB_NUMBERS := $(shell awk -F'\t' 'NR > 1 { print $$1 }' labs/labs.tsv)
# $(call field,NUMBER,COLUMN): a cell of the labs' table.
field = $(shell awk -F'\t' -v lab='$(1)' -v name='$(2)' -f common/tools/lab-field.awk labs/labs.tsv)

# Targets that take a lab's number, as in profile-lab3.
LAB_VERBS   := lab profile-lab plot-lab check-lab demo-lab diff-lab reset-lab record-lab compare-lab grade-lab front-lab
# Labs whose program can race against a library over a range of sizes: race-labN.
RACES       := 6
LAB_TARGETS := $(foreach verb,$(LAB_VERBS),$(addprefix $(verb),$(LAB_NUMBERS))) $(addprefix race-lab,$(RACES))

# Bad settings and labs that do not exist: say so before anything is built.
quoted = '$(subst ','\'',$(1))'
WRONG_FILE := $(if $(filter run,$(MAKECMDGOALS))$(and $(FILE),$(filter profile,$(MAKECMDGOALS))),$(shell common/tools/own-program.sh $(call quoted,$(FILE))))
$(if $(WRONG_FILE),$(error $(WRONG_FILE)))
NO_FILE := $(if $(and $(FILE),$(filter 0,$(MAKELEVEL))),$(filter-out help run profile,$(or $(MAKECMDGOALS),help)))
$(if $(NO_FILE),$(error FILE=$(FILE): goes with run and profile, not with $(firstword $(NO_FILE))))
one-of = $(if $(filter $($(1)),$(2)),,$(error $(1)=$($(1)): give one of: $(2)))
SIM_GPUS := $(shell common/tools/gpu.sh names)
$(call one-of,FROM,labs solutions)
# The students' edition has no solutions: what needs them says so.
OF_SOLUTIONS := demo diff-lab% grade-lab% reset-lab% demo-lab% record-lab% compare-lab% skeletons grade release
NO_SOLUTION  := $(if $(wildcard solutions),,$(filter $(OF_SOLUTIONS),$(MAKECMDGOALS)) $(if $(filter solutions,$(FROM)),FROM=solutions))
$(if $(strip $(NO_SOLUTION)),$(error $(firstword $(NO_SOLUTION)): needs the solutions, which are not in the students' edition))
$(call one-of,DEVICE,auto gpu sim)
$(call one-of,SIM_GPU,$(SIM_GPUS))
$(call one-of,FRONT,nvcc clang)
$(if $(WITH_CLANG),$(if $(filter gpu,$(DEVICE)),$(error DEVICE=gpu needs nvcc: `make setup CUDA=1` installs it, or say where it is: NVCC=/path/to/nvcc)))
$(if $(filter-out native,$(shell printf '%s' '$(ARCH)' | tr -d 0-9)),$(error ARCH=$(ARCH): give native or a number such as 86))
$(if $(SIZE),$(if $(shell printf '%s\n' $(SIZE) | grep -vxE '[0-9]+(x[0-9]+)?'),$(error SIZE=$(SIZE): give a whole number such as 5000, or for a matrix 77x131)))
NO_SUCH_LAB := $(filter-out $(LAB_TARGETS),$(filter $(addsuffix %,$(LAB_VERBS)),$(filter-out labs labprof,$(MAKECMDGOALS))))
$(if $(NO_SUCH_LAB),$(error $(firstword $(NO_SUCH_LAB)): there is no such lab; `make list` names those there are))

# A setting that nothing here reads is most likely misspelt: said, but no error, as a program may read it from its environment.
given  = $(foreach name,$(.VARIABLES),$(if $(findstring command,$(origin $(name))),$(name)))
UNREAD := $(if $(filter 0,$(MAKELEVEL)),$(if $(given),$(shell common/tools/unread.sh $(given))))
$(foreach name,$(UNREAD),$(warning $(name)=$($(name)): nothing reads a setting of this name; `make help` names them))

# What needs a compiler of CUDA says so at once where there is none, and none can be installed.
WITHOUT_COMPILER := help test-bare list clean setup doctor format skeletons $(foreach verb,plot-lab diff-lab reset-lab,$(verb)%)
can_install = $(if $(filter-out 0,$(NO_INSTALL)),,$(shell command -v apt-get))
compiler    = $(if $(WITH_CLANG),$(or $(shell command -v $(CLANG)),$(can_install)),$(shell command -v $(NVCC)))
no_compiler = $(if $(WITH_CLANG),neither nvcc nor clang is here: install clang; or say where one is: CLANG=/path/to/clang++ or,$(NVCC) \
	is not here: install the CUDA toolkit (11.8 or newer; no GPU needed); or use clang: NVCC= ; or say where it is:) NVCC=/path/to/nvcc
$(if $(filter-out $(WITHOUT_COMPILER),$(or $(MAKECMDGOALS),help)),$(if $(compiler),,$(error $(no_compiler))))

# nvcc hands the folder's name to a shell and to the assembler, in quotes that these two end.
NVCC_STOPS_AT := $(if $(WITH_CLANG),,$(firstword $(foreach c," `,$(if $(findstring $(c),$(CURDIR)),$(c)))))
$(if $(filter-out $(WITHOUT_COMPILER),$(or $(MAKECMDGOALS),help)),$(if $(NVCC_STOPS_AT),$(error the folder $(CURDIR) has \
	$(NVCC_STOPS_AT) in its path, at which nvcc stops: rename the folder, or use clang: NVCC=)))

# The grader takes object files apart as nvcc makes them, and the time model's constants are those of its code.
NEED_NVCC := $(if $(WITH_CLANG),$(filter grade grade-lab% bench-grade calibrate,$(MAKECMDGOALS)))
$(if $(NEED_NVCC),$(error $(firstword $(NEED_NVCC)) needs nvcc, but no GPU: `make setup CUDA=1` installs it, or say where it is: NVCC=/path/to/nvcc))

# Nothing can be built where nothing can be written: said once, not for each file.
writable = $(shell folder='$(BUILD)'; until [ -e "$$folder" ]; do folder=$$(dirname "$$folder"); done; [ -w "$$folder" ] && echo yes)
$(if $(filter-out help list clean doctor setup test-bare,$(or $(MAKECMDGOALS),help)),$(if $(writable),,$(error the folder $(BUILD) \
	cannot be written: work in a copy of the project that is yours, or name another folder: BUILD=/path/to/folder)))

# Where a lab's source is, where its results go.
source   = $(FROM)/$(call field,$(1),folder)/$(call field,$(1),program).cu
solution = solutions/$(call field,$(1),folder)/$(call field,$(1),program).cu
student  = labs/$(call field,$(1),folder)/$(call field,$(1),program).cu
RESULTS  = $(BUILD)$(if $(filter solutions,$(FROM)),/solutions)
program  = $(RESULTS)/lab$(1)/$(call field,$(1),program)

# ---- The device: a GPU if there is one, else the simulator ----------------------------------------------------------

# Found out once, when first needed.
DEVICE_FOUND = $(eval DEVICE_FOUND := $(if $(WITH_CLANG),sim,$(if $(filter auto,$(DEVICE)),$(if $(findstring GPU,$(shell \
	$(LAUNCHER) nvidia-smi -L 2>/dev/null)),gpu,sim),$(DEVICE))))$(DEVICE_FOUND)
ON_SIM = $(filter sim,$(DEVICE_FOUND))
# What to build for beside 75: ARCH, or the GPU's compute capability if the compiler knows it (a newer GPU compiles the PTX for
# 75 itself). Nothing on the simulator, which runs what is built for 75.
native    = $(shell $(LAUNCHER) nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .)
known     = $(if $(filter compute_$(1),$(shell $(NVCC) --list-gpu-arch)),$(1))
GPU_ARCH  = $(eval GPU_ARCH := $(filter-out 75,$(or $(filter-out native,$(ARCH)),$(if $(ON_SIM),,$(call known,$(native))))))$(GPU_ARCH)

# The runtime library that programs of this compiler ask for: CUDA 11's has another name than its version.
RELEASE   = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9]*\).*/\1/p')
CUDART    = $(eval CUDART := libcudart.so.$(if $(WITH_CLANG),13,$(subst 11,11.0,$(RELEASE))))$(CUDART)
SIMULATOR = $(BUILD)/bin/simt $(BUILD)/simt/$(CUDART) $(BUILD)/simt/gpus.tsv
RUN       = $(if $(ON_SIM),$(BUILD)/bin/simt --gpu $(SIM_GPU),$(LAUNCHER))
# One program at a time: side by side they would spoil each other's times.
ALONE     = flock $(BUILD)/run.lock env
# SIZE=77x131 is a matrix of 77 rows and 131 columns, for labs that work on one.
SIZE_FLAGS = $(if $(findstring x,$(SIZE)),--rows $(subst x, --cols ,$(SIZE)),$(if $(SIZE),--size $(SIZE)))
RUN_FLAGS = $(SIZE_FLAGS) $(if $(BLOCK),--block $(BLOCK)) $(ARGS)

# Recorded measurements: shown beside steps still to do where the device is the same.
empty :=
LABS_REFERENCE = $(subst $(empty) ,:,$(wildcard plots/reference/*/lab$(1).csv))

# ---- Building a lab -------------------------------------------------------------------------------------------------

# PTX and code for 7.5, which the simulator runs, and code for the GPU at hand. The runtime is a shared library, so that the
# simulator can take its place.
NVCC_FLAGS = $(OPTIMISE) -lineinfo -Icommon -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' \
	$(foreach arch,$(GPU_ARCH),-gencode arch=compute_$(arch),code=sm_$(arch)) \
	$(if $(WITH_CLANG),,-Xlinker -rpath -Xlinker '$(CUDA_HOME)/lib64')

# How hard the compiler of the CPU's part tries, which most of the time goes into. Tests of small problems ask for less: that is no
# reason to build anything again.
HOST_OPTIMISE ?= -O3
OPTIMISE       = $(if $(WITH_CLANG),-O3,$(HOST_OPTIMISE))

# The flags of the last build: a lab is built again when they change.
BUILT_WITH = $(CUDAC) $(filter-out $(OPTIMISE),$(NVCC_FLAGS))
$(BUILD)/nvcc-flags: FORCE | $$(@D)/.
	@printf '%s\n' "$(BUILT_WITH)" | cmp -s - $@ || printf '%s\n' "$(BUILT_WITH)" > $@

# A lab may be built in several ways beside the main one, each with nvcc flags of its own: the column variants of labs.tsv holds
# NAME=FLAG,FLAG..., separated by spaces. What belongs to a variant has its name: PROGRAM-NAME, run-NAME.csv, labN-NAME.csv.
variants      = $(foreach v,$(call field,$(1),variants),$(firstword $(subst =, ,$(v))))
variant_flags = $(subst $(comma), ,$(patsubst $(2)=%,%,$(filter $(2)=%,$(call field,$(1),variants))))
# $(call builds,NUMBER): main and the variants; $(call tail,BUILD): what file names end in for it.
builds        = main $(call variants,$(1))
tail          = $(if $(filter-out main,$(1)),-$(1))
# Debugging information has the source lines too, and nvcc refuses to be asked twice.
flags_with    = $(if $(filter -G,$(1)),$(filter-out -lineinfo,$(NVCC_FLAGS)),$(NVCC_FLAGS)) $(1)

# What takes the compiler long and never changes, such as a library's headers, is not compiled with the lab: the column
# `linked with` has such sources, compiled once. They need the toolkit.
linked = $(if $(WITH_CLANG),,$(patsubst %.cu,$(BUILD)/obj/%.o,$(call field,$(1),linked with)))
$(BUILD)/obj/%.o: %.cu $(BUILD)/nvcc-flags | $$(@D)/. $(BUILD)/setup/build
	$(call say,NVCC,$<) $(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<

# $(call lab_program,NUMBER,PROGRAM,SOURCE,BUILD)
define lab_program
$(2)$(call tail,$(4)): $(3) $(call linked,$(1)) $(BUILD)/nvcc-flags $(front_parts) | $$$$(@D)/. $(front_setup)
	$$(call say,$$(if $$(WITH_CLANG),CLANG,NVCC),$$< $(call variant_flags,$(1),$(4))) $$(CUDAC) $$(call flags_with,$(call variant_flags,$(1),$(4))) $(call field,$(1),nvcc flags) -MMD -MP -MF $$@.d -MT $$@ -o $$@ $$< $(call linked,$(1)) || \
		{ echo "$$<: does not compile; the compiler's messages above say where" >&2; exit 1; }
endef
# With clang a lab is linked with the simulator's library, and built again when the front end changes.
front_parts = $(if $(WITH_CLANG),common/front/cudac $(wildcard common/front/*.awk) $(wildcard $(SIMT)/include/*) $(BUILD)/simt/libcudart.so.13 $(CUDAC_PROGRAMS))
front_setup = $(BUILD)/setup/build $(if $(WITH_CLANG),$(BUILD)/setup/front)
lab_programs = $(foreach b,$(call builds,$(1)),$(eval $(call lab_program,$(1),$(BUILD)$(2)/lab$(1)/$(call field,$(1),program),$(3),$(b))))
$(foreach n,$(LAB_NUMBERS),$(call lab_programs,$(n),,$(call student,$(n))))
$(foreach n,$(LAB_NUMBERS),$(call lab_programs,$(n),/solutions,$(call solution,$(n))))

# $(call complete,NUMBER): the complete program, in all its builds.
complete = $(foreach b,$(call builds,$(1)),$(call demo_program,$(1))$(call tail,$(b)))
programs: $$(if $$(wildcard solutions),$$(foreach n,$$(LAB_NUMBERS),$$(call complete,$$(n))))

# ---- Running a lab --------------------------------------------------------------------------------------------------

# $(call needs,NUMBER,BUILDS): what their runs need. The other builds take as long again: profile-labN runs them, labN on request.
needs = $(foreach b,$(2),$(call program,$(1))$(call tail,$(b))) $(if $(ON_SIM),$(SIMULATOR))
wanted_builds = $(if $(filter-out 0,$(VARIANTS)),$(call builds,$(1)),main)

$(addprefix lab,$(LAB_NUMBERS)): lab%: $$(call needs,$$*,$$(call wanted_builds,$$*))
	$(hush) $(foreach b,$(call wanted_builds,$*),$(call announce,$*,$(b)) $(ALONE) LABS_REFERENCE='$(call LABS_REFERENCE,$*$(call tail,$(b)))' $(call small_sizes,$*) \
		LABS_PROBLEM=$(RESULTS)/lab$*/run$(call tail,$(b)).problem \
		$(RUN) $(call program,$*)$(call tail,$(b)) $(RUN_FLAGS) --csv $(RESULTS)/lab$*/run$(call tail,$(b)).csv &&) true

# A student's step that is right is looked at by the simulator's checker too, on problems that take no time. The solutions are
# known to be clean.
small_sizes = $(if $(filter labs,$(FROM)),LABS_SMALL_SIZES='$(call field,$(1),small sizes)')

# A line above what a variant prints.
announce = $(if $(call tail,$(2)),printf '\nThe same program built with %s:\n\n' '$(call variant_flags,$(1),$(2))' &&)
LABPROF     = $(BUILD)/bin/labprof
draws       = $(filter-out 0,$(PLOT))

# A step that is wrong makes the program fail, and the profile with it; what was measured in this run is drawn all the same.
$(addprefix profile-lab,$(LAB_NUMBERS)): profile-lab%: $$(call needs,$$*,$$(call builds,$$*)) $(PROFILER) | $(if $(draws),$(BUILD)/setup/plots $(RESULTS)/plots/.)
	$(hush) touch $(RESULTS)/lab$*/began; status=0; \
		$(foreach b,$(call builds,$*),$(call announce,$*,$(b)) $(call profile_build,$*,$(call tail,$(b)),$(RESULTS)/lab$*) || status=$$?;) \
		$(if $(draws),if [ $(RESULTS)/lab$*/metrics.csv -nt $(RESULTS)/lab$*/began ]; then common/tools/plot.sh $* $(RESULTS) $(call variants,$*) || status=$$?; fi;) \
		exit $$status

# $(call profile_build,NUMBER,TAIL OF THE BUILD,FOLDER OF RESULTS)
profile_build = $(ALONE) DEVICE=$(DEVICE_FOUND) LABS_PROBLEM=$(3)/profiled$(2).problem $(if $(ON_SIM),,$(LAUNCHER)) $(LABPROF) $(if $(ON_SIM),--gpu $(SIM_GPU)) \
	--lab-table --log-file $(3)/profile$(2).txt --lab-metrics $(3)/metrics$(2).csv --lab $(1) --steps $(3)/profiled$(2).csv \
	--metrics $(or $(METRICS),$(call field,$(1),metrics)) $(call program,$(1))$(2) --profile $(RUN_FLAGS) --csv $(3)/profiled$(2).csv

# A program of the user's own, compiled as the labs are, each time. Its path may have spaces in it, which make's targets may not.
OWN         = $(BUILD)/own/$$(basename "$$FILE" .cu)
OWN_METRICS = gpu_time,branch_efficiency,warp_execution_efficiency,achieved_occupancy,gld_efficiency,gst_efficiency,$\
	gld_transactions_per_request,gst_transactions_per_request,shared_efficiency
own-program: $(front_parts) $$(if $$(ON_SIM),$$(SIMULATOR)) | $(front_setup) $(BUILD)/own/.
	$(call say,$(if $(WITH_CLANG),CLANG,NVCC),$(subst ','\'',$(FILE))) $(CUDAC) $(call flags_with,$(FLAGS)) -o "$(OWN)" "$$FILE" || \
		{ echo "$$FILE: does not compile; the compiler's messages above say where" >&2; exit 1; }

run: own-program
	$(hush) $(ALONE) $(RUN) "$(OWN)" $(ARGS)

profile-own: own-program $(PROFILER)
	$(hush) $(ALONE) DEVICE=$(DEVICE_FOUND) $(if $(ON_SIM),,$(LAUNCHER)) $(LABPROF) $(if $(ON_SIM),--gpu $(SIM_GPU)) \
		--metrics $(or $(METRICS),$(OWN_METRICS)) "$(OWN)" $(ARGS)

$(addprefix plot-lab,$(LAB_NUMBERS)): plot-lab%: | $(BUILD)/setup/plots $(RESULTS)/plots/.
	$(hush) common/tools/plot.sh $* $(RESULTS) $(call variants,$*)

$(addprefix check-lab,$(LAB_NUMBERS)): check-lab%: $$(call needs,$$*,main)
	$(hush) $(ALONE) common/tools/check.sh "$(if $(ON_SIM),$(RUN))" "$(LAUNCHER)" $(call program,$*) "$(or $(SIZE),$(call field,$*,check sizes))" $(if $(BLOCK),--block $(BLOCK)) $(ARGS)

# Measurements of the solutions, with some metrics more than students see: kept in plots/reference for this GPU.
all_metrics = $(call field,$(1),metrics),$(call field,$(1),also recorded)
measure     = $(MAKE) --no-print-directory PLOT=0 VARIANTS=1 FROM=solutions DEVICE=$(2) METRICS=$(call all_metrics,$(1))
measure_all = $(measure) lab$(1) && $(measure) profile-lab$(1)

$(addprefix record-lab,$(LAB_NUMBERS)): record-lab%:
	+@$(call measure_all,$*,$(DEVICE_FOUND))
	$(hush) NVCC='$(NVCC)' common/dev/record.sh $* $(BUILD)/solutions/lab$* $(call variants,$*)

# The solution's kernels against a library's, kept beside the recording. Only a GPU has times that matter here.
$(addprefix race-lab,$(RACES)): race-lab%: $$(call demo_program,$$*)
	$(if $(ON_SIM),$(error race-lab$*: times of a simulator win no race: run it where there is a GPU, with DEVICE=gpu))
	$(hush) $(ALONE) $(RUN) $< $(RUN_FLAGS) --race $(BUILD)/solutions/lab$*/race.csv
	$(hush) common/dev/race.sh $* $(BUILD)/solutions/lab$*

# Does the simulator say what the hardware says? A table beside the recording it is held against, and for all labs that have
# one, `compare` adds an overview. Modelled times do not vary: those of the run under the profiler are as good as any.
RECORDED = plots/reference/$(SIM_GPU)/lab$(1)
# Pairs of launches that the simulator is known to have in the wrong order.
OPEN_REVERSALS = $(addprefix --reversals ,$(wildcard $(dir $(call RECORDED,0))reversals.tsv))
# $(call recorded_builds,NUMBER): the builds of a lab that the GPU's folder has.
recorded_builds = $(strip $(foreach b,$(call builds,$(1)),$(if $(wildcard $(call RECORDED,$(1)$(call tail,$(b))).csv),$(b))))
recorded_labs   = $(strip $(foreach n,$(LAB_NUMBERS),$(if $(call recorded_builds,$(n)),$(n))))
simulate        = printf '  SIMT    lab%s\n' $(1) && $(call measure,$(1),sim) profile-lab$(1) >/dev/null

$(addprefix compare-lab,$(LAB_NUMBERS)): compare-lab%: $(BUILD)/bin/compare
	$(if $(call recorded_builds,$*),,$(error compare-lab$*: there is no $(call RECORDED,$*).csv; make it on that GPU with `make record-lab$*`))
	+@$(call simulate,$*)
	$(hush) $< labs $(OPEN_REVERSALS) $(call compared,$*)

compare: $(BUILD)/bin/compare
	$(if $(recorded_labs),,$(error compare: nothing has been recorded in $(dir $(call RECORDED,0))))
	+@$(foreach n,$(recorded_labs),$(call simulate,$(n)) &&) true
	$(hush) $< labs --overview $(dir $(call RECORDED,0))simt.md $(OPEN_REVERSALS) $(foreach n,$(recorded_labs),$(call compared,$(n)))

# $(call compared,NUMBER): what to compare of a lab, each build with its reasons and its table.
compared       = $(foreach b,$(call recorded_builds,$(1)),$(call compared_build,$(1),$(call tail,$(b))))
compared_build = $(addprefix --reasons ,$(wildcard plots/reference/lab$(1)$(2)-reasons.tsv)) --output $(call RECORDED,$(1)$(2))-simt.md \
	$(call RECORDED,$(1)$(2)).csv $(call RECORDED,$(1)$(2))-metrics.csv \
	$(BUILD)/solutions/lab$(1)/profiled$(2).csv $(BUILD)/solutions/lab$(1)/metrics$(2).csv

# Does clang's program do what nvcc's does? Every metric of both beside each other, in build/front, for each of CLANGS. One
# simulator runs both.
CLANGS       ?= $(CLANG)
front_version = clang$(shell $(1) -dumpversion | cut -d . -f 1)
front_size    = $(or $(SIZE),$(filter-out 0,$(word 3,$(call field,$(1),check sizes))),5000)
front_measure = $(MAKE) --no-print-directory FROM=solutions DEVICE=sim PLOT=0 METRICS=all SIZE=$(call front_size,$(1)) profile-lab$(1)
front_clang   = $(call front_measure,$(1)) FRONT=clang CLANG=$(2) BUILD=$(BUILD)/front >/dev/null && \
	mkdir -p $(BUILD)/front/$(call front_version,$(2)) &&
$(addprefix front-lab,$(LAB_NUMBERS)): front-lab%: $(BUILD)/bin/compare | $(BUILD)/front/.
	+$(hush) $(call front_measure,$*) FRONT=nvcc >/dev/null && cp -au $(addprefix $(BUILD)/,bin simt labprof setup) $(BUILD)/front/
	+$(hush) $(foreach c,$(CLANGS),$(call front_clang,$*,$(c)) $(foreach b,$(call builds,$*),$(call front_compare,$*,$(call tail,$(b)),$(c)) &&)) true

# $(call front_compare,NUMBER,TAIL OF THE BUILD,CLANG)
front_compare = $(BUILD)/bin/compare compilers --output $(BUILD)/front/$(call front_version,$(3))/lab$(1)$(2).txt $(call front_pair,$(1),$(2))
front_pair    = $(BUILD)/solutions/lab$(1)/metrics$(2).csv $(BUILD)/front/solutions/lab$(1)/metrics$(2).csv

# What both count, side by side, kept as a reference. The comparisons share a folder: one at a time.
FRONT_OVERVIEW = plots/reference/clang.md
record-front:
	+@$(MAKE) --no-print-directory -j1 $(addprefix front-lab,$(LAB_NUMBERS))
	@$(BUILD)/bin/compare compilers --overview $(FRONT_OVERVIEW) \
		--versions "clang $(shell $(CLANG) -dumpversion), nvcc $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" \
		$(foreach n,$(LAB_NUMBERS),$(call front_pair,$(n))) >/dev/null
	@echo '  wrote   $(FRONT_OVERVIEW)'

# The demonstration shows the complete program, whatever FROM says.
demo_program = $(BUILD)/solutions/lab$(1)/$(call field,$(1),program)
$(addprefix demo-lab,$(LAB_NUMBERS)): demo-lab%: $(BUILD)/bin/demo $$(call demo_program,$$*) $(PROFILER) $$(if $$(ON_SIM),$$(SIMULATOR))
	$(hush) $(ALONE) DEVICE=$(DEVICE_FOUND) $< --lab $* --source $(call solution,$*) --folder $(BUILD)/solutions/lab$* \
		--program "$(RUN) $(call demo_program,$*) $(RUN_FLAGS)" --profiler "$(if $(ON_SIM),,$(LAUNCHER)) $(LABPROF) $(if $(ON_SIM),--gpu $(SIM_GPU))" \
		$(if $(REPLAY),--replay $(REPLAY))

$(addprefix reset-lab,$(LAB_NUMBERS)): reset-lab%: $(BUILD)/bin/skeleton
	$(hush) $< reset $(call solution,$*) $(call student,$*)

labs: $(addprefix lab,$(LAB_NUMBERS))
profile: $(if $(FILE),profile-own,$(addprefix profile-lab,$(LAB_NUMBERS)))
check: $(addprefix check-lab,$(LAB_NUMBERS))
demo: $(addprefix demo-lab,$(LAB_NUMBERS))

skeletons: $(BUILD)/bin/skeleton
	$(hush) $(foreach n,$(LAB_NUMBERS),mkdir -p $(dir $(call student,$(n))) && $< write $(call solution,$(n)) $(call student,$(n)) &&) true

list:
	@awk -F'\t' 'NR > 1 { printf "lab%-3s %-47s %s\n", $$1, "labs/" $$2 "/" $$3 ".cu", $$4 }' labs/labs.tsv

# The smallest set that serves: clang only where there is no nvcc, the grader's things and NVIDIA's toolkit only on request.
set-to    = $(filter-out 0,$($(1)))
setup:
	@common/tools/setup.sh build $(if $(WITH_CLANG),$(if $(call set-to,CUDA),,front)) plots handouts tests $(if $(call set-to,GRADING),grading)
	$(if $(call set-to,CUDA),@common/tools/setup-cuda.sh)

doctor:
	@NVCC='$(NVCC)' CLANG='$(CLANG)' FRONT='$(FRONT)' common/tools/doctor.sh

# ---- Tools ----------------------------------------------------------------------------------------------------------

tool_skeleton := $(BUILD)/obj/common/dev/skeleton.o
tool_demo     := $(BUILD)/obj/common/tools/demo.o
TOOL_OBJS     := source csv
PROGRAMS  += $(addprefix $(BUILD)/bin/,skeleton demo)

$(addprefix $(BUILD)/bin/,skeleton demo): $(BUILD)/bin/%: $$(tool_$$*) $(TOOL_OBJS:%=$(BUILD)/obj/common/lib/%.o) | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# How each file is compiled, for clangd: an editor then finds definitions.
compile-commands: | $(BUILD)/.
	$(hush) common/dev/compile-commands.sh $(BUILD)/compile_commands.json
.PHONY: compile-commands

SOURCES = $(shell git ls-files '*.c' '*.h' '*.cu')
format:
	clang-format -i $(SOURCES)

-include common/grade/rules.mk
-include tests/rules.mk

# Headers that each object and each lab was built from.
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

all: $(LIBS) $(PROGRAMS)

clean:
	$(call say,RM,$(BUILD)) rm -rf $(BUILD)

FORCE:

.PHONY: all check clean compare demo doctor FORCE format help labs list own-program profile profile-own programs record-front run setup skeletons $(LAB_TARGETS)
