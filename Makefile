# CUDA labs. The one user interface: `make help` says what there is.
#
# Settings: every one can be given on the command line, as in `make lab3 SIZE=1000003 DEVICE=sim`.
BUILD ?= build
CC     = gcc
NVCC  ?= nvcc
V     ?=

# Rooms add their targets to these lists.
LIBS     :=
PROGRAMS :=

all:

# ---- How things are built -------------------------------------------------------------------------------------------

MAKEFLAGS += --no-builtin-rules
SHELL     := /bin/bash
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SUFFIXES:

CFLAGS  = -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror
LDFLAGS =

# $(call say,WORD,WHAT) begins a recipe line: one quiet line of output, or with V=1 the command itself.
say = $(if $(filter-out 0,$(V)),,@printf '  %-8s%s\n' '$(1)' '$(2)' &&)
# Compiling a C file also writes the list of the headers it read; the list is included below.
DEPFLAGS = -MMD -MP -MF $(@:.o=.d)

# A directory is made when something in it is: name it as an order-only prerequisite, `| $$(@D)/.`
.PRECIOUS: $(BUILD)/%/.
$(BUILD)/%/.:
	@mkdir -p $@

# Every other C file: build/obj/<path>.o, with its own flags in CFLAGS_<path>.o if a room sets them.
$(BUILD)/obj/%.o: %.c | $$(@D)/.
	$(call say,CC,$<) $(CC) $(CFLAGS) $(CFLAGS_$*.o) $(DEPFLAGS) -Icommon -c -o $@ $<

-include common/simt/rules.mk
-include common/labprof/rules.mk
-include tests/rules.mk

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

all: $(LIBS) $(PROGRAMS)

clean:
	$(call say,RM,$(BUILD)) rm -rf $(BUILD)

.PHONY: all clean
