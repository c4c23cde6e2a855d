/*
 * ptx/parse_insn.c: parses an instruction: opcode and suffixes by table, and operands. Then it
 * brings them to one form, which the interpreter relies on:
 *   - immediates are bits in their operand's type;
 *   - .param is KPARAM or FRAME, and an access to a named variable without a space has the
 *     variable's space;
 *   - special registers and addresses of variables are read by mov only: elsewhere a mov to a new
 *     register goes before;
 *   - !%p is read by setp's kind of operand only: elsewhere a not goes before;
 *   - a cache policy operand is dropped.
 */
#include "matrix.h"
#include "parse.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

/* ---- Appending ---- */

/* Copies the operands, and a NONE after them, to the module's arena. */
static struct ptx_operand *keep_operands(struct parser *parser) {
    const struct operands *operands = parser->operands;
    struct ptx_operand *kept = arena_array(parser->arena, (size_t)operands->n + 1, sizeof *kept);
    memcpy(kept, operands->at, (size_t)operands->n * sizeof *kept);
    for (int i = 0; i < operands->n; i++) {
        if (kept[i].kind != PTX_OPERAND_VECTOR) {
            kept[i].vec = NULL;
            continue;
        }
        kept[i].vec = arena_array(parser->arena, kept[i].nvec, sizeof *kept[i].vec);
        memcpy(kept[i].vec, operands->vec[i], kept[i].nvec * sizeof *kept[i].vec);
        if (kept[i].vec_is_imm) {
            kept[i].vec_bits = arena_array(parser->arena, kept[i].nvec, sizeof *kept[i].vec_bits);
            memcpy(kept[i].vec_bits, operands->vec_bits[i],
                   kept[i].nvec * sizeof *kept[i].vec_bits);
        }
    }
    return kept;
}

/* Notes the uses of labels; scope_leave() fills them in. */
static void note_labels(struct parser *parser, const struct ptx_insn *insn) {
    for (int i = 0; i < insn->noperands; i++) {
        uint8_t kind = insn->operand[i].kind;
        if (kind != PTX_OPERAND_LABEL && kind != PTX_OPERAND_PROTO && kind != PTX_OPERAND_TABLE)
            continue;
        const struct token *name = &parser->operands->symbol[i];
        struct pending *pending = arena_alloc(parser->scratch, sizeof *pending);
        *pending = (struct pending){parser->scope->pending, name->text, name->length, name->line,
                                    parser->insns.used - 1, i,          NULL};
        parser->scope->pending = pending;
    }
}

void insn_append(struct parser *parser, const struct ptx_insn *insn) {
    struct ptx_insn *kept = LIST_ADD(parser, &parser->insns);
    *kept = *insn;
    kept->noperands = (uint8_t)parser->operands->n;
    kept->operand = keep_operands(parser);
    kept->reconverge = -1;
    note_labels(parser, kept);
}

/* A new instruction at the current source line. */
static struct ptx_insn new_insn(const struct parser *parser, enum ptx_opcode op) {
    return (struct ptx_insn){.op = (uint16_t)op,
                             .vector = 1,
                             .pred = -1,
                             .file = parser->file,
                             .line = parser->line,
                             .inlined = parser->in,
                             .ptx_line = parser->token.line,
                             .spelling = ptx_opcode_name(op),
                             .spelling_length = (uint16_t)strlen(ptx_opcode_name(op)),
                             .reconverge = -1};
}

void insn_refuse(struct parser *parser, struct ptx_insn *insn, const char *why) {
    char text[256];
    int length = insn->spelling_length > 120 ? 120 : insn->spelling_length;
    int n = snprintf(text, sizeof text, "%.*s", length, insn->spelling);
    if (why) n += snprintf(text + n, sizeof text - (size_t)n, " (%s)", why);
    struct ptx_operand *operand = arena_array(parser->arena, 2, sizeof *operand);
    *operand = (struct ptx_operand){
        .kind = PTX_OPERAND_IMM, .reg = -1, .reg2 = -1, .var = -1, .func = -1, .target = -1};
    operand->bits = (uint64_t)(uintptr_t)arena_string(parser->arena, text, strlen(text));
    insn->op = PTX_UNSUPPORTED;
    insn->operand = operand;
    insn->noperands = 1;
}

