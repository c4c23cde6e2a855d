# labncu, ncu's command line over ncu and simt; it shares labprof's parts and table of metrics.
LABNCU       := common/labncu
LABNCU_PARTS := $(filter-out $(LABNCU)/main,$(basename $(wildcard $(LABNCU)/*.c)))

$(BUILD)/labprof/sections.tsv: $(LABNCU)/sections.tsv | $$(@D)/.
	$(call say,COPY,$@) cp $< $@

$(call c_program,labncu,$(LABNCU)/main $(LABNCU_PARTS) $(LABPROF_PARTS),$(LABPROF_LIBS))
$(BUILD)/bin/labncu: | $(BUILD)/labprof/metrics.tsv $(BUILD)/labprof/sections.tsv
LABNCU_FILES := $(BUILD)/bin/labncu $(BUILD)/labprof/sections.tsv
PROGRAMS += $(BUILD)/labprof/sections.tsv
