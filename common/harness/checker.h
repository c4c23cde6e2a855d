/* checker.h: runs the simulator's checker on one step, with problems so small that the check takes
 * no noticeable time. Right results do not rule out a race or a read after the end. The step runs
 * in another process of the same program. */
#pragma once

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the checker reports first about a step. */
struct Finding {
    std::string what; /* "race", "invalid __global__ read" ...; "": nothing found */
    int line;         /* line of the lab's source; 0: not known */
    std::string size; /* the problem's size in the form of SIZE=; "": the size of this run */
};

/* Does a checker watch this run? Then the checker's messages replace the table. */
static inline bool isChecked() {
    return getenv("LABS_CHECKING") != NULL;
}

/* The path's last component. */
static inline std::string baseName(const std::string &path) {
    return path.substr(path.rfind('/') + 1); /* npos + 1 is 0 */
}

/* Shortens the first line of a message to a few words. */
static inline std::string defectName(const std::string &sentence) {
    const bool race = sentence.find("Race reported") != std::string::npos;
    if (race)
        return sentence.find(" stream") != std::string::npos ? "race between streams" : "race";
    if (sentence.find("Uninitialized variable") == 0) return "variable that was never set";
    if (sentence.find("Uninitialized") == 0) return "read of memory that nobody wrote";
    if (sentence.find("Barrier error") == 0) return "barrier that not all threads reach";
    std::string words = sentence.substr(0, sentence.find(" of size"));
    words[0] = (char)tolower(words[0]);
    return words;
}

/* Finds the checker's first message in this text, and the first source
 * line that the message names. */
static inline Finding findingIn(const std::string &text, const char *source) {
    const std::string head = "========= ", file = baseName(source) + ":";
    Finding finding = {"", 0, ""};
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        if (line.compare(0, head.size(), head) != 0) continue;
        const bool begins = line.size() > head.size() && line[head.size()] != ' ';
        const std::string sentence = line.substr(head.size());
        const bool mistake = sentence.find("Leaked") != 0 && sentence.find("ERROR SUMMARY") != 0;
        if (begins && (!finding.what.empty() || !mistake)) {
            if (!finding.what.empty()) break;
            continue;
        }
        if (begins) finding.what = defectName(sentence);
        const size_t at = line.rfind(file);
        if (!finding.what.empty() && finding.line == 0 && at != std::string::npos)
            finding.line = atoi(line.c_str() + at + file.size());
    }
    return finding;
}

/* Formats a finding: "race at reduction.cu:83". */
static inline std::string findingText(const Finding &finding, const char *source) {
    if (finding.line == 0) return finding.what;
    return finding.what + " at " + baseName(source) + ":" + std::to_string(finding.line);
}

/* The simulator's message about the kernel that it stopped last; empty on a GPU. */
static inline Finding lastFault(const char *source) {
    const char *(*words)() = (const char *(*)())dlsym(RTLD_DEFAULT, "simtLastFault");
    return findingIn(words != NULL ? words() : "", source);
}

/* How far to trust what the simulator showed; NULL on a GPU. */
static inline const char *simulatorTrust() {
    const char *(*line)() = (const char *(*)())dlsym(RTLD_DEFAULT, "simtTrust");
    return line != NULL ? line() : NULL;
}

/* How many kernels' blocks have raced so far, as the simulator saw; 0 on a GPU. */
static inline size_t racedKernels() {
    size_t (*count)() = (size_t(*)())dlsym(RTLD_DEFAULT, "simtRacedKernels");
    return count != NULL ? count() : 0;
}

/* The flags of a run, without those that a check sets. */
static inline std::vector<std::string> flagsToKeep(int argc, char **argv) {
    std::vector<std::string> kept;
    for (int i = 1; i < argc; i++) {
        bool chosen = false;
        for (const char *flag : {"--size", "--rows", "--cols", "--step", "--repeat", "--csv"})
            chosen = chosen || strcmp(argv[i], flag) == 0;
        if (chosen) i++;
        if (!chosen) kept.push_back(argv[i]);
    }
    return kept;
}

/* Appends a size in the form of SIZE= as flags: 31x33 is a matrix of 31 rows. */
static inline void addSize(std::vector<std::string> *flags, const std::string &size) {
    const size_t cross = size.find('x');
    flags->push_back(cross == std::string::npos ? "--size" : "--rows");
    flags->push_back(size.substr(0, cross));
    if (cross == std::string::npos) return;
    flags->push_back("--cols");
    flags->push_back(size.substr(cross + 1));
}

enum { CHECK_LIMIT_MS = 5000 }; /* without output from the process */

/* Starts this program again under the checker with these flags. Its output goes to ends[1] of a
 * pipe. Returns the process; 0: it cannot be started. */
static inline pid_t startChecked(const std::vector<std::string> &flags, const int ends[2]) {
    std::string program = "lab", marks[] = {"SIMT_CHECK=1", "LABS_CHECKING=1"};
    std::vector<char *> argv(1, &program[0]), environment;
    for (const std::string &flag : flags) argv.push_back(const_cast<char *>(flag.c_str()));
    argv.push_back(NULL);
    for (char **variable = environ; *variable != NULL; variable++)
        if (strncmp(*variable, "SIMT_PROFILE=", 13) != 0) environment.push_back(*variable);
    for (std::string &mark : marks) environment.push_back(&mark[0]);
    environment.push_back(NULL);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int to : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_adddup2(&actions, ends[1], to);
    for (int i = 0; i < 2; i++) posix_spawn_file_actions_addclose(&actions, ends[i]);
    pid_t process;
    const int error =
        posix_spawn(&process, "/proc/self/exe", &actions, NULL, argv.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? process : 0;
}

/* Runs this program again under the checker with these flags. Returns its output; "" if it cannot
 * be started or prints nothing for CHECK_LIMIT_MS. */
static inline std::string checkedOutput(const std::vector<std::string> &flags) {
    int ends[2];
    if (pipe(ends) != 0) return "";
    const pid_t process = startChecked(flags, ends);
    close(ends[1]);
    struct pollfd waiting = {ends[0], POLLIN, 0};
    std::string output;
    char part[4096];
    for (ssize_t length = 1; process != 0 && length > 0;) {
        const bool silent = poll(&waiting, 1, CHECK_LIMIT_MS) <= 0;
        if (silent) {
            kill(process, SIGKILL);
            output = "";
        }
        length = silent ? 0 : read(ends[0], part, sizeof part);
        if (length > 0) output.append(part, (size_t)length);
    }
    close(ends[0]);
    if (process != 0) waitpid(process, NULL, 0);
    return output;
}

/* Checks a step on small problems of these sizes, separated by
 * spaces. Returns the first finding. */
static inline Finding checkStep(const char *source, const std::vector<std::string> &flags, int step,
                                const std::string &sizes) {
    std::istringstream list(sizes);
    std::string size;
    Finding finding = {"", 0, ""};
    while (finding.what.empty() && list >> size) {
        std::vector<std::string> all(flags);
        all.insert(all.end(), {"--profile", "--step", std::to_string(step)});
        addSize(&all, size);
        const std::string output = checkedOutput(all);
        finding = findingIn(output, source);
        finding.size = size;
        const bool wrong = output.find(": WRONG (") != std::string::npos;
        if (finding.what.empty() && wrong) finding.what = "wrong with SIZE=" + size;
    }
    return finding;
}
