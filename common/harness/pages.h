/*
 * pages.h: in which order does code on the CPU go through an array? Its time says so, but not the same on every
 * machine, and a counter of misses is not there everywhere. What every processor with virtual memory can tell is when
 * the code goes from one page to another: all pages of the array are closed but the two used last, and each access to
 * another one is a fault that is counted. (Two, because an access may lie across the border of two.)
 */
#ifndef HARNESS_PAGES_H
#define HARNESS_PAGES_H

#include <csignal>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include "../common.h"

/* The array that is watched. */
struct WatchedPages {
    char *begin, *end;
    char *open[2]; /* the pages in use; open[0] is the older one */
    size_t changes, most;
};

static WatchedPages watchedPages;

static inline size_t pageBytes() {
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* From the most-th change on, all pages are open, so that code which changes with each access ends in good time. */
static void onPageChange(int, siginfo_t *info, void *) {
    WatchedPages &watched = watchedPages;
    char *address = (char *)info->si_addr;
    if (address < watched.begin || address >= watched.end) {
        signal(SIGSEGV, SIG_DFL); /* a mistake of the code's own: let it happen */
        return;
    }
    if (++watched.changes >= watched.most) {
        mprotect(watched.begin, (size_t)(watched.end - watched.begin), PROT_READ);
        return;
    }
    char *page = watched.begin + (size_t)(address - watched.begin) / pageBytes() * pageBytes();
    if (watched.open[0] != NULL) mprotect(watched.open[0], pageBytes(), PROT_NONE);
    mprotect(page, pageBytes(), PROT_READ);
    watched.open[0] = watched.open[1];
    watched.open[1] = page;
}

/* Pages for so many bytes. */
static inline size_t pagesOf(size_t bytes) {
    return bytes / pageBytes() + 1;
}

/* Memory of whole pages. Ends the program with exit code 2 if there is no room. inputPages: an array that steps on the
 * CPU only read; outputPages: one that they write. (A grader has the two in different places.) Free both with
 * freePages. */
static inline void *inputPages(size_t bytes) {
    void *array = NULL;
    if (posix_memalign(&array, pageBytes(), pagesOf(bytes) * pageBytes()) == 0) return array;
    fprintf(stderr, "no room for %zu bytes in main memory: choose a smaller --size\n", bytes);
    exit(EXIT_USAGE);
}

static inline void *outputPages(size_t bytes) {
    return inputPages(bytes);
}

static inline void freePages(void *array) {
    free(array);
}

static struct sigaction actionBefore;

/* Close these whole pages, and count changes up to the most-th. */
static inline void closePages(char *begin, size_t bytes, size_t most) {
    watchedPages = {begin, begin + bytes, {NULL, NULL}, 0, most};
    struct sigaction action = {};
    action.sa_sigaction = onPageChange;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &actionBefore);
    mprotect(begin, bytes, PROT_NONE);
}

/* From here on count how often code, which only reads these inputPages, goes to another of them; up to the most-th
 * change. */
static inline void watchPages(void *array, size_t bytes, size_t most) {
    closePages((char *)array, pagesOf(bytes) * pageBytes(), most);
}

/* The changes since watchPages, which ends here. */
static inline size_t countedPageChanges() {
    mprotect(watchedPages.begin, (size_t)(watchedPages.end - watchedPages.begin), PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &actionBefore, NULL);
    return watchedPages.changes;
}

#endif
