# labs.mk: where a lab's files are, how its programs are built, and what is done with one of them:
# labN, profile-labN and the other targets that have a lab's number; and the same for a program of
# the user's own.

# Targets that take a lab's number, as in profile-lab3.
LAB_VERBS := lab profile-lab whatif-lab plot-lab timeline-lab check-lab demo-lab slides-lab see-lab explore-lab watch-lab \
	hint-lab answers-lab diff-lab reset-lab record-lab compare-lab grade-lab grader-lab \
	rubric-lab front-lab
.PHONY: $(foreach verb,$(LAB_VERBS),$(addprefix $(verb),$(LAB_NUMBERS)))

# Where a lab's source is, and where its results go.
lab_file = $(call field,$(1),folder)/$(call field,$(1),program).cu
solution = solutions/$(lab_file)
student  = labs/$(lab_file)
RESULTS  = $(BUILD)$(if $(filter solutions,$(FROM)),/solutions)
results  = $(RESULTS)/lab$(1)
program  = $(results)/$(call field,$(1),program)
# The complete program, whatever FROM says.
complete = $(BUILD)/solutions/lab$(1)/$(call field,$(1),program)

# ---- Building a lab ---------------------------------------------------------------------------

# A lab may be built in several ways beside the main one, each with nvcc flags of its own: the
# column variants of labs.tsv holds NAME=FLAG,FLAG..., separated by spaces. What belongs to a
# variant has its name: PROGRAM-NAME, run-NAME.csv.
variants      = $(foreach v,$(call field,$(1),variants),$(firstword $(subst =, ,$(v))))
variant_flags = $(call flags_of,$(2),$(call field,$(1),variants))
# $(call flags_of,NAME,PAIRS): a name's flags, as words.
flags_of      = $(subst $(comma), ,$(patsubst $(1)=%,%,$(filter $(1)=%,$(2))))
# $(call builds,NUMBER): main and the variants; $(call tail,BUILD): what file names end in for it.
builds     = main $(call variants,$(1))
tail       = $(if $(filter-out main,$(1)),-$(1))
# $(call all_builds,NUMBER,PROGRAM): the files of a program in all its builds.
all_builds = $(foreach b,$(call builds,$(1)),$(2)$(call tail,$(b)))

LAB_PROGRAMS := $(foreach n,$(LAB_NUMBERS),$(foreach folder,$(BUILD) $(BUILD)/solutions,\
	$(call all_builds,$(n),$(folder)/lab$(n)/$(call field,$(n),program))))
# What the path of a program says of it: build/[solutions/]labN/PROGRAM[-VARIANT].
lab_of     = $(patsubst lab%,%,$(notdir $(patsubst %/,%,$(dir $(1)))))
source_of  = $(call $(if $(filter $(BUILD)/solutions/%,$(1)),solution,student),$(call lab_of,$(1)))
variant_of = $(word 2,$(subst -, ,$(notdir $(1))))

# What does not change while a student edits kernels is compiled once: the harness, and in the
# column `linked with` what needs the toolkit.
linked  = $(HARNESS) $(if $(WITH_CLANG),,\
	$(patsubst %.cu,$(BUILD)/obj/%.o,$(call field,$(1),linked_with)))

$(LAB_PROGRAMS): private PTX_ARCH = $(or $(call field,$(call lab_of,$@),ptx),75)
# In a recipe: the flags of the program's variant. $(call lab_flags,NUMBER): those of the lab; the
# linker of GPU code has nothing to do unless they, -rdc=true, say so.
extra_flags = $(call variant_flags,$(call lab_of,$@),$(call variant_of,$@))
lab_flags   = $(or $(call field,$(1),nvcc_flags),-nodlink)
# Always looked at: compile.sh compares what was compiled with the source. That was saved at any
# time, also while the compiler read it. Of a student's file it says first what the grader would
# refuse, and what it would not take.
GUARD_OBJS := $(addprefix common/guard/,guard merge lex)
$(call c_program,guard,common/guard/main $(GUARD_OBJS))
handed_out = $(firstword $(wildcard $(call solution,$(1)) common/guard/$(call lab_file,$(1))))
guard      = $(if $(filter $(BUILD)/solutions/%,$(1)),,$(if $(call handed_out,$(call lab_of,$(1))),\
	GUARD='$(BUILD)/bin/guard $(call handed_out,$(call lab_of,$(1)))'))

