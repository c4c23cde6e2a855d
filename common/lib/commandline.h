/* commandline.h: one walk over a table of options, for programs that take another tool's command
 * line: labprof nvprof's, labncu ncu's. An option that changes nothing here is taken with a note,
 * and one that cannot be obeyed is refused, each with the reason. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
    OPTION_FLAG,       /* sets a bool */
    OPTION_TEXT,       /* keeps a word */
    OPTION_CALL,       /* gives a word to a function */
    OPTION_NOTED,      /* changes nothing here */
    OPTION_NOTED_WORD, /* the same, with a word */
    OPTION_NOTED_ONLY, /* some words change nothing here, others are refused */
    OPTION_REFUSED,
    OPTION_REFUSED_WORD
};

struct option_row {
    const char *name, *letter; /* long and one-letter name, without dashes; NULL: none */
    enum option_kind kind;
    size_t field;     /* FLAG, TEXT: offset in the program's options */
    const char *why;  /* it changes nothing, or is refused */
    const char *only; /* NOTED_ONLY: the words that are taken, each after a space */
    bool (*take)(void *options, const char *word); /* CALL: false with a message in failure */
};

struct option_table {
    const struct option_row *rows;
    size_t count;
    bool joins_letters; /* a word may follow its letter at once, as in -c2; else as in -c=2 */
};

enum { MAX_NOTES = 32 };

/* Sentences on options that change nothing. */
struct option_notes {
    char texts[MAX_NOTES][160];
    int count;
};

/* Obeys the options at the front of argv. Returns the index of the first word after them, or -1
 * with a message in failure, in ncu's words where ncu has some. */
int commandline_walk(const struct option_table *table, void *options, struct option_notes *notes,
                     int argc, char **argv);
