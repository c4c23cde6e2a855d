/*
 * ptx/parse_symbol.c: scopes. Each '{' opens a scope with separate registers, variables and labels.
 * Names are looked up from the innermost scope outwards. A label may be used before its
 * declaration, so its uses are filled in when the scope is left.
 */
#include "parse.h"

#include <string.h>

#define FIRST_BUCKETS 16u
#define MAX_RANGE     10000000u /* registers in one range; each is made at its first use */

static uint32_t symbol_hash_of(const char *name, uint32_t length) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (uint32_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash ^ hash >> 15;
}

void scope_enter(struct parser *parser) {
    enter_nesting(parser);
    struct scope *scope = arena_alloc(parser->scratch, sizeof *scope);
    scope->parent = parser->scope;
    scope->nbuckets = FIRST_BUCKETS;
    scope->buckets = arena_array(parser->scratch, scope->nbuckets, sizeof(struct symbol *));
    scope->frame_mark = parser->frame_bytes;
    parser->scope = scope;
}

static void grow_buckets(struct parser *parser, struct scope *scope) {
    uint32_t nbuckets = scope->nbuckets * 4;
    struct symbol **buckets = arena_array(parser->scratch, nbuckets, sizeof(struct symbol *));
    for (uint32_t i = 0; i < scope->nbuckets; i++) {
        for (struct symbol *symbol = scope->buckets[i], *next; symbol; symbol = next) {
            next = symbol->next;
            symbol->next = buckets[symbol->hash % nbuckets];
            buckets[symbol->hash % nbuckets] = symbol;
        }
    }
    scope->buckets = buckets;
    scope->nbuckets = nbuckets;
}

static struct symbol *find_in(const struct scope *scope, const char *name, uint32_t length,
                              uint32_t hash) {
    for (struct symbol *symbol = scope->buckets[hash % scope->nbuckets]; symbol;
         symbol = symbol->next) {
        if (symbol->hash == hash && symbol->length == length &&
            memcmp(symbol->name, name, length) == 0)
            return symbol;
    }
    return NULL;
}

static struct symbol *add_to(struct parser *parser, struct scope *scope, const char *name,
                             uint32_t length, enum symbol_kind kind, int32_t index) {
    uint32_t hash = symbol_hash_of(name, length);
    struct symbol *symbol = find_in(scope, name, length, hash);
    if (!symbol) {
        if (scope->nsymbols++ >= scope->nbuckets) grow_buckets(parser, scope);
        symbol = arena_alloc(parser->scratch, sizeof *symbol);
        symbol->next = scope->buckets[hash % scope->nbuckets];
        scope->buckets[hash % scope->nbuckets] = symbol;
    }
    *symbol =
        (struct symbol){symbol->next, name, length, hash, (uint8_t)kind, PTX_TYPE_NONE, index, 0};
    return symbol;
}

struct symbol *symbol_add(struct parser *parser, const struct token *name, enum symbol_kind kind,
                          int32_t index) {
    return add_to(parser, parser->scope, name->text, name->length, kind, index);
}

struct symbol *symbol_add_global(struct parser *parser, const struct token *name,
                                 enum symbol_kind kind, int32_t index) {
    return add_to(parser, parser->globals, name->text, name->length, kind, index);
}

struct symbol *symbol_find_global(struct parser *parser, const char *name, uint32_t length) {
    return find_in(parser->globals, name, length, symbol_hash_of(name, length));
}

/* ---- Registers ---- */

int32_t register_add(struct parser *parser, const char *name, uint32_t length, enum ptx_type type) {
    struct ptx_reg *reg = LIST_ADD(parser, &parser->regs);
    reg->name = arena_string(parser->arena, name, length);
    reg->type = (uint8_t)type;
    reg->slot = -1;
    return parser->regs.used - 1;
}

/* The key of a range: its prefix and '<', which no name contains. */
static const char *range_key(struct parser *parser, const char *prefix, uint32_t length) {
    char *key = arena_alloc(parser->scratch, length + 1);
    memcpy(key, prefix, length);
    key[length] = '<';
    return key;
}

void symbol_add_range(struct parser *parser, const struct token *prefix, uint32_t count,
                      enum ptx_type type) {
    if (count > MAX_RANGE) parse_fail(parser, "more than %u registers in a range", MAX_RANGE);
    const char *key = range_key(parser, prefix->text, prefix->length);
    struct symbol *range =
        add_to(parser, parser->scope, key, prefix->length + 1, SYMBOL_REG_RANGE, -1);
    range->type = (uint8_t)type;
    range->count = count;
    parser->scope->has_ranges = true;
}

