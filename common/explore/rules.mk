# explore: the page on which a program's launches can be changed and run again. simt itself,
# compiled to WebAssembly once, runs them in the browser.
EXPLORE       := common/explore
EXPLORE_FLAGS := -std=c11 -D_GNU_SOURCE -fsigned-char -ffp-contract=off -fno-strict-aliasing \
	-Wall -Wno-unknown-pragmas -DEXEC_ISA=base -isystem $(SIMT)/include \
	-isystem $(EXPLORE)/module -Icommon
EXPLORE_FILES := $(wildcard $(EXPLORE)/module/*.c) $(SIMT_HOT) $(filter-out \
	$(SIMT)/device/host.c $(SIMT)/api/caller.c $(SIMT)/api/ranges.c common/lib/nvtx.c \
	$(SIMT)/extra/driver/%,$(SIMT_PLAIN))
EXPLORE_OBJS  := $(EXPLORE_FILES:%.c=$(BUILD)/explore/%.o)
EXPLORE_HOT   := $(filter-out $(SIMT)/api/% $(SIMT)/extra/% $(SIMT)/see/% $(SIMT)/check/%,\
	$(EXPLORE_FILES))

$(EXPLORE_HOT:%.c=$(BUILD)/explore/%.o): private OPTIMISE = -O2
$(BUILD)/explore/%.o: private OPTIMISE = -Os
$(BUILD)/explore/%.o: %.c | $$(@D)/. $(BUILD)/setup/explore
	$(call say,EMCC,$<) emcc $(EXPLORE_FLAGS) $(OPTIMISE) $(if $(filter $<,$(SIMT_HOT)),-msimd128) \
		$(DEPFLAGS) -c -o $@ $<

# Debian's emscripten needs Debian's acorn, which a node from elsewhere does not look for.
$(BUILD)/explore/simt.js: $(EXPLORE_OBJS)
	$(call say,EMLD,$@) NODE_PATH=/usr/share/nodejs emcc -O2 \
		-sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=4MB -sMODULARIZE \
		-sEXPORT_NAME=simt -sENVIRONMENT=worker,node -sEXIT_RUNTIME=0 \
		-sEXPORTED_FUNCTIONS=_malloc -sEXPORTED_RUNTIME_METHODS=ccall,FS,ENV,HEAPU8 --no-entry \
		-o $@ $(EXPLORE_OBJS)

# What the page holds beside its own script: the loader and the worker, and the module, packed.
$(BUILD)/explore/worker.js: $(BUILD)/explore/simt.js $(EXPLORE)/worker.js
	$(hush) cat $^ > $@
$(BUILD)/explore/wasm: $(BUILD)/explore/simt.js
	$(hush) gzip -9 -n < $(<:.js=.wasm) | base64 > $@
$(BUILD)/explore/see: $(BUILD)/simt/see.html | $$(@D)/.
	$(hush) gzip -9 -n < $< | base64 > $@
$(BUILD)/explore/without: $(SIMT)/time/without.def | $$(@D)/.
	$(hush) sed -n 's/^WITHOUT(.*, \(.*\))$$/\1/p' $< > $@

EXPLORE_MODULES := common/see/names.js common/see/draw.js $(EXPLORE)/main.js
EXPLORE_PARTS   := $(addprefix $(BUILD)/explore/,worker.js wasm see without)
$(BUILD)/simt/explore.html: $(EXPLORE)/page.html $(EXPLORE)/style.css $(EXPLORE_MODULES) \
		$(EXPLORE_PARTS) $(SIMT)/gpus.tsv common/see/join.awk | $$(@D)/.
	$(call say,JOIN,$@) worker=$(BUILD)/explore/worker.js wasm=$(BUILD)/explore/wasm see=$(BUILD)/explore/see \
		gpus=$(SIMT)/gpus.tsv without=$(BUILD)/explore/without \
		awk -f common/see/join.awk -v style=$(EXPLORE)/style.css \
		-v modules='$(EXPLORE_MODULES)' $< > $@.part && mv $@.part $@

explore-page: $(BUILD)/simt/explore.html
.PHONY: explore-page
