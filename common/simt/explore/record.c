/* explore/record.c: writes launches down: explore/explore.h says how. */
#include "explore.h"

#include "fill.h"
#include "lib/die.h"
#include "lib/json.h"
#include "lib/memory.h"
#include "simt/device/gpu.h"
#include "simt/device/host.h"
#include "simt/device/memory.h"
#include "simt/image/fatbin.h"
#include "simt/machine/launch.h"
#include "simt/machine/report.h"
#include "simt/see/page.h"

#include <inttypes.h>
#include <lz4hc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LAUNCHES 256
#define MOST_MODULES  64
#define MOST_BYTES    (32u << 20) /* of arrays that are written down byte by byte */
#define MOST_SEED     16
#define MOST_SOURCES  16
#define MAX_NAME      512

static struct {
    FILE *lines;
    char *text;
    size_t size, bytes;
    char *launches[MOST_LAUNCHES]; /* what makes one another than those before */
    uint64_t blobs[8 * MOST_LAUNCHES], code[MOST_MODULES];
    char *sources[MOST_SOURCES];
    int nlaunches, nblobs, nmodules, nsources, left_out, hosted;
} record;

/* ---- Bytes ---- */

static bool is_made_by(enum array_fill fill, uint64_t seed, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i += 4) {
        uint32_t want = fill_next(fill, &seed);
        if (memcmp(bytes + i, &want, 4) != 0) return false;
    }
    return size % 4 == 0;
}

/* How the bytes can be made again. */
static enum array_fill fill_of(const uint8_t *bytes, size_t size, uint64_t *seed) {
    *seed = size ? bytes[0] : 0;
    if (!size || memcmp(bytes, bytes + 1, size - 1) == 0) return FILL_BYTE;
    for (int fill = FILL_INTS; fill <= FILL_FLOATS; fill++)
        for (*seed = 0; *seed < MOST_SEED; ++*seed)
            if (is_made_by((enum array_fill)fill, *seed, bytes, size)) return (enum array_fill)fill;
    return FILL_NONE;
}

/* Packed, as an LZ4 block, where that is shorter. */
static void put_data(const uint8_t *bytes, size_t size) {
    char *packed = need(malloc(size + 1)), *text = need(malloc((size + 2) / 3 * 4 + 1));
    int packed_size = size > MOST_BYTES ? 0
                                        : LZ4_compress_HC((const char *)bytes, packed, (int)size,
                                                          (int)size, LZ4HC_CLEVEL_DEFAULT);
    if (packed_size > 0)
        json_base64(packed, (size_t)packed_size, text);
    else
        json_base64(bytes, size, text);
    fprintf(record.lines, ",\"%s\":\"%s\"},\n", packed_size > 0 ? "lz4" : "data", text);
    free(packed);
    free(text);
    record.bytes += size;
}

/* Writes a line for the bytes, unless there is one. */
static uint64_t put_blob(const uint8_t *bytes, size_t size) {
    uint64_t name = hash_bytes(HASH_START ^ size, bytes, size), seed;
    for (int i = 0; i < record.nblobs; i++)
        if (record.blobs[i] == name) return name;
    if (record.nblobs < (int)(sizeof record.blobs / sizeof *record.blobs))
        record.blobs[record.nblobs++] = name;
    enum array_fill fill = fill_of(bytes, size, &seed);
    fprintf(record.lines, "{\"blob\":\"%016" PRIx64 "\",\"size\":%zu", name, size);
    if (fill)
        fprintf(record.lines, ",\"fill\":%d,\"seed\":%" PRIu64 "},\n", fill, seed);
    else
        put_data(bytes, size);
    return name;
}

/* ---- Device code ---- */

void explore_module(const struct fatbin *fatbin, int arch) {
    char *bytes = NULL;
    size_t size = 0, before = record.bytes;
    if (!record.lines || record.nmodules == MOST_MODULES) return;
    FILE *memory = need(open_memstream(&bytes, &size));
    fatbin_write(memory, fatbin, arch);
    fclose(memory);
    record.code[record.nmodules++] = put_blob((const uint8_t *)bytes, size);
    record.bytes = before;
    free(bytes);
}

/* ---- Launches ---- */

static char *describe(const struct explored *explored) {
    char *text = NULL;
    size_t size = 0;
    const struct launch *grid = explored->grid;
    const struct launch_shape *shape = &grid->shape;
    const uint8_t *params = grid->params;
    FILE *out = need(open_memstream(&text, &size));
    fprintf(out, "\"shape\":[%u,%u,%u,%u,%u,%u,%zu,%d,%d,%d],\"params\":\"", shape->grid[0],
            shape->grid[1], shape->grid[2], shape->block[0], shape->block[1], shape->block[2],
            shape->dynamic_shared, grid->cooperative, explored->max_dynamic_shared,
            explored->carveout);
    for (uint64_t i = 0; i < explored->entry->param_bytes; i++) fprintf(out, "%02x", params[i]);
    fputs("\"", out);
    fclose(out);
    return text;
}

