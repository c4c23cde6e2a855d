/*
 * instructions: names the instructions of a program's PTX that the simulator does not have. With nvcc, ptxas refuses
 * unknown instructions, such as those of inline assembly. There is no ptxas here.
 *
 *   instructions device.ptx        exit code 1, and a line for each, if there are any
 */
#include "lib/printed.h"
#include "lib/source.h"
#include "simt/ptx/ptx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints where an instruction stands, in the source if the PTX says so, and its text. */
static void name(const struct ptx_module *module, const struct ptx_insn *insn) {
    const char *text = (const char *)(uintptr_t)insn->operand[0].bits;
    if (insn->line > 0 && insn->file >= 0 && insn->file < module->nfiles && module->files[insn->file])
        fprintf(stderr, "%s:%d: ", module->files[insn->file], insn->line);
    else
        fprintf(stderr, "line %d of the PTX: ", insn->ptx_line);
    fprintf(stderr, "the simulator does not have the instruction \"%s\"\n", text);
}

/* Names all of them; returns how many there are. */
static int unsupported(const struct ptx_module *module) {
    int found = 0;
    for (int f = 0; f < module->nfunctions; f++)
        for (int i = 0; i < module->functions[f].ninsns; i++) {
            const struct ptx_insn *insn = &module->functions[f].insns[i];
            if (insn->op != PTX_UNSUPPORTED) continue;
            name(module, insn);
            found++;
        }
    return found;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    char error[256];
    if (argc != 2) {
        fputs("usage: instructions device.ptx\n", stderr);
        return EXIT_FAILURE;
    }
    char *text = read_whole_file(argv[1]);
    if (!text) {
        fprintf(stderr, "instructions: %s: %s\n", argv[1], strerror(errno));
        return EXIT_FAILURE;
    }
    struct ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);
    if (!module) fprintf(stderr, "%s: %s\n", argv[1], error);
    int found = module ? unsupported(module) : 1;
    if (module) ptx_free(module);
    free(text);
    return found ? EXIT_FAILURE : EXIT_SUCCESS;
}
