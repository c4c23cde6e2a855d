/* file.h: read a file. Writing one is outfile.h's. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

/* The whole file as one string, to be freed; NULL with errno if it cannot be read. */
char *read_whole_file(const char *path);

#endif
