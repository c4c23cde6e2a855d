/* rowfile.h: a table that grows while the program runs, such as a profile or a timeline. Each row
 * is written at once, without a buffer: a crash leaves whole rows. The file gets its name
 * (outfile.h) when it is closed, also when a signal ends the program. Several threads may add rows.
 * A forked child that adds rows begins a file of its own, if the path has a %p; else it says that
 * they are lost. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rowfile; /* lives until the process ends */

/* Prints a row, or the line of column names, with its line end. */
typedef void rowfile_put(FILE *out, const void *row);

/* Starts the file at path with its line of column names. The first %p in path becomes the process
 * id. what: "profile", for messages. Returns NULL, with a sentence in failure, if the file cannot
 * be written. */
struct rowfile *rowfile_open(const char *what, const char *path, rowfile_put *header);
/* Is there an open file? NULL: no. */
bool rowfile_is_open(const struct rowfile *file);
/* Adds a row; does nothing if the file is not open. A file that cannot be continued, on a full disk
 * for example, is removed; a message says so. */
void rowfile_add(struct rowfile *file, rowfile_put *put, const void *row);
/* Gives the file its name. May be called again. */
void rowfile_close(struct rowfile *file);

/* Has the handler called at a signal that ends the program, unless the program handles it. */
void rowfile_catch(void (*handler)(int));