static void append_refused(struct parser *parser, const struct ptx_insn *insn, const char *why) {
    parser->operands->n = 0;
    insn_append(parser, insn);
    insn_refuse(parser, &parser->insns.items[parser->insns.used - 1], why);
}

/* ---- Parameters in registers ---- */

static struct ptx_operand frame_memory(int32_t frame) {
    return (struct ptx_operand){.kind = PTX_OPERAND_MEMORY,
                                .reg = -1,
                                .reg2 = -1,
                                .var_space = PTX_FRAME,
                                .var = frame,
                                .func = -1,
                                .target = -1};
}

static struct ptx_operand register_operand(int32_t reg) {
    return (struct ptx_operand){
        .kind = PTX_OPERAND_REG, .reg = reg, .reg2 = -1, .var = -1, .func = -1, .target = -1};
}

static struct ptx_insn param_insn(const struct parser *parser, enum ptx_opcode op, int32_t frame) {
    struct ptx_insn insn = new_insn(parser, op);
    insn.space = PTX_FRAME;
    insn.type = parser->frame.items[frame].type;
    return insn;
}

void append_param_load(struct parser *parser, int32_t reg, int32_t frame) {
    struct ptx_insn insn = param_insn(parser, PTX_LD, frame);
    parser->operands->at[0] = register_operand(reg);
    parser->operands->at[1] = frame_memory(frame);
    parser->operands->n = 2;
    insn_append(parser, &insn);
}

void append_param_store(struct parser *parser, const struct ptx_operand *value, int32_t frame) {
    struct ptx_insn insn = param_insn(parser, PTX_ST, frame);
    struct ptx_operand copy = *value;
    parser->operands->at[0] = frame_memory(frame);
    parser->operands->at[1] = copy;
    parser->operands->n = 2;
    insn_append(parser, &insn);
}

/* Stores the function's return values in registers to their frame variables. */
static void store_returns(struct parser *parser) {
    for (int32_t i = 0; i < parser->returns.used; i++) {
        struct ptx_operand value = register_operand(parser->returns.items[i].reg);
        append_param_store(parser, &value, parser->returns.items[i].frame);
    }
    parser->operands->n = 0;
}

void append_return(struct parser *parser) {
    struct ptx_insn insn = new_insn(parser, PTX_RET);
    store_returns(parser);
    insn_append(parser, &insn);
}

/* ---- Bringing instructions to one form ---- */

static void convert_immediates(struct parser *parser, const struct ptx_insn *insn) {
    struct operands *operands = parser->operands;
    for (int i = 0; i < operands->n; i++) {
        struct ptx_operand *operand = &operands->at[i];
        if (operand->kind != PTX_OPERAND_IMM && !operand->vec_is_imm) continue;
        enum ptx_type type = ptx_operand_type(insn, i);
        if (operand->kind == PTX_OPERAND_IMM)
            operand->bits = constant_bits(operands->value[i], type);
        for (int k = 0; k < operand->nvec; k++) {
            bool is_imm = operand->vec_is_imm >> k & 1;
            operands->vec_bits[i][k] = is_imm ? constant_bits(operands->elements[i][k], type) : 0;
        }
    }
}

static const struct ptx_operand *memory_operand(const struct ptx_insn *insn) {
    for (int i = 0; i < insn->noperands; i++) {
        if (insn->operand[i].kind == PTX_OPERAND_MEMORY) return &insn->operand[i];
    }
    return NULL;
}

/* Decides which parameters .param means, and takes the space of a named variable. */
static void settle_space(const struct parser *parser, struct ptx_insn *insn) {
    const struct ptx_operand *memory = memory_operand(insn);
    bool named = memory && memory->var >= 0;
    if (insn->space == PTX_KPARAM && named)
        insn->space = memory->var_space;
    else if (insn->space == PTX_KPARAM && !parser->function->is_entry)
        insn->space = PTX_FRAME;
    else if (insn->space == PTX_GENERIC && named && insn->op != PTX_CP_ASYNC)
        insn->space = memory->var_space;
}

