# settings.mk: checks the settings, reads the tables of labs, GPUs and notes, and derives the
# compiler, the device and how programs are started.

comma := ,
empty :=
space := $(empty) $(empty)
# $(call quoted,TEXT): one word for the shell, whatever is in it.
quoted = '$(subst ','\'',$(1))'
# $(call on,NAME): not empty if this setting is given, and not 0.
on = $(filter-out 0,$($(1)))
# $(call once,NAME,VALUE), as NAME's definition: find the value when it is first needed; keep it.
once = $(eval $(1) := $(2))$($(1))

# ---- Checks: a bad setting ends make before anything is built ---------------------------------

GOALS := $(or $(MAKECMDGOALS),help)
CHECKED := GOALS MAKELEVEL CURDIR BUILD FILE FROM DEVICE SIM_GPU GPUS SIM_DEVICES FRONT NVCC CLANG \
	ARCH SIZE NO_INSTALL LAB ENGINE SUBMISSION SUBMISSIONS PREDICT FOR HINTS_PER_DAY DUE STEP STEPS
# What the user gave on the command line; not what one make hands to another.
given = $(foreach name,$(.VARIABLES),\
	$(if $(findstring command,$(origin $(name))),$(call quoted,$(name)=$($(name)))))
WRONG := $(shell $(foreach name,$(CHECKED),$(name)=$(call quoted,$($(name)))) \
	bash common/make/check-settings.sh $(if $(filter 0,$(MAKELEVEL)),$(given)))
$(if $(WRONG)$(filter-out 0,$(.SHELLSTATUS)),$(error $(WRONG)))

# ---- The tables -------------------------------------------------------------------------------

# tables.awk says what its variables are called.
TABLES := name=lab labs/labs.tsv name=gpu common/simt/gpus.tsv \
	name=note common/compare/notes-runs.tsv
$(shell mkdir -p $(BUILD) && awk -f common/make/tables.awk $(TABLES) >$(BUILD)/labs.$$$$ \
	&& mv $(BUILD)/labs.$$$$ $(BUILD)/labs.mk)
-include $(BUILD)/labs.mk

# The labs: one row each in labs/labs.tsv, and nowhere else. $(call field,NUMBER,COLUMN): a cell.
LAB_NUMBERS := $(lab.keys)
field        = $(lab.$(1).$(2))

# ---- The compiler of the labs: nvcc, or without a toolkit clang after nvcc's command line -----

WITH_CLANG := $(filter clang,$(FRONT))
CUDAC      := $(if $(WITH_CLANG),CLANG='$(CLANG)' BUILD='$(BUILD)' common/front/cudac,$(NVCC))

# The CUDA toolkit's folder: the one that nvcc is in, or names; Debian's does neither, but names its
# headers. Its lib64 has the runtime library.
CUDA_HOME   = $(call once,CUDA_HOME,$(if $(NVCC),$(realpath \
	$(or $(nvcc_folder),$(nvcc_top),$(nvcc_headers)))))
nvcc_folder  = $(patsubst %/include/cuda_runtime.h,%,$(wildcard \
	$(addsuffix ../include/cuda_runtime.h,$(dir $(realpath $(NVCC))))))
nvcc_top     = $(shell $(NVCC) --dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^\#$$ TOP=//p')
nvcc_headers = $(shell $(NVCC) -M -x cu /dev/null 2>/dev/null | \
	sed -n 's|.* \([^ ]*\)/include/cuda_runtime.h.*|\1|p')

# The runtime library that programs of this compiler ask for: CUDA 11's is called 11.0.
CUDART  = $(call once,CUDART,$(if $(WITH_CLANG),libcudart.so.13,$(or $(installed_cudart),$\
	libcudart.so.$(subst 11,11.0,$(RELEASE)))))
installed_cudart = $(notdir $(firstword $(wildcard \
	$(addprefix $(CUDA_HOME)/lib64/libcudart.so.,13 12 11.0))))
RELEASE = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9]*\).*/\1/p')

# ---- The device: a GPU if there is one, else the simulator ------------------------------------

DEVICE_FOUND = $(call once,DEVICE_FOUND,$(if $(WITH_CLANG),sim,$\
	$(if $(filter auto,$(DEVICE)),$(gpu_or_sim),$(DEVICE))))
gpu_or_sim   = $(if $(findstring GPU,$(shell $(LAUNCHER) nvidia-smi -L 2>/dev/null)),gpu,sim)
ON_SIM       = $(filter sim,$(DEVICE_FOUND))
# $(call ask_gpu,PROPERTY): what the driver says of the first GPU.
ask_gpu = $(shell $(LAUNCHER) nvidia-smi --query-gpu=$(1) --format=csv,noheader 2>/dev/null | \
	head -n 1)

# What nvcc makes machine code for: ARCH, or the GPU at hand or played. The simulator runs the PTX
# for 7.5, and models times from that code; for a GPU that the compiler does not know it has 7.5's.
GPU_ARCH = $(call once,GPU_ARCH,$(if $(WITH_CLANG),,$\
	$(or $(filter-out native,$(ARCH)),$(call code_for,$(at_hand)))))
at_hand  = $(if $(ON_SIM),$(foreach gpu,$(or $(subst $(comma), ,$(GPUS)),$(SIM_GPU)),$(arch_of)),$\
	$(subst .,,$(call ask_gpu,compute_cap)))
# $(arch_of), in a foreach: of $(gpu), one that the simulator plays.
arch_of  = $(gpu.cc_major.$(gpu))$(gpu.cc_minor.$(gpu))
# $(call code_for,ARCHITECTURES): what nvcc is to make for these.
code_for = $(or $(filter $(1),$(compiler_knows)),75)
compiler_knows = $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))

# ---- Starting a program -----------------------------------------------------------------------

SIMULATOR = $(BUILD)/bin/simt $(addprefix $(BUILD)/simt/,$(CUDART) static_runtime.so gpus.tsv see.html)
RUN       = $(if $(ON_SIM),$(BUILD)/bin/simt --gpu $(SIM_GPU),$(LAUNCHER))
PROFILE   = $(if $(ON_SIM),,$(LAUNCHER)) $(BUILD)/bin/labprof $(if $(ON_SIM),--gpu $(SIM_GPU))
# simt reads it, also where labprof starts it.
export SIMT_DEVICES = $(SIM_DEVICES)
# One program at a time.
ALONE     = common/make/alone.sh $(BUILD)/run.lock
# SIZE=77x131 is a matrix of 77 rows and 131 columns, for labs that work on one.
SIZE_FLAGS = $(if $(findstring x,$(SIZE)),--rows $(subst x, --cols ,$(SIZE)),$\
	$(if $(SIZE),--size $(SIZE)))
RUN_FLAGS  = $(SIZE_FLAGS) $(if $(BLOCK),--block $(BLOCK)) $(ARGS)
STEP_FLAGS = $(if $(STEP),--step $(STEP))
