/*
 * see/json.c: the recording as JSON. common/see/README.md describes the format; FORMAT rises when
 * it changes.
 *
 * All text may be hostile (file names, sources, kernel names): what could end a script element is
 * escaped.
 */
#include "lib/json.h"
#include "lib/memory.h"
#include "page.h"
#include "see.h"
#include "simt/image/machine_code.h"
#include "simt/machine/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ---- */

static void put_shape(FILE *out, const char *name, const uint32_t size[3]) {
    fprintf(out, "\"%s\":[%u,%u,%u],\n", name, size[0], size[1], size[2]);
}

/* ---- Sources ---- */

struct sources {
    const char **files;
    uint32_t n;
};

static int source_number(struct sources *sources, const char *file) {
    if (!*file) return -1;
    for (uint32_t i = 0; i < sources->n; i++)
        if (strcmp(sources->files[i], file) == 0) return (int)i;
    sources->files = need(realloc(sources->files, (sources->n + 1) * sizeof *sources->files));
    sources->files[sources->n++] = file;
    return (int)sources->n - 1;
}

static void put_sources(FILE *out, const struct sources *sources) {
    fputs("\"sources\":[", out);
    for (uint32_t i = 0; i < sources->n; i++) {
        fputs(i ? ",\n" : "\n", out);
        page_put_source(out, sources->files[i]);
    }
    fputs("],\n", out);
}

/* ---- Instructions ---- */

/* Where the instruction's text begins, with its guard. One that the parser made has the line of
 * that which it was made for. */
static const char *ptx_begin(const struct ptx_module *module, const struct ptx_insn *insn) {
    const char *from = module->text;
    bool is_written = insn->spelling != ptx_opcode_name((enum ptx_opcode)insn->op);
    if (is_written)
        for (from = insn->spelling; from > module->text && !strchr("\n;{}:", from[-1]);) from--;
    for (int32_t line = 1; !is_written && line < insn->ptx_line && from; line++)
        from = strchr(from, '\n') ? strchr(from, '\n') + 1 : NULL;
    return from ? from : "";
}

void see_ptx(const struct ptx_module *module, const struct ptx_insn *insn,
             char text[SEE_PTX_BYTES]) {
    size_t n = 0;
    for (const char *from = ptx_begin(module, insn); *from && n + 1 < SEE_PTX_BYTES; from++) {
        bool is_space = strchr(" \t\r\n", *from);
        if (!is_space) text[n++] = *from;
        if (*from == ';') break;
        if (is_space && n && text[n - 1] != ' ') text[n++] = ' ';
    }
    text[n] = '\0';
}

void see_put_ptx(FILE *out, const struct ptx_module *module, const struct ptx_insn *insn) {
    char text[SEE_PTX_BYTES];
    see_ptx(module, insn, text);
    json_put_string(out, text);
}

/* As what the instruction runs, where that is not what its text says: a part of wmma, a product
 * that ptxas fuses with its sum. NULL: as itself. */
static const char *other_opcode(const struct see_step *step) {
    const char *name = ptx_opcode_name((enum ptx_opcode)step->insn->op);
    char text[SEE_PTX_BYTES], *opcode = text;
    see_ptx(step->function->module, step->insn, text);
    if (*text == '@') opcode = strchr(text, ' ') ? strchr(text, ' ') + 1 : text;
    bool is_alias = step->insn->op == PTX_BAR || ptx_is_mbarrier(step->insn);
    return is_alias || strncmp(opcode, name, strlen(name)) == 0 ? NULL : name;
}

/* Does bar stop all warps of the block? Else it names its barrier and how many threads it waits
 * for, or does not wait. */
static bool stops_all(const struct ptx_insn *insn) {
    const struct ptx_operand *barrier = &insn->operand[insn->sub >= PTX_BAR_RED_POPC];
    return insn->sub != PTX_BAR_ARRIVE && barrier->kind == PTX_OPERAND_IMM && barrier->bits == 0 &&
           insn->noperands == (insn->sub == PTX_BAR_SYNC ? 1 : 3);
}

