# compare: two measurements side by side: of the labs, of the time model, of what lecture notes measured.
COMPARE := common/compare
$(call c_program,compare,$(basename $(wildcard $(COMPARE)/*.c)),-lm)

# ---- The time model: the same kernels at three sizes on a GPU (record-model) and on simt (compare-model) ------------

MODEL_LABS ?= $(filter-out 0,$(LAB_NUMBERS))

# What is measured of every launch beside its time: what the model speaks about.
MODEL_METRICS := gpu_time,achieved_occupancy,stall_sync,stall_memory_dependency,stall_exec_dependency,$\
	dram_read_bytes,dram_write_bytes,ipc,eligible_warps_per_cycle,sm_efficiency,l2_read_throughput,inst_executed

model_programs = $(foreach n,$(MODEL_LABS),$(call complete,$(n)))
# A lab that does not compile is left out like one that fails.
model_build = $(MAKE) --no-print-directory --keep-going FROM=solutions DEVICE=$(DEVICE_FOUND) $(model_programs) || true
# What model-runs.sh is told of where and how to run.
model_place = DEVICE=$(DEVICE_FOUND) SIMULATED='$(ON_SIM)' RUN='$(RUN)' COMPARE=$(BUILD)/bin/compare \
	PROGRAMS=$(BUILD)/solutions NVCC='$(NVCC)' LABPROF='$(PROFILE)'

# The truth, kept. Only a GPU has it.
record-model: $(BUILD)/bin/compare $(PROFILER)
	$(if $(ON_SIM),$(error record-model keeps what a GPU measures: run it where there is one, with DEVICE=gpu))
	+@$(model_build)
	$(hush) $(ALONE) $(model_place) common/dev/record-model.sh $(BUILD)/model/gpu $(MODEL_METRICS) $(MODEL_LABS)

# What the model says now, kept beside it.
MODEL_TRUTH = plots/reference/$(SIM_GPU)/model
MODEL_SAYS  = plots/reference/$(SIM_GPU)-simt/model.csv
MODEL_PRODUCT = $(shell common/tools/gpu.sh get $(SIM_GPU) product)
model-runs: $(addprefix $(BUILD)/bin/,compare labprof) $$(SIMULATOR)
	+@$(subst DEVICE=$(DEVICE_FOUND),DEVICE=sim,$(model_build))
	$(hush) $(ALONE) $(model_place) \
		common/dev/model-runs.sh $(MODEL_SAYS) $(BUILD)/model/sim $(MODEL_METRICS) $(MODEL_LABS)

# The two side by side: a table, the numbers that texts name, and a plot, all from what is kept; compare-model fails
# where the model does not reach what is asked of it.
compare-model:
	@$(MAKE) --no-print-directory DEVICE=sim model-runs
	@$(MAKE) --no-print-directory DEVICE=sim model-report
	@$(BUILD)/bin/compare model $(MODEL_TRUTH).csv $(MODEL_SAYS) >/dev/null

MODEL_PLOT = handouts/img/simulator-model
model-report: $(BUILD)/bin/compare | $(BUILD)/setup/plots $(BUILD)/model/.
	$(hush) [ -f $(MODEL_TRUTH).csv ] || { echo "compare-model: no $(MODEL_TRUTH).csv:" \
		"\`make record-model DEVICE=gpu\` makes it on that GPU" >&2; exit 2; }
	$(hush) $< model --reasons $(COMPARE)/model-reasons.tsv --output $(MODEL_TRUTH).md \
		--scores $(MODEL_TRUTH)-scores --points $(BUILD)/model/points.csv $(MODEL_TRUTH).csv $(MODEL_SAYS) || \
		[ $$? = 1 ]
	$(hush) common/dev/model-constants.sh $(MODEL_TRUTH)-constants $(SIM_GPU) $(dir $(MODEL_TRUTH))calibrate.tsv
	$(hush) plots/draw-model.sh $(BUILD)/model/points.csv \
		'The time model against an $(MODEL_PRODUCT)' $(BUILD)/plots/model
	$(hush) $(if $(filter h200,$(SIM_GPU)),cp $(BUILD)/plots/model.svg $(MODEL_PLOT).svg)

.PHONY: record-model model-runs compare-model model-report

# ---- An independent check: what lecture notes measured on other GPUs ------------------------------------------------

$(call table,note,$(COMPARE)/notes-runs.tsv)
# $(call note,RUN,COLUMN): a cell of the table of runs.
note           = $(note.$(1).$(subst $(space),-,$(2)))
NOTES         := $(note.keys)
NOTES_METRICS := branch_efficiency,achieved_occupancy,gld_efficiency,gst_efficiency,gld_throughput,$\
	dram_read_throughput,inst_per_warp,stall_sync

$(BUILD)/notes/%: $$(call solution,$$(call note,$$*,lab)) $$(call linked,$$(call note,$$*,lab)) $(BUILD)/nvcc-flags \
		| $$(@D)/.
	$(call say,NVCC,$<) $(CUDAC) $(call flags_with,$(call note,$*,nvcc flags)) \
		$(call field,$(call note,$*,lab),nvcc flags) -o $@ $(filter %.cu %.o,$^)

# One run: its times and metrics on the GPU that the notes are about.
$(addprefix model-notes-,$(NOTES)): model-notes-%: $(BUILD)/notes/% $(PROFILER) $$(SIMULATOR)
	$(hush) $(ALONE) DEVICE=sim $(BUILD)/bin/labprof --gpu $(call note,$*,gpu) --lab-table \
		--log-file $(BUILD)/notes/$*.txt --lab-metrics $(BUILD)/notes/$*-metrics.csv --lab $(call note,$*,lab) \
		--steps $(BUILD)/notes/$*-run.csv --metrics $(NOTES_METRICS) \
		$< --profile $(call note,$*,arguments) --csv $(BUILD)/notes/$*-run.csv >$(BUILD)/notes/$*.log

# All of them, of labs that there are, and then the table; it takes some minutes, and 12 GB of memory for the matrices.
NOTES_THERE = $(foreach n,$(NOTES),$(if $(filter $(call note,$(n),lab),$(LAB_NUMBERS)),model-notes-$(n)))
model-notes: $$(NOTES_THERE)
	$(hush) $(MAKE) --no-print-directory model-notes-table
model-notes-table: $(BUILD)/bin/compare | $(BUILD)/notes/.
	$(hush) $< notes --output plots/reference/notes.md --scores plots/reference/notes-scores \
		$(COMPARE)/notes.tsv $(COMPARE)/notes-runs.tsv $(BUILD)/notes

.PHONY: model-notes model-notes-table $(addprefix model-notes-,$(NOTES))
