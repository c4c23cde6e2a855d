# see: the page around a recording of `simt --see`. The build joins the modules to one script
# without imports, in an order in which each comes after those that it uses.
SEE_MODULES := $(addprefix common/see/,names.js recording.js draw.js walk.js moments.js values.js memory.js predict.js sentences.js figure.js \
	source.js warps.js totals.js chart.js time.js stage.js main.js)

$(BUILD)/simt/see.html: common/see/page.html common/see/style.css $(SEE_MODULES) \
		common/see/join.awk common/see/rules.mk | $$(@D)/.
	$(call say,JOIN,$@) awk -f common/see/join.awk -v style=common/see/style.css \
		-v modules='$(SEE_MODULES)' common/see/page.html > $@.part && mv $@.part $@
LIBS += $(BUILD)/simt/see.html