/* Of each parameter: its place, its bytes, and what it is: a pointer, a float or a number. */
static void put_types(const struct explored *explored) {
    const struct ptx_function *entry = explored->entry;
    fputs(",\"types\":[", record.lines);
    for (int32_t i = 0; i < entry->nparams; i++) {
        const struct ptx_var *param = &entry->frame[i];
        uint64_t value = 0;
        if (param->size == sizeof value)
            memcpy(&value, (const char *)explored->grid->params + param->offset, sizeof value);
        const char *type = value && memory_find(value, 0)                     ? "pointer"
                           : param->type == PTX_F32 || param->type == PTX_F64 ? "float"
                                                                              : "number";
        fprintf(record.lines, "%s[%" PRIu64 ",%" PRIu64 ",\"%s\"]", i ? "," : "", param->offset,
                param->size, type);
    }
    fputs("]", record.lines);
}

/* Writes a line for each file that the kernel's instructions come from, unless there is one. */
static void put_sources(const struct ptx_function *entry) {
    const char *file, *last = "";
    for (int32_t i = 0; i < entry->ninsns; i++) {
        int32_t line;
        bool known = text_source(entry->module, &entry->insns[i], &file, &line);
        if (!known || strcmp(file, last) == 0) continue;
        last = file;
        bool is_written = false;
        for (int k = 0; k < record.nsources; k++)
            is_written |= strcmp(record.sources[k], file) == 0;
        if (is_written || record.nsources == MOST_SOURCES) continue;
        record.sources[record.nsources++] = need(strdup(file));
        page_put_source(record.lines, file);
        fputs(",\n", record.lines);
    }
}

static bool is_kept(const struct allocation *allocation) {
    return allocation->kind == ALLOC_DEVICE || allocation->kind == ALLOC_GLOBAL_VAR ||
           allocation->kind == ALLOC_CONST_VAR;
}

static void put_array(const struct allocation *allocation, void *text) {
    if (allocation->kind == ALLOC_MANAGED) record.hosted++;
    if (!is_kept(allocation)) return;
    uint64_t name = put_blob(memory_host(allocation->address, allocation->size), allocation->size);
    fprintf(text, "%s[%" PRIu64 ",%zu,\"%s\",\"%016" PRIx64 "\"]", ftell(text) ? "," : "",
            allocation->address, allocation->size, allocation->name ? allocation->name : "", name);
}

static void put_launch(const struct explored *explored, const char *description, int nth) {
    const char *run = getenv("SIMT_EXPLORE_RUN");
    char name[MAX_NAME], *arrays = NULL;
    size_t size = 0;
    struct text text = {name, sizeof name};
    text_name(&text, explored->entry->name);
    FILE *out = need(open_memstream(&arrays, &size));
    memory_each(put_array, out);
    fclose(out);
    put_sources(explored->entry);
    fputs("{\"run\":", record.lines);
    json_put_string(record.lines, run ? run : "");
    fprintf(record.lines, ",\"gpu\":\"%s\",\"kernel\":\"%s\",\"name\":", explored->grid->gpu->name,
            explored->entry->name);
    json_put_string(record.lines, name);
    fprintf(record.lines, ",\"nth\":%d,%s", nth, description);
    put_types(explored);
    fputs(",\"code\":[", record.lines);
    for (int i = 0; i < record.nmodules; i++)
        fprintf(record.lines, "%s\"%016" PRIx64 "\"", i ? "," : "", record.code[i]);
    fprintf(record.lines, "],\"arrays\":[%s]},\n", arrays);
    free(arrays);
}

/* The launches before that were the same, or of the same kernel. */
static bool is_known(const char *kernel, const char *description, int *nth) {
    size_t length = strlen(kernel);
    for (int i = 0; i < record.nlaunches; i++) {
        const char *before = record.launches[i];
        if (strncmp(before, kernel, length) != 0 || before[length] != '"') continue;
        if (strcmp(before + length, description) == 0) return true;
        ++*nth;
    }
    return false;
}

void explore_launch(const struct explored *explored) {
    int nth = 1;
    if (!record.lines) return;
    char *description = describe(explored);
    bool known = is_known(explored->entry->name, description, &nth);
    bool room = record.nlaunches < MOST_LAUNCHES && record.bytes < MOST_BYTES;
    if (!known && !room) record.left_out++;
    if (!known && room) {
        put_launch(explored, description, nth);
        record.launches[record.nlaunches++] = need_text("%s%s", explored->entry->name, description);
    }
    free(description);
}

/* ---- The file ---- */

bool explore_open(void) {
    char path[PATH_MAX];
    const char *target = getenv("SIMT_EXPLORE");
    if (!target || !*target) return true;
    if (library_file("explore.html", path)) {
        record.lines = need(open_memstream(&record.text, &record.size));
        return true;
    }
    return fail_with("%s: the page is not built yet: run make explore-page", path);
}

static void put_lines(FILE *out, void *context) {
    (void)context;
    fputs("[\n", out);
    fwrite(record.text, 1, record.size, out);
    fputs("{}\n]", out);
}

bool explore_close(void) {
    if (!record.lines) return true;
    fclose(record.lines);
    record.lines = NULL;
    if (record.left_out)
        report_note("--explore: %d launches are left out: the page holds %d launches and %u MB of "
                    "arrays. Choose a smaller problem",
                    record.left_out, MOST_LAUNCHES, MOST_BYTES >> 20);
    if (record.hosted)
        report_note("--explore: managed memory is not written down; kernels that use it will fail "
                    "on the page");
    if (!record.nlaunches) return fail_with("--explore: the program launched no kernel");
    return page_write("explore.html", getenv("SIMT_EXPLORE"), put_lines, NULL);
}
