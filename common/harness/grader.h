/*
 * grader.h: results for a grader, on a way of their own.
 *
 * What a kernel prints comes out beside what the program prints, so a table on standard output proves nothing. A grader
 * opens a socket, names its descriptor in LABS_GRADER, and sends one line: a word that it has just made up. Each row
 * goes back to it behind that word, at the moment in which the step has been judged. A kernel can reach neither the
 * socket nor the word, and no variable is left behind that would name them.
 */
#ifndef HARNESS_GRADER_H
#define HARNESS_GRADER_H

#include <cstdlib>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

#include "report.h"

struct Grader {
    int channel; /* -1: nobody is grading */
    std::string word;
};

/* The grader that the environment names, if any. */
static inline Grader openGrader() {
    const char *descriptor = getenv("LABS_GRADER");
    Grader grader = {descriptor != NULL ? atoi(descriptor) : -1, ""};
    unsetenv("LABS_GRADER");
    char letter;
    while (grader.channel >= 0 && read(grader.channel, &letter, 1) == 1 && letter != '\n') grader.word += letter;
    return grader;
}

static inline const char *outcomeName(Outcome outcome) {
    switch (outcome) {
    case STEP_OK: return "ok";
    case STEP_TODO: return "todo";
    case STEP_WRONG: return "wrong";
    case STEP_REFUSED: return "refused";
    case STEP_SKIPPED: return "skipped";
    default: return "error";
    }
}

/* WORD OUTCOME ROW, in one piece; the row is as in run.csv and ends the line. Before the first comes WORD head HEAD. */
static inline void tellGrader(const Grader &grader, const char *outcome, const std::string &row) {
    if (grader.channel < 0) return;
    std::string line = grader.word + " " + outcome + " " + row;
    send(grader.channel, line.data(), line.size(), MSG_NOSIGNAL);
}

#endif
