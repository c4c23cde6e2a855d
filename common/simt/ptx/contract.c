/*
 * ptx/contract.c: mul and add of floats become fma, where ptxas does it. A product without a
 * rounding suffix may be rounded together with the sum that reads it (PTX ISA, "Floating Point
 * Instructions: add"), and nvcc leaves most differences and many sums to ptxas. So the last bits of
 * a program's results depend on which it takes.
 *
 * ptxas contracts within a basic block, which calls and fences end, too, and divisions and roots,
 * which may call; products of a constant or of a kernel's parameter also elsewhere. It takes a
 * product if only sums read it, so that no mul remains. Products that one sum reads come first, in
 * the order of the sums, and of a sum's two products the left one. Then come those that several
 * sums read, as long as no contracted sum adds them. The rules were found with ptxas 13.0 for
 * sm_90: 898 of 900 random blocks gave its results bit by bit.
 */
#include "contract.h"

#include "liveness.h"

#include <string.h>

/* A register that is a product. */
struct product {
    int32_t at;   /* its mul; -1: it is none */
    int32_t uses; /* reads of it that are left */
    int32_t sums; /* those of them that are an operand of a sum where it may be contracted */
    bool anywhere;
};

struct contraction {
    struct ptx_function *function;
    int32_t *part; /* by instruction: its basic block, or the part of it between calls and fences */
    int32_t *writes;          /* by register: how many instructions write it */
    bool *constant;           /* by register: an immediate or a kernel's parameter */
    struct product *products; /* by register */
};

/* ---- Products and sums ---- */

static bool may_contract(const struct ptx_insn *insn) {
    return insn->type >= PTX_F16 && insn->type <= PTX_F64 && insn->round == PTX_ROUND_NONE &&
           !insn->relu;
}

static bool is_sum(const struct ptx_insn *insn) {
    return (insn->op == PTX_ADD || insn->op == PTX_SUB) && may_contract(insn);
}

static bool is_product(const struct contraction *c, const struct ptx_insn *insn) {
    return insn->op == PTX_MUL && may_contract(insn) && !insn->sat && insn->pred < 0 &&
           insn->operand[0].kind == PTX_OPERAND_REG && c->writes[insn->operand[0].reg] == 1;
}

static int32_t register_or_none(const struct ptx_operand *o) {
    return o->kind == PTX_OPERAND_REG ? o->reg : -1;
}

/* The product that is operand k of the sum at i, if it may be contracted there and both treat
 * subnormal numbers alike. */
static struct product *product_of(const struct contraction *c, int32_t i, int k) {
    const struct ptx_insn *sum = &c->function->insns[i];
    int32_t reg = register_or_none(&sum->operand[k]);
    if (reg < 0 || c->products[reg].at < 0 || register_or_none(&sum->operand[3 - k]) == reg)
        return NULL;
    const struct ptx_insn *mul = &c->function->insns[c->products[reg].at];
    bool alike = mul->type == sum->type && mul->ftz == sum->ftz;
    bool here = c->part[c->products[reg].at] == c->part[i] && c->products[reg].at < i;
    return alike && (here || c->products[reg].anywhere) ? &c->products[reg] : NULL;
}

/* ---- What is read and written ---- */

static void number_parts(struct contraction *c, const struct cfg *cfg) {
    int32_t part = 0;
    for (int32_t b = 0; b < cfg->nblocks; b++, part++) {
        for (int32_t i = cfg->blocks[b].start; i < cfg->blocks[b].end; i++) {
            const struct ptx_insn *insn = &c->function->insns[i];
            part +=
                insn->op == PTX_CALL || ptx_kind(insn) == PTX_KIND_FENCE || ptx_has_slow_path(insn);
            c->part[i] = part;
        }
    }
}

static bool is_constant_operand(const struct contraction *c, const struct ptx_operand *o) {
    return o->kind == PTX_OPERAND_IMM || (register_or_none(o) >= 0 && c->constant[o->reg]);
}

static void find_constants(struct contraction *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        bool immediate = insn->op == PTX_MOV && insn->operand[1].kind == PTX_OPERAND_IMM;
        bool parameter =
            insn->op == PTX_LD && insn->space == PTX_KPARAM && insn->operand[1].reg < 0;
        int32_t reg = register_or_none(&insn->operand[0]);
        if ((immediate || parameter) && reg >= 0)
            c->constant[reg] = c->writes[reg] == 1 && insn->pred < 0;
    }
}

/* Each of the factors is written once, so a product of a constant has the same value wherever it is
 * read. */
