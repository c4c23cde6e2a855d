/* split_main.c: writes the instructor's program, which judges students' results, from the solution.
 *
 *     split SOLUTION >PROGRAM
 */
#include "split.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    struct source source;
    char error[1024] = "usage: split SOLUTION";
    bool done = argc == 2 && source_read(&source, argv[1], error, sizeof error) &&
                split_put_judge(stdout, &source, error, sizeof error);
    if (!done) fprintf(stderr, "split: %s\n", error);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
