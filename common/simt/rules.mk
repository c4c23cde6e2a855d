# simt: the library that takes the place of NVIDIA's runtime, its archive for unit tests, and the
# command that runs programs on it.
#
# All rooms of common/simt are the library; main.c is the command. The room exec, and exec in rooms
# of extra, is compiled once per instruction set (SIMT_ISAS); run/isa_choice.c picks the best that
# the processor has.
SIMT      := common/simt
SIMT_ISAS := base $(if $(filter x86_64%,$(MAKE_HOST)),avx2 avx512)

# Where there are better sets, base serves old processors: its loops are vectorised, and little else
# in it optimised.
SIMT_FLAGS_base   := $(if $(SANITIZE)$(filter base,$(lastword $(SIMT_ISAS))),,\
	-O1 -foptimize-sibling-calls -ftree-loop-vectorize -fvect-cost-model=dynamic)
SIMT_FLAGS_avx2   := -mavx2 -mfma -mbmi -mbmi2 -mf16c -mpopcnt
SIMT_FLAGS_avx512 := $(SIMT_FLAGS_avx2) -mavx512f -mavx512bw -mavx512dq -mavx512vl \
	-mprefer-vector-width=512

# A float multiplication and the addition after it are two roundings unless the program says fma.
# The loops over lanes are as fast without the two passes that are left out, and gcc takes a tenth
# less. With sanitizers, optimising would take the compiler twice as long, for tests that are short.
SIMT_EXEC_FLAGS := $(if $(SANITIZE),-O0,-O3 -fno-tree-slp-vectorize -fno-schedule-insns2) \
	-fno-strict-aliasing -ffp-contract=off -fno-trapping-math -fno-math-errno

SIMT_ROOMS := image ptx device machine time check decode see explore warp access run api api/launch \
              api/memory extra $(addprefix extra/,driver graphs images pools processes)
