/* commandline.c: finds each option's row and does what its kind says. */
#include "commandline.h"

#include <stdio.h>
#include <string.h>

#include "die.h"

static const struct option_row *find_row(const struct option_table *table, const char *name,
                                         size_t length, bool letter) {
    for (size_t i = 0; i < table->count; i++) {
        const char *candidate = letter ? table->rows[i].letter : table->rows[i].name;
        if (candidate && strlen(candidate) == length && strncmp(candidate, name, length) == 0)
            return &table->rows[i];
    }
    return NULL;
}

static bool takes_word(const struct option_row *row) {
    return row->kind != OPTION_FLAG && row->kind != OPTION_NOTED && row->kind != OPTION_REFUSED;
}

/* Is the word one of the list, in which each follows a space? */
static bool is_listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strchr(at, ' ')) && *++at;)
        if (strncmp(at, word, length) == 0 && (!at[length] || at[length] == ' ')) return true;
    return false;
}

static bool refuse(const struct option_row *row, const char *word) {
    return fail_with("--%s%s%s: %s", row->name, *word ? " " : "", word, row->why);
}

static bool note(const struct option_row *row, const char *word, struct option_notes *notes) {
    if (notes->count == MAX_NOTES) return true;
    snprintf(notes->texts[notes->count++], sizeof *notes->texts,
             "--%s%s%s changes nothing here: %s", row->name, *word ? " " : "", word, row->why);
    return true;
}

static bool obey(const struct option_row *row, const char *word, void *options,
                 struct option_notes *notes) {
    switch (row->kind) {
    case OPTION_FLAG: *(bool *)((char *)options + row->field) = true; return true;
    case OPTION_TEXT: *(const char **)((char *)options + row->field) = word; return true;
    case OPTION_CALL: return row->take(options, word);
    case OPTION_NOTED:
    case OPTION_NOTED_WORD: return note(row, word, notes);
    case OPTION_NOTED_ONLY:
        return is_listed(row->only, word) ? note(row, word, notes) : refuse(row, word);
    case OPTION_REFUSED:
    case OPTION_REFUSED_WORD: return refuse(row, word);
    }
    return false;
}

int commandline_walk(const struct option_table *table, void *options, struct option_notes *notes,
                     int argc, char **argv) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        bool letter = argv[i][1] != '-';
        if (!letter && !argv[i][2]) return i + 1;
        const char *name = argv[i] + (letter ? 1 : 2);
        bool joined = letter && table->joins_letters;
        size_t length = joined ? 1 : strcspn(name, "=");
        const struct option_row *row = find_row(table, name, length, letter);
        const char *word = name[length] ? name + length + !joined : NULL;
        if (!row || (word && !takes_word(row))) {
            fail_with("unrecognised option '%s'. Use --help for further details.", argv[i]);
            return -1;
        }
        if (takes_word(row) && !word && i + 1 < argc) word = argv[++i];
        if (takes_word(row) && (!word || !*word)) {
            fail_with("the required argument for option '--%s' is missing. Use --help for further "
                      "details.",
                      row->name);
            return -1;
        }
        if (!obey(row, word ? word : "", options, notes)) return -1;
    }
    return i;
}
