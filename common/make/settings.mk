# settings.mk: reads the labs' table, checks the settings, and derives from them the compiler, the device and how
# programs are started.

comma := ,
empty :=
space := $(empty) $(empty)
tab   := $(empty)	$(empty)
hash  := \#
define newline


endef
# $(call quoted,TEXT): one word for the shell, whatever is in it.
quoted = '$(subst ','\'',$(1))'
# $(call same,LINE,LINE): not empty if these are the same.
same = $(findstring $(newline)$(1)$(newline),$(newline)$(2)$(newline))
# $(call on,NAME): not empty if this setting is given, and not 0.
on = $(filter-out 0,$($(1)))
# $(call once,NAME,VALUE), as NAME's definition: find the value out when it is first needed, and keep it.
once = $(eval $(1) := $(2))$($(1))

# ---- The labs: one row each in labs/labs.tsv, and nowhere else ------------------------------------------------------

# $(call table,NAME,FILE.tsv) reads a table without a process: NAME.columns, NAME.keys, and NAME.KEY.COLUMN for each cell,
# where KEY is the first cell of the row, and a column's name has - for a space. $(call table,NAME,FILE.tsv,KEY...): of
# these rows alone. Rows and cells are words of make here: a space in them is ␣, and each cell but the first begins with ⇥.
table = $(call table_of,$(1),$(filter-out $(hash)%,\
	$(subst $(newline), ,$(subst $(tab),⇥,$(subst $(space),␣,$(subst $$,$$$$,$(file <$(2))))))),$(or $(3:%=%⇥%),%))
table_of = $(eval $(1).columns := $(subst ␣,-,$(subst ⇥, ,$(firstword $(2)))))$(foreach row,\
	$(filter $(3),$(wordlist 2,$(words $(2)),$(2))),$(call table_row,$(1),$(firstword $(subst ⇥, ,$(row))),$(row)))
table_row = $(eval $(1).keys += $(2))$(foreach cell,$(join $($(1).columns:%=$(1).$(2).%:=),$(subst ⇥, ⇥,⇥$(3))),\
	$(eval $(subst ␣,$$(space),$(subst ⇥,,$(cell)))))
$(call table,lab,labs/labs.tsv)
LAB_NUMBERS := $(lab.keys)
# $(call field,NUMBER,COLUMN): a cell of the labs' table.
field = $(lab.$(1).$(subst $(space),-,$(2)))

# The GPUs that the simulator plays have the columns between constant, unit and source.
$(call table,gpu,common/simt/gpus.tsv,cc_major cc_minor)
SIM_GPUS := $(filter-out constant unit source,$(gpu.columns))

# ---- Checks: a bad setting ends make before anything is built -------------------------------------------------------

GOALS := $(or $(MAKECMDGOALS),help)
CHECKED := GOALS LAB_NUMBERS MAKELEVEL CURDIR BUILD FILE FROM DEVICE SIM_GPU SIM_GPUS GPUS SIM_DEVICES FRONT NVCC CLANG ARCH SIZE NO_INSTALL LAB \
	ENGINE SUBMISSION SUBMISSIONS PREDICT FOR HINTS_PER_DAY DUE STEP STEPS
# What the user gave on the command line; not what one make hands to another.
given = $(foreach name,$(.VARIABLES),$(if $(findstring command,$(origin $(name))),$(call quoted,$(name)=$($(name)))))
WRONG := $(shell $(foreach name,$(CHECKED),$(name)=$(call quoted,$($(name)))) \
	bash common/make/check-settings.sh $(if $(filter 0,$(MAKELEVEL)),$(given)))
$(if $(WRONG)$(filter-out 0,$(.SHELLSTATUS)),$(error $(WRONG)))

# ---- The compiler of the labs: nvcc, or where there is no toolkit clang behind nvcc's command line ------------------

WITH_CLANG := $(filter clang,$(FRONT))
CUDAC      := $(if $(WITH_CLANG),CLANG='$(CLANG)' BUILD='$(BUILD)' common/front/cudac,$(NVCC))

# The CUDA toolkit's folder: its lib64 has the runtime library. It is the folder above an nvcc with its nvcc.profile.
# Where the nvcc in PATH is a script, the script may name that nvcc; asking nvcc for its folder takes it as long as all
# else that make does before it begins. Debian's does not say, but names its headers.
CUDA_HOME = $(call once,CUDA_HOME,$(if $(NVCC),$(realpath $(or $(toolkit_above),$(toolkit_of_script),$(toolkit_top),\
	$(toolkit_of_headers)))))
