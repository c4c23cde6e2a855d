# CUDA labs: the one user interface. `make` or `make help` says what there is.

SHELL := /bin/bash

## Targets (labN stands for a lab: `make list` names them)
##   labN            build and run the lab: check and time each of its kernels
##   profile-labN    collect the metrics that explain the times, and plot both
##   plot-labN       plot again what was measured last
##   timeline-labN   draw what copies and kernels do at the same time (lab 12)
##   check-labN      look for stray accesses, races, uninitialised reads, misused barriers and leaks
##   run, profile    with FILE=own.cu: run a program of your own; its kernels' metrics
##   watch-labN      labN again at each save of your file
##   hint-labN       the next hint for your next step; progress: how far you are with all labs
##   answers-labN    a file for your answer to each step's question
##   report          your answers, measurements, plots and code as a page to hand in; LAB=3: of this lab alone
##   see-labN        a page for a browser: what the warps of a block do, step by step
##   slides-labN     a page of slides of the lab for a browser, with notes for the speaker; needs npm
##   labs, profile, check     the same for all labs
##   occupancy       how many blocks of a kernel fit on a multiprocessor, and what limits them
##   install         simt, labprof and cudac as programs of their own, in PREFIX; uninstall removes them
##   list            name the labs
##   setup           install what is missing here; with CUDA=1 NVIDIA's toolkit too, with GRADING=1 the grader's needs
##   doctor          say what this machine has, what is lost without the rest, and what mends it
##   handouts        the labs' texts as web pages, in build/handouts
##   compile-commands     tell clangd, and so an editor, how each file is compiled
##   clean           remove build/
##   test            all tests; with ONLY='lint lab4' those of these files; ONLY=? names them
##
## For instructors
##   demo-labN       walk through the complete program, for an audience; demo: of all labs
##   diff-labN       your kernels beside the solution's
##   reset-labN      hand the lab out again; your file is kept beside it
##   grade-labN      grade SUBMISSION=path: a file, a folder, an archive; diff-labN SUBMISSION=path: beside the solution
##   rubric-labN     try a rubric: all points for the complete program, at most a fifth without a step's idea
##   grade           grade a class: SUBMISSIONS=folder (or one archive) LAB=3 JOBS=n, on a cluster with ENGINE=slurm
##   course          what is uploaded: FOR=gradescope, autolab or classroom50; for moodle or canvas with SUBMISSIONS=class.zip
##                   HINTS_PER_DAY=3: hints with so many submissions a day; DUE=2026-12-01T23:59: hidden cases told then
##   release         the students' edition, without the solutions
##   bench-grade     how long a class of 200 takes to grade
##
## Settings, with what they are if you do not give them; each can be given on the command line or in the environment
##   FROM=labs           which programs: labs (yours) or solutions
FROM    ?= labs
##   DEVICE=auto         where they run: gpu, sim (the simulator), or a GPU if there is one
DEVICE  ?= auto
##   SIM_GPU=h200        the GPU that the simulator plays: a name in common/simt/gpus.tsv; for lab 9 gtx1060
SIM_GPU ?= h200
##   SIM_DEVICES=1       how many such GPUs it plays: 1 to 16
SIM_DEVICES ?= 1
##   ARCH=native         compute capability to build for, such as 86
ARCH    ?= native
##   FRONT=              the labs' compiler: nvcc if it is here, else clang, whose programs run on the simulator only
NVCC    ?= $(or $(call in_path,nvcc),$(wildcard /usr/local/cuda/bin/nvcc))
CLANG   ?= $(or $(call in_path,clang++ clang++-19 clang++-16 clang++-14),clang++)
FRONT   ?= $(if $(NVCC),nvcc,clang)
##   SIZE= BLOCK=        problem size, such as 5000, or for a matrix 77x131; threads per block
##   ARGS=               more flags for the program; ARGS=--help names them
##   FILE=own.cu         a program of your own, for run and profile; ARGS=: its arguments;
##                       FLAGS=-rdc=true: more flags for its compiler
##   METRICS=            the metrics of profile, such as METRICS=ipc,gld_transactions;
##                       build/bin/labprof --query-metrics names them
##   LAUNCHER=           what to start programs with, such as LAUNCHER='srun -G1'
##   STEP=1              labN, profile-labN, check-labN, see-labN: this step alone, by number or name
##   STEPS=2,3           see-labN: two steps side by side
##   BLOCK_INDEX=0,0     see-labN: which block; WARPS=0-3: of its warps these alone; LAUNCH=2: in which launch of the kernel
##   GPUS=h200,gtx1060   see-labN: what the step's warps wait for on two GPUs, on one axis
##   REGS=32 THREADS=256 SHARED=0 GPU=h200    occupancy: registers of a thread, threads and bytes of a block, the GPU
##   REPLAY=h200         demo-labN, slides-labN: show what was recorded on that GPU
##   PLOT=0              profile-labN: draw nothing, so gnuplot is not needed
PLOT    ?= 1
##   PREDICT=1           labN: ask before the run what you expect; shown beside what is measured
##   REFERENCE=1         labN: show the solution's figures beside the steps still to do
##   VARIANTS=1          labN: build and run the lab's other builds too, as profile-labN does
##   BUILD=build         the folder to build in
BUILD   ?= build
##   PREFIX=/usr/local   install: where to; DESTDIR= in front of it, for packagers
##   V=1                 show the commands; NO_COLOR=1: no colours; NO_INSTALL=1: install nothing
##
## For developers
##   bench-edit      how long a student waits after a change, for each lab and compiler
##   test-labN       the tests of a lab; test-gpu: those that need a GPU
##   test-browser    the pages of see-labN in chromium, by Playwright; needs npm
##   test-cluster    a class of STUDENTS=2000 on a Slurm cluster that has trouble; needs root, takes tens of minutes
##   bench-simt      the simulator's speed on all labs; with BASE=path/to/simt, the ratio to that build too
##   new-lab         begin a lab, with NAME=scan: all its files, from a template that works
##   skeletons       make the students' versions from the solutions
##   record-labN     keep measurements of the solutions as this GPU's reference
##   compare-labN    compare the simulator with the recording of SIM_GPU: what it counts, and the order of the steps
##   compare         the same for all labs, and every kernel in one table
##   truth           modelled times against measured ones, from what is recorded: plots/reference/truth.md
##   race-lab6       the last kernels against CUB on a GPU, 2^20 to 2^30 integers; kept as its reference
##   sizes-lab9      lab 9 at the sizes of a lecture's tables, on a GPU; kept as its reference
##   sweep-gpus      two kernels on every simulated GPU; kept
##   front-labN      compare clang's program with nvcc's, on the simulator; test-front: all labs, with every clang here
##   record-front    keep what clang's and nvcc's programs count, side by side
##   test-bare       the README's commands on a minimal Debian, made for that and removed again; needs root
##   test-platforms  what course writes, run as the platforms run it, on bare systems; needs root
##   test-container  the Containerfile carried out in a chroot, and the lab and the tests in it; needs root; with
##                   MACHINES='amd64 arm64' on two processors, which must count and time the same
##   test-notebook   notebooks/colab.ipynb, run on the simulator
##   record-model    record all labs at three sizes on a GPU; compare-model: on the simulator too, and then truth
##   record-random   record random kernels on a GPU; random-runs: on the simulator
##   calibrate       measure the constants of the time model; measure-timeline: those of copies and calls of the API
##   format          format C and CUDA

