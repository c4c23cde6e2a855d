/* decode/lacking.c: instructions that the simulator lacks, found before a thread reaches them. */
#include "decode.h"
#include "kernel.h"

/* A call of a function that nobody defines counts as well. */
void kernel_each_lacking(const struct kernel *kernel,
                         void (*visit)(const struct ptx_function *function,
                                       const struct ptx_insn *insn, void *context),
                         void *context) {
    struct handlers handlers;
    kernel->isa->name_handlers(&handlers);
    for (int32_t i = 0; i < kernel->ncodes; i++)
        for (int32_t k = 0; k < kernel->codes[i]->nops; k++) {
            const struct op *op = &kernel->codes[i]->ops[k];
            bool unknown_call =
                op->run == handlers.call_builtin && op->call.builtin == kernel->isa->missing;
            if (op->run == handlers.unsupported || unknown_call)
                visit(kernel->codes[i]->function, op->insn, context);
        }
}

const char *lacking_name(const struct ptx_function *function, const struct ptx_insn *insn,
                         char *buffer, size_t size) {
    if (insn->op == PTX_UNSUPPORTED) return (const char *)(uintptr_t)insn->operand[0].bits;
    if (insn->op == PTX_CALL) return function->module->functions[insn->operand[1].func].name;
    return ptx_spell(insn, buffer, size);
}

/* Can the function hold up a kernel? It need not: who calls it is not looked at. */
static bool looks_lacking(const struct ptx_function *function, const struct isa *isa) {
    for (int32_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        if (insn->op == PTX_UNSUPPORTED) return true;
        if (insn->op != PTX_CALL || insn->operand[1].kind != PTX_OPERAND_FUNCTION) continue;
        const struct ptx_function *callee = &function->module->functions[insn->operand[1].func];
        if (!callee->definition && isa->builtin_find(callee->name) == isa->missing) return true;
    }
    return false;
}

static bool any_looks_lacking(struct ptx_module *const *units, int n, const struct isa *isa) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < units[i]->nfunctions; k++)
            if (looks_lacking(&units[i]->functions[k], isa)) return true;
    return false;
}

static void keep_first(const struct ptx_function *function, const struct ptx_insn *insn,
                       void *context) {
    struct lacking *here = context;
    if (here->insn) return;
    here->function = function;
    here->insn = insn;
}

/* Only where a function looks like it are the kernels decoded: programs that lack nothing need no
 * time. */
struct lacking lacking_find(struct ptx_module *const *units, int n, const struct gpu *gpu,
                            const struct isa *isa) {
    struct lacking found = {0};
    decode_watcher *watch = decode_watch;
    if (!any_looks_lacking(units, n, isa)) return found;
    decode_watch = NULL;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < units[i]->nfunctions; k++) {
            struct lacking here = {.kernel = &units[i]->functions[k]};
            if (!here.kernel->is_entry || here.kernel->definition != here.kernel) continue;
            struct kernel *kernel = kernel_prepare(here.kernel, gpu, isa);
            kernel_each_lacking(kernel, keep_first, &here);
            kernel_free(kernel);
            here.kernels = found.kernels + 1;
            if (here.insn && !found.insn)
                found = here;
            else if (here.insn)
                found.kernels++;
        }
    decode_watch = watch;
    return found;
}
