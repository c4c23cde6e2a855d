/* inside.c: the first program in a sandbox. It sets the limits, runs the command, and sends one file back.
 *
 *     inside MEMORY CPU_SECONDS PROCESSES FILE_BYTES ALONE TAKE -- COMMAND...
 *
 * MEMORY is the address space of one process in bytes. ALONE is 1 if all other processes here belong to the command.
 * TAKE is a file that the command leaves in the current folder ("" for none). Descriptor 4 leads back: it gets the
 * letter S when all is set up, then TAKE's bytes. Exits with the command's exit code, or 128 + signal. */
#include "lib/die.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAY_BACK = 4, FILES_OPEN = 256, EXIT_NOT_FOUND = 127, SIGNALLED = 128 };

enum { A_MEMORY = 1, A_CPU, A_PROCESSES, A_FILE, A_ALONE, A_TAKE, A_DASHES, A_COMMAND };

static void limit(int resource, const char *value) {
    struct rlimit both = {strtoull(value, NULL, 10), strtoull(value, NULL, 10)};
    if (setrlimit(resource, &both) != 0) die(EXIT_NOT_FOUND, "cannot set a limit: %s", strerror(errno));
}

static void set_limits(char **argv) {
    limit(RLIMIT_AS, argv[A_MEMORY]);
    limit(RLIMIT_CPU, argv[A_CPU]);
    limit(RLIMIT_NPROC, argv[A_PROCESSES]);
    limit(RLIMIT_FSIZE, argv[A_FILE]);
    limit(RLIMIT_CORE, "0");
    struct rlimit files = {FILES_OPEN, FILES_OPEN};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) die(EXIT_NOT_FOUND, "cannot set a limit: %s", strerror(errno));
}

static int run(char **command) {
    int status;
    pid_t child = fork();
    if (child < 0) die(EXIT_NOT_FOUND, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        close(WAY_BACK);
        execvp(command[0], command);
        die(EXIT_NOT_FOUND, "%s: %s", command[0], strerror(errno));
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

/* Sends a plain file back; ignores a link or a pipe that the command left. */
static void bring_back(const char *name) {
    struct stat status;
    char buffer[1 << 16];
    ssize_t got;
    int file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return;
    while ((got = read(file, buffer, sizeof buffer)) > 0) {
        if (write(WAY_BACK, buffer, (size_t)got) != got) return;
    }
}

int main(int argc, char **argv) {
    if (argc <= A_COMMAND || strcmp(argv[A_DASHES], "--") != 0) {
        fprintf(stderr, "inside: this is a part of the grader; build/bin/sandbox calls it\n");
        return EXIT_NOT_FOUND;
    }
    set_limits(argv);
    if (write(WAY_BACK, "S", 1) != 1) die(EXIT_NOT_FOUND, "no way back: %s", strerror(errno));
    int status = run(argv + A_COMMAND);
    if (strcmp(argv[A_ALONE], "1") == 0) kill(-1, SIGKILL);
    if (argv[A_TAKE][0] != '\0') bring_back(argv[A_TAKE]);
    return status;
}
