/* write.h: what the commands write: files, numbers, scores. */
#ifndef COMPARE_WRITE_H
#define COMPARE_WRITE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes a file, whole or not at all; put writes its text. Nothing happens where path is NULL. False with a message on
 * stderr. */
bool write_file(const char *path, void (*put)(const void *what, FILE *out), const void *what);

/* NA for NaN, "none" for infinite. */
void put_number(FILE *out, double value, int decimals);

/* Scores are written as measurements of a run, so that texts can name them. What is scored stands in the kernel's
 * place. */
struct scores;

/* Writes PREFIX-metrics.csv, the scores, and PREFIX.csv, the run, which has no times; put calls the two functions
 * below. backend: what the column of that name says. As write_file for the rest. */
bool write_scores(const char *prefix, const char *backend, void (*put)(const void *what, struct scores *scores),
                  const void *what);
/* The scores that follow are of this kernel, lab (0: all) and device. */
void scores_begin(struct scores *scores, int lab, const char *kernel, const char *device);
void scores_put(struct scores *scores, const char *metric, double value, int decimals, const char *unit);

#endif
