# Is the time model right? The same kernels at three sizes on a GPU (record-model) and on simt (compare-model), side by side.
MODEL      := common/model
MODEL_OBJS := common/tools/csv common/tools/outfile
MODEL_LABS ?= $(filter-out 0,$(LAB_NUMBERS))

# What is measured of every launch beside its time: what the model speaks about.
MODEL_METRICS := gpu_time,achieved_occupancy,stall_sync,stall_memory_dependency,stall_exec_dependency,dram_read_bytes,dram_write_bytes,$\
	ipc,eligible_warps_per_cycle,sm_efficiency,l2_read_throughput,inst_executed

$(BUILD)/bin/model-rows: $(BUILD)/obj/$(MODEL)/rows.o $(MODEL_OBJS:%=$(BUILD)/obj/%.o) | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

PROGRAMS += $(BUILD)/bin/model-rows

model_programs = $(foreach n,$(MODEL_LABS),$(BUILD)/solutions/lab$(n)/$(call field,$(n),program))
# A lab that does not compile is left out like one that fails.
model_build = $(MAKE) --no-print-directory --keep-going FROM=solutions DEVICE=$(DEVICE_FOUND) $(model_programs) || true
# What the scripts of this room are told of where and how to run.
model_place = DEVICE=$(DEVICE_FOUND) SIMULATED='$(ON_SIM)' RUN='$(RUN)' ROWS=$(BUILD)/bin/model-rows PROGRAMS=$(BUILD)/solutions NVCC='$(NVCC)' \
	LABPROF='$(if $(ON_SIM),,$(LAUNCHER)) $(LABPROF) $(if $(ON_SIM),--gpu $(SIM_GPU))'

# The truth, kept. Only a GPU has it.
record-model: $(BUILD)/bin/model-rows $(BUILD)/bin/labprof
	$(if $(ON_SIM),$(error record-model keeps what a GPU measures: run it where there is one, with DEVICE=gpu))
	+@$(model_build)
	$(hush) $(ALONE) $(model_place) $(MODEL)/record.sh $(BUILD)/model/gpu $(MODEL_METRICS) $(MODEL_LABS)

.PHONY: record-model
