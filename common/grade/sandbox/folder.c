#include "folder.h"

#include "filter.h"
#include "lib/die.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The filter of system calls ---- */

/* Files and processes of others are out of reach because the sandbox runs as another user. The
 * filter takes what every user may do: to reach the network, to make namespaces, to leave something
 * behind for the next sandbox, and rarely used calls into the kernel. */
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

/* ---- Users ---- */

uid_t sandbox_unused_user(void) {
    return FIRST_USER + (uid_t)getpid() % USERS;
}

bool sandbox_become_user(uid_t user) {
    return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 &&
           setresuid(user, user, user) == 0;
}

/* Can this user read the file, or enter the folder? It is tried in a process of that user. */
static bool can_reach(uid_t user, const char *path, int how) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) _exit(sandbox_become_user(user) && access(path, how) != 0 ? 0 : 1);
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

/* Names a folder or file of the grader that the user can reach. Returns false if there is none. */
static bool find_exposed(uid_t user, char path[PATH_MAX]) {
    if (getcwd(path, PATH_MAX) == NULL || can_reach(user, path, X_OK)) return true;
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return can_reach(user, path, R_OK);
}

/* ---- The folder ---- */

/* Makes a folder whose name says the user, so that no two sandboxes have the same. */
static bool make_for_user(char folder[PATH_MAX], uid_t *user) {
    for (int tries = 0; tries < USERS; tries++) {
        *user = FIRST_USER + (sandbox_unused_user() - FIRST_USER + (uid_t)tries) % USERS;
        snprintf(folder, PATH_MAX, "/tmp/grade-%u", *user);
        if (mkdir(folder, 0700) == 0)
            return chown(folder, 0, *user) == 0 && chmod(folder, 0750) == 0;
        if (errno != EEXIST) return false;
    }
    return false;
}

bool sandbox_make_folder(char folder[PATH_MAX], uid_t *user) {
    char exposed[PATH_MAX] = "";
    const char *given = getenv("UNSAFE");
    const bool unsafe = given != NULL && strcmp(given, "1") == 0;
    if (!unsafe && geteuid() != 0)
        return fail_with(
            "bubblewrap is missing or cannot run here, and only root can run submissions "
            "without it, as another user: `make setup GRADING=1` installs it (UNSAFE=1 runs "
            "them unguarded)");
    if (!unsafe && find_exposed(sandbox_unused_user(), exposed))
        return fail_with(
            "bubblewrap is missing or cannot run here, and without it submissions run as "
            "another user, who could read %.400s: `chmod o= %.400s` hides it (UNSAFE=1 runs "
            "them unguarded)",
            exposed, exposed);
    strcpy(folder, "/tmp/grade-XXXXXX");
    *user = 0;
    return (unsafe ? mkdtemp(folder) != NULL : make_for_user(folder, user)) ||
           fail_with("cannot make a folder in /tmp: %s", strerror(errno));
}

/* Writes a file under FOLDER/grade, and makes its parents. */
static bool write_under(const char *folder, const struct sandbox_file *file) {
    char path[2 * PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/grade/%s", folder, file->name);
    for (char *slash = path + strlen(folder) + 1;
         slash < path + length && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
        *slash = '/';
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, file->program ? 0755 : 0644);
    bool written = fd >= 0 && write(fd, file->data, file->size) == (ssize_t)file->size;
    return fd >= 0 && close(fd) == 0 && written;
}

bool sandbox_enter_folder(const char *folder, uid_t user, const struct sandbox_job *job) {
    char work[PATH_MAX + 8];
    umask(022);
    snprintf(work, sizeof work, "%s/tmp", folder);
    bool ready =
        mkdir(work, 0700) == 0 && (user == 0 || chown(work, user, user) == 0) && chdir(work) == 0;
    for (size_t i = 0; i < job->files_n && ready; i++) ready = write_under(folder, &job->files[i]);
    return ready &&
           (user == 0 || (sandbox_become_user(user) && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
                          filter_set(FILTER, sizeof FILTER / sizeof *FILTER)));
}

/* ---- Its end ---- */

static void wait_for(pid_t child) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

void sandbox_remove_folder(const char *folder, uid_t user) {
    pid_t killer = user != 0 ? fork() : -1;
    if (killer == 0) _exit(sandbox_become_user(user) ? kill(-1, SIGKILL) : 1);
    if (killer > 0) wait_for(killer);
    pid_t remover = fork();
    if (remover == 0) {
        execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
        _exit(1);
    }
    wait_for(remover);
}
