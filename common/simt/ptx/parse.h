/*
 * ptx/parse.h: shared by the files of the parser (ptx/parse*.c). Recursive descent with one token
 * of look-ahead. In a malformed module parse_fail() jumps out to ptx_parse(). A malformed or
 * unknown instruction only becomes PTX_UNSUPPORTED.
 */
#pragma once

#include "lex.h"
#include "lib/arena.h"
#include "ptx.h"

#include <setjmp.h>

#define MAX_NESTING 64 /* of scopes, expressions and initialisers */

enum symbol_kind {
    SYMBOL_REG,       /* index: register */
    SYMBOL_REG_RANGE, /* %r<10>: count registers of a type, each made at its first use */
    SYMBOL_VECTOR,    /* .v4: count registers from index on */
    SYMBOL_FRAME,     /* index: function->frame[] */
    SYMBOL_VAR,       /* index: module->vars[] */
    SYMBOL_FUNCTION,  /* index: module->functions[] */
    SYMBOL_LABEL,     /* index: instruction */
    SYMBOL_TABLE,     /* index: function->tables[] */
    SYMBOL_PROTO      /* .callprototype */
};

/* What a name means in a scope. */
struct symbol {
    struct symbol *next; /* in its bucket */
    const char *name;
    uint32_t length, hash;
    uint8_t kind; /* enum symbol_kind */
    uint8_t type; /* registers: enum ptx_type */
    int32_t index;
    uint32_t count; /* of a range or vector */
};

/* A use of a name before its declaration. When the scope is left, the label's instruction or the
 * table is filled in there. */
struct pending {
    struct pending *next;
    const char *name;
    uint32_t length;
    int32_t line;
    int32_t insn;    /* the operand's instruction; -1: see target */
    int32_t operand; /* the operand's number */
    int32_t *target; /* an element of a table */
};

/* The names between a '{' and its '}'. */
struct scope {
    struct scope *parent;
    struct symbol **buckets;
    uint32_t nbuckets, nsymbols;
    bool has_ranges;
    uint64_t frame_mark; /* frame bytes in use when the scope was entered */
    struct pending *pending;
};

/* A relocation. Its symbol is looked up at the end of the module. */
struct pending_reloc {
    struct pending_reloc *next;
    struct ptx_reloc *reloc;
    const char *name;
    uint32_t length;
    int32_t line;
};

/* A growing array in the scratch arena: items, used and capacity in elements. */
#define LIST(type)                                                                                 \
    struct {                                                                                       \
        type *items;                                                                               \
        int32_t used, capacity;                                                                    \
    }

/* A parameter or return value in a register. The call passes it in a frame variable anyway. */
struct register_parameter {
    int32_t reg, frame;
};

/* A declaration's linkage directives. */
struct linkage {
    bool is_extern, is_weak, is_visible;
};

/* The parser's state. */
struct parser {
    struct lexer lexer;
    struct token token;    /* the next one, not yet consumed */
    struct arena *arena;   /* the module's */
    struct arena *scratch; /* freed at the end of parsing */
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
    uint64_t frame_bytes;           /* in use now; function->frame_bytes holds the maximum so far */
    int32_t file, line, column, in; /* of the latest .loc; in: index of its inlined_at, or -1 */
    int32_t last_label;             /* the highest instruction index with a label, or -1 */
    LIST(struct register_parameter) returns; /* the function's return values in registers */
    LIST(struct register_parameter)
    call_returns;                /* of the call being parsed: loads follow the call */
    const struct ptx_insn *insn; /* the instruction being parsed: opcode and suffixes */
    struct operands *operands;   /* operands of the instruction being parsed */

    jmp_buf *on_error; /* target of parse_fail(): out of the module, or out of an instruction's
                          operands */
    char *error;
    size_t error_size;
};

/* Appends a zeroed element to a LIST, and returns a pointer to it, valid until the next
 * LIST_ADD. */
#define LIST_ADD(parser, list)                                                                     \
    ((list)->items = list_grow((parser), (list)->items, (list)->used, &(list)->capacity,           \
                               sizeof *(list)->items),                                             \
     &(list)->items[(list)->used++])
