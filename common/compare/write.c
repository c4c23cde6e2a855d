#include "write.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "lib/outfile.h"

static bool say_unwritten(const char *path) {
    fprintf(stderr, "compare: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

bool write_file(const char *path, void (*put)(const void *what, FILE *out), const void *what) {
    struct outfile out;
    if (!path) return true;
    if (!outfile_open(&out, path)) return say_unwritten(path);
    put(what, out.file);
    return outfile_commit(&out) || say_unwritten(path);
}

void put_number(FILE *out, double value, int decimals) {
    if (isnan(value))
        fputs("NA", out);
    else if (isinf(value))
        fputs("none", out);
    else
        fprintf(out, "%.*f", decimals, value);
}

/* ---- Scores ---- */

struct scores {
    struct outfile run, metrics;
    const char *backend, *device, *kernel;
    int lab;
};

void scores_begin(struct scores *s, int lab, const char *kernel, const char *device) {
    s->lab = lab;
    s->kernel = kernel;
    s->device = device;
    fprintf(s->run.file, "%d,0,%s,NA,NA,NA,NA,NA,NA,NA,ok,modelled,%s\n", lab, kernel, device);
}

void scores_put(struct scores *s, const char *metric, double value, int decimals, const char *unit) {
    fprintf(s->metrics.file, "%d,0,%s,NA,NA,%s,", s->lab, s->kernel, metric);
    put_number(s->metrics.file, value, decimals);
    fprintf(s->metrics.file, ",%s,%s,%s\n", unit, s->backend, s->device);
}

bool write_scores(const char *prefix, const char *backend, void (*put)(const void *what, struct scores *scores),
                  const void *what) {
    struct scores s = {.backend = backend};
    char run[PATH_MAX], metrics[PATH_MAX];
    if (!prefix) return true;
    snprintf(run, sizeof run, "%s.csv", prefix);
    snprintf(metrics, sizeof metrics, "%s-metrics.csv", prefix);
    if (!outfile_open(&s.run, run)) return say_unwritten(run);
    if (!outfile_open(&s.metrics, metrics)) {
        say_unwritten(metrics);
        outfile_drop(&s.run);
        return false;
    }
    fputs("lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device\n",
          s.run.file);
    fputs("lab,step,kernel,grid,block,metric,value,unit,backend,device\n", s.metrics.file);
    put(what, &s);
    bool ok = outfile_commit(&s.metrics) || say_unwritten(metrics);
    return (outfile_commit(&s.run) || say_unwritten(run)) && ok;
}