static bool is_good_anywhere(const struct contraction *c, const struct ptx_insn *mul) {
    for (int k = 1; k <= 2; k++)
        if (register_or_none(&mul->operand[k]) >= 0 && c->writes[mul->operand[k].reg] != 1)
            return false;
    return is_constant_operand(c, &mul->operand[1]) || is_constant_operand(c, &mul->operand[2]);
}

static void find_products(struct contraction *c) {
    struct refs refs;
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        find_refs(&c->function->insns[i], &refs);
        for (int k = 0; k < refs.ndef; k++) c->writes[refs.def[k]]++;
        for (int k = 0; k < refs.nuse; k++) c->products[refs.use[k]].uses++;
    }
    for (int32_t r = 0; r < c->function->nregs; r++) c->products[r].at = -1;
    find_constants(c);
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *mul = &c->function->insns[i];
        if (!is_product(c, mul)) continue;
        struct product *product = &c->products[mul->operand[0].reg];
        product->at = i;
        product->anywhere = is_good_anywhere(c, mul);
    }
    for (int32_t i = 0; i < c->function->ninsns; i++)
        for (int k = 1; k <= 2 && is_sum(&c->function->insns[i]); k++) {
            struct product *product = product_of(c, i, k);
            if (product) product->sums++;
        }
}

/* Does the factor still have its value where the sum stands? */
static bool factor_stays(const struct contraction *c, const struct ptx_operand *factor, int32_t mul,
                         int32_t sum) {
    struct refs refs;
    int32_t reg = register_or_none(factor);
    if (c->part[mul] != c->part[sum]) return true;
    for (int32_t i = mul + 1; reg >= 0 && i < sum; i++) {
        find_refs(&c->function->insns[i], &refs);
        for (int k = 0; k < refs.ndef; k++)
            if (refs.def[k] == reg) return false;
    }
    return true;
}

/* ---- Contraction ---- */

/* The sum at i becomes fma, with operand k, a product, in two factors. */
static void contract(struct contraction *c, int32_t i, int k, struct product *product) {
    struct ptx_insn *sum = &c->function->insns[i], *mul = &c->function->insns[product->at];
    /* and one of kind NONE */
    struct ptx_operand *at = arena_array(c->function->module->arena, 5, sizeof *at);
    int32_t addend = register_or_none(&sum->operand[3 - k]);
    if (!at) return;
    memcpy(at,
           (struct ptx_operand[]){sum->operand[0], mul->operand[1], mul->operand[2],
                                  sum->operand[3 - k]},
           4 * sizeof *at);
    if (sum->op == PTX_SUB) sum->minus = k == 1 ? PTX_MINUS_ADDEND : PTX_MINUS_PRODUCT;
    sum->op = PTX_FMA;
    sum->round = PTX_RN;
    sum->operand = at;
    sum->noperands = 4;
    for (int f = 1; f <= 2; f++)
        if (register_or_none(&at[f]) >= 0) c->products[at[f].reg].uses++;
    if (addend >= 0 && c->products[addend].sums) c->products[addend].sums--;
    product->sums--;
    if (--product->uses) return;
    for (int f = 1; f <= 2; f++)
        if (register_or_none(&mul->operand[f]) >= 0) c->products[mul->operand[f].reg].uses--;
    mul->op = PTX_NOP;
    mul->noperands = 0;
}

/* Contract the sum at i with its left or right product. shared: other sums may read the product,
 * too. */
static void contract_sum(struct contraction *c, int32_t i, bool shared) {
    for (int k = 1; k <= 2; k++) {
        struct product *product = product_of(c, i, k);
        if (!product || product->uses != product->sums || (!shared && product->uses > 1)) continue;
        const struct ptx_insn *mul = &c->function->insns[product->at];
        if (!factor_stays(c, &mul->operand[1], product->at, i) ||
            !factor_stays(c, &mul->operand[2], product->at, i))
            continue;
        contract(c, i, k, product);
        return;
    }
}

void contract_products(const struct cfg *cfg, struct ptx_function *function) {
    struct contraction c = {.function = function};
    size_t n = (size_t)function->nregs + 1;
    if (function->module->debug) return;
    c.part = arena_array(cfg->arena, (size_t)function->ninsns + 1, sizeof *c.part);
    c.writes = arena_array(cfg->arena, n, sizeof *c.writes);
    c.constant = arena_array(cfg->arena, n, sizeof *c.constant);
    c.products = arena_array(cfg->arena, n, sizeof *c.products);
    number_parts(&c, cfg);
    find_products(&c);
    for (int shared = 0; shared < 2; shared++)
        for (int32_t i = 0; i < function->ninsns; i++)
            if (is_sum(&function->insns[i])) contract_sum(&c, i, shared);
}