toolkit_above      = $(call above,$(realpath $(NVCC)))
toolkit_of_script  = $(foreach file,$(filter /%/nvcc,$(file <$(NVCC))),$(if $(wildcard $(dir $(file))../lib64),$(call above,$(file))))
above              = $(patsubst %nvcc.profile,%..,$(wildcard $(dir $(1))nvcc.profile))
toolkit_top        = $(shell $(NVCC) --dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^\#$$ TOP=//p')
toolkit_of_headers = $(shell $(NVCC) -M -x cu /dev/null 2>/dev/null | grep -o '[^ ]*/include/cuda_runtime.h' | \
	sed 's|/include/.*||')

# The runtime library that programs of this compiler ask for: CUDA 11's has another name than its version.
CUDART  = $(call once,CUDART,$(if $(WITH_CLANG),libcudart.so.13,$(or $(runtime_there),libcudart.so.$(subst 11,11.0,$(RELEASE)))))
runtime_there = $(notdir $(firstword $(wildcard $(addprefix $(CUDA_HOME)/lib64/libcudart.so.,13 12 11.0))))
RELEASE = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9]*\).*/\1/p')

# ---- The device: a GPU if there is one, else the simulator ----------------------------------------------------------

DEVICE_FOUND = $(call once,DEVICE_FOUND,$(if $(WITH_CLANG),sim,$(if $(filter auto,$(DEVICE)),$(gpu_or_sim),$(DEVICE))))
gpu_or_sim   = $(if $(findstring GPU,$(shell $(LAUNCHER) nvidia-smi -L 2>/dev/null)),gpu,sim)
ON_SIM       = $(filter sim,$(DEVICE_FOUND))
# $(call ask_gpu,PROPERTY): what the driver says of the first GPU.
ask_gpu = $(shell $(LAUNCHER) nvidia-smi --query-gpu=$(1) --format=csv$(comma)noheader 2>/dev/null | head -n 1)

# What nvcc makes machine code for: ARCH, or the GPU at hand or played. The simulator runs the PTX for 7.5, and models times
# from that code; for a GPU that the compiler does not know it has 7.5's.
GPU_ARCH = $(call once,GPU_ARCH,$(if $(WITH_CLANG),,$(or $(filter-out native,$(ARCH)),$(call code_for,$(at_hand)))))
at_hand  = $(if $(ON_SIM),$(foreach gpu,$(or $(subst $(comma), ,$(GPUS)),$(SIM_GPU)),$(arch_of)),$(subst .,,$(call ask_gpu,compute_cap)))
# $(arch_of), in a foreach: of $(gpu), one that the simulator plays. $(call code_for,ARCHITECTURES): what nvcc is to make for these.
arch_of  = $(gpu.cc_major.$(gpu))$(gpu.cc_minor.$(gpu))
code_for = $(or $(filter $(1),$(compiler_knows)),$(PTX_ARCH))
compiler_knows = $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))

# ---- Starting a program ---------------------------------------------------------------------------------------------

# The GPU that the simulator plays: SIM_GPU if the user gives it, else the lab's column `simulated gpu`, else SIM_GPU's
# default. In recipes of a lab, $* is its number.
PLAYED    = $(or $(if $(filter file,$(origin SIM_GPU)),$(call field,$*,simulated gpu)),$(SIM_GPU))
SIMULATOR = $(BUILD)/bin/simt $(BUILD)/simt/$(CUDART) $(BUILD)/simt/gpus.tsv $(BUILD)/simt/see.html
RUN       = $(if $(ON_SIM),$(BUILD)/bin/simt --gpu $(PLAYED),$(LAUNCHER))
PROFILE   = $(if $(ON_SIM),,$(LAUNCHER)) $(BUILD)/bin/labprof $(if $(ON_SIM),--gpu $(PLAYED))
# simt reads it, also where labprof starts it.
export SIMT_DEVICES = $(SIM_DEVICES)
# One program at a time.
ALONE     = common/make/alone.sh $(BUILD)/run.lock
# SIZE=77x131 is a matrix of 77 rows and 131 columns, for labs that work on one.
SIZE_FLAGS = $(if $(findstring x,$(SIZE)),--rows $(subst x, --cols ,$(SIZE)),$(if $(SIZE),--size $(SIZE)))
RUN_FLAGS  = $(SIZE_FLAGS) $(if $(BLOCK),--block $(BLOCK)) $(ARGS)
STEP_FLAGS = $(if $(STEP),--step $(STEP))