# CUDA's headers read <cmath>, whose special functions took a fifth of the compiler's time: they
# count as read already.
NO_SPECIAL_FUNCTIONS = -D_GLIBCXX_BITS_SPECFUN_H
$(LAB_PROGRAMS): $$(call linked,$$(call lab_of,$$@)) $(BUILD)/nvcc-flags $(front_parts) FORCE \
		| $$(call source_of,$$@) $$(@D)/. $(front_setup) $(BUILD)/bin/guard
	$(hush) $(call guard,$@) $(COMPILE) $(call quoted,$(filter-out FORCE,$?)) '$(compiler_word)' \
		$(call source_of,$@) $@ $(CUDAC) \
		$(call flags_with,$(extra_flags) $(call lab_flags,$(call lab_of,$@))) -DHARNESS_LINKED \
		$(NO_SPECIAL_FUNCTIONS) -MMD -MP -MF $@.d -MT $@ $(filter %.o,$^)

programs: $(if $(wildcard solutions),$(filter $(BUILD)/solutions/%,$(LAB_PROGRAMS)))
.PHONY: programs

# ---- Running a lab ----------------------------------------------------------------------------

# $(call needs,NUMBER,BUILDS): what their runs need. The other builds take as long again:
# profile-labN runs them, labN on request.
needs         = $(foreach b,$(2),$(call program,$(1))$(call tail,$(b))) \
	$(if $(ON_SIM),$(SIMULATOR)) $(if $(call predicts,$(1)),$(BUILD)/bin/answers)
wanted_builds = $(if $(call on,VARIANTS),$(call builds,$(1)),main)

$(addprefix lab,$(LAB_NUMBERS)): lab%: $$(call needs,$$*,$$(call wanted_builds,$$*))
	$(hush) $(call ask_first,$*) $(foreach b,$(call wanted_builds,$*),\
		$(call announce,$*,$(b)) $(call run_build,$*,$(call tail,$(b))) &&) true \
		$(call compare_then,$*)

# A line above what a variant prints.
announce  = $(if $(call tail,$(2)),printf '\nThe same program built with %s:\n\n' \
	'$(call variant_flags,$(1),$(2))' &&)
# $(call run_build,NUMBER,TAIL OF THE BUILD). WATCHED is a file of watch-labN's.
run_build = $(if $(WATCHED),common/make/watched.sh '$(WATCHED)$(2)' $(program)$(2) \
	'$(if $(ON_SIM),$(SIMULATOR))') $(ALONE) LABS_REFERENCE='$(reference)' $(small_sizes) \
	LABS_PROBLEM=$(results)/run$(2).problem LABS_SOURCE=$(results)/run$(2).source $(RUN) \
	$(program)$(2) $(STEP_FLAGS) $(RUN_FLAGS) --csv $(results)/run$(2).csv
