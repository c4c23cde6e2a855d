/*
 * ptx/parse.h: what the files of the parser share (ptx_parse*.c). Recursive descent, one token of look-ahead. A
 * malformed module ends in parse_fail(), which jumps out to ptx_parse(); a malformed or unknown instruction only
 * becomes PTX_UNSUPPORTED.
 */
#ifndef SIMT_PTX_PARSE_H
#define SIMT_PTX_PARSE_H

#include "lex.h"
#include "lib/arena.h"
#include "ptx.h"

#include <setjmp.h>

#define MAX_NESTING 64 /* of scopes, expressions and initialisers */

enum symbol_kind {
    SYMBOL_REG,       /* index: register */
    SYMBOL_REG_RANGE, /* %r<10>: count registers, made when first used; type */
    SYMBOL_FRAME,     /* index: function->frame[] */
    SYMBOL_VAR,       /* index: module->vars[] */
    SYMBOL_FUNCTION,  /* index: module->functions[] */
    SYMBOL_LABEL,     /* index: instruction */
    SYMBOL_TABLE,     /* index: function->tables[] */
    SYMBOL_PROTO      /* .callprototype */
};

struct symbol {
    struct symbol *next; /* in its bucket */
    const char *name;
    uint32_t length, hash;
    uint8_t kind; /* enum symbol_kind */
    uint8_t type; /* registers: enum ptx_type */
    int32_t index;
    uint32_t count; /* of a range */
};

/* Where a name was used before it was declared: a label's instruction or a table goes there when the scope is left. */
struct pending {
    struct pending *next;
    const char *name;
    uint32_t length;
    int32_t line;
    int32_t insn;    /* the operand's instruction, or -1: target */
    int32_t operand; /* its number */
    int32_t *target; /* an element of a table */
};

struct scope {
    struct scope *parent;
    struct symbol **buckets;
    uint32_t nbuckets, nsymbols;
    bool has_ranges;
    uint64_t frame_mark; /* frame bytes in use when it was entered */
    struct pending *pending;
};

/* A relocation whose symbol is looked up at the end of the module. */
struct pending_reloc {
    struct pending_reloc *next;
    struct ptx_reloc *reloc;
    const char *name;
    uint32_t length;
    int32_t line;
};

/* A growing array in the scratch arena: items, used and capacity in elements. */
#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        int32_t used, capacity;                                                                                        \
    }

/* A parameter or return value that the PTX keeps in a register: it travels in a frame variable all the same. */
struct register_parameter {
    int32_t reg, frame;
};

struct linkage {
    bool is_extern, is_weak, is_visible;
};

struct parser {
    struct lexer lexer;
    struct token token;    /* the next one, not yet consumed */
    struct arena *arena;   /* the module's */
    struct arena *scratch; /* lives as long as the parsing */
    struct ptx_module *module;
    LIST(struct ptx_function *) functions;
    LIST(struct ptx_var) vars;
    LIST(const char *) files;
    LIST(struct ptx_inlined) inlined;
    struct pending_reloc *relocs;
    struct scope *scope; /* innermost */
    struct scope *globals;
    int nesting;

    /* The function being parsed. */
    struct ptx_function *function;
    LIST(struct ptx_insn) insns;
    LIST(struct ptx_reg) regs;
    LIST(struct ptx_var) frame;
    LIST(struct ptx_table) tables;
    uint64_t frame_bytes;                         /* in use now; function->frame_bytes has the most so far */
    int32_t file, line, column, in;               /* .loc; in: index of its inlined_at, or -1 */
    int32_t last_label;                           /* the highest instruction index that has one, or -1 */
    LIST(struct register_parameter) returns;      /* of the function, in registers */
    LIST(struct register_parameter) call_returns; /* of the call being parsed, to load behind it */
    const struct ptx_insn *insn;                  /* the instruction being parsed: opcode and suffixes */
    struct operands *operands;                    /* of the instruction being parsed */

    jmp_buf *on_error; /* where parse_fail() jumps: out of the module, or out of an instruction's operands */
    char *error;
    size_t error_size;
};

/* Make room for one more element in a LIST and return a pointer to it, zeroed. */
#define LIST_ADD(parser, list)                                                                                         \
    ((list)->items = list_grow((parser), (list)->items, (list)->used, &(list)->capacity, sizeof *(list)->items),       \
     &(list)->items[(list)->used++])
void *list_grow(struct parser *parser, void *items, int32_t used, int32_t *capacity, size_t size);
/* Copy a list's elements to the module's arena. */
#define LIST_KEEP(parser, list) list_keep((parser), (list)->items, (list)->used, sizeof *(list)->items)
void *list_keep(struct parser *parser, const void *items, int32_t used, size_t size);

/* ---- ptx/parse.c: tokens ---- */

