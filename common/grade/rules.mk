# Grading: one submission against a lab's solution, and a class of them; diff-labN; the students'
# edition. What is run of a submission is run in a sandbox, on the simulator, so that the same
# submission earns the same points on every machine.

UNSAFE    ?=
JOBS      ?= $(shell nproc)
PARTITION ?=
# Seconds that a submission may take in all, compilation included: of processor time, and by the
# clock.
CPU_LIMIT   ?= 120
TIME_LIMIT  ?= 300
# How many of a student's submissions a day have hints, and until when no report says which hidden
# case is wrong: in a course's package from labs/course.mk, which course.sh has written. METADATA:
# Gradescope's file of earlier submissions.
-include labs/course.mk
HINTS_PER_DAY ?=
DUE           ?=
METADATA      ?=
brakes = $(if $(HINTS_PER_DAY),--hints-per-day '$(HINTS_PER_DAY)') \
	$(if $(DUE),--due "$$(date -d '$(DUE)' +%s)") \
	$(if $(METADATA),--metadata $(call quoted,$(METADATA)))
export UNSAFE

GRADE      := common/grade
SANDBOX    := $(addprefix $(GRADE)/sandbox/,sandbox start folder)
UNPACK     := $(addprefix $(GRADE)/submission/,submission unpack) $(SANDBOX)
GRADE_OBJS := $(UNPACK) $(addprefix $(GRADE)/,student/split \
	$(addprefix rubric/,main lab_files steps program trial rubric launches report)) $(GUARD_OBJS)

$(call c_program,grade,$(GRADE_OBJS),-lcjson -lm)
# They include the JSON library's header.
$(addprefix $(BUILD)/obj/$(GRADE)/rubric/,main.o report.o): | $(BUILD)/setup/grading
$(call c_program,grade-class,$(UNPACK) common/guard/lex \
	$(addprefix $(GRADE)/class/,main class archive collect export similar))
# It looks at each pair of a class.
CFLAGS_$(GRADE)/class/similar.o = $(HOT)
$(call c_program,sandbox,$(GRADE)/sandbox/main $(SANDBOX))
# Makes the instructor's program, which judges what students have written: no solution is in it
# (split.h).
$(call c_program,split,$(addprefix $(GRADE)/student/,split_main split) common/guard/lex)

$(BUILD)/grade/lab%/host.cu: $$(call solution,$$*) $(BUILD)/bin/split | $$(@D)/.
	$(hush) $(BUILD)/bin/split $< >$@.part && mv $@.part $@

# What judges students' functions for the CPU is C++17.
host_options = $(if $(shell grep -F student/judge.h $<),$(filter-out -std=%,$(HOST_OPTIMISE)),$\
	$(HOST_OPTIMISE))
