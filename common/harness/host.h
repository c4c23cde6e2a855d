/*
 * host.h: steps that run on the CPU. They are timed by cpuSecond, on the processor that the program runs on, also where
 * the GPU is a simulated one.
 */
#ifndef HARNESS_HOST_H
#define HARNESS_HOST_H

/* Is what the run has left behind right? Otherwise the row says why not. */
template <class Check> bool Lab::judgeHostRun(Row *row, Check check, const char *when) {
    if (isTodo(row, hostTodoNote)) return false;
    judgeResult(row, check(), when);
    return row->outcome == STEP_OK;
}

/* Right once, then timed, then right still; and once more with the caches' misses counted. */
template <class Prepare, class Work, class Check>
void Lab::measureHost(Row *row, Prepare prepare, Work work, Check check) {
    hostTodoNote.line = 0;
    prepare();
    work();
    if (!judgeHostRun(row, check, "") || options.profile) return;
    std::vector<double> times;
    for (int run = 0; run < hostRepeat(); run++) {
        prepare();
        const double begin = cpuSecond();
        work();
        times.push_back((cpuSecond() - begin) * 1000);
    }
    if (!judgeHostRun(row, check, " in a later run")) return;
    if (whyNoMisses().empty()) {
        prepare();
        row->misses = countMisses(work);
    }
    std::sort(times.begin(), times.end());
    row->times = times;
}

template <class Prepare, class Work, class Check>
double Lab::hostStep(double bytes, Prepare prepare, Work work, Check check, const std::string &remark) {
    showRows();
    current++;
    if (options.step != 0 && options.step != current) return 0;
    Row row = newRow(steps[current - 1].name, dim3(0, 0, 0), dim3(0, 0, 0), bytes);
    row.onHost = true;
    if (!broken) measureHost(&row, prepare, work, check);
    if (row.remark.empty()) row.remark = remark;
    addRow(row);
    return row.medianTime();
}

#endif