# Recorded measurements of the solution: shown on request beside steps still to do, where the device
# is the same.
reference   = $(if $(call on,REFERENCE),$\
	$(subst $(space),:,$(wildcard plots/reference/*/lab$(1)$(2).csv)))
# The simulator's checker looks at a student's right step too, on problems that take no time. The
# solutions are known to be clean.
small_sizes = $(if $(filter labs,$(FROM)),LABS_SMALL_SIZES='$(call field,$(1),small_sizes)')

$(call c_program,skeleton,common/dev/skeleton)
$(call c_program,demo,common/tools/demo)
$(call c_program,progress,common/tools/progress common/tools/lesson)
$(call c_program,hint,common/tools/hint common/tools/lesson)

# ---- What else is done with a lab -------------------------------------------------------------

draws = $(call on,PLOT)

# A step that is wrong makes the program fail, and the profile with it; what was measured in this
# run is drawn all the same.
$(addprefix profile-lab,$(LAB_NUMBERS)): profile-lab%: $$(call needs,$$*,$$(call builds,$$*)) \
		$(PROFILER) $(LABNCU_FILES) | $(if $(draws),$(BUILD)/setup/plots $(RESULTS)/plots/.)
	$(hush) touch $(call results,$*)/began; status=0; \
		$(foreach b,$(call builds,$*),\
			$(call announce,$*,$(b)) $(call profile_build,$*,$(call tail,$(b))) || status=$$?;) \
		[ -z '$(draws)' ] || [ ! $(call results,$*)/metrics.csv -nt $(call results,$*)/began ] || \
			$(call plot,$*) || status=$$?; \
		(exit $$status) $(call compare_then,$*)

# $(call profile_build,NUMBER,TAIL OF THE BUILD): on the simulator with what each time goes into,
# unless WHAT_IF=0.
WHAT_IF       = $(ON_SIM)
profile_build = $(ALONE) DEVICE=$(DEVICE_FOUND) LABS_PROBLEM=$(results)/profiled$(2).problem \
	$(PROFILE) --lab-table --lab $(1) --log-file $(results)/profile$(2).txt \
	--lab-metrics $(results)/metrics$(2).csv \
	--steps $(results)/profiled$(2).csv --metrics $(or $(METRICS),$(call field,$(1),metrics)) \
	$(if $(call on,WHAT_IF),--what-if) \
	$(program)$(2) --profile $(STEP_FLAGS) $(RUN_FLAGS) --csv $(results)/profiled$(2).csv

# What each step's time goes into. Only a simulator can leave something out.
$(addprefix whatif-lab,$(LAB_NUMBERS)): whatif-lab%: $$(call needs,$$*,main) $(PROFILER)
	$(if $(ON_SIM),,$(error whatif-lab$* needs the simulator; run it with DEVICE=sim))
	$(hush) $(ALONE) DEVICE=sim $(PROFILE) --what-if --lab-table --lab $* \
		--log-file $(call results,$*)/what-if.txt --steps $(call results,$*)/what-if.csv \
		$(call program,$*) --profile $(STEP_FLAGS) $(RUN_FLAGS) \
		--csv $(call results,$*)/what-if.csv

plot = common/tools/plot.sh $(1) $(RESULTS) $(call variants,$(1))
$(addprefix plot-lab,$(LAB_NUMBERS)): plot-lab%: | $(BUILD)/setup/plots $(RESULTS)/plots/.
	$(hush) $(call plot,$*)

# What copies and kernels in streams do at the same time. The column timelines of labs.tsv holds
# NAME=FLAG,FLAG..., separated by spaces: steps, and the flags with which each is drawn.
timelines      = $(foreach t,$(call field,$(1),timelines),$(firstword $(subst =, ,$(t))))
timeline_flags = $(call flags_of,$(2),$(call field,$(1),timelines))
timeline_file  = $(results)/timeline-$(2).csv
# $(call timeline_to,FILE): what makes a program write its timeline there.
timeline_to    = $(if $(ON_SIM),SIMT_TIMELINE=$(1),\
	CUDA_INJECTION64_PATH=$(abspath $(RECORDER)) LABPROF_TIMELINE=$(1))
no_streams     = no step of this lab works in streams; `make timeline-lab12` draws those of lab 12
timeline_note  = Times are $(if $(ON_SIM),modelled,measured).  Colours and numbers: streams.

$(addprefix timeline-lab,$(LAB_NUMBERS)): timeline-lab%: $$(call needs,$$*,main) \
		$$(if $$(ON_SIM),,$$(RECORDER)) | $(if $(draws),$(BUILD)/setup/plots $(RESULTS)/plots/.)
	$(if $(call timelines,$*),,$(error timeline-lab$*: $(no_streams)))
	$(hush) $(foreach t,$(call timelines,$*),$(ALONE) \
		$(call timeline_to,$(call timeline_file,$*,$(t))) $(RUN) \
		$(call program,$*) --profile --step $(t) $(call timeline_flags,$*,$(t)) $(RUN_FLAGS) && \
		) true
	$(if $(draws),$(hush) plots/draw-timeline.sh $(RESULTS)/plots/lab$*-timeline \
		'Lab $*: $(call field,$*,title)' \
		'$(timeline_note)' $(foreach t,$(call timelines,$*),$(t)=$(call timeline_file,$*,$(t))))

$(addprefix check-lab,$(LAB_NUMBERS)): check-lab%: $$(call needs,$$*,main)
	$(hush) $(ALONE) common/tools/check.sh "$(if $(ON_SIM),$(RUN))" "$(LAUNCHER)" \
		$(call program,$*) "$(or $(SIZE),$(call field,$*,check_sizes))" \
		$(if $(BLOCK),--block $(BLOCK)) $(STEP_FLAGS) $(ARGS)

$(addprefix demo-lab,$(LAB_NUMBERS)): demo-lab%: $(BUILD)/bin/demo $$(call complete,$$*) \
		$(PROFILER) $$(if $$(ON_SIM),$$(SIMULATOR))
	$(hush) $(ALONE) DEVICE=$(DEVICE_FOUND) $< --lab $* --source $(call solution,$*) \
		--folder $(BUILD)/solutions/lab$* --program "$(RUN) $(call complete,$*) $(RUN_FLAGS)" \
		--profiler "$(PROFILE)" $(addprefix --replay ,$(REPLAY))

# A page for a browser. It needs the simulator, whatever DEVICE says.
SEEN = $(or $(subst $(comma),-,$(STEPS)),$(STEP),1)$(addprefix -,$(subst $(comma),-,$(GPUS)))
$(addprefix see-lab,$(LAB_NUMBERS)): see-lab%: $$(call program,$$*) $(SIMULATOR) | $(RESULTS)/see/.
	$(hush) $(ALONE) STEP='$(STEP)' STEPS='$(STEPS)' BLOCK_INDEX='$(BLOCK_INDEX)' WARPS='$(WARPS)' \
		GPUS='$(GPUS)' LAUNCH='$(LAUNCH)' \
		common/tools/see.sh "$(BUILD)/bin/simt --gpu $(SIM_GPU)" \
		$(FROM)/$(call lab_file,$*) $< $(RESULTS)/see/lab$*-$(SEEN).html $(RUN_FLAGS)

# A page that runs the lab's kernels itself. SIZE and BLOCK may be several words.
$(addprefix explore-lab,$(LAB_NUMBERS)): explore-lab%: $$(call program,$$*) $(SIMULATOR) \
		$(BUILD)/simt/explore.html | $(RESULTS)/explore/.
	$(hush) $(ALONE) SIZE='$(SIZE)' BLOCK='$(BLOCK)' common/tools/explore.sh $* \
		"$(BUILD)/bin/simt --gpu $(SIM_GPU)" $< $(RESULTS)/explore/lab$*.html $(ARGS)

# Builds the lab again at each save, also at one while it runs, and runs it where code has changed.
# Make carries this recipe out for -n, too.
$(addprefix watch-lab,$(LAB_NUMBERS)): watch-lab%: | $(BUILD)/setup/watch
	$(hush) ran=$$(mktemp) && trap 'rm -f "$$ran"*' EXIT && echo $(call student,$*) | \
		$(if $(findstring n,$(firstword -$(MAKEFLAGS))),echo) entr -an \
		$(MAKE) --no-print-directory lab$* WATCHED="$$ran"

# How far the student is, and what helps. The hints come from the rubrics, in the students' edition
# from a file.
HINTS = $(if $(wildcard solutions),$(BUILD)/hints.tsv,labs/hints.tsv)
$(BUILD)/hints.tsv: common/tools/hints.sh labs/labs.tsv \
		$(wildcard solutions/*/*.cu solutions/*/rubric.tsv) | $(BUILD)/.
	$(hush) common/tools/hints.sh > $@

$(addprefix hint-lab,$(LAB_NUMBERS)): hint-lab%: $(BUILD)/bin/hint $(HINTS) | $(BUILD)/lab%/.
	$(hush) $< $(call student,$*) $(BUILD)/lab$*/run.csv $(HINTS) $* $(BUILD)/lab$*/hints

progress: $(BUILD)/bin/progress
	$(hush) $< $(BUILD)
.PHONY: progress

# What a student waits for after a change, for each lab, with each compiler that is here: minutes.
bench-edit: $(SIMULATOR) $(BUILD)/bin/launches | $(BUILD)/setup/build $(BUILD)/setup/front
	$(hush) tests/bench-edit.sh $(BUILD) $(if $(NVCC),nvcc) clang
.PHONY: bench-edit

$(addprefix reset-lab,$(LAB_NUMBERS)): reset-lab%: $(BUILD)/bin/skeleton
	$(hush) $< reset $(call solution,$*) $(call student,$*)

skeletons: $(BUILD)/bin/skeleton
	$(hush) $(foreach n,$(LAB_NUMBERS),mkdir -p $(dir $(call student,$(n))) && \
		$< write $(call solution,$(n)) $(call student,$(n)) &&) true

# A new lab, from templates. Some systems have a NAME in the environment: that one does not count.
new-lab: $(BUILD)/bin/skeleton
	$(hush) common/dev/new-lab.sh \
		$(call quoted,$(if $(findstring command,$(origin NAME)),$(NAME))) $<
.PHONY: skeletons new-lab

# ---- A program of the user's own: compiled as the labs are, each time -------------------------

# Its path may have spaces in it, which make's targets may not.
OWN         = $(BUILD)/own/$$(basename "$$FILE" .cu)
OWN_METRICS = gpu_time,branch_efficiency,warp_execution_efficiency,achieved_occupancy,$\
	gld_efficiency,gst_efficiency,gld_transactions_per_request,gst_transactions_per_request,$\
	shared_efficiency

own-program: $(front_parts) $$(if $$(ON_SIM),$$(SIMULATOR)) | $(front_setup) $(BUILD)/own/.
	$(hush) $(COMPILE) new '$(compiler_word)' "$$FILE" "$(OWN)" \
		$(CUDAC) $(call flags_with,$(FLAGS))

run: own-program
	$(hush) $(ALONE) $(RUN) "$(OWN)" $(ARGS)

profile-own: own-program $(PROFILER)
	$(hush) $(ALONE) DEVICE=$(DEVICE_FOUND) $(PROFILE) --metrics $(or $(METRICS),$(OWN_METRICS)) \
		"$(OWN)" $(ARGS)
.PHONY: own-program run profile-own