$(BUILD)/grade/lab%/host.o: $(BUILD)/grade/lab%/host.cu $(GRADE)/rules.mk common/common.h \
		$(wildcard common/harness/*.h $(GRADE)/student/*.h) $(BUILD)/host-flags $(front_parts) \
		| $(front_setup) $(BUILD)/setup/grading
	$(call say,$(CUDA_WORD),$@) $(CUDAC) $(host_options) -DHARNESS_LINKED \
		-Icommon -cudart shared -gencode arch=compute_75,code=compute_75 \
		$(call field,$*,nvcc_flags) -c -o $@ $<

# What runs students' functions for the CPU: in the judge, and the last in the student's program.
STUDENT := $(addprefix $(BUILD)/obj/$(GRADE)/student/,process.o counts.o filter.o student.o)
LIBS    += $(STUDENT)

# What a run needs of the simulator and the profiler. Each sandbox gets a copy, so the programs lack
# debugging information, which is four fifths of them.
GRADE_PROGRAMS := $(addprefix $(BUILD)/grade/,bin/simt bin/labprof simt/libcudart.so.13 \
	$(if $(WITH_CLANG),bin/launches))
GRADE_TABLES   := $(addprefix $(BUILD)/grade/,simt/gpus.tsv labprof/metrics.tsv)
$(GRADE_PROGRAMS): $(BUILD)/grade/%: $(BUILD)/% | $$(@D)/.
	$(hush) strip -o $@ $<
$(GRADE_TABLES): $(BUILD)/grade/%: $(BUILD)/% | $$(@D)/.
	$(hush) cp $< $@

# $(call grader,NUMBER): the grader's command for a lab; and what it needs.
grader = $(BUILD)/bin/grade --lab $(1) --solution $(call solution,$(1)) --build $(BUILD) \
	--cpu-limit '$(CPU_LIMIT)' --time-limit '$(TIME_LIMIT)' $(brakes) $(grader_compiler) \
	--flags '$(call field,$(1),nvcc_flags)' $(addprefix --ptx ,$(call field,$(1),ptx))
# The sandbox shows the compiler's folder.
CLANG_PATH      = $(call once,CLANG_PATH,$(shell command -v '$(CLANG)'))
grader_compiler = $(if $(WITH_CLANG),\
	--toolkit '$(abspath $(dir $(CLANG_PATH))..)' --clang '$(CLANG_PATH)',\
	--toolkit '$(CUDA_HOME)')
grader_needs = $(BUILD)/bin/grade $(BUILD)/grade/lab$(1)/host.o $(HARNESS) $(STUDENT) \
	$(GRADE_PROGRAMS) $(GRADE_TABLES)

$(addprefix grade-lab,$(LAB_NUMBERS)): grade-lab%: $$(call grader_needs,$$*) \
		| $(BUILD)/grade/lab$$*/one/.
	$(hush) $(call grader,$*) --out $(BUILD)/grade/lab$*/one $(call quoted,$(SUBMISSION))

# What grading a lab needs, without a submission.
$(addprefix grader-lab,$(LAB_NUMBERS)): grader-lab%: $$(call grader_needs,$$*)

# A rubric before a class sees it: what the complete program and the handed-out one earn.
$(addprefix rubric-lab,$(LAB_NUMBERS)): rubric-lab%: $$(call grader_needs,$$*) \
		$(BUILD)/bin/skeleton | $(BUILD)/grade/lab$$*/rubric/.
	$(hush) $(GRADE)/rubric/rubric.sh $(BUILD)/grade/lab$*/rubric $* $(call solution,$*) \
		$(call field,$*,program).cu $(BUILD)/bin/skeleton -- $(call grader,$*)

# ---- Side by side -----------------------------------------------------------------------------

$(call c_program,diff-lab,common/tools/diff-lab common/guard/lex $(UNPACK))

$(addprefix diff-lab,$(LAB_NUMBERS)): diff-lab%: $(BUILD)/bin/diff-lab
	$(hush) $(BUILD)/bin/diff-lab $(call quoted,$(or $(SUBMISSION),$(call student,$*))) \
		$(call solution,$*)

# ---- A class ----------------------------------------------------------------------------------

# SUBMISSIONS is a folder with a file, a folder or an archive for each student, or one archive of
# all that, which is unpacked beside the results. Results: build/grades/labN, or GRADES.
GRADES     ?= $(BUILD)/grades/lab$(LAB)
ONE_ARCHIVE = $(call once,ONE_ARCHIVE,$(shell [ ! -f $(call quoted,$(SUBMISSIONS)) ] || echo yes))

# Where there is no sandbox it says so at once. Submissions that could not be graded are in
# grades.csv with a note, so the tables are made in any case, and what make course exports for the
# others, too.
grade: $(call grader_needs,$(LAB)) $(BUILD)/bin/grade-class $(BUILD)/bin/sandbox \
		| $(BUILD)/setup/plots
	$(if $(filter local,$(ENGINE)),$(hush) $(BUILD)/bin/sandbox -- true)
	$(if $(ONE_ARCHIVE),$(hush) $(unpack_class))
	$(hush) status=0; $(grade_$(ENGINE)) || status=1; \
		$(BUILD)/bin/grade-class collect --out '$(GRADES)' $(class_folder) && \
		$(GRADE)/class/after.sh '$(GRADES)' $(LAB) && exit $(if $(BY_HAND),0,$$status)

# The folder of submissions, as a word for the shell.
class_folder = $(if $(ONE_ARCHIVE),'$(GRADES)/submissions',$(call quoted,$(SUBMISSIONS)))
unpack_class = rm -rf '$(GRADES)/submissions' && mkdir -p '$(GRADES)/submissions' && \
	$(BUILD)/bin/grade-class unpack --out '$(GRADES)/submissions' \
	$(call quoted,$(SUBMISSIONS))

grade_local = $(BUILD)/bin/grade-class grade --out '$(GRADES)' --jobs $(JOBS) $(class_folder) \
	-- $(call grader,$(LAB))

# On a cluster JOBS counts only if it is given: this machine's processors are not the cluster's.
at_once     = $(if $(filter file,$(origin JOBS)),,$(JOBS))
grade_slurm = $(GRADE)/class/slurm.sh '$(GRADES)' $(class_folder) '$(PARTITION)' '$(at_once)' -- \
	$(BUILD)/bin/grade-class grade --out '$(GRADES)' $(class_folder) -- $(call grader,$(LAB))

# The time that a class takes, with a class of 200 that is made up: minutes.
bench-grade: $(call grader_needs,3) $(BUILD)/bin/grade-class $(BUILD)/bin/sandbox \
		| $(BUILD)/setup/plots
	$(hush) tests/bench-grade.sh $(BUILD)

# A class on a Slurm cluster that has trouble: tens of minutes. Needs root.
STUDENTS ?= 2000
test-cluster: $(call grader_needs,4) $(BUILD)/bin/grade-class $(BUILD)/bin/sandbox \
		| $(BUILD)/setup/plots $(BUILD)/setup/tests
	bats tests/targets/slurm.bats
	$(hush) tests/cluster/run.sh $(BUILD) $(STUDENTS)

# ---- A course on a learning platform: handouts/teaching.md ------------------------------------

# What is uploaded, in build/course/PLATFORM-labN. Gradescope, Autolab and classroom50 grade by
# themselves, and get a grader; Moodle and Canvas get grades and reports of the class's archive that
# they let an instructor download.
FOR    ?=
COURSE  = $(BUILD)/course/$(FOR)-lab$(LAB)
BY_HAND = $(filter moodle canvas,$(FOR))
# The name of the assignment in Canvas's table of grades.
TITLE  ?= Lab $(LAB)

course: $$(if $$(BY_HAND),grade,$(BUILD)/setup/grading)
	$(hush) $(if $(BY_HAND),$(export_grades),HINTS_PER_DAY='$(HINTS_PER_DAY)' DUE='$(DUE)' \
		common/course/course.sh $(FOR) $(LAB) $(call field,$(LAB),folder) \
		$(call field,$(LAB),program) '$(COURSE)')

export_grades = rm -rf '$(GRADES)/upload' && \
	$(BUILD)/bin/grade-class export --for $(FOR) --title $(call quoted,$(TITLE)) \
		--out '$(GRADES)' $(class_folder) && \
	bsdtar -a -C '$(GRADES)/upload/feedback' -cf '$(GRADES)/upload/feedback.zip' . && \
	rm -rf '$(GRADES)/upload/feedback' '$(COURSE)' && mkdir -p '$(dir $(COURSE))' && \
	mv '$(GRADES)/upload' '$(COURSE)' && \
	printf '  wrote   %s\n' '$(COURSE)/grades.csv' '$(COURSE)/feedback.zip'

# What it writes, run as the platforms run it, on bare systems. Needs root; an hour.
test-platforms: | $(BUILD)/setup/bare $(BUILD)/setup/grading $(BUILD)/setup/tests
	$(hush) tests/platforms/run.sh

# ---- The students' edition --------------------------------------------------------------------

release: skeletons
	$(hush) $(GRADE)/release.sh $(BUILD)/release/cuda-labs.tar.gz
.PHONY: grade bench-grade test-cluster course test-platforms release
