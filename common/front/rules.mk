# front: clang in nvcc's place. cudac is a script; what it needs beside clang is made here.
FRONT_FOLDER := common/front

$(BUILD)/bin/launches: $(BUILD)/obj/$(FRONT_FOLDER)/launches.o | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# Reads PTX as the simulator does.
$(BUILD)/bin/instructions: $(BUILD)/obj/$(FRONT_FOLDER)/instructions.o $(BUILD)/simt/libsimt.a | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SIMT_LIBS)

CUDAC_PROGRAMS := $(BUILD)/bin/launches $(BUILD)/bin/instructions
PROGRAMS       += $(CUDAC_PROGRAMS)
