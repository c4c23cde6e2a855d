/* api/hints.h: hints about a program's times and its races. Call the functions with the lock held,
 * or at exit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rt_function;

/* Counts a kernel of the host that took ns of modelled time, with all its nested launches. */
void rt_hint_kernel(double ns);
/* Notes that the program measures with events. */
void rt_hint_event(void);
/* The program asks for a modelled time: says once on stderr if it comes from PTX alone. */
void rt_hint_elapsed(void);
/* Notes, once, that blocks of the function raced: in a launch one stored so many bytes that another
 * one accessed. */
void rt_hint_races(const struct rt_function *function, uint64_t bytes);
/* Prints the other hints on stderr, a line each. Call it at exit. */
void rt_hints_report(void);

/* A kernel of the host's runs: a sample of its blocks, or all. */
void rt_hint_sampled(bool sampled);
/* Says at the program's end which numbers come from a sample. No hint: --quiet does not leave it
 * out. */
void rt_sample_report(void);
