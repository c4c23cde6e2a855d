/* filter.h: words to write a filter of system calls (seccomp) with, for filter.c and
 * folder_filter.c. A filter is a program of the kernel's packet filter; man 2 seccomp describes
 * it. */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "filter.h: name this processor's AUDIT_ARCH, from linux/audit.h"
#endif

/* x86-64 and AArch64 are little endian: the lower half of a 64-bit argument comes first. */
#define FIELD(name)      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define END(action)      BPF_STMT(BPF_RET | BPF_K, action)
#define IF_NOT(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n)
#define CALL(name, then) IF_NOT(SYS_##name, 1), END(then)

/* A filter's beginning: ends a process that makes calls of another architecture, then loads the
 * call's number. */
#define FILTER_START                                                                               \
    FIELD(arch), IF_NOT(THIS_ARCHITECTURE, 1), BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),                \
        END(SECCOMP_RET_KILL_PROCESS), FIELD(nr)

/* Puts the filter on this process and all that it will become or start. It cannot be removed, and
 * set-user-ID programs give no rights any more. Returns whether the system has filters. */
static inline bool filter_set(const struct sock_filter *filter, size_t n) {
    const struct sock_fprog program = {(unsigned short)n, (struct sock_filter *)filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
