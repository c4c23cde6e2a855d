/* init.h: how the grader asks init.c, the first program in a sandbox, to run a command. The
 * request is one message: the words, each with its zero byte, and with it the descriptors, in this
 * order: output, errors, the way back, and the way for rows if the command is a lab's program. The
 * first word names the file that the command leaves in the working folder ("": none); the command
 * follows. The way back gets the letter S, then the file's bytes. The answer to a request is the
 * command's exit code, an int. */
#ifndef GRADE_SANDBOX_INIT_H
#define GRADE_SANDBOX_INIT_H

#include <sys/socket.h>

/* Descriptors: of the requests in init.c, and of the rows in the command. */
enum { ROWS_FD = 3, CONTROL_FD = 4 };

enum { REQUEST_BYTES = 1 << 16, REQUEST_WAYS = 4 };

struct request {
    char text[REQUEST_BYTES];
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(REQUEST_WAYS * sizeof(int))];
    } ways;
};

#endif
