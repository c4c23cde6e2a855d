# measure.mk: what maintainers measure of the solutions: recordings on a GPU, races against a
# library, and how the simulator's figures compare with a recording.

# $(call measure,NUMBER,DEVICE): make, told to measure a solution, with some metrics more than
# students see. Every lab's simulated GPU is SIM_GPU here.
all_metrics = $(call field,$(1),metrics)$(addprefix $(comma),$(call field,$(1),also_recorded))
measure     = $(MAKE) --no-print-directory PLOT=0 VARIANTS=1 FROM=solutions DEVICE=$(2) \
	SIM_GPU=$(SIM_GPU) METRICS=$(all_metrics)

# Kept in plots/reference for this GPU.
$(addprefix record-lab,$(LAB_NUMBERS)): record-lab%:
	+@$(call measure,$*,$(DEVICE_FOUND)) lab$* && $(call measure,$*,$(DEVICE_FOUND)) profile-lab$* \
		$(if $(call timelines,$*),&& $(call measure,$*,$(DEVICE_FOUND)) timeline-lab$*)
	$(hush) NVCC='$(NVCC)' common/dev/record.sh $* $(BUILD)/solutions/lab$* $(call variants,$*)

# The kernels of labs that race against a library over a range of sizes, kept beside the recording.
# Only a GPU has times that matter here.
RACES      := 6
no_race    := times of a simulator win no race: run it where there is a GPU, with DEVICE=gpu
run_on_gpu := run it where there is one, with DEVICE=gpu
$(RACES:%=$(BUILD)/race/lab%): $(BUILD)/race/lab%: common/dev/race.cu $$(call linked,$$*) \
		$(BUILD)/nvcc-flags | $$(@D)/. $(BUILD)/setup/build
	$(call say,NVCC,$<) $(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< \
		$(filter-out %/harness.o,$(filter %.o,$^))

$(addprefix race-lab,$(RACES)): race-lab%: $(BUILD)/race/lab%
	$(if $(ON_SIM),$(error race-lab$*: $(no_race)))
	$(hush) $(ALONE) $(RUN) $< $(RUN_FLAGS) --csv $<.csv
	$(hush) common/dev/race.sh $* $<.csv
.PHONY: $(addprefix race-lab,$(RACES))

# Lab 9 at the sizes of a lecture's tables, kept beside the recording. Only a GPU has times that
# matter here.
sizes-lab9: $$(call complete,9)
	$(if $(ON_SIM),$(error sizes-lab9 keeps what a GPU measures: $(run_on_gpu)))
	$(hush) $(ALONE) common/dev/sizes.sh $(RUN) $<

# Labs beside the libraries at the sizes where their limits count, kept beside the recordings. Only
# a GPU has times that matter here.
LARGE    := 4/16384 9/8192 14/67108864 15/67108864
of_large  = $(call complete,$(patsubst %/,%,$(dir $(1))))
record-large: $$(foreach l,$$(LARGE),$$(call of_large,$$(l)))
	$(if $(ON_SIM),$(error record-large keeps what a GPU measures: $(run_on_gpu)))
	$(hush) $(ALONE) common/dev/large.sh '$(RUN)' $(foreach l,$(LARGE),$(l)/$(call of_large,$(l)))

# Two kernels on every simulated GPU, kept beside the recordings.
sweep-gpus: $$(call complete,1) $$(call complete,3) $$(SIMULATOR)
	$(hush) common/dev/sweep.sh $(BUILD)/bin/simt $(BUILD)/solutions
.PHONY: sizes-lab9 record-large sweep-gpus

# ---- The simulator beside a recording: a table for a lab, and an overview of all --------------

RECORDED = plots/reference/$(SIM_GPU)
# $(call recorded_builds,NUMBER): the builds of a lab that the GPU's folder has.
recorded_builds = $(foreach b,$(call builds,$(1)),\
	$(if $(wildcard $(RECORDED)/lab$(1)$(call tail,$(b)).csv),$(b)))
recorded_labs   = $(strip $(foreach n,$(LAB_NUMBERS),\
	$(if $(strip $(call recorded_builds,$(n))),$(n))))
not_recorded    = there is no $(RECORDED)/lab$(1).csv; $\
	make it on that GPU with `make record-lab$(1)`
# Modelled times do not vary: those of the run under the profiler are as good as any.
simulate        = printf '  SIMT    lab%s\n' $(1) && \
	$(call measure,$(1),sim) profile-lab$(1) >/dev/null

$(addprefix compare-lab,$(LAB_NUMBERS)): compare-lab%: $(BUILD)/bin/compare
	$(if $(filter $*,$(recorded_labs)),,$(error compare-lab$*: $(call not_recorded,$*)))
	+@$(call simulate,$*)
	$(hush) status=0; $< labs $(call compared,$*) || status=$$?; \
		$< order $(call timed_twice,$*) && exit $$status

compare: $(BUILD)/bin/compare
	$(if $(recorded_labs),,$(error compare: nothing has been recorded in $(RECORDED)/))
	+@$(foreach n,$(recorded_labs),$(call simulate,$(n)) &&) true
	$(hush) status=0; $< labs --overview $(RECORDED)/simt.md \
		$(foreach n,$(recorded_labs),$(call compared,$(n))) || \
		status=$$?; $< order $(foreach n,$(recorded_labs),$(call timed_twice,$(n))) && exit $$status
.PHONY: compare

# $(call compared,NUMBER): what to compare of a lab, each build with its reasons and its table;
# timed_twice: its times.
compared       = $(foreach b,$(call recorded_builds,$(1)),\
	$(call compared_build,$(1),$(call tail,$(b))))
compared_build = $(addprefix --reasons ,$(wildcard plots/reference/lab$(1)$(2)-reasons.tsv)) \
	--output $(RECORDED)/lab$(1)$(2)-simt.md $(RECORDED)/lab$(1)$(2)-metrics.csv \
	$(BUILD)/solutions/lab$(1)/metrics$(2).csv
timed_twice    = $(foreach b,$(call recorded_builds,$(1)),$(RECORDED)/lab$(1)$(call tail,$(b)).csv \
	$(BUILD)/solutions/lab$(1)/profiled$(call tail,$(b)).csv)

# labncu beside what ncu shows on an H200, for labs 1 to 10.
compare-ncu: $(LABNCU_FILES) $(PROFILER) $(BUILD)/bin/simt $(LIBS)
	$(hush) BUILD=$(BUILD) common/dev/compare-ncu.sh $(BUILD)/compare-ncu
	$(hush) cp $(BUILD)/compare-ncu/ncu.md plots/reference/ncu.md
.PHONY: compare-ncu
