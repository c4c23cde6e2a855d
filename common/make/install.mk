# install.mk: install and uninstall simt, labprof, labncu and cudac as programs of their own, with
# man pages and bash completion.

PREFIX ?= /usr/local
export PREFIX DESTDIR

MAN_simt    := run a CUDA program on a simulated GPU
MAN_labprof := profile a CUDA program, with the command line and tables of nvprof
MAN_labncu  := count what a CUDA kernel does, with the command line and pages of ncu
MAN_cudac   := compile a CUDA program for simt by clang, with the command line of nvcc
MAN_PAGES   := $(patsubst %,$(BUILD)/man/%.1,simt labprof labncu cudac)

# $(call man_page,PROGRAM): help2man reads the program's --help.
man_page = $(call say,MAN,$@) help2man --no-info --name='$(MAN_$(basename $(@F)))' \
	--output=$@.part $(1) && mv $@.part $@
$(BUILD)/man/cudac.1: common/front/cudac | $$(@D)/. $(BUILD)/setup/install
	$(call man_page,$<)
$(BUILD)/man/%.1: $(BUILD)/bin/% | $$(@D)/. $(BUILD)/setup/install
	$(call man_page,$<)

install: $(LIBS) $(PROFILER) $(LABNCU_FILES) $(BUILD)/bin/simt $(CUDAC_PROGRAMS) $$(RECORDER) $(MAN_PAGES)
	$(hush) BUILD=$(BUILD) common/tools/install.sh install

uninstall:
	$(hush) common/tools/install.sh uninstall
.PHONY: install uninstall
