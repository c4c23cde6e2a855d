/* folder.h: a sandbox where bubblewrap cannot run, for start.c. It is a folder in
 * /tmp:
 *
 *     grade/    the files of the job
 *     tmp/      the folder to work in
 *
 * Root runs the job as an unused user. That user reads what every user may read, but not the
 * grader's folder, and writes to tmp/ and to what every user may write to. A filter of system calls
 * takes the network and namespaces away. UNSAFE=1 runs the job as the same user without the filter.
 */
#pragma once

#include "sandbox.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Users that no account has: 61184 to 65279, which systemd reserves for dynamic users. */
enum { FIRST_USER = 61184, USERS = 4096 };

/* An unused user for this process. */
uid_t sandbox_unused_user(void);

/* Becomes this user, who has no groups. Returns false if the system refuses. */
bool sandbox_become_user(uid_t user);

/* Makes the folder for a job. With UNSAFE=1, *user becomes 0: the job runs as the user who calls.
 * Otherwise *user is one that no other running sandbox has. Returns false with a reason in failure,
 * such as: only root can become another user, or the other user could read the grader's files. */
bool sandbox_make_folder(char folder[PATH_MAX], uid_t *user);

/* Writes the job's files into the folder, makes tmp/ the working folder, and becomes the user.
 * Returns false with errno. */
bool sandbox_enter_folder(const char *folder, uid_t user, const struct sandbox_job *job);

/* Ends all processes of the user, and removes the folder. */
void sandbox_remove_folder(const char *folder, uid_t user);
