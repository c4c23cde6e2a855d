/* see/time.c: what the warps of one multiprocessor waited for, by the time model, as the
 * recording's "times" has it. */
#include "see.h"

#include "lib/json.h"
#include "lib/memory.h"
#include "simt/machine/report.h"
#include "simt/time/timing.h"

#include <inttypes.h>
#include <stdlib.h>

struct watch *see_watch(struct recording *r) {
    return r ? &r->watch : NULL;
}

static uint64_t end_of(const struct watched_warp *warp) {
    uint64_t end = warp->born;
    for (uint32_t i = 0; i < warp->n; i++) end += warp->waits[i].cycles;
    return end;
}

static uint64_t cycles_of(const struct watch *watch) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < watch->nwarps; i++)
        if (end_of(&watch->warps[i]) > last) last = end_of(&watch->warps[i]);
    return last;
}

static void time_put_instruction(FILE *out, const struct recording *r,
                                 const struct ptx_insn *insn) {
    const struct ptx_module *module = r->kernel->entry->module;
    const char *file;
    int32_t line;
    bool known = text_source(module, insn, &file, &line);
    fputs("{\"ptx\":", out);
    see_put_ptx(out, module, insn);
    fprintf(out, ",\"line\":%d}", known ? (int)line : 0);
}

/* numbers: by instruction of the kernel, its place in the list, from 1. */
static void time_put_instructions(FILE *out, const struct recording *r, uint32_t *numbers) {
    uint32_t n = 0;
    fputs("\"instructions\":[", out);
    for (uint32_t w = 0; w < r->watch.nwarps; w++)
        for (uint32_t i = 0; i < r->watch.warps[w].n; i++) {
            const struct ptx_insn *insn = r->watch.warps[w].waits[i].insn;
            uint32_t *number = insn ? &numbers[kernel_insn(r->kernel, insn)] : NULL;
            if (!number || *number) continue;
            fputs(n ? ",\n" : "\n", out);
            time_put_instruction(out, r, insn);
            *number = ++n;
        }
    fputs("],\n", out);
}

static void put_warp(FILE *out, const struct recording *r, const struct watched_warp *warp,
                     const uint32_t *numbers) {
    fprintf(out,
            "{\"slot\":%u,\"block\":%u,\"index\":%" PRIu64 ",\"warp\":%u,\"born\":%" PRIu64
            ",\"waits\":[",
            warp->slot, warp->block, warp->index, warp->warp, warp->born);
    for (uint32_t i = 0; i < warp->n; i++) {
        const struct warp_wait *wait = &warp->waits[i];
        int number = wait->insn ? (int)numbers[kernel_insn(r->kernel, wait->insn)] - 1 : -1;
        fprintf(out, "%s%" PRIu64 ",%u,%d", i ? "," : "", wait->cycles, wait->reason, number);
    }
    fputs("]}", out);
}

void see_time(FILE *out, const struct recording *r) {
    uint32_t *numbers = need(calloc(r->kernel->ninsns + 1, sizeof *numbers));
    fprintf(out, SEE_TIME_START "\"device\":", SEE_FORMAT);
    json_put_string(out, r->gpu->product);
    fprintf(out, ",\"clock_mhz\":%d,\"cycles\":%" PRIu64 ",\"schedulers\":%d,\"full\":%s,",
            r->gpu->clock_mhz, cycles_of(&r->watch), r->gpu->schedulers_per_sm,
            r->watch.full ? "true" : "false");
    fprintf(out, "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\n\"reasons\":[", r->shape.grid[0],
            r->shape.grid[1], r->shape.grid[2], r->shape.block[0], r->shape.block[1],
            r->shape.block[2]);
#define STALL(NAME, name) fputs("\"" #name "\",", out);
#include "simt/time/stalls.def"
    fputs("\"issues\"],\n", out);
    time_put_instructions(out, r, numbers);
    fputs("\"warps\":[", out);
    for (uint32_t w = 0; w < r->watch.nwarps; w++) {
        fputs(w ? ",\n" : "\n", out);
        put_warp(out, r, &r->watch.warps[w], numbers);
    }
    fputs("]}", out);
    free(numbers);
}
