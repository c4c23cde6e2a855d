/* native/translate.c: finds the runs of a kernel and makes their code. */
#include "native.h"
#include "requests.h"
#include "shapes.h"
#include "special.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LEAST_RUN 2 /* translated operations */

/* What becomes of an operation in a run. */
enum way { WAY_OUT, WAY_CALL, WAY_LOAD, WAY_CODE };

/* Its handler goes on behind it with the same lanes, if it raises no fault. */
static bool is_called(const struct isa *isa, const struct op *op) {
    for (const struct rule *const *list = isa->rules; *list; list++)
        for (const struct rule *rule = *list; rule->run; rule++)
            if (rule->run == op->run) return true;
    for (const struct access_rule *rule = isa->accesses; rule->run; rule++)
        if (rule->run == op->run) return true;
    return false;
}

static enum way way_of(const struct isa *isa, const struct recipes *recipes, const struct op *op) {
    const struct recipe *recipe = recipe_of(recipes, op);
    bool is_guarded = op->guard != PRED_TRUE_OFFSET || op->guard_flip;
    if (recipe && writes_predicate(recipe) && (is_guarded || op->d2_present)) return WAY_OUT;
    if (recipe) return WAY_CODE;
    if (!is_called(isa, op)) return WAY_OUT;
    return is_quick_load(op) ? WAY_LOAD : WAY_CALL;
}

/* ---- One run ---- */

/* A run that calls keeps what it needs in registers that functions preserve. R12 comes last: a base there takes a byte
 * more. */
static const uint8_t kept_bases[] = {R13, R14, R15, R12}, own_bases[] = {R8, R9, R10, R11};

/* push rbx, rbp, r12 to r15; the stack's alignment; the warp and the operation from a handler's arguments. */
static void write_entry(struct run *run) {
    if (run->warp == RBX)
        EMIT(run->code, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x83, 0xEC, 0x08, 0x48, 0x89,
             0xFB, 0x48, 0x89, 0xF5);
    for (int kind = 0; kind < ROWS_COUNT; kind++)
        emit_load(run->code, run->bases[kind], run->warp, (int32_t)(offsetof(struct warp, rows) + 8 * (size_t)kind));
    for (int half = 0; half < 2 && run->is_masked; half++) emit_load_mask(run->code, 1 + half, run->warp, 2 * half);
}

/* The other way, and vzeroupper; ret. */
void write_return(struct run *run) {
    if (run->warp == RBX)
        EMIT(run->code, 0x48, 0x83, 0xC4, 0x08, 0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x41, 0x5C, 0x5D, 0x5B);
    EMIT(run->code, 0xC5, 0xF8, 0x77, 0xC3);
}

struct translator {
    const struct isa *isa;
    struct recipes recipes;
    struct code_buffer code;
    struct subroutines subroutines;
};

static void write_body(struct translator *t, const struct code *of, int32_t first, int32_t n, bool calls,
                       bool is_masked) {
    struct run run = {.code = &t->code, .of = of, .first = &of->ops[first], .n = n, .is_masked = is_masked};
    run.subroutines = &t->subroutines;
    run.warp = calls ? RBX : RDI;
    run.op = calls ? RBP : RSI;
    run.bases = calls ? kept_bases : own_bases;
    write_entry(&run);
    for (int32_t i = first; i < first + n; i++) {
        const struct op *op = &of->ops[i];
        enum way way = way_of(t->isa, &t->recipes, op);
        run.clock++;
        if (way == WAY_CODE)
            translate_op(&run, recipe_of(&t->recipes, op), op);
        else if (way == WAY_LOAD && !is_masked)
            translate_load(&run, op);
        else
            translate_call(&run, op);
    }
    rows_store(&run);
    emit_address(&t->code, RAX, run.op, n * (int32_t)sizeof(struct op));
    write_return(&run);
    write_detours(&run);
}

/* cmp dword [rdi], -1; jne the code that masks. The warp's active lanes are its first field. */
static void write_run(struct translator *t, const struct code *of, int32_t first, int32_t n, bool calls) {
    EMIT(&t->code, 0x83, 0x3F, 0xFF);
    size_t masked = emit_jump(&t->code, IF_NOT_EQUAL);
    write_body(t, of, first, n, calls, false);
    emit_target(&t->code, masked);
    write_body(t, of, first, n, calls, true);
}

/* ---- All of a kernel ---- */

/* Operations from first on that are one run, without calls at its end; 0: it would not pay. */
static int32_t run_length(const struct translator *t, const struct code *code, int32_t first, bool *calls) {
    int32_t length = 0, translated = 0;
    *calls = false;
    bool called = false;
    for (int32_t n = 0; first + n < code->nops; n++) {
        enum way way = way_of(t->isa, &t->recipes, &code->ops[first + n]);
        if (way == WAY_OUT || (way == WAY_CALL && n == 0)) break;
        called |= way != WAY_CODE;
        if (way == WAY_CALL) continue;
        translated++;
        length = n + 1;
        *calls = called;
    }
    return translated < LEAST_RUN ? 0 : length;
}

struct entry {
    struct op *op;
    size_t at;
};

void native_translate(struct kernel *kernel, const struct isa *isa) {
    const char *wanted = getenv("SIMT_NATIVE");
    if (strcmp(isa->name, "avx512") != 0 || (wanted && strcmp(wanted, "0") == 0)) return;
    struct translator t = {.isa = isa};
    struct entry *entries = NULL;
    size_t n = 0;
    recipes_of(isa, &t.recipes);
    struct handlers handlers;
    isa->name_handlers(&handlers);
    emit_begin(&t.code);
    write_specials(&t.code, handlers.segments, t.subroutines.special);
    write_loads(&t.code, &t.subroutines);
    for (int32_t c = 0; c < kernel->ncodes; c++) {
        const struct code *of = kernel->codes[c];
        bool calls;
        for (int32_t first = 0, length; first < of->nops; first += length ? length : 1) {
            length = run_length(&t, of, first, &calls);
            if (!length) continue;
            entries = need(realloc(entries, (n + 1) * sizeof *entries));
            entries[n++] = (struct entry){&of->ops[first], t.code.length};
            write_run(&t, of, first, length, calls);
        }
    }
    kernel->native = n ? code_publish(&t.code, &kernel->native_bytes) : NULL;
    for (size_t i = 0; kernel->native && i < n; i++) {
        void *at = (char *)kernel->native + entries[i].at;
        memcpy(&entries[i].op->run, &at, sizeof at);
    }
    free(entries);
    free(t.code.bytes);
}

void native_free(struct kernel *kernel) {
    if (kernel->native) munmap(kernel->native, kernel->native_bytes);
}