/* What the page calls it: by groups where one sentence tells of all, else by its opcode. */
static const char *json_kind_of(const struct see_step *step) {
    const struct ptx_insn *insn = step->insn;
    enum ptx_kind kind = ptx_kind(insn);
    switch ((enum ptx_opcode)insn->op) {
    case PTX_SHFL: return "shuffle";
    case PTX_BAR:
        return insn->sub == PTX_BAR_WARP_SYNC ? "warpsync"
               : stops_all(insn)              ? "barrier"
                                              : "named barrier";
    case PTX_RET: return step->function->is_entry ? "exit" : "return";
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_APPLYPRIORITY:
    case PTX_DISCARD:
    case PTX_PMEVENT:
    case PTX_GRIDDEPCONTROL: return "hint";
    case PTX_EXIT:
    case PTX_TRAP:
    case PTX_BRKPT:
    case PTX_NOP:
    case PTX_NANOSLEEP:
    case PTX_ACTIVEMASK:
    case PTX_CP_ASYNC_COMMIT:
    case PTX_CP_ASYNC_WAIT:
    case PTX_CP_ASYNC_MBARRIER: return ptx_opcode_name((enum ptx_opcode)insn->op);
    default: break;
    }
    bool is_argument = (kind == PTX_KIND_LOAD || kind == PTX_KIND_STORE) && !step->naccesses;
    if (is_argument) return insn->space == PTX_KPARAM ? "parameter" : "argument";
    switch (kind) {
    case PTX_KIND_LOAD: return "load";
    case PTX_KIND_STORE: return "store";
    case PTX_KIND_ATOMIC: return "atomic";
    case PTX_KIND_COPY: return "copy";
    case PTX_KIND_FENCE: return "fence";
    case PTX_KIND_TEXTURE: return "texture";
    case PTX_KIND_SURFACE: return "surface";
    case PTX_KIND_QUERY: return "query";
    case PTX_KIND_BRANCH: return "branch";
    case PTX_KIND_CALL: return "call";
    case PTX_KIND_COLLECTIVE:
    case PTX_KIND_MATRIX: return ptx_opcode_name((enum ptx_opcode)insn->op);
    default: return "compute";
    }
}

/* A space as PTX names it. */
static const char *space_word(uint8_t space) {
    switch ((enum ptx_space)space) {
    case PTX_GLOBAL: return "global";
    case PTX_SHARED: return "shared";
    case PTX_LOCAL: return "local";
    case PTX_CONST: return "const";
    default: return "generic";
    }
}

static void put_cost(FILE *out, const char *name, const struct block_cost *cost) {
    bool any = false;
#define BLOCK_COUNTER(counter, unit, meaning)                                                      \
    if (cost->counter) {                                                                           \
        fprintf(out, "%s\"" #counter "\":%" PRIu32, any ? "," : name, cost->counter);              \
        any = true;                                                                                \
    }
#include "simt/device/counters.def"
    if (any) putc('}', out);
}

static void put_registers(FILE *out, const char *name, const struct see_step *step,
                          const struct see_value *values, uint32_t n) {
    fprintf(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < n; i++) {
        const char *reg = step->function->regs[values[i].reg].name;
        char own[16]; /* the parser's own registers are all called "_" */
        snprintf(own, sizeof own, "_%d", (int)values[i].reg);
        if (i) putc(',', out);
        json_put_string(out, strcmp(reg, "_") == 0 ? own : reg);
    }
    putc(']', out);
}

/* The machine instructions that ptxas's table leads from to the step's line of PTX, by kind.
 * Nothing where the function has no machine code. */
static void put_machine(FILE *out, const struct see_step *step) {
    static const char *const kinds[MACHINE_NOTHING + 1] = {
        [MACHINE_ALU] = "ALU",         [MACHINE_FMA] = "FMA",
        [MACHINE_IMAD] = "IMAD",       [MACHINE_FP64] = "FP64",
        [MACHINE_SFU] = "SFU",         [MACHINE_TENSOR] = "TENSOR",
        [MACHINE_LOAD] = "LOAD",       [MACHINE_STORE] = "STORE",
        [MACHINE_CONSTANT] = "CONST",  [MACHINE_SHUFFLE] = "SHUFFLE",
        [MACHINE_SPECIAL] = "SPECIAL", [MACHINE_UNIFORM] = "UNIFORM",
        [MACHINE_BRANCH] = "BRANCH",   [MACHINE_CALL] = "CALL",
        [MACHINE_RETURN] = "RETURN",   [MACHINE_EXIT] = "EXIT",
        [MACHINE_FENCE] = "FENCE",     [MACHINE_BLOCK_BARRIER] = "BARRIER"};
    const struct machine_code *code = step->function->machine;
    if (!code) return;
    fputs(",\"machine\":[", out);
    for (uint32_t i = 0, n = 0; i < code->n; i++)
        if (code->insns[i].ptx_line == (uint32_t)step->insn->ptx_line && kinds[code->insns[i].kind])
            fprintf(out, "%s\"%s\"", n++ ? "," : "", kinds[code->insns[i].kind]);
    putc(']', out);
}

static void json_put_instruction(FILE *out, const struct see_step *step, struct sources *sources) {
    const char *file;
    int32_t line;
    bool known = text_source(step->function->module, step->insn, &file, &line);
    fputs("{\"ptx\":", out);
    see_put_ptx(out, step->function->module, step->insn);
    fprintf(out, ",\"source\":%d,\"line\":%d,\"kind\":\"%s\"",
            known ? source_number(sources, file) : -1, known ? (int)line : 0, json_kind_of(step));
    const char *runs = other_opcode(step);
    if (runs) fprintf(out, ",\"runs\":\"%s\"", runs);
    if (step->lanes != UINT32_MAX) fprintf(out, ",\"lanes\":%d", __builtin_popcount(step->lanes));
    if (step->naccesses) fprintf(out, ",\"bytes\":%u,\"spaces\":", step->bytes);
    for (uint32_t i = 0; i < step->naccesses; i++)
        fprintf(out, "%c\"%s\"", i ? ',' : '[', space_word(step->accesses[i].space));
    if (step->naccesses) putc(']', out);
    fprintf(out, ",\"type\":%u", ptx_type_size((enum ptx_type)step->insn->type));
    put_registers(out, "reads", step, step->reads, step->nreads);
    put_registers(out, "writes", step, step->writes, step->nwrites);
    if (!step->function->is_entry) {
        fputs(",\"function\":", out);
        json_put_string(out, step->function->name);
    }
    put_machine(out, step);
    put_cost(out, ",\"cost\":{", &step->cost);
    put_cost(out, ",\"guarded\":{", &step->guarded);
    putc('}', out);
}

/* The instructions that were executed, in the order of the program. numbers: by step, its place in
 * the list. */
static void json_put_instructions(FILE *out, const struct recording *r, uint32_t *numbers,
                                  struct sources *sources) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nevents; i++) numbers[r->events[i].step->number] = 1;
    fputs("\"instructions\":[", out);
    for (const struct see_step *step = see_steps(); step; step = step->next) {
        if (!numbers[step->number]) continue;
        fputs(n ? ",\n" : "\n", out);
        json_put_instruction(out, step, sources);
        numbers[step->number] = n++;
    }
    fputs("],\n", out);
}

