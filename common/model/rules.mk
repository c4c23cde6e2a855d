# Is the time model right? The same kernels at three sizes on a GPU (record-model) and on simt (compare-model), side by side.
MODEL      := common/model
MODEL_LABS ?= $(filter-out 0,$(LAB_NUMBERS))

# What is measured of every launch beside its time: what the model speaks about.
MODEL_METRICS := gpu_time,achieved_occupancy,stall_sync,stall_memory_dependency,stall_exec_dependency,dram_read_bytes,dram_write_bytes,$\
	ipc,eligible_warps_per_cycle,sm_efficiency,l2_read_throughput,inst_executed

MODEL_ROWS    := $(MODEL)/rows common/tools/csv common/tools/outfile
MODEL_COMPARE := $(addprefix $(MODEL)/,compare judge table) $(addprefix common/tools/,csv outfile stats)
$(BUILD)/bin/model-rows: $(MODEL_ROWS:%=$(BUILD)/obj/%.o)
$(BUILD)/bin/model-compare: $(MODEL_COMPARE:%=$(BUILD)/obj/%.o)
$(addprefix $(BUILD)/bin/model-,rows compare): | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

PROGRAMS += $(addprefix $(BUILD)/bin/model-,rows compare)

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

# What the model says now, kept beside it.
MODEL_TRUTH = plots/reference/$(SIM_GPU)/model
MODEL_SAYS  = plots/reference/$(SIM_GPU)-simt/model.csv
MODEL_PRODUCT = $(shell awk -F"\t" '$$1 == "$(SIM_GPU)" { print $$2 }' common/simt/gpus.tsv)
model-runs: $(addprefix $(BUILD)/bin/,model-rows labprof) $$(SIMULATOR)
	+@$(subst DEVICE=$(DEVICE_FOUND),DEVICE=sim,$(model_build))
	$(hush) $(ALONE) $(model_place) $(MODEL)/runs.sh $(MODEL_SAYS) $(BUILD)/model/sim $(MODEL_METRICS) $(MODEL_LABS)

# The two side by side: a table, the scores for the texts, and a plot. Fails where the model does not reach what is asked of it.
compare-model:
	@$(MAKE) --no-print-directory DEVICE=sim model-runs
	@$(MAKE) --no-print-directory DEVICE=sim model-report

model-report: $(BUILD)/bin/model-compare | $(BUILD)/setup/plots $(BUILD)/model/.
	$(hush) [ -f $(MODEL_TRUTH).csv ] || { echo "compare-model: no $(MODEL_TRUTH).csv: \`make record-model DEVICE=gpu\` makes it on that GPU" >&2; exit 2; }
	$(hush) status=0; $(BUILD)/bin/model-compare --reasons $(MODEL)/reasons.tsv --output $(MODEL_TRUTH).md --points $(BUILD)/model/points.csv \
		--scores $(MODEL_TRUTH)-scores $(MODEL_TRUTH).csv $(MODEL_SAYS) || status=$$?; \
		[ $$status = 2 ] || plots/draw-model.sh $(BUILD)/model/points.csv 'The time model against an $(MODEL_PRODUCT)' $(BUILD)/plots/model || status=2; exit $$status

.PHONY: record-model model-runs compare-model model-report