/* The scope's range whose prefix is the first `length` characters of name; NULL: none. */
static struct symbol *find_range(const struct scope *scope, const char *name, uint32_t length) {
    char key[256];
    if (length + 1 > sizeof key) return NULL;
    memcpy(key, name, length);
    key[length] = '<';
    return find_in(scope, key, length + 1, symbol_hash_of(key, length + 1));
}

/* Makes and declares the register of this name, if it belongs to a range of this scope; else
 * returns NULL. %f31 may be number 31 of %f or number 1 of %f3. */
static struct symbol *find_in_ranges(struct parser *parser, struct scope *scope, const char *name,
                                     uint32_t length) {
    uint64_t number = 0, place = 1;
    for (uint32_t at = length; at-- > 1 && name[at] >= '0' && name[at] <= '9' && place <= MAX_RANGE;
         place *= 10) {
        number += (uint64_t)(name[at] - '0') * place;
        if (name[at] == '0' && place > 1) continue; /* no leading zeros */
        struct symbol *range = find_range(scope, name, at);
        if (range && number < range->count) {
            int32_t reg = register_add(parser, name, length, range->type);
            struct symbol *symbol = add_to(parser, scope, name, length, SYMBOL_REG, reg);
            symbol->type = range->type;
            return symbol;
        }
    }
    return NULL;
}

struct symbol *symbol_find(struct parser *parser, const char *name, uint32_t length) {
    uint32_t hash = symbol_hash_of(name, length);
    for (struct scope *scope = parser->scope; scope; scope = scope->parent) {
        struct symbol *symbol = find_in(scope, name, length, hash);
        if (!symbol && scope->has_ranges) symbol = find_in_ranges(parser, scope, name, length);
        if (symbol) return symbol;
    }
    return NULL;
}

/* ---- Labels used before they were declared ---- */

/* May the opcode refer to this kind of name? A call refers to its prototype or list of targets, brx
 * to a table, bra to a label. */
static bool is_right_kind(enum ptx_opcode op, enum symbol_kind kind) {
    if (op == PTX_CALL) return kind != SYMBOL_LABEL;
    return kind == (op == PTX_BRX ? SYMBOL_TABLE : SYMBOL_LABEL);
}

static void fill_operand(struct parser *parser, const struct pending *pending,
                         const struct symbol *symbol) {
    struct ptx_insn *insn = &parser->insns.items[pending->insn];
    struct ptx_operand *operand = &insn->operand[pending->operand];
    operand->target = symbol->index;
    if (!is_right_kind(insn->op, symbol->kind))
        insn_refuse(parser, insn, "a label where a table belongs, or the reverse");
    else if (symbol->kind != SYMBOL_LABEL)
        operand->kind = symbol->kind == SYMBOL_TABLE ? PTX_OPERAND_TABLE : PTX_OPERAND_PROTO;
}

static bool symbol_is_control(const struct symbol *symbol) {
    return symbol->kind == SYMBOL_LABEL || symbol->kind == SYMBOL_TABLE ||
           symbol->kind == SYMBOL_PROTO;
}

static void symbol_fill(struct parser *parser, const struct pending *pending,
                        const struct symbol *symbol) {
    if (pending->insn >= 0)
        fill_operand(parser, pending, symbol);
    else
        *pending->target = symbol->index;
}

/* No scope of the function declares the name: refuses the instruction; for a table's entry,
 * fails. */
static void symbol_give_up(struct parser *parser, const struct pending *pending) {
    parser->token.line = pending->line;
    if (pending->insn < 0)
        parse_fail(parser, "no label '%.*s' in this function", (int)pending->length, pending->name);
    struct token name = {.text = pending->name, .length = pending->length};
    refuse_symbol(parser, &name);
    insn_refuse(parser, &parser->insns.items[pending->insn], parser->operands->problem);
}

void scope_leave(struct parser *parser) {
    struct scope *scope = parser->scope, *parent = scope->parent;
    for (struct pending *pending = scope->pending, *next; pending; pending = next) {
        next = pending->next;
        struct symbol *symbol = find_in(scope, pending->name, pending->length,
                                        symbol_hash_of(pending->name, pending->length));
        if (symbol && symbol_is_control(symbol)) {
            symbol_fill(parser, pending, symbol);
        } else if (parent == parser->globals) {
            symbol_give_up(parser, pending);
        } else {
            pending->next = parent->pending;
            parent->pending = pending;
        }
    }
    parser->frame_bytes = scope->frame_mark;
    parser->scope = parent;
    leave_nesting(parser);
}