/* ---- Memory ---- */

static void put_allocation(const struct allocation *allocation, void *context) {
    FILE *out = context;
    fprintf(out,
            "%s\n{\"address\":\"%" PRIu64 "\",\"bytes\":%zu,\"name\":", ftell(out) > 1 ? "," : "",
            allocation->address, allocation->size);
    json_put_string(out, allocation->name ? allocation->name : "");
    putc('}', out);
}

char *see_allocations(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    putc('[', out);
    memory_each(put_allocation, out);
    putc(']', out);
    fclose(out);
    return need(text);
}

/* The kernel's parameters, by which pointers find their allocation: as many bytes as each has, up
 * to 8. */
static void put_parameters(FILE *out, const struct recording *r) {
    const struct ptx_function *entry = r->kernel->entry;
    fputs("\"parameters\":[", out);
    for (int32_t i = 0; i < entry->nparams; i++) {
        uint64_t value = 0;
        memcpy(&value, r->params + entry->frame[i].offset,
               entry->frame[i].size < 8 ? entry->frame[i].size : 8);
        fprintf(out, "%s{\"bytes\":%" PRIu64 ",\"value\":\"%" PRIu64 "\"}", i ? "," : "",
                (uint64_t)entry->frame[i].size, value);
    }
    fputs("],\n", out);
}

/* What the kernel launched: kernel, shape, how many launches. */
static void put_children(FILE *out, const struct recording *r) {
    fputs("\"children\":[", out);
    for (uint32_t i = 0; i < r->nchildren; i++) {
        const struct see_child *child = &r->children[i];
        fputs(i ? ",\n{\"kernel\":" : "\n{\"kernel\":", out);
        json_put_string(out, child->name);
        putc(',', out);
        put_shape(out, "grid", child->shape.grid);
        put_shape(out, "block", child->shape.block);
        fprintf(out, "\"count\":%u}", child->count);
    }
    fputs("],\n", out);
}

/* ---- Events ---- */

/* The masks as a row: "active,guard,live", and in a call the number of its row. */
static uint32_t masks_row(const struct see_event *event) {
    char text[4 * 11 + 1];
    int n = snprintf(text, sizeof text, "%u,%u,%u", event->active, event->guard, event->live);
    if (event->stack) snprintf(text + n, sizeof text - (size_t)n, ",%u", event->stack - 1);
    return see_text(text);
}

