# compare: two measurements side by side: of what the labs count, of times, of what lecture notes
# measured.
COMPARE := common/compare
$(call c_program,compare,$(basename $(wildcard $(COMPARE)/*.c)),-lm)

# ---- The labs' kernels at three sizes, on a GPU (record-model) and on simt (compare-model) ----

MODEL_LABS ?= $(filter-out 0,$(LAB_NUMBERS))

# What is measured of every launch beside its time: what the model speaks about.
MODEL_METRICS := gpu_time,achieved_occupancy,stall_sync,stall_memory_dependency,$\
	stall_exec_dependency,dram_read_bytes,dram_write_bytes,ipc,eligible_warps_per_cycle,$\
	sm_efficiency,l2_read_throughput,inst_executed

model_programs = $(foreach n,$(MODEL_LABS),$(call complete,$(n)))
# A lab that does not compile is left out like one that fails.
model_build = $(MAKE) --no-print-directory --keep-going FROM=solutions DEVICE=$(DEVICE_FOUND) \
	$(model_programs) || true
# What model-runs.sh is told of where and how to run.
model_place = DEVICE=$(DEVICE_FOUND) SIMULATED='$(ON_SIM)' RUN='$(RUN)' \
	COMPARE=$(BUILD)/bin/compare PROGRAMS=$(BUILD)/solutions NVCC='$(NVCC)' LABPROF='$(PROFILE)'

# The truth, kept. Only a GPU has it.
record-model: $(BUILD)/bin/compare $(PROFILER)
	$(if $(ON_SIM),$(error record-model keeps what a GPU measures: $(run_on_gpu)))
	+@$(model_build)
	$(hush) $(ALONE) $(model_place) common/dev/record-model.sh $(BUILD)/model/gpu $(MODEL_METRICS) \
		$(MODEL_LABS)

# What the model says now, kept beside it.
model-runs: $(addprefix $(BUILD)/bin/,compare labprof) $$(SIMULATOR)
	+@$(subst DEVICE=$(DEVICE_FOUND),DEVICE=sim,$(model_build))
	$(hush) $(ALONE) $(model_place) \
		common/dev/model-runs.sh $(RECORDED)-simt/model.csv $(BUILD)/model/sim $(MODEL_METRICS) \
		$(MODEL_LABS)

compare-model:
	@$(MAKE) --no-print-directory DEVICE=sim model-runs
	@$(MAKE) --no-print-directory DEVICE=sim truth

# ---- Random kernels, from seeds: on a GPU (record-random) and on simt (random-runs) -----------

$(call c_program,random-kernels,$(COMPARE)/random/kernels)
RANDOM_BATCH   := 32
RANDOM_FIRSTS   = $(if $(filter record-random random-runs,$(GOALS)),$(shell seq 0 32 2240))
RANDOM_AGAIN    = $(if $(ON_SIM),0,9)
RANDOM_KINDS    = batch $(if $(ON_SIM),ptx)
RANDOM_PROGRAMS = $(foreach kind,$(RANDOM_KINDS),$(RANDOM_FIRSTS:%=$(BUILD)/random/$(kind)-%))
RANDOM_TABLE    = $(if $(ON_SIM),$(RECORDED)-simt,$(gpu_folder))/random.csv
$(BUILD)/random/%.cu: $(BUILD)/bin/random-kernels | $$(@D)/.
	$(hush) $< $* $(RANDOM_BATCH) >$@ && $< --list $* $(RANDOM_BATCH) >$(@:.cu=.csv)
$(BUILD)/random/batch-% $(BUILD)/random/ptx-%: private HOST_OPTIMISE := -O1
# The second has no machine code, as clang's programs have none.
random_nvcc = $(NVCC) $(1) -w -nodlink -o $@ $<
$(BUILD)/random/batch-%: $(BUILD)/random/%.cu $(BUILD)/nvcc-flags
	$(call say,NVCC,$<) $(call random_nvcc,$(NVCC_FLAGS))
$(BUILD)/random/ptx-%: $(BUILD)/random/%.cu $(BUILD)/nvcc-flags
	$(call say,NVCC,$<) $(call random_nvcc,$(filter-out -gencode 'arch=%,$(NVCC_FLAGS)) \
		-arch=compute_$(PTX_ARCH) -code=compute_$(PTX_ARCH))
# The last commit that changed the time model.
MODEL = $(shell git log -1 --format=%h -- common/simt/time common/simt/decode \
	common/simt/machine/trace*.c common/simt/gpus.tsv 2>/dev/null)
record-random random-runs: $(BUILD)/bin/random-kernels $$(RANDOM_PROGRAMS) $(PROFILER) \
		$$(if $$(ON_SIM),$$(SIMULATOR))
	$(hush) $(foreach first,$(RANDOM_FIRSTS),$(ALONE) DEVICE=$(DEVICE_FOUND) LABPROF='$(PROFILE)' \
		$(if $(ON_SIM),MODEL=$(MODEL)) $(COMPARE)/random/runs.sh $(RANDOM_TABLE) \
		$(BUILD)/random/runs $(RANDOM_AGAIN) $(BUILD)/random/$(first).csv \
		$(foreach kind,$(RANDOM_KINDS),$(BUILD)/random/$(kind)-$(first)) &&) true
.PHONY: record-random random-runs

# ---- Modelled times against measured ones, from what is recorded: a table, numbers, a plot ----

# GPU.csv and SIMT.csv of each recording that both have; programs by others have both times in one
# file.
truth_pair  = $(if $(and $(wildcard $(RECORDED)/$(1).csv),$(wildcard $(RECORDED)-simt/$(1).csv)),\
	$(RECORDED)/$(1).csv $(RECORDED)-simt/$(1).csv)
TRUTH_PAIRS = $(strip $(foreach n,$(LAB_NUMBERS),$(foreach b,$(call builds,$(n)),\
	$(call truth_pair,lab$(n)$(call tail,$(b))))) $(call truth_pair,model) \
	$(call truth_pair,random) $(foreach f,$(wildcard $(RECORDED)/foreign.csv),$(f) $(f)))
TRUTH_TAIL  = $(if $(filter-out h200,$(SIM_GPU)),-$(SIM_GPU))
TRUTH_PLOT  = handouts/img/simulator-truth$(TRUTH_TAIL).svg
PRODUCT     = $(shell common/tools/gpu.sh get $(SIM_GPU) product)

# What-ifs beside measured times (what-if.awk).
WHAT_IF_PARTS = plots/reference/what-if.tsv $(foreach n,$(LAB_NUMBERS),\
	$(wildcard $(RECORDED)/lab$(n).csv $(RECORDED)-simt/lab$(n)-metrics.csv))
what_if_report = awk -v gpu=$(SIM_GPU) -f $(COMPARE)/what-if.awk $(WHAT_IF_PARTS)
what-if-report:
	@$(what_if_report)

# truth ends with an error, after all is written, where something that is asked is missed.
truth: truth-report
	$(hush) $(BUILD)/bin/compare truth $(TRUTH_PAIRS)

truth-report: $(BUILD)/bin/compare | $(BUILD)/setup/plots $(BUILD)/model/.
	$(hush) [ '$(TRUTH_PAIRS)' ] || \
		{ echo "truth: nothing is recorded in both $(RECORDED)/ and $(RECORDED)-simt/:" \
		"\`make record-lab3\` does it, on the GPU and with DEVICE=sim" >&2; exit 2; }
	$(hush) $< truth --reasons $(COMPARE)/truth-reasons.tsv --plot ../../$(TRUTH_PLOT) \
		--output plots/reference/truth$(TRUTH_TAIL).md --every $(RECORDED)/model.md \
		--scores $(RECORDED)/truth-scores \
		--trust $(if $(TRUTH_TAIL),$(BUILD)/model/trust.def,common/simt/api/trust.def) \
		--points $(BUILD)/model/points.csv $(TRUTH_PAIRS) >$(BUILD)/model/truth.txt || [ $$? = 1 ]
	$(hush) common/dev/model-constants.sh $(RECORDED)/model-constants $(SIM_GPU) \
		$(RECORDED)/calibrate.tsv
	$(hush) plots/draw-truth.sh $(BUILD)/model/points.csv \
		'Modelled times against those of an $(PRODUCT)' $(BUILD)/plots/truth
	$(hush) cp $(BUILD)/plots/truth.svg $(TRUTH_PLOT)
	$(hush) [ '$(SIM_GPU)' != h200 ] || { $(what_if_report) >$(BUILD)/what-if.md || [ $$? = 1 ] && \
		mv $(BUILD)/what-if.md plots/reference/what-if.md; }

.PHONY: record-model model-runs compare-model truth truth-report what-if-report

# ---- An independent check: what lecture notes measured on other GPUs --------------------------

# $(call note,RUN,COLUMN): a cell of notes-runs.tsv.
note           = $(note.$(1).$(2))
NOTES         := $(note.keys)
NOTES_METRICS := branch_efficiency,branch,divergent_branch,achieved_occupancy,gld_efficiency,$\
	gst_efficiency,gld_throughput,dram_read_throughput,inst_per_warp,stall_sync

$(BUILD)/notes/%: $$(call solution,$$(call note,$$*,lab)) $$(call linked,$$(call note,$$*,lab)) \
		$(BUILD)/nvcc-flags | $$(@D)/.
	$(call say,NVCC,$<) $(CUDAC) $(call flags_with,$(call note,$*,nvcc_flags)) \
		$(call lab_flags,$(call note,$*,lab)) -DHARNESS_LINKED -o $@ $(filter %.cu %.o,$^)

# One run: its times and metrics on the GPU that the notes are about.
$(addprefix model-notes-,$(NOTES)): model-notes-%: $(BUILD)/notes/% $(PROFILER) $$(SIMULATOR)
	$(hush) $(ALONE) DEVICE=sim $(BUILD)/bin/labprof --gpu $(call note,$*,gpu) --lab-table \
		--log-file $(BUILD)/notes/$*.txt --lab-metrics $(BUILD)/notes/$*-metrics.csv \
		--lab $(call note,$*,lab) --steps $(BUILD)/notes/$*-run.csv --metrics $(NOTES_METRICS) \
		$< --profile $(call note,$*,arguments) --csv $(BUILD)/notes/$*-run.csv \
		>$(BUILD)/notes/$*.log

# All of them, of labs that there are, and then the table; it takes some minutes, and 12 GB of
# memory for the matrices.
NOTES_THERE = $(foreach n,$(NOTES),\
	$(if $(filter $(call note,$(n),lab),$(LAB_NUMBERS)),model-notes-$(n)))
model-notes: $$(NOTES_THERE)
	$(hush) $(MAKE) --no-print-directory model-notes-table
model-notes-table: $(BUILD)/bin/compare | $(BUILD)/notes/.
	$(hush) $< notes --output plots/reference/notes.md --scores plots/reference/notes-scores \
		$(COMPARE)/notes.tsv $(COMPARE)/notes-runs.tsv $(BUILD)/notes

.PHONY: model-notes model-notes-table $(addprefix model-notes-,$(NOTES))
