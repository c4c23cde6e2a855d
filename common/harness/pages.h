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

/* The array that is watched. */
struct WatchedPages {
    char *begin, *end;
    char *open[2]; /* the pages in use; open[0] is the older one */
    size_t changes, most;
};

static WatchedPages watchedPages;

static size_t pageBytes() {
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

/* Pages that n numbers lie in. */
template <class T> size_t pagesOf(size_t n) {
    return n * sizeof(T) / pageBytes() + 1;
}

/* Memory for n numbers in pages of its own, or a message and exit code 2: an array that steps on the CPU only read, and
 * one that they write. (A grader has the two in different places.) Free it with freePages. */
template <class T> T *inputPages(size_t n) {
    void *array = NULL;
    if (posix_memalign(&array, pageBytes(), pagesOf<T>(n) * pageBytes()) == 0) return (T *)array;
    fprintf(stderr, "no room for %zu bytes in main memory: choose a smaller --size\n", n * sizeof(T));
    exit(EXIT_USAGE);
}

template <class T> T *outputPages(size_t n) {
    return inputPages<T>(n);
}

static inline void freePages(void *array) {
    free(array);
}

/* Close these whole pages, and watch them up to the most-th change. */
static inline void watchPages(char *begin, size_t bytes, size_t most) {
    watchedPages = {begin, begin + bytes, {NULL, NULL}, 0, most};
    struct sigaction action = {};
    action.sa_sigaction = onPageChange;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    mprotect(begin, bytes, PROT_NONE);
}

/* How often work(), which only reads the n numbers of these inputPages, goes to another of the pages; counted up to
 * most. */
template <class T, class Work> size_t countPageChanges(T *array, size_t n, size_t most, Work work) {
    const size_t bytes = pagesOf<T>(n) * pageBytes();
    struct sigaction before;
    sigaction(SIGSEGV, NULL, &before);
    watchPages((char *)array, bytes, most);
    work();
    mprotect(array, bytes, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before, NULL);
    return watchedPages.changes;
}

#endif