/* Give up with "line N: ..." of the current token. */
_Noreturn void parse_fail(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
void advance(struct parser *parser);
bool at_punct(const struct parser *parser, char c);
bool at_dot(const struct parser *parser, const char *word);
/* Consume the token if it is that. */
bool accept_punct(struct parser *parser, char c);
bool accept_dot(struct parser *parser, const char *word);
void expect_punct(struct parser *parser, char c);
/* Consume and return a name; fails if there is none. */
struct token expect_name(struct parser *parser);
bool token_is(const struct token *token, const char *text);
char *keep_text(struct parser *parser, const struct token *token);
/* Skip up to and with the next ';' (for what has no meaning here). */
void skip_statement(struct parser *parser);
void enter_nesting(struct parser *parser);
void leave_nesting(struct parser *parser);
/* .loc, .file, .section, .pragma: true if the directive was one of these, and is consumed. */
bool parse_debug_directive(struct parser *parser);

/* ---- ptx/parse_symbol.c ---- */

void scope_enter(struct parser *parser);
/* Leave the innermost scope: its labels are filled in where they were used before. */
void scope_leave(struct parser *parser);
/* Declare a name in the innermost scope. A second declaration of the same name replaces the first. */
struct symbol *symbol_add(struct parser *parser, const struct token *name, enum symbol_kind kind, int32_t index);
struct symbol *symbol_add_global(struct parser *parser, const struct token *name, enum symbol_kind kind, int32_t index);
/* Declare count registers prefix0, prefix1, ... */
void symbol_add_range(struct parser *parser, const struct token *prefix, uint32_t count, enum ptx_type type);
/* What a name means here, or NULL. A register of a range is made at its first use. */
struct symbol *symbol_find(struct parser *parser, const char *name, uint32_t length);
struct symbol *symbol_find_global(struct parser *parser, const char *name, uint32_t length);
int32_t register_add(struct parser *parser, const char *name, uint32_t length, enum ptx_type type);

/* ---- ptx/parse_expr.c: constant expressions ---- */

/* A constant: an integer, or a float (0f) or double. */
struct constant {
    enum { CONSTANT_INT, CONSTANT_FLOAT, CONSTANT_DOUBLE } kind;
    uint64_t bits;
};

/* Can an expression start here? */
bool at_constant(const struct parser *parser);
struct constant parse_constant(struct parser *parser);
/* A constant expression that must be an integer. */
int64_t parse_integer(struct parser *parser);
/* The bits of a constant in a type: truncated, or converted between integer, float and double. */
uint64_t constant_bits(struct constant constant, enum ptx_type type);

/* ---- ptx/parse_var.c: variables and initialisers ---- */

/* A variable as it is declared, before it has a place. */
struct declaration {
    struct token name;
    struct ptx_var var;
    bool in_register; /* a parameter of the old kind, .reg */
};

/* .reg: its state space was just consumed. */
void parse_registers(struct parser *parser);
/* Variables of a module or a function: the state space was just consumed. Consumes the ';'. */
void parse_variables(struct parser *parser, enum ptx_space space, struct linkage linkage);
/* One element of a parameter list. */
struct declaration parse_parameter(struct parser *parser);
/* Add a variable of space LOCAL, FRAME or KPARAM to the function, with its offset. Returns its index. */
int32_t frame_add(struct parser *parser, struct ptx_var var, enum ptx_space space);
/* Look up what initialisers refer to, at the end of the module. */
void resolve_relocs(struct parser *parser);

/* ---- ptx/parse_func.c ---- */

void parse_function(struct parser *parser, bool is_entry, struct linkage linkage);
void parse_alias(struct parser *parser);

/* ---- ptx/parse_insn.c, ptx/parse_operand.c, ptx/parse_call.c ---- */

/* The operands of an instruction while it is parsed. Only what the operands' kinds use is filled in. */
struct operands {
    struct ptx_operand at[PTX_MAX_OPERANDS];
    int n;
    struct constant value[PTX_MAX_OPERANDS]; /* of an IMM, converted when all operands are known */
    int32_t vec[PTX_MAX_OPERANDS][PTX_MAX_VECTOR];
    struct constant elements[PTX_MAX_OPERANDS][PTX_MAX_VECTOR]; /* of a VECTOR's immediates */
    uint64_t vec_bits[PTX_MAX_OPERANDS][PTX_MAX_VECTOR];
    struct token symbol[PTX_MAX_OPERANDS]; /* of a LABEL: its name */
    const char *problem;                   /* why the instruction is refused, or NULL */
};

/* Parse an instruction whose opcode's name was just consumed, up to and with its ';'. */
void parse_instruction(struct parser *parser, const struct token *opcode, int32_t pred, bool pred_neg);
/* Parse operands up to ';' (not consumed) into parser->operands; false, with the problem set, where one is not
 * understood. */
bool parse_operands(struct parser *parser);
/* The next free operand, zeroed; NULL with the problem set when there are too many. */
struct ptx_operand *operand_add(struct parser *parser, enum ptx_operand_kind kind);
/* What a name means as an operand: fills in kind and index; false with the problem set if it means nothing. */
bool operand_set_symbol(struct parser *parser, struct ptx_operand *operand, const struct symbol *symbol);
/* Set the problem and return false. */
bool refuse(struct parser *parser, const char *problem);
/* Refuse because a name means nothing. */
bool refuse_symbol(struct parser *parser, const struct token *name);
/* call's operands. */
bool parse_call(struct parser *parser);
/* Append a call, and loads of what it returns to registers. */
void finish_call(struct parser *parser, const struct ptx_insn *call);
/* Append an instruction with the operands in parser->operands to the function. */
void insn_append(struct parser *parser, const struct ptx_insn *insn);
/* Append ld.param or st.param between a register (or an immediate, in parser->operands) and a frame variable. */
void append_param_load(struct parser *parser, int32_t reg, int32_t frame);
void append_param_store(struct parser *parser, const struct ptx_operand *value, int32_t frame);
/* Append ret, with the stores of what the function returns in registers. */
void append_return(struct parser *parser);
/* Turn an instruction into PTX_UNSUPPORTED, giving its spelling and why (or NULL). */
void insn_refuse(struct parser *parser, struct ptx_insn *insn, const char *why);

/* ---- ptx/verify.c ---- */

/* Do the operands fit the opcode? NULL, or what is wrong. */
const char *ptx_check(const struct ptx_insn *insn, const struct ptx_reg *regs);

#endif
