#include "compare.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "lib/die.h"
#include "lib/outfile.h"

bool write_file(const char *path, void (*put)(const void *what, FILE *out), const void *what) {
    struct outfile out;
    bool ok = !path || outfile_open(&out, path);
    if (path && ok) {
        put(what, out.file);
        ok = outfile_commit(&out);
    }
    if (!ok) fail_with("cannot write %s: %s", path, strerror(errno));
    return ok;
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

/* The same calls write both files, one at a time. */
struct scores {
    void (*put)(const void *what, struct scores *scores);
    const void *what;
    const char *backend, *device, *kernel;
    int lab;
    FILE *run, *metrics; /* NULL: not the file that is being written */
};

void scores_begin(struct scores *s, int lab, const char *kernel, const char *device) {
    s->lab = lab;
    s->kernel = kernel;
    s->device = device;
    if (s->run)
        fprintf(s->run, "%d,0,%s,NA,NA,NA,NA,NA,NA,NA,ok,modelled,%s\n", lab, kernel, device);
}

void scores_put(struct scores *s, const char *metric, double value, int decimals,
                const char *unit) {
    if (!s->metrics) return;
    fprintf(s->metrics, "%d,0,%s,NA,NA,%s,", s->lab, s->kernel, metric);
    put_number(s->metrics, value, decimals);
    fprintf(s->metrics, ",%s,%s,%s\n", unit, s->backend, s->device);
}

static void put_run(const void *scores, FILE *out) {
    struct scores s = *(const struct scores *)scores;
    s.run = out;
    fputs("lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,"
          "clock,device\n",
          out);
    s.put(s.what, &s);
}

static void put_metrics(const void *scores, FILE *out) {
    struct scores s = *(const struct scores *)scores;
    s.metrics = out;
    fputs("lab,step,kernel,grid,block,metric,value,unit,backend,device\n", out);
    s.put(s.what, &s);
}

bool write_scores(const char *prefix, const char *backend,
                  void (*put)(const void *what, struct scores *scores), const void *what) {
    const struct scores s = {.put = put, .what = what, .backend = backend};
    char run[PATH_MAX], metrics[PATH_MAX];
    if (!prefix) return true;
    snprintf(run, sizeof run, "%s.csv", prefix);
    snprintf(metrics, sizeof metrics, "%s-metrics.csv", prefix);
    return write_file(metrics, put_metrics, &s) && write_file(run, put_run, &s);
}
