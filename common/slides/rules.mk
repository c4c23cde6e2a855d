# slides-labN: one page for a lecture, made by pandoc with reveal.js. npm fetches that once, at the
# version of the lock file; the theme goes without its fonts, which are two thirds of a page. The
# complete source is shown where there is one: not in the students' edition.
REVEAL := $(BUILD)/slides/node_modules/reveal.js

$(REVEAL)/dist/reveal.js: common/slides/package-lock.json common/slides/package.json \
		| $(BUILD)/slides/.
	$(call say,NPM,$(@D)) cp $^ $(BUILD)/slides/ && \
		npm ci --prefix $(BUILD)/slides --ignore-scripts --no-audit --no-fund \
			>$(BUILD)/slides/npm.log 2>&1 && \
		sed -i '/^@import/d' $(@D)/theme/white.css && touch $@ || { \
		echo "slides: npm could not fetch reveal.js ($(BUILD)/slides/npm.log says why):" \
			"install npm, and be online the first time" >&2; exit 1; }

is_complete   = $(wildcard $(call solution,$(1)))
shown         = $(or $(call is_complete,$(1)),$(call student,$(1)))
shown_program = $(if $(call is_complete,$(1)),$(call complete,$(1)),$(call program,$(1)))
# The figures are those of the complete program at its default size, run here or recorded
# (REPLAY=h200).
shown_run     = $(if $(or $(REPLAY),$(if $(call is_complete,$(1)),,h200)),$\
	plots/reference/$(or $(REPLAY),h200)/lab$(1).csv,$(BUILD)/slides/lab$(1).csv)
$(addprefix slides-lab,$(LAB_NUMBERS)): slides-lab%: $(REVEAL)/dist/reveal.js \
		$$(call shown_program,$$*) $(SIMULATOR) | $(BUILD)/setup/handouts $(BUILD)/slides/.
	$(if $(filter $(BUILD)/%,$(call shown_run,$*)),$(hush) $(ALONE) $(RUN) \
		$(call shown_program,$*) --csv $(call shown_run,$*) >/dev/null)
	$(hush) $(ALONE) common/slides/slides.sh $* $(call shown,$*) $(call shown_program,$*) \
		"$(BUILD)/bin/simt --gpu $(SIM_GPU)" \
		$(REVEAL) $(call shown_run,$*) $(BUILD)/slides/lab$*.html
