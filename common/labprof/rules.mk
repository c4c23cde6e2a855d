# labprof, nvprof's command line over three back ends, and its table of metrics.
LABPROF       := common/labprof
LABPROF_PARTS := $(filter-out $(LABPROF)/main,$(basename $(wildcard $(LABPROF)/*.c)))

# The C++ library demangles kernel names.
LABPROF_LIBS := -lstdc++ -lm

$(BUILD)/labprof/metrics.tsv: common/labprof/metrics.tsv | $$(@D)/.
	$(call say,COPY,$@) cp $< $@

$(call c_program,labprof,$(LABPROF)/main $(LABPROF_PARTS),$(LABPROF_LIBS))
$(BUILD)/bin/labprof: | $(BUILD)/labprof/metrics.tsv

# What runs labprof needs both: make does not miss the table of a program that is up to date.
PROFILER := $(BUILD)/bin/labprof $(BUILD)/labprof/metrics.tsv
PROGRAMS += $(BUILD)/labprof/metrics.tsv

labprof: $(PROFILER)
.PHONY: labprof