void *list_grow(struct parser *parser, void *items, int32_t used, int32_t *capacity, size_t size);
/* Copies a list's elements to the module's arena. */
#define LIST_KEEP(parser, list)                                                                    \
    list_keep((parser), (list)->items, (list)->used, sizeof *(list)->items)
void *list_keep(struct parser *parser, const void *items, int32_t used, size_t size);

/* ---- ptx/parse.c: tokens ---- */

/* Stops parsing with the message "line N: ..." for the current token's line. Does not return. */
_Noreturn void parse_fail(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reads the next token. */
void advance(struct parser *parser);
/* Is the current token this character, or this word after a dot? */
bool at_punct(const struct parser *parser, char c);
bool at_dot(const struct parser *parser, const char *word);
/* Consume the token if it is this. Return whether it was. */
bool accept_punct(struct parser *parser, char c);
bool accept_dot(struct parser *parser, const char *word);
/* Consumes this character; fails if it is another token. */
void expect_punct(struct parser *parser, char c);
/* Consumes and returns a name; fails if it is another token. */
struct token expect_name(struct parser *parser);
/* Is the token's text exactly this? */
bool token_is(const struct token *token, const char *text);
/* Copies the token's text to the module's arena, with a NUL. */
char *keep_text(struct parser *parser, const struct token *token);
/* Skips tokens up to and including the next ';'. */
void skip_statement(struct parser *parser);
/* Count nested scopes, expressions and initialisers; enter_nesting fails above MAX_NESTING. */
void enter_nesting(struct parser *parser);
void leave_nesting(struct parser *parser);
/* Parses .loc, .file, .section or .pragma. Returns false for another directive, which stays. */
bool parse_debug_directive(struct parser *parser);

/* ---- ptx/parse_symbol.c ---- */

/* Enters a new innermost scope; fails above MAX_NESTING. */
void scope_enter(struct parser *parser);
/* Leaves the innermost scope. Fills in earlier uses of its labels and tables; passes the others on
 * to the scope around it, and refuses those that the function never declares. */
void scope_leave(struct parser *parser);
/* Declare a name in the innermost or the global scope. A second declaration of the name replaces
 * the first. */
struct symbol *symbol_add(struct parser *parser, const struct token *name, enum symbol_kind kind,
                          int32_t index);
struct symbol *symbol_add_global(struct parser *parser, const struct token *name,
                                 enum symbol_kind kind, int32_t index);
/* Declares count registers prefix0, prefix1, ... in the innermost scope. */
void symbol_add_range(struct parser *parser, const struct token *prefix, uint32_t count,
                      enum ptx_type type);
/* The name's symbol, searched from the innermost scope outwards; NULL: none. Makes a register of a
 * range at its first use. */
struct symbol *symbol_find(struct parser *parser, const char *name, uint32_t length);
/* The name's symbol in the global scope; NULL: none. */
struct symbol *symbol_find_global(struct parser *parser, const char *name, uint32_t length);
/* Adds a register to the function. Returns its number. */
int32_t register_add(struct parser *parser, const char *name, uint32_t length, enum ptx_type type);

/* ---- ptx/parse_expr.c: constant expressions ---- */

/* A constant: an integer, or a float (0f) or double. */
struct constant {
    enum { CONSTANT_INT, CONSTANT_FLOAT, CONSTANT_DOUBLE } kind;
    uint64_t bits;
};

/* Can an expression start here? */
bool at_constant(const struct parser *parser);
/* Parses and evaluates a constant expression; fails if it is malformed. */
struct constant parse_constant(struct parser *parser);
/* Parses a constant expression that must be an integer. */
int64_t parse_integer(struct parser *parser);
/* Returns the constant's bits in a type: truncated, or converted between integer, float and
 * double. */
uint64_t constant_bits(struct constant constant, enum ptx_type type);

/* ---- ptx/parse_var.c: variables and initialisers ---- */

/* A declared variable without a place yet. */
struct declaration {
    struct token name;
    struct ptx_var var;
    bool in_register; /* a parameter declared .reg, as in old PTX */
};

/* Parses the declaration after .reg, with its ';'. */
void parse_registers(struct parser *parser);
/* Parses the declaration of variables after their state space, with its ';'. They belong to the
 * module or to the function. */
void parse_variables(struct parser *parser, enum ptx_space space, struct linkage linkage);
/* Parses one element of a parameter list. */
struct declaration parse_parameter(struct parser *parser);
/* Adds a variable of space LOCAL, FRAME or KPARAM to the function, and sets its offset. Returns its
 * index in frame. */
int32_t frame_add(struct parser *parser, struct ptx_var var, enum ptx_space space);
/* Looks up the symbols that initialisers refer to, at the end of the module; fails for an unknown
 * symbol. */
void resolve_relocs(struct parser *parser);

/* ---- ptx/parse_func.c ---- */

/* Parses a function after .entry or .func: header, and body or ';'. */
void parse_function(struct parser *parser, bool is_entry, struct linkage linkage);
/* Parses an alias after .alias, with its ';'. */
void parse_alias(struct parser *parser);

/* ---- ptx/parse_insn.c, ptx/parse_operand.c, ptx/parse_call.c ---- */

/* The operands of an instruction while it is parsed. Only the members of the operands' kinds are
 * set. */
struct operands {
    struct ptx_operand at[PTX_MAX_OPERANDS];
    int n;
    struct constant value[PTX_MAX_OPERANDS]; /* of an IMM, converted once all operands are known */
    int32_t vec[PTX_MAX_OPERANDS][PTX_MAX_VECTOR];
    struct constant elements[PTX_MAX_OPERANDS][PTX_MAX_VECTOR]; /* of a VECTOR's immediates */
    uint64_t vec_bits[PTX_MAX_OPERANDS][PTX_MAX_VECTOR];
    struct token symbol[PTX_MAX_OPERANDS]; /* of a LABEL: the name */
    const char *problem;                   /* why the instruction is refused, or NULL */
};

/* ptx/parse_wmma.c: appends what an instruction of wmma stands for. ptx_check() has
 * accepted it, and the parser has its operands. */
void expand_wmma(struct parser *parser, const struct ptx_insn *insn);

/* Parses an instruction after its opcode's name, up to and including its ';'. pred: the guard's
 * register, or -1. */
void parse_instruction(struct parser *parser, const struct token *opcode, int32_t pred,
                       bool pred_neg);
/* Parses operands up to ';' (not consumed) into parser->operands. Returns false with
 * operands->problem set if one is not supported. */
bool parse_operands(struct parser *parser);
/* Returns the next free operand, without registers or symbols; NULL with the problem set if there
 * are too many. */
struct ptx_operand *operand_add(struct parser *parser, enum ptx_operand_kind kind);
/* Sets the operand's kind and index from the symbol. Returns false with the problem set if the
 * symbol cannot be an operand. */
bool operand_set_symbol(struct parser *parser, struct ptx_operand *operand,
                        const struct symbol *symbol);
/* Sets the problem. Returns false. */
bool refuse(struct parser *parser, const char *problem);
/* Sets the problem that a name is unknown. Returns false. */
bool refuse_symbol(struct parser *parser, const struct token *name);
/* Parses the operands of call, as parse_operands does. */
bool parse_call(struct parser *parser);
/* Appends a call, and the loads of its return values to registers. */
void finish_call(struct parser *parser, const struct ptx_insn *call);
/* Appends an instruction to the function, with the operands in parser->operands. */
void insn_append(struct parser *parser, const struct ptx_insn *insn);
/* Append ld.param from, or st.param to, a frame variable. value is a register or an immediate. */
void append_param_load(struct parser *parser, int32_t reg, int32_t frame);
void append_param_store(struct parser *parser, const struct ptx_operand *value, int32_t frame);
/* Appends ret, after the stores of return values in registers. */
void append_return(struct parser *parser);
/* Turns an instruction into PTX_UNSUPPORTED, with its spelling and the reason (or NULL). */
void insn_refuse(struct parser *parser, struct ptx_insn *insn, const char *why);

/* ---- ptx/verify.c ---- */

/* Checks the operands against the opcode. Returns what is wrong, a static text; NULL: nothing. */
const char *ptx_check(const struct ptx_insn *insn, const struct ptx_reg *regs);
