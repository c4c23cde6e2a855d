/* folder_filter.c: the system calls that a sandbox without bubblewrap refuses. Files and processes
 * of others are out of reach because the sandbox runs as another user. The filter takes what every
 * user may do: to reach the network, to make namespaces, to leave something behind for the next
 * sandbox, and rarely used calls into the kernel. */
#include "filter.h"
#include "folder.h"

#include <linux/sched.h>
#include <sys/ioctl.h>

#define REFUSED      (SECCOMP_RET_ERRNO | EPERM)
#define REFUSE(name) CALL(name, REFUSED)

/* x86-64's second set of calls has this bit in its numbers. */
#define X32_BIT 0x40000000u
#define NAMESPACES                                                                                 \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |     \
     CLONE_NEWCGROUP)

static const struct sock_filter FILTER[] = {
    FILTER_START,
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
    END(REFUSED),
    /* The network. */
    REFUSE(socket),
    /* Namespaces and mounts. clone3 has its flags in memory, where a filter cannot look: glibc then
       calls clone. */
    CALL(clone3, SECCOMP_RET_ERRNO | ENOSYS),
    REFUSE(unshare),
    REFUSE(setns),
    REFUSE(mount),
    REFUSE(umount2),
    REFUSE(pivot_root),
    REFUSE(chroot),
    REFUSE(fsopen),
    REFUSE(open_tree),
    REFUSE(move_mount),
    /* What outlives its process. */
    REFUSE(shmget),
    REFUSE(msgget),
    REFUSE(semget),
    REFUSE(mq_open),
    REFUSE(add_key),
    REFUSE(keyctl),
    REFUSE(request_key),
    /* Rarely used. */
    REFUSE(bpf),
    REFUSE(perf_event_open),
    REFUSE(userfaultfd),
    REFUSE(io_uring_setup),
    REFUSE(open_by_handle_at),
    REFUSE(kcmp),
    /* Input into the terminal that the grader was started from. */
    IF_NOT(SYS_ioctl, 4),
    FIELD(args[1]),
    IF_NOT(TIOCSTI, 1),
    END(REFUSED),
    END(SECCOMP_RET_ALLOW),
    IF_NOT(SYS_clone, 3),
    FIELD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1),
    END(REFUSED),
    END(SECCOMP_RET_ALLOW),
};

bool sandbox_filter(void) {
    return filter_set(FILTER, sizeof FILTER / sizeof *FILTER);
}
