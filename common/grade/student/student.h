/* student.h: the tail of a student's program, which makes it the student's side of process.h. */
#pragma once

#include "process.h"

/* A kernel that the functions may launch. sizes: bytes of each argument. */
struct student_kernel {
    const void *function;
    size_t arguments_n, sizes[TURN_WORDS];
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct student_kernel student_kernels[];
extern const uint32_t student_kernels_n;

/* Does the call of this turn. split.c generates it. */
void student_do(struct turn *turn);

#ifdef __cplusplus
}

#include "harness/pages.h"

#include <cstring>
#include <utility>

/* An element of student_kernels. */
template <class... P> constexpr struct student_kernel studentKernel(void (*kernel)(P...)) {
    static_assert(sizeof...(P) <= TURN_WORDS, "a kernel with more arguments than a turn has words");
    return {(const void *)kernel, sizeof...(P), {sizeof(P)...}};
}

template <class T> T studentValue(uint64_t word) {
    static_assert(sizeof(T) <= sizeof word, "an argument is longer than a word");
    T value;
    memcpy(&value, &word, sizeof value);
    return value;
}

template <class... P, size_t... I>
uint64_t studentResult(void (*function)(P...), const uint64_t *words, std::index_sequence<I...>) {
    function(studentValue<P>(words[I])...);
    return 0;
}

template <class R, class... P, size_t... I>
uint64_t studentResult(R (*function)(P...), const uint64_t *words, std::index_sequence<I...>) {
    uint64_t word = 0;
    const R result = function(studentValue<P>(words[I])...);
    memcpy(&word, &result, sizeof result);
    return word;
}

/* Calls the function with the turn's words, and watches the turn's array. The pages stay closed
 * until the next call, because the judge forbids opening all of them earlier. */
template <class R, class... P> void studentCall(R (*function)(P...), struct turn *turn) {
    uint64_t words[TURN_WORDS];
    memcpy(words, turn->words, sizeof words);
    hostTodoNote.line = 0;
    if (watchedPages.begin != NULL)
        mprotect(watchedPages.begin, (size_t)(watchedPages.end - watchedPages.begin), PROT_READ);
    if (turn->watch_bytes > 0)
        closePages((char *)turn->watch_begin, turn->watch_bytes, turn->watch_changes);
    turn->result = studentResult(function, words, std::index_sequence_for<P...>());
    turn->todo = hostTodoNote.line;
}
#endif
