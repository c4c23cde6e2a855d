# labprof, nvprof's command line over four back ends, its table of metrics, and the library that
# records on a GPU.
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

# The library that the driver loads into a program on a GPU. It needs CUPTI, which comes with the
# toolkit; without it labprof still has metrics, and names what is missing. Toolkits differ in the
# folder; Debian's is the system's.
RECORDER_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(LABPROF)/cupti/*.c) \
	$(addprefix common/lib/,csv.c die.c file.c memory.c nvtx.c rowfile.c timeline.c))
RECORDER       = $(if $(WITH_CLANG),,$\
	$(if $(and $(CUPTI_HEADER),$(CUPTI_LIBRARY)),$(BUILD)/labprof/librecorder.so))
CUPTI_HEADER   = $(call once,CUPTI_HEADER,$(call cupti_file,include,cupti.h) \
	$(wildcard /usr/include/cupti.h))
CUPTI_LIBRARY  = $(call once,CUPTI_LIBRARY,$(call cupti_file,lib64,libcupti.so) \
	$(wildcard /usr/lib/*/libcupti.so))
cupti_file     = $(wildcard $(CUDA_HOME)/extras/CUPTI/$(1)/$(2) $(CUDA_HOME)/$(1)/$(2))
folder_of      = $(patsubst %/,%,$(dir $(firstword $(1))))

$(foreach file,$(wildcard $(LABPROF)/cupti/*.c),$(eval CFLAGS_$(file:.c=.o) = -fPIC \
	-isystem $$(call folder_of,$$(CUPTI_HEADER)) -isystem $$(CUDA_HOME)/include))

$(BUILD)/labprof/librecorder.so: $(RECORDER_OBJS) $(LABPROF)/cupti/exports.map | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -shared \
		-Wl,--version-script=$(LABPROF)/cupti/exports.map -o $@ \
		$(filter %.o,$^) -L$(call folder_of,$(CUPTI_LIBRARY)) -lcupti -lpthread \
		-Wl,-rpath,$(call folder_of,$(CUPTI_LIBRARY))

all labprof test-gpu: $$(RECORDER)
labprof: $(PROFILER)
.PHONY: labprof