# What to grade, and where.
LAB    ?= 3
ENGINE ?= local
# $(call in_path,NAME...): the first program in PATH that has the first of these names that there is.
in_path = $(firstword $(foreach file,$(foreach name,$(1),$(wildcard $(addsuffix /$(name),$(subst :, ,$(PATH))))),\
	$(if $(wildcard $(file)/.),,$(file))))
# Looked for once, not at each use.
NVCC   := $(NVCC)
CLANG  := $(CLANG)
CC     := gcc

help:
	@sed -n 's/^## \{0,1\}//p' Makefile

# ---- How it is done: what each file holds ---------------------------------------------------------------------------

include common/make/settings.mk       # the settings checked; the compiler, the device, how programs are started
include common/make/build.mk          # how a C file, a program and a CUDA file are built
include common/simt/rules.mk          # the simulator
include common/see/rules.mk            # the page that shows a recording of a warp
include common/simt/measure/rules.mk  # calibrate, measure-timeline
include common/labprof/rules.mk       # the profiler
include common/front/rules.mk         # clang in nvcc's place; front-labN
include common/make/answers.mk        # answers-labN, report: what a student predicts, and hands in
include common/make/labs.mk           # labN, profile-labN and what else is done with a lab; run FILE=own.cu
include common/slides/rules.mk        # slides-labN
include common/make/install.mk        # install, uninstall
include common/make/measure.mk        # record-labN, race-labN, compare-labN
include common/compare/rules.mk       # truth: modelled times and lecture notes beside measurements
include handouts/rules.mk             # handouts, their numbers, pictures and claims
-include common/grade/rules.mk        # grade-labN, grade, diff-labN, release; not in the students' edition
include tests/rules.mk                # test
# Headers that each object and each lab was built from: no rule makes these lists, nor headers that are gone.
HEADER_LISTS := $(wildcard $(foreach depth,*/ obj/*/*/ obj/*/*/*/ obj/*/*/*/*/ obj/*/*/*/*/*/ solutions/*/,$(BUILD)/$(depth)*.d))
-include $(HEADER_LISTS)
$(HEADER_LISTS): ;
%.h %.def: ;

# ---- The verbs ------------------------------------------------------------------------------------------------------

labs: $(addprefix lab,$(LAB_NUMBERS))
profile: $(if $(FILE),profile-own,$(addprefix profile-lab,$(LAB_NUMBERS)))
check: $(addprefix check-lab,$(LAB_NUMBERS))
demo: $(addprefix demo-lab,$(LAB_NUMBERS))
all: $(LIBS) $(PROGRAMS)

list:
	@awk -F'\t' 'NR > 1 { printf "lab%-3s %-47s %s\n", $$1, "labs/" $$2 "/" $$3 ".cu", $$4 }' labs/labs.tsv

# The smallest set that serves: clang only where there is no nvcc, the grader's things and NVIDIA's toolkit only on
# request.
setup:
	@common/tools/setup.sh build $(if $(WITH_CLANG),$(if $(call on,CUDA),,front)) plots handouts watch tests \
		$(if $(call on,GRADING),grading)
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
