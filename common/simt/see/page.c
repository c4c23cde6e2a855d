/*
 * see/page.c: pages, which the build makes of common/see and common/explore: files beside the
 * library, with a mark where the data goes.
 */
#include "page.h"

#include "lib/die.h"
#include "lib/file.h"
#include "lib/json.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "see.h"
#include "simt/device/host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCE (1 << 20) /* bytes of a source file that is shown */
#define MARK       "{\"recording\":\"here\"}"

bool page_write(const char *page, const char *target, void (*put)(FILE *out, void *context),
                void *context) {
    char path[PATH_MAX];
    struct outfile out;
    char *template = library_file(page, path) ? read_whole_file(path, NULL) : NULL;
    const char *mark = template ? strstr(template, MARK) : NULL;
    if (!mark) {
        fail_with("%s: cannot read the page that is to show the recording: run make", path);
        free(template);
        return false;
    }
    bool opened = outfile_open(&out, target);
    if (opened) {
        fwrite(template, 1, (size_t)(mark - template), out.file);
        put(out.file, context);
        fputs(mark + strlen(MARK), out.file);
    }
    bool ok = opened && outfile_commit(&out);
    if (!ok) fail_with("%s: %s", target, strerror(errno));
    free(template);
    return ok;
}

void page_put_source(FILE *out, const char *file) {
    char *text = need(malloc(MAX_SOURCE + 1));
    FILE *in = fopen(file, "r");
    size_t length = in ? fread(text, 1, MAX_SOURCE + 1, in) : 0;
    if (in) fclose(in);
    fputs("{\"file\":", out);
    json_put_string(out, file);
    fputs(",\"text\":", out);
    json_put_text(out, text, length > MAX_SOURCE ? 0 : length);
    putc('}', out);
    free(text);
}

struct shown {
    struct recording *const *recordings;
    uint32_t n;
};

static void put_recordings(FILE *out, void *context) {
    const struct shown *shown = context;
    see_json(out, shown->recordings, shown->n);
}

bool see_page(struct recording *const *recordings, uint32_t n) {
    struct shown shown = {recordings, n};
    return page_write("see.html", recordings[0]->options.path, put_recordings, &shown);
}
