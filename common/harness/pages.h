/* pages.h: shows in which order code on the CPU goes through an array. Times differ between
 * machines, and not every machine counts cache misses. Virtual memory shows each change of page
 * everywhere: all pages of the array are closed except the two used last, and each access to
 * another page is a fault, which is counted. (Two pages, because an access may cross a page
 * border.) */
/* A macro guards it, because the judge of students' functions takes its place. */
#ifndef HARNESS_PAGES_H
#define HARNESS_PAGES_H

#include <csignal>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include "../common.h"

/* The watched array. */
struct WatchedPages {
    char *begin, *end;
    char *open[2]; /* the open pages; open[0] is the older one */
    size_t changes, most;
};

static WatchedPages watchedPages;

/* Bytes of a page. */
static inline size_t pageBytes() {
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Handles a fault: opens the page, closes the older of the two open pages. From the most-th change
 * on all pages are open, so that code with a change at each access still ends soon. */
static void onPageChange(int, siginfo_t *info, void *) {
    WatchedPages &watched = watchedPages;
    char *address = (char *)info->si_addr;
    if (address < watched.begin || address >= watched.end) {
        signal(SIGSEGV, SIG_DFL); /* a bug in the code: let it crash */
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

/* Count of pages that hold these bytes, with at least one byte to spare. */
static inline size_t pagesOf(size_t bytes) {
    return bytes / pageBytes() + 1;
}

/* Allocates whole pages. Ends the program with exit code 2 if there is no room. inputPages: an
 * array that steps on the CPU only read; outputPages: an array that they write. (A grader puts the
 * two in different places.) Free both with freePages. */
static inline void *inputPages(size_t bytes) {
    void *array = NULL;
    if (posix_memalign(&array, pageBytes(), pagesOf(bytes) * pageBytes()) == 0) return array;
    fprintf(stderr, "no room for %zu bytes in main memory: choose a smaller --size\n", bytes);
    exit(EXIT_USAGE);
}

static inline void *outputPages(size_t bytes) {
    return inputPages(bytes);
}

/* An input that code on the CPU only hands to copies and kernels: a grader
 * does not let it read the array. */
static inline void *copiedPages(size_t bytes) {
    return inputPages(bytes);
}

static inline void freePages(void *array) {
    free(array);
}

static struct sigaction actionBefore;

/* Closes these whole pages, and counts changes up to the most-th. */
static inline void closePages(char *begin, size_t bytes, size_t most) {
    watchedPages = {begin, begin + bytes, {NULL, NULL}, 0, most};
    struct sigaction action = {};
    action.sa_sigaction = onPageChange;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &actionBefore);
    mprotect(begin, bytes, PROT_NONE);
}

/* Starts counting how often code goes to another page of this array, up to the most-th change. The
 * array comes from inputPages, and the code only reads it. */
static inline void watchPages(void *array, size_t bytes, size_t most) {
    closePages((char *)array, pagesOf(bytes) * pageBytes(), most);
}

/* Stops watching. Returns the changes since watchPages. */
static inline size_t countedPageChanges() {
    mprotect(watchedPages.begin, (size_t)(watchedPages.end - watchedPages.begin),
             PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &actionBefore, NULL);
    return watchedPages.changes;
}

#endif
