# labprof, nvprof's command line over three back ends, and its table of metrics.
LABPROF       := common/labprof
LABPROF_PARTS := $(basename $(filter-out $(LABPROF)/main.c,$(wildcard $(LABPROF)/*.c)) common/lib/csv.c common/lib/expr.c)
LABPROF_OBJS  := $(LABPROF_PARTS:%=$(BUILD)/obj/%.o)

# The C++ library demangles kernel names.
LABPROF_LIBS := -lstdc++ -lm

$(BUILD)/labprof/metrics.tsv: common/labprof/metrics.tsv | $$(@D)/.
	$(call say,COPY,$@) cp $< $@

$(BUILD)/bin/labprof: $(BUILD)/obj/$(LABPROF)/main.o $(LABPROF_OBJS) | $$(@D)/. $(BUILD)/labprof/metrics.tsv
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LABPROF_LIBS)

# What runs labprof needs both: make does not miss the table of a program that is up to date.
PROFILER := $(BUILD)/bin/labprof $(BUILD)/labprof/metrics.tsv
PROGRAMS += $(PROFILER)

labprof: $(PROFILER)
.PHONY: labprof
