/* start.h: starts a sandbox, and commands in it, for sandbox.c. */
#pragma once

#include "sandbox.h"

/* Starts a sandbox for the job, and those that follow. Its way back brings the letter S when the
 * limits are set, and after each command STATUS SIZE, a line, and the file that it left. Returns
 * false with a reason in failure, for example where no sandbox is possible. */
bool sandbox_start(struct sandbox *sandbox, const struct sandbox_job *job);

/* Has the sandbox run the job's command, and sends the word to the lab's harness. Returns false if
 * the sandbox has ended. */
bool sandbox_send(const struct sandbox *sandbox, const struct sandbox_job *job, const char *word);
