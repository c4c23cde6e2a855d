/* split_main.c: writes the instructor's program, which judges students' results, from the solution.
 *
 *     split SOLUTION >PROGRAM */
#include "split.h"

#include "lib/die.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    struct source source;
    if (argc != 2) die(EXIT_FAILURE, "usage: split SOLUTION");
    if (!source_read(&source, argv[1]) || !split_put_judge(stdout, &source))
        die(EXIT_FAILURE, "%s", failure);
    return EXIT_SUCCESS;
}