/* "_|%p": the interpreter writes both halves of a pair, so the unwanted half gets a register. */
static void replace_sink(struct parser *parser, const struct ptx_insn *insn) {
    struct ptx_operand *first = &parser->operands->at[0];
    if (parser->operands->n == 0 || first->kind != PTX_OPERAND_SINK || first->reg2 < 0) return;
    enum ptx_type type = ptx_operand_type(insn, 0);
    first->kind = PTX_OPERAND_REG;
    first->reg = register_add(parser, "_", 1, type);
}

static bool is_hoisted(const struct ptx_insn *insn, const struct ptx_operand *operand) {
    return insn->op != PTX_MOV &&
           (operand->kind == PTX_OPERAND_SREG || operand->kind == PTX_OPERAND_VARIABLE ||
            operand->kind == PTX_OPERAND_FUNCTION);
}

/* Inserts a mov of operand i to a new register before the instruction, which then reads the
 * register. */
static void hoist(struct parser *parser, const struct ptx_insn *insn, int i) {
    struct operands *operands = parser->operands;
    enum ptx_type type = ptx_operand_type(insn, i);
    struct ptx_insn mov = new_insn(parser, PTX_MOV);
    mov.type = (uint8_t)(type == PTX_TYPE_NONE ? PTX_B64 : type);
    mov.ptx_line = insn->ptx_line;
    int32_t reg = register_add(parser, "_", 1, mov.type);
    struct operands saved = *operands;
    operands->at[0] = register_operand(reg);
    operands->at[1] = saved.at[i];
    operands->n = 2;
    insn_append(parser, &mov);
    *operands = saved;
    operands->at[i] = register_operand(reg);
}

/* Inserts not.pred of operand i, a !%p that the instruction cannot read, to a new register before
 * the instruction. */
static void hoist_negated(struct parser *parser, const struct ptx_insn *insn, int i) {
    struct operands *operands = parser->operands;
    struct ptx_insn negate = new_insn(parser, PTX_NOT);
    negate.type = PTX_PRED;
    negate.ptx_line = insn->ptx_line;
    int32_t reg = register_add(parser, "_", 1, PTX_PRED);
    struct operands saved = *operands;
    operands->at[0] = register_operand(reg);
    operands->at[1] = register_operand(saved.at[i].reg);
    operands->n = 2;
    insn_append(parser, &negate);
    *operands = saved;
    operands->at[i] = register_operand(reg);
}

static void hoist_values(struct parser *parser, const struct ptx_insn *insn) {
    for (int i = 0; i < parser->operands->n; i++) {
        if (is_hoisted(insn, &parser->operands->at[i])) hoist(parser, insn, i);
        if (parser->operands->at[i].neg && ptx_operand_letter(insn, i) != 'p')
            hoist_negated(parser, insn, i);
    }
}

/* tex {r, g, b, a}|p: p tells whether memory backs the texels. It always does, as there are no
 * sparse arrays. */
static void append_residency(struct parser *parser, const struct ptx_insn *insn,
                             int32_t predicate) {
    struct ptx_insn mov = new_insn(parser, PTX_MOV);
    mov.type = PTX_PRED;
    mov.pred = insn->pred;
    mov.pred_neg = insn->pred_neg;
    mov.ptx_line = insn->ptx_line;
    parser->operands->at[0] = register_operand(predicate);
    parser->operands->at[1] = register_operand(-1);
    parser->operands->at[1].kind = PTX_OPERAND_IMM;
    parser->operands->at[1].bits = true;
    parser->operands->n = 2;
    insn_append(parser, &mov);
}

/* ---- Instructions ---- */

/* Parses the suffixes. Returns false if one is unknown. Some opcodes exist only with a suffix
 * (cp.async). */
static bool parse_suffixes(struct parser *parser, struct ptx_insn *insn) {
    bool known = insn->op != PTX_UNSUPPORTED;
    for (; parser->token.kind == TOKEN_DOT; advance(parser)) {
        size_t length = (size_t)(parser->token.text + parser->token.length - insn->spelling);
        insn->spelling_length = (uint16_t)(length > UINT16_MAX ? UINT16_MAX : length);
        if (insn->op != PTX_UNSUPPORTED &&
            ptx_suffix_apply(insn, parser->token.text, parser->token.length))
            continue;
        ptx_opcode_apply(insn, insn->spelling, length);
        known = insn->op != PTX_UNSUPPORTED;
    }
    return known;
}

