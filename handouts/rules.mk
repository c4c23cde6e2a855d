# The handouts: Markdown in handouts/labN.md, measured numbers by name in labN.numbers.tsv
# (common/dev/handout.c), pictures in handouts/img, and what the texts claim about the kernels in
# handouts/claims.tsv. Pages that are about no lab lie beside them.

HANDOUTS := $(patsubst handouts/%.md,%,$(wildcard handouts/lab[0-9]*.md))
TEXTS    := $(patsubst handouts/%.md,%,$(wildcard handouts/*.md))
PAGES    := $(filter-out $(HANDOUTS),$(TEXTS))
DRAWN    := $(filter $(TEXTS),$(patsubst handouts/draw/%.c,%,$(wildcard handouts/draw/*.c)))

# What the texts call the recorded measurements: NAME=FILE, where FILE.csv is a run and
# FILE-metrics.csv its metrics. Those of a lab's variant are called h200VARIANT and simtVARIANT. A
# lab may also have the kernels as textbooks print them, and a race.
recorded_of_lab = h200=h200/$(1) simt=h200-simt/$(1) \
	$(if $(wildcard plots/reference/h200/$(1)-textbook.csv),textbook=h200/$(1)-textbook) \
	$(if $(filter $(1),$(RACES:%=lab%)),race=h200/$(1)-race) \
	$(foreach v,$(call variants,$(1:lab%=%)),h200$(v)=h200/$(1)-$(v) simt$(v)=h200-simt/$(1)-$(v))
# A page names its own, and a lab may add some: recorded_PAGE.
recorded_lab2      = sweep=sweep
recorded_lab4      = constants=h200/model-constants
recorded_lab5      = constants=h200/model-constants
recorded_lab9      = sizes=h200/lab9-sizes
recorded_lab11     = first=h200/lab11-first
recorded_lab12     = large=h200/lab12-large two=h200/lab12-large-two
recorded_simulator = truth=h200/truth-scores constants=h200/model-constants notes=notes-scores \
	$(foreach l,lab4 lab7,h200$(l)=h200/$(l) simt$(l)=h200-simt/$(l))
# What lecture notes measured: NAME=RUN, a run of common/compare/notes.tsv.
figures_lab1  = gtx1060=gtx1060_divergence
figures_lab2  = gtx1060=gtx1060_matrix hosts=hosts
figures_lab3  = gtx1060=gtx1060_reduction hosts=hosts
figures_lab6  = g80=g80_shared rtx2070=rtx2070_shared rtx2070map=rtx2070_map hosts=hosts
figures_lab9  = gt640=gt640_product gtx780=gtx780_product
figures_lab11 = hosts=hosts
FIGURES         = common/compare/notes.tsv
# Tables of constants beside gpus.tsv: NAME=TABLE.
tables_lab2 = capabilities=handouts/capabilities.tsv
tables_lab3 = machine=plots/reference/lab3-machine-code.tsv
tables_lab13 = found=plots/reference/lab13-found.tsv
GPU_TABLE       = gpus=common/simt/gpus.tsv
recorded        = $(if $(filter $(HANDOUTS),$(1)),$(call recorded_of_lab,$(1))) $(recorded_$(1))
recorded_file   = plots/reference/$(lastword $(subst =, ,$(1)))
# In a foreach: the files of $(r), with a comma between them.
source_files    = $(if $(call is_recorded,$(r)),$\
	$(call recorded_file,$(r)).csv$(addprefix $(comma),$(call its_metrics,$(r))))
its_metrics     = $(wildcard $(call recorded_file,$(1))-metrics.csv)
is_recorded     = $(wildcard $(call recorded_file,$(1)).csv)
# $(call handout_sources,lab3): as arguments; $(call handout_inputs,lab3): as files;
# $(call numbers_of,lab3): with the numbers' names. What is not recorded yet is a source without
# files.
numbers_of      = --numbers handouts/$(1).numbers.tsv $(call handout_sources,$(1))
handout_sources = --source $(GPU_TABLE) \
	$(foreach r,$(call recorded,$(1)),--source $(firstword $(subst =, ,$(r)))=$(source_files)) \
	$(patsubst %,--source %,$(subst =,=$(FIGURES):,$(figures_$(1))) $(tables_$(1)))
handout_inputs  = $(lastword $(subst =, ,$(GPU_TABLE))) \
	$(foreach r,$(call recorded,$(1)),$(subst $(comma), ,$(source_files))) \
	$(if $(figures_$(1)),$(FIGURES)) \
	$(foreach t,$(tables_$(1)),$(lastword $(subst =, ,$(t))))

# handouts: each text with today's numbers, as one web page that needs no other file, and
# index.html, a list of them.
handouts: $(patsubst %,$(BUILD)/handouts/%.html,$(TEXTS) claims truth index)

# The texts in the order in which they are read.
IN_ORDER := $(filter $(HANDOUTS),$(addprefix lab,$(LAB_NUMBERS))) $(PAGES)
PAGE_PARTS := handouts/page.sh handouts/page.html handouts/page.css

$(BUILD)/handouts/index.html: $(patsubst %,$(BUILD)/handouts/%.md,$(IN_ORDER) claims truth) \
		$(PAGE_PARTS) | $(BUILD)/setup/handouts
	$(call say,PANDOC,$@) handouts/page.sh index $@ $(@D) $(IN_ORDER) claims truth

# The claims and the truth table are pages too: texts link to them. They name no neighbours.
$(BUILD)/handouts/claims.md: handouts/claims.awk handouts/claims.tsv | $$(@D)/.
	$(hush) awk -f $^ >$@

$(BUILD)/handouts/truth.md: plots/reference/truth.md | $$(@D)/.
	$(hush) cp $< $@

$(BUILD)/handouts/%.md: handouts/%.md handouts/%.numbers.tsv $(BUILD)/bin/handout \
		$$(call handout_inputs,$$*) | $$(@D)/.
	$(call say,FILL,$@) $(BUILD)/bin/handout fill $< $(call numbers_of,$*) --out $@

$(BUILD)/handouts/%.html: $(BUILD)/handouts/%.md $(PAGE_PARTS) $(wildcard handouts/img/*.svg) \
		| $(BUILD)/setup/handouts
	$(call say,PANDOC,$@) handouts/page.sh page $* $< $@ $(IN_ORDER)

# handouts-update writes the numbers into the texts and draws the pictures; handouts-check says
# where they are out of step.
handouts-update: $(BUILD)/bin/handout pictures truth-report
	$(hush) $(foreach h,$(TEXTS),$< update handouts/$(h).md $(call numbers_of,$(h)) &&) true

handouts-check: $(BUILD)/bin/handout
	$(hush) $(foreach h,$(TEXTS),$< check handouts/$(h).md $(call numbers_of,$(h)) &&) true

# pictures: those that handouts/draw/labN.c draws, and the recorded plots.
pictures: $(DRAWN:%=$(BUILD)/bin/draw-%) | $(BUILD)/setup/plots
	$(hush) $(foreach h,$(DRAWN),$(BUILD)/bin/draw-$(h) handouts/img &&) true
	$(hush) handouts/plots.sh $(BUILD)/handouts/img $(HANDOUTS)

# claims: run the solutions where DEVICE says, and check what the handouts say about them. What they
# say about the recorded devices is checked on the recordings, wherever that is: a sentence about an
# H200 does not wait for one.
claims: $(BUILD)/bin/claims $(HANDOUTS:%=measured-%)
	$(hush) status=0; $(foreach h,$(HANDOUTS),\
		$(call check_claims,$(h),$(call timed,$(h)),$(call measured,$(h),metrics)) || status=1;) \
		$(MAKE) --no-print-directory claims-recorded || status=1; exit $$status

claims-recorded: $(BUILD)/bin/claims
	$(hush) status=0; $(foreach d,h200 h200-simt,$(foreach h,$(HANDOUTS),\
		$(if $(wildcard plots/reference/$(d)/$(h)-metrics.csv),\
			$(call check_recorded,$(h),plots/reference/$(d)/$(h)) || status=1,\
			echo '# $(h): not recorded on $(d)');)) \
		$(call check_recorded,simulator,plots/reference/h200/model-constants) || status=1; \
		exit $$status

check_recorded = $(call check_claims,$(1),$(2)%.csv,$(2)%-metrics.csv)
# $(call check_claims,PAGE,RUN.csv,METRICS.csv): with % where a variant's name has its place. Beside
# these, a claim may name what the page does, and gpus.tsv.
check_claims = $(BUILD)/bin/claims --claims handouts/claims.tsv --lab $(1:lab%=%) \
	--run $(subst %,,$(2)) --metrics $(subst %,,$(3)) \
	$(foreach v,$(call variants,$(1:lab%=%)),\
		--also $(v)=$(subst %,-$(v),$(2)),$(subst %,-$(v),$(3))) \
	$(subst --source,--also,$(call handout_sources,$(1)))

# Modelled times are the same under the profiler: on the simulator one run has both, and several
# labs can be measured at a time. But functions of the CPU are measured, and not run under the
# profiler.
TIMED_ON_CPU := lab11 lab12
one_run  = $(if $(ON_SIM),$(filter-out $(TIMED_ON_CPU),$(1)))
measured = $(BUILD)/solutions/$(1)/$(2)%.csv
timed    = $(call measured,$(1),$(if $(one_run),profiled,run))
$(HANDOUTS:%=measured-%): measured-lab%: $$(call all_builds,$$*,$$(call complete,$$*)) \
		$$(PROFILER) $$(if $$(ON_SIM),$$(SIMULATOR))
	+$(call say,MEASURE,lab$*) $(MAKE) --no-print-directory FROM=solutions SIM_GPU=$(SIM_GPU) \
		PLOT=0 WHAT_IF=0 VARIANTS=1 METRICS=$(call all_metrics,$*) \
		$(if $(call one_run,lab$*),ALONE=env,lab$*) profile-lab$* >/dev/null

# ---- Tools ------------------------------------------------------------------------------------

$(call c_program,handout,common/dev/handout,-lm)
$(call c_program,claims,common/dev/claims,-lm)
$(foreach d,$(DRAWN),$(call c_program,draw-$(d),handouts/draw/$(d) handouts/draw/svg,-lm))

.PHONY: handouts handouts-update handouts-check pictures claims claims-recorded \
		$(HANDOUTS:%=measured-%)
