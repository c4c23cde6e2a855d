/*
 * note.h: the note that a step still to do leaves (todo.h).
 */
#ifndef HARNESS_NOTE_H
#define HARNESS_NOTE_H

#include "calls.h"

struct TodoNote {
    int line; /* line of the TODO in the source file; 0: no TODO ran */
    char goal[200];
    char handout[100];
};

/* The note of a step that runs on the CPU. */
extern TodoNote hostTodoNote;

/* Clears the note in device memory before a launch. */
LAB_CALL void clearTodoNote();

/* Reads the note in device memory after a launch without an error. */
LAB_CALL TodoNote readTodoNote();

#endif