SIMT_HOT   := $(wildcard $(SIMT)/exec/*.c $(SIMT)/extra/*/exec/*.c)
SIMT_PLAIN := $(wildcard $(SIMT_ROOMS:%=$(SIMT)/%/*.c)) \
	$(addprefix common/lib/,arena.c csv.c die.c file.c json.c memory.c nvtx.c rowfile.c timeline.c)
SIMT_OBJS  := $(SIMT_PLAIN:%.c=$(BUILD)/obj/%.o) \
              $(foreach isa,$(SIMT_ISAS),$(SIMT_HOT:%.c=$(BUILD)/obj/$(isa)/%.o))

# The runtime API's declarations are ours, and have CUDA 13's values and layouts.
$(foreach file,$(SIMT_PLAIN:.c=.o),$(eval CFLAGS_$(file) += -fPIC \
	-ffp-contract=off -isystem $(SIMT)/include \
	$(if $(filter $(SIMT)/api/% $(SIMT)/extra/% $(SIMT)/see/%,$(file)),,$(HOT))))
define simt_isa
$$(BUILD)/obj/$(1)/%.o: %.c | $$$$(@D)/. $$(BUILD)/setup/build
	$$(call say,CC,$$< ($(1))) $$(CC) $$(CFLAGS) -fPIC $$(SIMT_EXEC_FLAGS) $$(SIMT_FLAGS_$(1)) \
		-DEXEC_ISA=$(1) $$(DEPFLAGS) -Icommon -c -o $$@ $$<
endef
$(foreach isa,$(SIMT_ISAS),$(eval $(call simt_isa,$(isa))))

SIMT_LIBS := -lzstd -llz4 -lpthread -lm
SIMT_MAP  := $(SIMT)/api/exports.map

# What runs kernels, without the runtime's API: one object, as some of it registers itself.
$(BUILD)/simt/simt.o: $(filter-out $(addprefix $(BUILD)/obj/,$(SIMT)/api/% $(SIMT)/extra/% \
		common/lib/%),$(SIMT_OBJS)) \
		$(addprefix $(BUILD)/obj/$(SIMT)/extra/images/,texture.o srgb.o) | $$(@D)/.
	$(call say,LD,$@) ld -r -o $@ $^

# The library reads the GPU table beside it.
$(BUILD)/simt/libcudart.so.13: $(SIMT_OBJS) $(SIMT_MAP) | $$(@D)/. $(BUILD)/simt/gpus.tsv
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,nodelete -Wl,-soname,libcudart.so.13 \
		-Wl,--version-script=$(SIMT_MAP) -o $@ $(SIMT_OBJS) $(SIMT_LIBS)

# The same for programs of CUDA 11 and 12, whose libraries have some functions in another shape:
# older/ has those, and ours are renamed.
SIMT_OLDER := $(SIMT)/api/older
$(BUILD)/simt/simt13.o: $(SIMT_OBJS) $(SIMT_OLDER)/renamed.txt | $$(@D)/.
	$(call say,LD,$@) ld -r -o $@.part $(SIMT_OBJS) && \
		objcopy --redefine-syms=$(SIMT_OLDER)/renamed.txt $@.part $@ && rm $@.part

SIMT_CUDA_11.0 := 11080
SIMT_CUDA_12   := 12040
SIMT_OLDER_PARTS := older graphs
define simt_older_part
$$(BUILD)/obj/$$(SIMT_OLDER)/$(1)-%.o: $$(SIMT_OLDER)/$(1).c | $$$$(@D)/. $$(BUILD)/setup/build
	$$(call say,CC,$$< ($$*)) $$(CC) $$(CFLAGS) -fPIC -isystem $$(SIMT)/include \
		-DSIMT_CUDA_VERSION=$$(SIMT_CUDA_$$*) $$(DEPFLAGS) -Icommon -c -o $$@ $$<
endef
$(foreach part,$(SIMT_OLDER_PARTS),$(eval $(call simt_older_part,$(part))))

$(BUILD)/simt/libcudart.so.%: $(SIMT_OLDER_PARTS:%=$(BUILD)/obj/$(SIMT_OLDER)/%-%.o) \
		$(BUILD)/simt/simt13.o $(SIMT_MAP) | $$(@D)/. $(BUILD)/simt/gpus.tsv
	$(call say,LD,$@) sed 's/libcudart.so.13/libcudart.so.$*/' $(SIMT_MAP) \
			>$(BUILD)/simt/exports-$*.map && \
		$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,nodelete -Wl,-soname,libcudart.so.$* \
		-Wl,--version-script=$(BUILD)/simt/exports-$*.map -o $@ $(filter %.o,$^) $(SIMT_LIBS)

# The driver is in the same library, so that it has the same devices and memory. Programs of CUDA 11
# and 12 that mix it with their runtime find theirs in a folder: main.c.
$(BUILD)/simt/libcuda.so.1: $(BUILD)/simt/libcudart.so.13
	$(call say,LINK,$@) ln -sf libcudart.so.13 $@

$(BUILD)/simt/driver%/libcuda.so.1: $(BUILD)/simt/libcudart.so.% | $$(@D)/.
	$(call say,LINK,$@) ln -sf ../libcudart.so.$* $@

# Loaded before programs that have NVIDIA's runtime linked in, or use NVRTC.
SIMT_STATIC := $(addprefix $(BUILD)/obj/,$(addprefix $(SIMT)/,static_runtime.o nvrtc.o \
	image/elf_probe.o) common/lib/die.o)
CFLAGS_$(SIMT)/static_runtime.o += -fPIC
CFLAGS_$(SIMT)/nvrtc.o += -fPIC
$(BUILD)/simt/static_runtime.so: $(SIMT_STATIC) | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -shared -fvisibility=hidden -Wl,-z,initfirst \
		-o $@ $(SIMT_STATIC)

$(BUILD)/simt/gpus.tsv: $(SIMT)/gpus.tsv | $$(@D)/.
	$(call say,COPY,$@) cp $< $@

$(call c_program,simt,$(addprefix $(SIMT)/,main annotate supports),$(SIMT_LIBS))
$(BUILD)/bin/simt: $(BUILD)/simt/simt.o
LIBS += $(addprefix $(BUILD)/simt/,\
	simt.o libcudart.so.13 libcudart.so.11.0 libcudart.so.12 static_runtime.so gpus.tsv \
	libcuda.so.1 driver11.0/libcuda.so.1 driver12/libcuda.so.1)

simt: $(LIBS) $(PROGRAMS)
.PHONY: simt

# How many blocks of a kernel fit on a multiprocessor.
$(call c_program,occupancy,common/tools/occupancy $(addprefix $(SIMT)/device/,gpu host occupancy))
GPU     ?= $(SIM_GPU)
REGS    ?= 32
THREADS ?= 256
SHARED  ?= 0
occupancy: $(BUILD)/bin/occupancy $(BUILD)/simt/gpus.tsv
	$(hush) $< '$(GPU)' '$(REGS)' '$(THREADS)' '$(SHARED)'
.PHONY: occupancy

# Warp instructions per processor second of the labs and of seven other programs: common/dev/bench.sh
# says what is printed, and which settings there are.
BENCH_FLAGS_2 := --size 1024
bench_labs = $(filter-out 0 11 12,$(LAB_NUMBERS))
bench-simt: simt $(BUILD)/calibrate/speed $$(foreach n,$$(bench_labs),$$(call complete,$$n))
	@common/dev/bench.sh $(BUILD) $(foreach n,$(bench_labs),\
		'lab$n $(call complete,$n) $(BENCH_FLAGS_$n)') \
		$(foreach p,nbody stencil saxpy bitonic histogram spmv bitonic-4g,\
		'$p $(BUILD)/calibrate/speed $p')
.PHONY: bench-simt
