/* init.c: the first program in a sandbox. It sets the limits, runs the commands that the grader
 * sends (init.h) one after the other, and sends one file of each back.
 *
 *     sandbox-init MEMORY CPU_SECONDS PROCESSES FILE_BYTES ALONE
 *
 * MEMORY is the address space of one process in bytes. ALONE is 1 if all other processes here
 * belong to the commands: they are ended with the command. A command's exit code is 128 + signal if
 * a signal ended it. */
#include "init.h"

#include "lib/die.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES_OPEN = 256, FOLDERS_OPEN = 16, WORDS = 256, EXIT_NOT_FOUND = 127, SIGNALLED = 128 };

enum { A_MEMORY = 1, A_CPU, A_PROCESSES, A_FILE, A_ALONE, A_COUNT };

/* A command. */
struct command {
    char *take,
        *words[WORDS + 1];      /* the file to send back, "" for none; the command, NULL after it */
    int out, error, back, rows; /* descriptors; rows may be -1 */
};

static void limit(int resource, const char *value) {
    struct rlimit both = {strtoull(value, NULL, 10), strtoull(value, NULL, 10)};
    if (setrlimit(resource, &both) != 0)
        die(EXIT_NOT_FOUND, "cannot set a limit: %s", strerror(errno));
}

static void set_limits(char **argv) {
    limit(RLIMIT_AS, argv[A_MEMORY]);
    limit(RLIMIT_CPU, argv[A_CPU]);
    limit(RLIMIT_NPROC, argv[A_PROCESSES]);
    limit(RLIMIT_FSIZE, argv[A_FILE]);
    limit(RLIMIT_CORE, "0");
    struct rlimit files = {FILES_OPEN, FILES_OPEN};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        die(EXIT_NOT_FOUND, "cannot set a limit: %s", strerror(errno));
}

/* ---- Requests ---- */

/* Cuts the request's words apart. */
static void cut_words(struct command *command, char *text, size_t n) {
    size_t words = 0;
    command->take = text;
    for (char *at = text + strlen(text) + 1; at < text + n && words < WORDS; at += strlen(at) + 1)
        command->words[words++] = at;
    command->words[words] = NULL;
}

/* Waits for a request. Returns false after the last. The strings are in `request`. */
static bool receive(struct request *request, struct command *command) {
    int ways[REQUEST_WAYS] = {-1, -1, -1, -1};
    struct iovec text = {request->text, sizeof request->text - 1};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
    message.msg_control = request->ways.bytes;
    message.msg_controllen = sizeof request->ways;
    ssize_t n = recvmsg(CONTROL_FD, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (n <= 0 || head == NULL) return false;
    request->text[n] = '\0';
    memcpy(ways, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    cut_words(command, request->text, (size_t)n);
    command->out = ways[0], command->error = ways[1], command->back = ways[2],
    command->rows = ways[3];
    return command->words[0] != NULL;
}

/* ---- Running ---- */

/* Becomes the command. All descriptors but the three standard ones and that of rows close by
 * themselves. */
static void become(const struct command *command) {
    dup2(command->out, STDOUT_FILENO);
    dup2(command->error, STDERR_FILENO);
    if (command->rows >= 0) dup2(command->rows, ROWS_FD);
    execvp(command->words[0], command->words);
    die(EXIT_NOT_FOUND, "%s: %s", command->words[0], strerror(errno));
}

static int run(const struct command *command) {
    int status;
    pid_t child = fork();
    if (child < 0) {
        dprintf(command->error, "cannot start a process: %s\n", strerror(errno));
        return EXIT_NOT_FOUND;
    }
    if (child == 0) become(command);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

/* Sends a plain file back; ignores a link or a pipe that the command left. */
static void bring_back(const struct command *command) {
    struct stat status;
    char buffer[1 << 16];
    ssize_t got = 1;
    int file = open(command->take, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    bool plain = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    while (plain && got > 0) {
        got = read(file, buffer, sizeof buffer);
        if (got > 0 && write(command->back, buffer, (size_t)got) != got) break;
    }
    close(file);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    if (place->level > 0) remove(path);
    return 0;
}

/* Runs the command in an empty folder, and answers. */
static void serve(const struct command *command, bool alone) {
    nftw(".", remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    if (write(command->back, "S", 1) != 1) die(EXIT_NOT_FOUND, "no way back: %s", strerror(errno));
    int status = run(command);
    if (alone) kill(-1, SIGKILL);
    if (command->take[0] != '\0') bring_back(command);
    if (send(CONTROL_FD, &status, sizeof status, MSG_NOSIGNAL) < 0) exit(EXIT_NOT_FOUND);
    close(command->out);
    close(command->error);
    close(command->back);
    if (command->rows >= 0) close(command->rows);
}

int main(int argc, char **argv) {
    static struct request request;
    struct command command;
    if (argc != A_COUNT || fcntl(CONTROL_FD, F_SETFD, FD_CLOEXEC) != 0) {
        fprintf(stderr, "sandbox-init: this is a part of the grader; build/bin/sandbox calls it\n");
        return EXIT_NOT_FOUND;
    }
    set_limits(argv);
    while (receive(&request, &command)) serve(&command, strcmp(argv[A_ALONE], "1") == 0);
    return EXIT_SUCCESS;
}
