/* options.h: a lab program's flags. A bad flag or value ends the program with one line on stderr
 * and exit code 2. */
#pragma once

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstring>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "../lib/printed.h"
#include "lab.h"

/* The flags' values. */
struct Options {
    unsigned long long size;
    unsigned long long rows, cols; /* of a matrix; equal to size where not given */
    bool sizeGiven;                /* the user gave --size, --rows or --cols */
    unsigned int block;
    int repeat; /* timed runs of each launch */
    bool repeatGiven;
    int step; /* run only this step; 0: all */
    unsigned long long seed;
    const char *csv; /* file for the results; NULL: none */
    bool all;        /* print a row for each launch, also of a step with many launches */
    bool profile;    /* launch every kernel exactly once, untimed, for a profiler to watch */
};

enum { DEFAULT_REPEAT = 20, HOST_REPEAT = 5, MAX_REPEAT = 1000000, MAX_BLOCK = 1024 };

/* The most rows or columns of a matrix: as many as a grid has blocks in y, so
 * any block shape can cover it. */
enum { MAX_SIDE = 65535 };

static const unsigned long long NOT_GIVEN = ULLONG_MAX; /* --size, --rows or --cols */

void refuse(const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_USAGE);
}

/* Parses a flag's number, from min to max. Refuses anything else. */
static inline unsigned long long parseNumber(const LabInfo &info, const char *flag,
                                             const char *text, unsigned long long min,
                                             unsigned long long max) {
    const char *digits = text[0] == '-' ? text + 1 : text;
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
        refuse(info.name, "%s %s: not a whole number", flag, text);
    if (text[0] == '-')
        refuse(info.name, "%s %s: negative; give a number from %llu to %llu", flag, text, min, max);
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (errno == ERANGE || value > max)
        refuse(info.name, "%s %s: too large; the limit is %llu", flag, text, max);
    if (value < min) refuse(info.name, "%s %s: too small; give at least %llu", flag, text, min);
    return value;
}

/* Returns the number of the step of that name or number. Refuses an unknown one. */
static inline int parseStep(const LabInfo &info, const std::vector<LabStep> &steps,
                            const char *text) {
    for (size_t i = 0; i < steps.size(); i++)
        if (strcmp(steps[i].name, text) == 0 || std::to_string(i + 1) == text) return (int)i + 1;
    refuse(info.name, "--step %s: no such step; --list names all %zu", text, steps.size());
}

/* Prints number, name and idea of each step, for --list. */
static inline void printSteps(const std::vector<LabStep> &steps) {
    for (size_t i = 0; i < steps.size(); i++)
        printf("%2zu  %-26s %s\n", i + 1, steps[i].name, steps[i].idea);
}

/* Prints the text of --help. */
static inline void printHelp(const LabInfo &info) {
    printf("Lab %d, %s: runs every step, checks it, times it, and says what to do next.\n\n",
           info.number, info.name);
    printf("  --size N        %s, up to %llu (default %llu)\n", info.sizeMeaning, info.maxSize,
           info.defaultSize);
    if (info.isMatrix) {
        printf("  --rows R        other than --size, up to %d\n", MAX_SIDE);
        printf("  --cols C        the same; no more than %llu elements in all\n",
               info.maxSize * info.maxSize);
    }
    printf("  --block B       threads per block (default %u)\n", info.defaultBlock);
    printf(
        "  --repeat R      timed runs of each kernel; the table shows their median (default %d)\n",
        DEFAULT_REPEAT);
    printf("  --step S        only this step, by name or number\n");
    printf("  --seed S        of the random input (default 1)\n");
    printf("  --csv FILE      also write the table to a file\n");
    for (size_t i = 0; i < info.flagsN; i++) {
        std::string flag = std::string(info.flags[i].name) + " " + info.flags[i].placeholder;
        printf("  %-15s %s\n", flag.c_str(), info.flags[i].meaning);
    }
    printf("  --all           print every launch of steps that are launched many times; the CSV "
           "file has them anyway\n");
    printf("  --profile       launch every kernel exactly once, for a profiler to watch\n");
    printf("  --list          name the steps\n");
    printf("  --help          this text\n\n");
    printf("Exit code 0: no wrong result; 1: a wrong result or a CUDA error; 2: a bad flag.\n");
    printf("STRICT=1 in the environment counts a step still to do as wrong; NO_COLOR=1 turns "
           "colours off.\n");
}

/* Ends the program with exit code 1 if this file cannot be written: better
 * before the work than after it. */
static inline void requireWritable(const LabInfo &info, const char *path) {
    std::string folder(path);
    size_t slash = folder.rfind('/');
    folder = slash == std::string::npos ? "." : folder.substr(0, slash + 1);
    struct stat status;
    bool exists = stat(path, &status) == 0, isFolder = exists && S_ISDIR(status.st_mode);
    bool isReplaced =
        !exists ||
        S_ISREG(status.st_mode); /* by a new file in its folder; a device or a pipe stays */
    if (!isFolder && access(isReplaced ? folder.c_str() : path, W_OK) == 0) return;
    fprintf(stderr, "%s: cannot write %s: %s\n", info.name, path,
            strerror(isFolder ? EISDIR : errno));
    exit(EXIT_WRONG);
}