/* The counters that rose as a row: "counter,by,counter,by". */
static uint32_t counts_row(const struct recording *r, const struct see_event *event) {
    char text[COUNTER_COUNT * 22 + 1], *end = text;
    for (uint32_t i = 0; i < event->ncounts; i++) {
        const struct see_count *count = &r->counts[event->counts + i];
        end += sprintf(end, "%s%u,%u", i ? "," : "", count->counter, count->by);
    }
    return see_text(text);
}

static void put_event(FILE *out, const struct recording *r, const struct see_event *event,
                      const uint32_t *numbers) {
    uint32_t nvalues = event->step->nreads + event->step->nwrites;
    fprintf(out, "[%u,%u,%u,[", event->warp, numbers[event->step->number], masks_row(event));
    for (uint32_t i = 0; i < nvalues; i++) fprintf(out, "%s%u", i ? "," : "", event->values[i]);
    putc(']', out);
    if (event->step->naccesses || event->ncounts) fputs(",[", out);
    for (uint32_t i = 0; i < event->step->naccesses; i++)
        fprintf(out, "%s%u", i ? "," : "", event->addresses[i]);
    if (event->step->naccesses || event->ncounts) putc(']', out);
    if (event->ncounts) fprintf(out, ",%u", counts_row(r, event));
    putc(']', out);
}

static void put_events(FILE *out, const struct recording *r, const uint32_t *numbers) {
    fputs("\"events\":[", out);
    for (uint32_t i = 0; i < r->nevents; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_event(out, r, &r->events[i], numbers);
    }
    fputs("]}", out);
}

static void put_rows(FILE *out) {
    uint32_t n;
    const char *const *rows = see_rows(&n);
    fputs("\"rows\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        if (i) fputs(i % 16 ? "," : ",\n", out);
        json_put_string(out, rows[i]);
    }
    fputs("],\n", out);
}

/* unit: of what a basic block counts, warps or threads; "": counted where it happens. */
static void put_counter(FILE *out, bool first, const char *name, const char *unit,
                        const char *meaning) {
    fprintf(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"meaning\":", first ? "\n" : ",\n", name,
            unit);
    json_put_string(out, meaning);
    putc('}', out);
}

static void json_put_counters(FILE *out) {
    bool first = true;
    fputs("\"counters\":[", out);
#define COUNTER(name, meaning) put_counter(out, first, #name, "", meaning), first = false;
#define BLOCK_COUNTER(name, unit, meaning)                                                         \
    put_counter(out, first, #name, #unit, meaning), first = false;
#include "simt/device/counters.def"
    fputs("]\n", out);
}

/* Of this GPU, and of the other one that was asked for. */
static void put_times(FILE *out, const struct recording *r) {
    fputs("\"times\":[", out);
    see_time(out, r);
    if (r->options.beside) fprintf(out, ",\n%s", r->options.beside);
    fputs("],\n", out);
}

static uint32_t steps_count(void) {
    uint32_t n = 0;
    for (const struct see_step *step = see_steps(); step; step = step->next) n++;
    return n;
}

static void put_recording(FILE *out, const struct recording *r) {
    uint32_t *numbers = need(calloc(steps_count() + 1, sizeof *numbers));
    struct sources sources = {0};
    fputs("{\"kernel\":", out);
    json_put_string(out, r->name);
    fputs(",\n\"device\":", out);
    json_put_string(out, r->gpu->product);
    fprintf(out, ",\n\"launch\":%lu,\n\"failure\":", r->options.nth);
    json_put_string(out, r->failure ? r->failure : "");
    fputs(",\n", out);
    put_shape(out, "grid", r->shape.grid);
    put_shape(out, "block", r->shape.block);
    put_shape(out, "at", r->options.block);
    fprintf(out, "\"warps\":[%u,%u,%u],\n", r->options.from,
            r->options.to < r->nwarps ? r->options.to : r->nwarps - 1, r->nwarps);
    put_parameters(out, r);
    put_children(out, r);
    fprintf(out, "\"allocations\":%s,\n", r->allocations);
    json_put_instructions(out, r, numbers, &sources);
    put_sources(out, &sources);
    put_times(out, r);
    put_events(out, r, numbers);
    free(sources.files);
    free(numbers);
}

void see_json(FILE *out, struct recording *const *recordings, uint32_t n) {
    fprintf(out, "{\"format\":%d,\n\"recordings\":[", SEE_FORMAT);
    for (uint32_t i = 0; i < n; i++) {
        if (i) fputs(",\n", out);
        put_recording(out, recordings[i]);
    }
    fputs("],\n", out);
    fprintf(out, "\"windows\":{\"shared\":\"%llu\",\"local\":\"%llu\",\"param\":\"%llu\"},\n",
            SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW);
    put_rows(out);
    json_put_counters(out);
    fputs("}\n", out);
}
