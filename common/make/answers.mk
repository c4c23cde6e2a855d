# answers.mk: what a student predicts and answers, in answers.md beside a lab; and the report that
# he hands in.

$(call c_program,answers,common/tools/answers common/tools/measured common/tools/lesson)
$(call c_program,report,common/tools/report common/tools/measured common/tools/lesson)

answers_file = labs/$(call field,$(1),folder)/answers.md
# Not empty if this lab's run is one of a student who predicts: with PREDICT=1, or with a file of
# answers.
predicts = $(if $(filter labs,$(FROM)),$\
	$(or $(call on,PREDICT),$(wildcard $(call answers_file,$(1)))))
# $(call ask_first,LAB) and $(call compare_then,LAB): before and after a lab's run, in a recipe. The
# second keeps the run's status.
ask_first    = $(if $(and $(call predicts,$(1)),$(call on,PREDICT)),\
	$(BUILD)/bin/answers ask $(call answers_file,$(1)) $(call student,$(1)) $(1) &&)
compare_then = $(if $(call predicts,$(1)),; status=$$?; \
	$(BUILD)/bin/answers compare $(call answers_file,$(1)) $(call student,$(1)) \
	$(addprefix $(call results,$(1))/,run.csv metrics.csv predictions.csv) || status=1; \
	exit $$status)

$(addprefix answers-lab,$(LAB_NUMBERS)): answers-lab%: $(BUILD)/bin/answers
	$(hush) $< write $(call answers_file,$*) $(call student,$*) $*

# Of one lab if LAB is given, else of all that have been begun.
REPORTED    = $(if $(filter file,$(origin LAB)),$(LAB_NUMBERS),$(LAB))
report: $(addprefix $(BUILD)/bin/,answers report) | $(BUILD)/setup/handouts
	$(hush) common/tools/report.sh $(BUILD) $(if $(filter file,$(origin LAB)),labs,lab$(LAB)) \
		$(REPORTED)
.PHONY: report