/* Takes the value of a flag that wantsValue() knows. */
static inline void takeValue(Options *options, const LabInfo &info,
                             const std::vector<LabStep> &steps, const std::string &flag,
                             const char *value) {
    const char *name = flag.c_str();
    if (flag == "--size") {
        options->size = parseNumber(info, name, value, info.minSize, info.maxSize);
    } else if (flag == "--rows") {
        options->rows = parseNumber(info, name, value, info.minSize, MAX_SIDE);
    } else if (flag == "--cols") {
        options->cols = parseNumber(info, name, value, info.minSize, MAX_SIDE);
    } else if (flag == "--block") {
        options->block = (unsigned int)parseNumber(info, name, value, 1, MAX_BLOCK);
    } else if (flag == "--repeat") {
        options->repeat = (int)parseNumber(info, name, value, 1, MAX_REPEAT);
        options->repeatGiven = true;
    } else if (flag == "--seed") {
        options->seed = parseNumber(info, name, value, 0, ULLONG_MAX);
    } else if (flag == "--step") {
        options->step = parseStep(info, steps, value);
    } else {
        options->csv = value;
    }
}

/* The lab's own flag of that name, or NULL. */
static inline LabFlag *findOwnFlag(const LabInfo &info, const std::string &flag) {
    for (size_t i = 0; i < info.flagsN; i++)
        if (flag == info.flags[i].name) return &info.flags[i];
    return NULL;
}

/* Returns a word's index in a flag's list. Refuses another word. */
static inline unsigned long long parseWord(const LabInfo &info, const LabFlag &own,
                                           const char *text) {
    std::string all;
    for (unsigned long long i = 0; own.words[i] != NULL; i++) {
        if (strcmp(own.words[i], text) == 0) return i;
        all += std::string(i > 0 ? ", " : "") + own.words[i];
    }
    refuse(info.name, "%s %s: give one of %s", own.name, text, all.c_str());
}

/* Is this a flag of all labs that takes a value? */
static inline bool wantsValue(const LabInfo &info, const std::string &flag) {
    static const char *const flags[] = {"--size", "--block", "--repeat",
                                        "--seed", "--step",  "--csv"};
    for (const char *known : flags)
        if (flag == known) return true;
    return info.isMatrix && (flag == "--rows" || flag == "--cols");
}

/* Completes the shape from --size or the lab's defaults. Refuses too many elements. */
static inline void settleShape(Options *options, const LabInfo &info) {
    options->sizeGiven =
        options->size != NOT_GIVEN || options->rows != NOT_GIVEN || options->cols != NOT_GIVEN;
    if (!options->sizeGiven && info.defaultRows != 0) options->rows = info.defaultRows;
    if (options->size == NOT_GIVEN) options->size = info.defaultSize;
    if (options->rows == NOT_GIVEN) options->rows = options->size;
    if (options->cols == NOT_GIVEN) options->cols = options->size;
    if (!info.isMatrix || options->rows * options->cols <= info.maxSize * info.maxSize) return;
    refuse(info.name, "--rows %llu --cols %llu: too large; the limit is %llu elements",
           options->rows, options->cols, info.maxSize * info.maxSize);
}

/* Describes the problem for a caption: "size 3000", "77 x 131, block 64, --type double". Names the
 * block only if it is not the default, and a flag of the lab only if it was given. */
static inline std::string problemText(const LabInfo &info, const Options &options) {
    std::string text = "size " + std::to_string(options.size);
    if (info.isMatrix && (options.rows != options.size || options.cols != options.size))
        text = std::to_string(options.rows) + " x " + std::to_string(options.cols);
    if (options.block != info.defaultBlock) text += ", block " + std::to_string(options.block);
    for (size_t i = 0; i < info.flagsN; i++) {
        const LabFlag &flag = info.flags[i];
        if (flag.text != NULL) text += std::string(", ") + flag.name + " " + flag.text;
    }
    return text;
}

/* Reads the command line; the lab's own flags go to info.flags. Ends the program for --help and
 * --list, and with exit code 2 for bad flags. */
static inline Options parseOptions(const LabInfo &info, const std::vector<LabStep> &steps, int argc,
                                   char **argv) {
    Options options = {NOT_GIVEN,      NOT_GIVEN, NOT_GIVEN, false, info.defaultBlock,
                       DEFAULT_REPEAT, false,     0,         1,     NULL,
                       false,          false};
    for (int i = 1; i < argc; i++) {
        std::string flag(argv[i]);
        if (flag == "--help" || flag == "--list") {
            flag == "--help" ? printHelp(info) : printSteps(steps);
            exit(printed_all() ? EXIT_OK : EXIT_WRONG);
        } else if (flag == "--profile") {
            options.profile = true;
        } else if (flag == "--all") {
            options.all = true;
        } else if (!wantsValue(info, flag) && findOwnFlag(info, flag) == NULL) {
            /* Refuse an unknown flag, or a matrix's flag in a lab without a matrix. */
            bool shape = flag == "--rows" || flag == "--cols";
            if (shape)
                refuse(info.name,
                       "%s: this lab has no matrix; give it a number, --size N or SIZE=N",
                       flag.c_str());
            refuse(info.name, "%s: no such flag; --help lists them", flag.c_str());
        } else if (i + 1 == argc) {
            refuse(info.name, "%s needs a value; --help says which", argv[i]);
        } else if (findOwnFlag(info, flag) != NULL) {
            LabFlag *own = findOwnFlag(info, flag);
            const char *value = argv[++i];
            own->text = value;
            if (own->words != NULL) own->number = parseWord(info, *own, value);
            if (own->most > 0)
                own->number = parseNumber(info, own->name, value, own->least, own->most);
        } else {
            takeValue(&options, info, steps, flag, argv[++i]);
        }
    }
    settleShape(&options, info);
    const char *why = info.blockRefusal != NULL ? info.blockRefusal(options.block) : NULL;
    if (why != NULL) refuse(info.name, "--block %u: %s", options.block, why);
    if (options.csv != NULL) requireWritable(info, options.csv);
    return options;
}
