# The constants of the time model, measured: small programs that find a latency, a bandwidth or a
# cost each. On a GPU they give the figures for gpus.tsv; on simt they test the model, which has to
# give its constants back.
CALIBRATE          := common/simt/measure
CALIBRATE_PROGRAMS := latency throughput units access loaded launch nested
TIMELINES          := timeline graphs pages

# -nodlink: the linker of GPU code has nothing to do for the others.
CALIBRATE_FLAGS_nested := -rdc=true
# As C++11: its <algorithm> takes the compiler a third of a second less than C++17's.
$(BUILD)/calibrate/units: private PTX_ARCH = $(if $(filter 9% 1%,$(GPU_ARCH)),90,75)
$(addprefix $(BUILD)/calibrate/,$(CALIBRATE_PROGRAMS) $(TIMELINES) speed): $(BUILD)/calibrate/%: \
		$(CALIBRATE)/%.cu $(BUILD)/nvcc-flags | $$(@D)/.
	$(call say,NVCC,$<) $(NVCC) $(NVCC_FLAGS) -std=c++11 $(or $(CALIBRATE_FLAGS_$*),-nodlink) \
		-MMD -MP -MF $@.d -MT $@ -o $@ $<

# Kept as the GPU's reference; what the simulator says goes to build/.
gpu_folder = $(shell . common/dev/recording.sh; reference_folder "$(call ask_gpu,name)")
CALIBRATED = $(if $(ON_SIM),$(BUILD)/calibrate/$(SIM_GPU).tsv,$\
	$(addsuffix /calibrate.tsv,$(gpu_folder)))
CALIBRATE_ABOUT = $(if $(ON_SIM),$(SIM_GPU) as simt plays it,$(call ask_gpu,name)$(comma) driver \
	$(call ask_gpu,driver_version)$(comma) \
	CUDA $(shell $(NVCC) --version | sed -n 's/.*, V//p')$(comma) $(shell date -u +%F))

# $(call calibrate,TABLE): the whole, into a table that has a place.
define calibrate
	$(if $(1),,$(error this GPU has no column in common/simt/gpus.tsv; add it there first))
	$(hush) $(ALONE) DEVICE=$(DEVICE_FOUND) RUN='$(RUN)' LABPROF='$(PROFILE)' \
		EMPTY=$(BUILD)/calibrate/launch STORES=$(BUILD)/calibrate/throughput \
		NESTED=$(BUILD)/calibrate/nested ABOUT='$(CALIBRATE_ABOUT)' \
		$(CALIBRATE)/run.sh $(1) $(CALIBRATE_PROGRAMS:%=$(BUILD)/calibrate/%)
	$(hush) $(CALIBRATE)/check.sh $(1) common/simt/gpus.tsv \
		$(if $(ON_SIM),$(SIM_GPU),$(notdir $(patsubst %/,%,$(dir $(1)))))
endef

calibrate: $(CALIBRATE_PROGRAMS:%=$(BUILD)/calibrate/%) $$(PROFILER) $$(if $$(ON_SIM),$$(SIMULATOR))
	$(call calibrate,$(CALIBRATED))

# Copies, overlapping work, calls of the API, graphs, and managed memory: the GPU's reference, or
# what the simulator says, in build/.
TIMELINE = $(if $(ON_SIM),$(BUILD)/calibrate/$(SIM_GPU)-$(1).csv,$\
	$(addsuffix /$(1).csv,$(gpu_folder)))
define measure_timeline
	$(hush) $(ALONE) $(RUN) $(BUILD)/calibrate/$(1) >$(2).tmp && mv $(2).tmp $(2) && \
		echo '  kept    $(2)'

endef
measure-timeline: $(TIMELINES:%=$(BUILD)/calibrate/%) $$(if $$(ON_SIM),$$(SIMULATOR))
	$(if $(call TIMELINE,timeline),,$(error this GPU has no column in common/simt/gpus.tsv; \
		add it there first))
	$(foreach part,$(TIMELINES),$(call measure_timeline,$(part),$(call TIMELINE,$(part))))

.PHONY: calibrate measure-timeline
