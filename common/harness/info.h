/*
 * info.h: what a lab tells the harness about itself: its steps, its flags, its sizes.
 */
#ifndef HARNESS_INFO_H
#define HARNESS_INFO_H

#include <cstddef>

/* A step. Its number is its position in the lab's list, from 1. */
struct LabStep {
    const char *name, *idea;
};

/* A flag of one lab. Its value is a word of a list, a number, or any text. */
struct LabFlag {
    const char *name, *placeholder,
        *meaning; /* "--type", "T", "of the numbers: int, float or double" */
    const char *const
        *words; /* allowed words, ends with NULL; NULL: the value is not a word of a list */
    unsigned long long least, most; /* range of a number; most 0: the value is not a number */
    unsigned long long number; /* the number, default or given; for a word its index in words */
    const char *text;          /* the value as given; NULL: not given */
};

/* Makes a flag whose value is one of these words, the first by default. The list ends with NULL. */
static inline LabFlag wordFlag(const char *name, const char *placeholder, const char *meaning,
                               const char *const *words) {
    LabFlag flag = {name, placeholder, meaning, words, 0, 0, 0, NULL};
    return flag;
}

/* Makes a flag whose value is a number from least to most; most is not 0. */
static inline LabFlag numberFlag(const char *name, const char *placeholder, const char *meaning,
                                 unsigned long long least, unsigned long long most,
                                 unsigned long long byDefault) {
    LabFlag flag = {name, placeholder, meaning, NULL, least, most, byDefault, NULL};
    return flag;
}

/* compile.sh names the version of the source from which it compiles; compiled by
 * hand, a lab does not know it. */
#ifdef LAB_VERSION
#define LAB_QUOTED(name)  #name
#define LAB_NAME_OF(name) LAB_QUOTED(name)
#define LAB_COMPILED      LAB_NAME_OF(LAB_VERSION)
#else
#define LAB_COMPILED NULL
#endif

/* What a lab tells the harness about itself. Fields that are 0 or NULL need not be set. */
struct LabInfo {
    int number;              /* 3 */
    const char *name;        /* "reduction": messages begin with it */
    const char *source;      /* __FILE__, for the hint at the end */
    const char *sizeMeaning; /* what --size counts: "integers to add up" */
    unsigned long long defaultSize, minSize,
        maxSize;               /* minSize 0: the lab allows an empty problem */
    unsigned int defaultBlock; /* threads per block */
    const char *(*blockRefusal)(unsigned int block); /* why this block size cannot work, or NULL;
                                                        the pointer NULL allows all */
    bool isMatrix; /* --size N is a matrix of N rows and columns; --rows and --cols give other
                      shapes */
    unsigned long long defaultRows; /* rows if no flag gives the shape; 0: as many as columns */
    LabFlag *flags;                 /* flags that only this lab has */
    size_t flagsN;
    bool countsOperations; /* the table shows GFLOP/s in place of GB/s */
    bool countsMisses;     /* of the CPU's caches, in its steps on the CPU */
    /* The version of the source that this program is; NULL: not known. */
    const char *compiled = LAB_COMPILED;
};

#endif
