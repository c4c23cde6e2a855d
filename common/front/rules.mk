# front: clang in nvcc's place. cudac is a script; what it needs beside clang is made here.
FRONT_FOLDER := common/front

$(BUILD)/bin/launches: $(BUILD)/obj/$(FRONT_FOLDER)/launches.o | $$(@D)/.
	$(call say,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

PROGRAMS += $(BUILD)/bin/launches