/* barrier.cluster: every cluster is one block. Its threads arrive where they wait, at a barrier of
 * its own; the arrival before that is a fence. */
static void settle_cluster(struct parser *parser, struct ptx_insn *insn) {
    if (insn->sub == PTX_BAR_CLUSTER_WAIT) {
        operand_add(parser, PTX_OPERAND_IMM);
        parser->operands->value[0] = (struct constant){CONSTANT_INT, PTX_CLUSTER_BARRIER};
    } else if (insn->sub == PTX_BAR_ARRIVE) {
        insn->op = PTX_FENCE;
        insn->sub = PTX_SUB_NONE;
    }
}

/* Checks the operands against the opcode and brings them to one form; appends the instruction, or
 * refuses it. */
static void finish_instruction(struct parser *parser, struct ptx_insn *insn) {
    struct operands *operands = parser->operands;
    if (insn->cache_hint && operands->n > 0) operands->n--;
    if (insn->op == PTX_BAR && operands->n == 0) settle_cluster(parser, insn);
    insn->operand = operands->at;
    insn->noperands = (uint8_t)operands->n;
    for (int i = 0; i < operands->n; i++) insn->operand[i].vec = operands->vec[i];
    settle_space(parser, insn);
    const char *problem = ptx_check(insn, parser->regs.items);
    if (problem) {
        append_refused(parser, insn, problem);
        return;
    }
    int32_t residency = insn->geometry && operands->n > 0 ? operands->at[0].reg2 : -1;
    if (residency >= 0) operands->at[0].reg2 = -1;
    convert_immediates(parser, insn);
    replace_sink(parser, insn);
    hoist_values(parser, insn);
    if (ptx_is_wmma(insn))
        expand_wmma(parser, insn);
    else
        insn_append(parser, insn);
    if (residency >= 0) append_residency(parser, insn, residency);
}

static void finish_plain(struct parser *parser, struct ptx_insn *insn) {
    if (insn->op == PTX_RET) store_returns(parser);
    finish_instruction(parser, insn);
}

/* Takes parse_fail()'s message, without "line N: ", as the problem. */
static void adopt_error(struct parser *parser) {
    const char *message = strstr(parser->error, ": ");
    message = message ? message + 2 : parser->error;
    refuse(parser, arena_string(parser->scratch, message, strlen(message)));
}

/* Parses the operands. Returns false with the problem set. An error that would end the module
 * refuses only the instruction. */
static bool parse_operands_safely(struct parser *parser) {
    jmp_buf failed, *outer = parser->on_error;
    int nesting = parser->nesting;
    volatile bool ok = false;
    if (setjmp(failed) == 0) {
        parser->on_error = &failed;
        ok = parser->insn->op == PTX_CALL ? parse_call(parser) : parse_operands(parser);
    } else {
        parser->nesting = nesting;
        adopt_error(parser);
    }
    parser->on_error = outer;
    return ok;
}

void parse_instruction(struct parser *parser, const struct token *opcode, int32_t pred,
                       bool pred_neg) {
    struct ptx_insn insn = new_insn(parser, PTX_UNSUPPORTED);
    ptx_opcode_apply(&insn, opcode->text, opcode->length);
    insn.ptx_line = opcode->line;
    insn.pred = pred;
    insn.pred_neg = pred_neg;
    insn.spelling = opcode->text;
    insn.spelling_length = (uint16_t)(opcode->length > UINT16_MAX ? UINT16_MAX : opcode->length);
    parser->insn = &insn;
    parser->operands->n = 0;
    parser->operands->problem = NULL;
    parser->call_returns.used = 0;
    if (!parse_suffixes(parser, &insn))
        append_refused(parser, &insn, NULL);
    else if (!ptx_suffixes_complete(&insn))
        append_refused(parser, &insn, "a suffix is missing");
    else if (!parse_operands_safely(parser))
        append_refused(parser, &insn, parser->operands->problem);
    else if (insn.op == PTX_CALL)
        finish_call(parser, &insn);
    else
        finish_plain(parser, &insn);
    parser->insn = NULL;
    skip_statement(parser);
}
