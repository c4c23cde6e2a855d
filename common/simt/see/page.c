/*
 * see/page.c: the page: see.html, which the build makes of common/see, with the recordings in the
 * place of its mark. The file lies beside the library.
 */
#include "lib/die.h"
#include "lib/file.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "see.h"
#include "simt/device/gpu.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "{\"recording\":\"here\"}" /* in common/see/page.html */

static void write_page(FILE *out, const char *template, const char *mark,
                       struct recording *const *recordings, uint32_t n) {
    fwrite(template, 1, (size_t)(mark - template), out);
    see_json(out, recordings, n);
    fputs(mark + strlen(MARK), out);
}

bool see_page(struct recording *const *recordings, uint32_t n) {
    char path[PATH_MAX];
    struct outfile out;
    const char *target = recordings[0]->options.path;
    char *template = library_file("see.html", path) ? read_whole_file(path, NULL) : NULL;
    const char *mark = template ? strstr(template, MARK) : NULL;
    if (!mark) {
        fail_with("%s: cannot read the page that is to show the recording: run make", path);
        free(template);
        return false;
    }
    bool opened = outfile_open(&out, target);
    if (opened) write_page(out.file, template, mark, recordings, n);
    bool ok = opened && outfile_commit(&out);
    if (!ok) fail_with("%s: %s", target, strerror(errno));
    free(template);
    return ok;
}
