/* Tests of the PTX parser and linker: every form that nvcc writes or that inline assembly may hold,
 * and what must be refused. */

#include "damage.h"
#include "simt/machine/report.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/table.h"
#include "unit.h"

#define HEADER ".version 9.0\n.target sm_75\n.address_size 64\n"

static char error[256];

static struct ptx_module *parse(const char *text) {
    char *whole = malloc(strlen(HEADER) + strlen(text) + 1);
    sprintf(whole, "%s%s", HEADER, text);
    error[0] = '\0';
    struct ptx_module *module = ptx_parse(whole, strlen(whole), error, sizeof error);
    free(whole);
    return module;
}

/* Parse what must be good. */
static struct ptx_module *parse_good(const char *text) {
    struct ptx_module *module = parse(text);
    if (!module) fail_msg("%s", error);
    return module;
}

static void refuses_module(const char *text, const char *message) {
    assert_null(parse(text));
    if (!strstr(error, message)) fail_msg("'%s' does not say '%s'", error, message);
}

/* A kernel with that body, a register of each kind, a parameter, and variables. */
static struct ptx_module *parse_body(const char *body) {
    static const char before[] =
        ".global .align 4 .u32 gv[8];\n.shared .align 4 .b8 sv[64];\n.const .f32 cv = 0f3F800000;\n"
        ".visible .entry k(.param .u64 kp, .param .u32 kq)\n{\n"
        ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<99>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
        ".reg .f64 %fd<9>;\n.local .align 8 .b8 depot[16];\n";
    char *text = malloc(strlen(before) + strlen(body) + 16);
    sprintf(text, "%s%s\n}\n", before, body);
    struct ptx_module *module = parse_good(text);
    free(text);
    return module;
}

static const struct ptx_insn *insn_at(const struct ptx_module *module, int i) {
    const struct ptx_function *k = &module->functions[0];
    assert_in_range(i, 0, k->ninsns - 1);
    return &k->insns[i];
}

static const char *reg_name(const struct ptx_module *module, int32_t reg) {
    assert_in_range(reg, 0, module->functions[0].nregs - 1);
    return module->functions[0].regs[reg].name;
}

/* ---- Modules ---- */

TEST(reads_the_header) {
    struct ptx_module *module = parse_good("");
    assert_int_equal(module->version_major, 9);
    assert_int_equal(module->version_minor, 0);
    assert_int_equal(module->target, 75);
    ptx_free(module);
}

TEST(says_where_a_module_is_wrong) {
    refuses_module("\n.globl x;", "line 5: unknown directive '.globl'");
    refuses_module(".global .u32 x = y;", "unknown symbol 'y'");
    refuses_module(".global .u32 x[2] = {1,2,3};", "more initial values");
    refuses_module(".global .u32 x[2", "']' expected");
    refuses_module(".global .b8 x[0x7fffffffffffffff];", "terabyte");
    refuses_module(".global .b8 x[99999999999] = {1};", "gigabyte");
    refuses_module(".global .u32 x = 1/0;", "division by zero");
    refuses_module(".func f() { .local .b8 a[3000000000]; }", "two gigabytes");
    refuses_module(".func f() { ret; } .func f() { ret; }", "defined twice");
    refuses_module(".func f() { @%p1 ret; }", "not a predicate");
    refuses_module(".func f() { ret;", "a name expected");
    refuses_module(".func f() { .reg .b32 %r<99999999>; }", "registers in a range");
    refuses_module(
        ".global .u32 x = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1;",
        "nested");
    char unsized[] = ".version 7.0 .target sm_50 .address_size 32";
    assert_null(ptx_parse(unsized, strlen(unsized), error, sizeof error));
    assert_non_null(strstr(error, "64-bit"));
}

TEST(skips_what_is_for_debuggers) {
    struct ptx_module *module =
        parse_good(".file 1 \"a.cu\", 1234, 56\n.file 2 \"b.h\"\n"
                   ".func f()\n{\n.loc 1 7 3\n.pragma \"nounroll\";\nret; \n"
                   ".loc\t2 9 1, function_name $L__info_string0, inlined_at 1 8 2\nexit;\n"
                   ".loc 2 10 1, function_name $L__info_string0+12, inlined_at 1 8 2 trap;}\n"
                   ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n}\n");
    const struct ptx_function *f = &module->functions[0];
    assert_int_equal(f->ninsns, 3);
    assert_int_equal(f->insns[0].line, 7);
    assert_string_equal(module->files[f->insns[0].file], "a.cu");
    assert_int_equal(f->insns[1].line, 9);
    assert_string_equal(module->files[f->insns[1].file], "b.h");
    assert_int_equal(f->insns[2].op, PTX_TRAP);
    assert_int_equal(f->insns[0].ptx_line, 10);
    ptx_free(module);
}

TEST(names_the_programs_line_of_code_from_a_toolkit) {
    static const char *const headers[] = {"/usr/local/cuda/targets/x86_64-linux/include/a.h",
                                          "/opt/cuda/12.4/bin/../include/crt/mma.hpp",
                                          "/v/site-packages/nvidia/cuda_runtime/include/a.h"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 ".file 1 \"a.cu\"\n.file 2 \"%s\"\n.func f()\n{\n"
                 ".loc 2 9 1, function_name $L__info_string0, inlined_at 1 8 2\nret;\n}\n",
                 headers[i]);
        struct ptx_module *module = parse_good(text);
        const char *file;
        int32_t line;
        assert_true(text_source(module, module->functions[0].insns, &file, &line));
        assert_string_equal(file, "a.cu");
        assert_int_equal(line, 8);
        ptx_free(module);
    }
}

/* ---- Variables ---- */

static const struct ptx_var *var_named(const struct ptx_module *module, const char *name) {
    for (int32_t i = 0; i < module->nvars; i++) {
        if (strcmp(module->vars[i].name, name) == 0) return &module->vars[i];
    }
    fail_msg("no variable %s", name);
    return NULL;
}

static uint32_t word_at(const struct ptx_var *var, size_t offset) {
    uint32_t word;
    assert_true(offset + sizeof word <= var->size);
    memcpy(&word, var->init + offset, sizeof word);
    return word;
}

TEST(lays_out_variables) {
    struct ptx_module *module =
        parse_good(".visible .global .align 8 .b8 a[12];\n.extern .shared .align 16 .b8 dyn[];\n"
                   ".weak .const .u64 c;\n.global .attribute(.managed) .align 4 .u32 m = 5;\n"
                   ".shared .v4 .f32 v[2];\n.global .u8 s[] = \"ab\\n\";\n.extern .global .u32 "
                   "e;\n.global .texref t;\n");
    assert_int_equal(var_named(module, "a")->size, 12);
    assert_int_equal(var_named(module, "a")->align, 8);
    assert_true(var_named(module, "a")->is_visible);
    assert_int_equal(var_named(module, "dyn")->size, 0);
    assert_int_equal(var_named(module, "dyn")->align, 16);
    assert_true(var_named(module, "dyn")->is_extern);
    assert_ptr_equal(var_named(module, "dyn")->definition, var_named(module, "dyn"));
    assert_null(var_named(module, "e")->definition);
    assert_true(var_named(module, "c")->is_weak);
    assert_int_equal(var_named(module, "c")->space, PTX_CONST);
    assert_true(var_named(module, "m")->is_managed);
    assert_int_equal(word_at(var_named(module, "m"), 0), 5);
    assert_int_equal(var_named(module, "v")->size, 32);
    assert_int_equal(var_named(module, "v")->align, 16);
    assert_int_equal(var_named(module, "s")->size, 4);
    assert_memory_equal(var_named(module, "s")->init, "ab\n", 4);
    ptx_free(module);
}

TEST(reads_initialisers) {
    struct ptx_module *module = parse_good(
        ".global .s32 n[2][3] = {{1, -2}, {3}};\n.global .s32 open[][2] = {{1,2},{3,4},{5,6}};\n"
        ".global .f32 f[3] = {1.5, 0f3F800000, 2};\n.global .f64 d = 0d3FF0000000000000;\n"
        ".global .u32 e = (1 << 4) | 3 + 2 * 5 - (7 % 4) ; .global .u32 t = 0b101 == 5 ? 0x1F : "
        "017;\n"
        ".global .b8 z[16] = {1, 2};\n.global .s64 q[2] = {-1, ~0};\n");
    static const int32_t n[] = {1, -2, 0, 3, 0, 0};
    static const float f[] = {1.5f, 1.0f, 2.0f};
    assert_memory_equal(var_named(module, "n")->init, n, sizeof n);
    assert_int_equal(var_named(module, "open")->size, 24);
    assert_int_equal(word_at(var_named(module, "open"), 20), 6);
    assert_memory_equal(var_named(module, "f")->init, f, sizeof f);
    assert_int_equal(word_at(var_named(module, "d"), 4), 0x3FF00000);
    assert_int_equal(word_at(var_named(module, "e"), 0), 16 | (3 + 10 - 3));
    assert_int_equal(word_at(var_named(module, "t"), 0), 0x1F);
    assert_int_equal(var_named(module, "z")->init[1], 2);
    assert_int_equal(var_named(module, "z")->init[15], 0);
    assert_int_equal(word_at(var_named(module, "q"), 12), 0xFFFFFFFF);
    ptx_free(module);
}

TEST(keeps_relocations) {
    struct ptx_module *module = parse_good(
        ".global .u32 x[4];\n.func f();\n.global .u64 a[4] = {f, generic(x)+4, x+8, 7};\n"
        ".global .b8 p[9] = {1, 0xFF(x), 0xFF00(generic(x)), 0xFF000000(x+1)};\n");
    const struct ptx_var *a = var_named(module, "a"), *p = var_named(module, "p");
    assert_int_equal(a->nrelocs, 3);
    assert_int_equal(a->relocs[0].func, 0);
    assert_int_equal(a->relocs[0].size, 8);
    assert_true(a->relocs[1].generic);
    assert_int_equal(a->relocs[1].addend, 4);
    assert_ptr_equal(&module->vars[a->relocs[1].var], var_named(module, "x"));
    assert_int_equal(a->relocs[2].offset, 16);
    assert_int_equal(a->relocs[2].addend, 8);
    assert_int_equal(word_at(a, 24), 7);
    assert_int_equal(p->nrelocs, 3);
    assert_int_equal(p->relocs[0].size, 1);
    assert_int_equal(p->relocs[1].shift, 8);
    assert_true(p->relocs[1].generic);
    assert_int_equal(p->relocs[2].shift, 24);
    assert_int_equal(p->relocs[2].addend, 1);
    assert_int_equal(p->relocs[2].offset, 3);
    ptx_free(module);
}

/* ---- Functions ---- */

TEST(lays_out_parameters) {
    struct ptx_module *module =
        parse_good(".visible .entry k(.param .u32 a, .param .u64 .ptr .global .align 16 b, .param "
                   ".align 8 .b8 c[12],\n"
                   ".param .u8 d)\n.maxntid 256, 2\n.reqntid 128, 1, 1\n.minnctapersm 3\n.maxnreg "
                   "40\n.explicitcluster\n"
                   "{ .local .align 8 .b8 l[5]; .reg .u64 %r; mov.u64 %r, l; ret; }\n");
    const struct ptx_function *k = &module->functions[0];
    static const uint64_t offsets[] = {0, 8, 16, 28};
    assert_true(k->is_entry);
    assert_int_equal(k->nparams, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(k->frame[i].offset, offsets[i]);
        assert_int_equal(k->frame[i].space, PTX_KPARAM);
    }
    assert_int_equal(k->param_bytes, 29);
    assert_int_equal(k->frame[4].space, PTX_LOCAL);
    assert_int_equal(k->frame_bytes, 16);
    assert_int_equal(k->maxntid[0], 256);
    assert_int_equal(k->maxntid[1], 2);
    assert_int_equal(k->maxntid[2], 1);
    assert_int_equal(k->reqntid[0], 128);
    assert_int_equal(k->minnctapersm, 3);
    assert_int_equal(k->maxnreg, 40);
    ptx_free(module);
}

TEST(reads_calls) {
    struct ptx_module *module =
        parse_good(".func (.param .b32 rv) f(.param .b64 a, .param .align 8 .b8 b[16]);\n"
                   ".visible .entry k()\n{ .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                   "{ // callseq 0, 0\n.reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 "
                   "[param0+0], %rd1;\n"
                   ".param .align 8 .b8 param1[16]; .param .b32 retval0;\ncall.uni "
                   "(retval0),\nf,\n(\nparam0,\nparam1\n);\n"
                   "ld.param.b32 %r1, [retval0+0]; } // callseq 0\n"
                   "{ .param .b64 param0; prototype_0 : .callprototype (.param .b32 _) _ (.param "
                   ".b64 _) .noreturn; .param .b32 "
                   "retval0;\n"
                   "call (retval0), %rd2, (param0), prototype_0; }\n"
                   "{ targets: .calltargets f; call %rd2, targets; } call f; ret; }\n"
                   ".func (.param .b32 rv) f(.param .b64 a, .param .align 8 .b8 b[16])\n{ .reg "
                   ".b64 %q; ld.param.u64 %q, [a]; "
                   "ret; }\n");
    const struct ptx_function *f = &module->functions[0], *k = &module->functions[1];
    const struct ptx_insn *call = &k->insns[1];
    assert_string_equal(f->name, "f");
    assert_int_equal(f->nparams, 2);
    assert_int_equal(f->nreturns, 1);
    assert_string_equal(f->frame[2].name, "rv");
    assert_ptr_equal(f->definition, f);
    assert_int_equal(f->insns[0].space, PTX_FRAME);
    assert_int_equal(call->op, PTX_CALL);
    assert_true(call->uni);
    assert_int_equal(call->noperands, 3);
    assert_string_equal(k->frame[call->operand[0].list[0]].name, "retval0");
    assert_int_equal(call->operand[1].kind, PTX_OPERAND_FUNCTION);
    assert_int_equal(call->operand[1].func, 0);
    assert_int_equal(call->operand[2].nlist, 2);
    assert_string_equal(k->frame[call->operand[2].list[1]].name, "param1");
    const struct ptx_insn *indirect = &k->insns[3];
    assert_int_equal(indirect->operand[1].kind, PTX_OPERAND_REG);
    assert_int_equal(indirect->operand[3].kind, PTX_OPERAND_PROTO);
    /* The second call's parameters lie where the first one's did. */
    assert_int_equal(k->frame[indirect->operand[2].list[0]].offset,
                     k->frame[call->operand[2].list[0]].offset);
    assert_int_not_equal(indirect->operand[2].list[0], call->operand[2].list[0]);
    assert_int_equal(k->insns[4].operand[3].kind, PTX_OPERAND_TABLE);
    assert_int_equal(k->tables[k->insns[4].operand[3].target].targets[0], 0);
    assert_int_equal(k->insns[5].noperands, 3);
    assert_int_equal(k->insns[5].operand[0].nlist, 0);
    ptx_free(module);
}

/* Old PTX passes parameters in registers: they come out as loads and stores of frame variables. */
TEST(lowers_register_parameters) {
    struct ptx_module *module = parse_good(
        ".func (.reg .b32 rv) f(.reg .b64 a) { cvt.u32.u64 rv, a; ret; }\n"
        ".visible .entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>; call (%r1), f, (%rd1); "
        "call (%r2), f, (7); ret; }\n");
    const struct ptx_function *f = &module->functions[0], *k = &module->functions[1];
    assert_int_equal(f->ninsns, 4);
    assert_int_equal(f->insns[0].op, PTX_LD);
    assert_int_equal(f->insns[0].type, PTX_B64);
    assert_int_equal(f->insns[2].op, PTX_ST);
    assert_int_equal(f->insns[3].op, PTX_RET);
    assert_int_equal(k->insns[0].op, PTX_ST);
    assert_int_equal(k->insns[0].space, PTX_FRAME);
    assert_int_equal(k->insns[1].operand[2].list[0], k->insns[0].operand[0].var);
    assert_int_equal(k->insns[2].op, PTX_LD);
    assert_int_equal(k->insns[2].operand[1].var, k->insns[1].operand[0].list[0]);
    assert_int_equal(k->insns[3].operand[1].bits, 7);
    assert_int_equal(k->insns[3].type, PTX_B64);
    ptx_free(module);
}

TEST(keeps_scopes_apart) {
    struct ptx_module *module = parse_body(
        "{ .reg .b32 %r<2>; mov.b32 %r1, 1; } mov.b32 %r1, 2;\n"
        "{ .reg .pred q; L: @q bra L; bra M; M: } { .reg .pred q; L: @!q bra L; bra M; M: }\n"
        "bra END; {{ bra END; }} END:");
    assert_int_not_equal(insn_at(module, 0)->operand[0].reg, insn_at(module, 1)->operand[0].reg);
    assert_int_equal(insn_at(module, 2)->operand[0].target, 2);
    assert_int_equal(insn_at(module, 3)->operand[0].target, 4);
    assert_int_equal(insn_at(module, 4)->operand[0].target, 4);
    assert_true(insn_at(module, 4)->pred_neg);
    assert_int_equal(insn_at(module, 5)->operand[0].target, 6);
    assert_int_equal(insn_at(module, 6)->operand[0].target, 8);
    assert_int_equal(insn_at(module, 7)->operand[0].target, 8);
    assert_int_equal(insn_at(module, 8)->op, PTX_RET); /* running off the end is a return */
    ptx_free(module);
}

TEST(tells_ranges_apart) {
    struct ptx_module *module = parse_good(".entry k() { .reg .b32 %f<4>; .reg .f64 %f3<2>; .reg "
                                           ".b32 %x; mov.f64 %f31, 0d0; mov.b32 %f3, 0; "
                                           "mov.b32 %f03, 0; mov.b32 %f4, 0; }");
    assert_int_equal(module->functions[0].regs[insn_at(module, 0)->operand[0].reg].type, PTX_F64);
    assert_int_equal(insn_at(module, 1)->op, PTX_MOV);
    assert_int_equal(insn_at(module, 2)->op, PTX_UNSUPPORTED);
    assert_int_equal(insn_at(module, 3)->op, PTX_UNSUPPORTED);
    ptx_free(module);
}

TEST(moves_static_variables_to_the_module) {
    struct ptx_module *module =
        parse_good(".entry a() { .shared .align 4 .b8 s[64]; .extern .shared .align 16 .b8 d[];\n"
                   ".reg .b32 %r; mov.u32 %r, s; ld.shared.u32 %r, [d+4]; }\n"
                   ".entry b() { .shared .align 4 .b8 s[32]; .reg .b32 %r; mov.u32 %r, s; }\n");
    assert_int_equal(module->nvars, 3);
    int32_t first = module->functions[0].insns[0].operand[1].var,
            second = module->functions[1].insns[0].operand[1].var;
    assert_int_equal(module->vars[first].size, 64);
    assert_int_equal(module->vars[second].size, 32);
    assert_int_equal(module->functions[0].insns[1].operand[1].offset, 4);
    ptx_free(module);
}

TEST(follows_aliases) {
    struct ptx_module *module =
        parse_good(".visible .func a(); .func b() { ret; } .alias a, b; .entry k() { call a; }");
    assert_string_equal(module->functions[0].name, "a");
    assert_ptr_equal(module->functions[0].definition, &module->functions[1]);
    ptx_free(module);
}

/* ---- Operands ---- */

TEST(reads_immediates_in_their_type) {
    static const struct {
        const char *text;
        int operand;
        uint64_t bits;
    } cases[] = {
        {"add.s32 %r1, %r2, -1;", 2, 0xFFFFFFFF},
        {"add.s64 %rd1, %rd2, -1;", 2, UINT64_MAX},
        {"add.s16 %rs1, %rs2, -1;", 2, 0xFFFF},
        {"mov.u32 %r1, 0x1F;", 1, 31},
        {"mov.u32 %r1, 0b101U;", 1, 5},
        {"mov.u32 %r1, 017;", 1, 15},
        {"mov.u32 %r1, WARP_SZ;", 1, 32},
        {"mov.u32 %r1, (1<<4)+1;", 1, 17},
        {"mov.u32 %r1, !0;", 1, 1},
        {"mov.f32 %f1, 0f3F800000;", 1, 0x3F800000},
        {"mov.f32 %f1, 1.0;", 1, 0x3F800000},
        {"mov.f32 %f1, -1.0;", 1, 0xBF800000},
        {"mov.f32 %f1, 1e0;", 1, 0x3F800000},
        {"mov.b32 %f1, 0f3F800000;", 1, 0x3F800000},
        {"mov.f64 %fd1, 0f3F800000;", 1, 0x3FF0000000000000},
        {"mov.f64 %fd1, 0d3FF0000000000000;", 1, 0x3FF0000000000000},
        {"mov.b64 %rd1, 0x8000000000000000;", 1, 0x8000000000000000},
        {"mov.pred %p1, -1;", 1, 1},
        {"shl.b64 %rd1, %rd2, -1;", 2, 0xFFFFFFFF},
        {"mad.wide.s32 %rd1, %r1, -4, %rd2;", 2, 0xFFFFFFFC},
        {"mad.wide.s32 %rd1, %r1, %r2, -4;", 3, (uint64_t)-4},
        {"mul.wide.u16 %r1, %rs1, -1;", 2, 0xFFFF},
        {"vote.sync.any.pred %p1, %p2, -1;", 2, 0xFFFFFFFF},
        {"bar.red.popc.u32 %r1, 0, 64, %p1;", 2, 64},
        {"barrier.red.and.pred %p1, 15, 32, !%p2;", 1, 15},
        {"match.any.sync.b64 %r1, %rd1, -1;", 2, 0xFFFFFFFF},
        {"set.lt.u32.f32 %r1, %f1, 2.0;", 2, 0x40000000},
        {"slct.u64.f32 %rd1, %rd2, %rd3, 2.0;", 3, 0x40000000},
        {"cvt.rn.f32.s32 %f1, -1;", 1, 0xFFFFFFFF},
        {"st.global.u8 [%rd1], 300;", 1, 300 & 0xFF},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;", 4, 0x96},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ptx_module *module = parse_body(cases[i].text);
        const struct ptx_insn *insn = insn_at(module, 0);
        if (insn->op == PTX_UNSUPPORTED)
            fail_msg("%s", (const char *)(uintptr_t)insn->operand[0].bits);
        assert_int_equal(insn->operand[cases[i].operand].kind, PTX_OPERAND_IMM);
        if (insn->operand[cases[i].operand].bits != cases[i].bits)
            fail_msg("%s: 0x%llx", cases[i].text,
                     (unsigned long long)insn->operand[cases[i].operand].bits);
        ptx_free(module);
    }
}

TEST(reads_addresses) {
    struct ptx_module *module = parse_body(
        "ld.global.u32 %r1, [%rd2+-8]; ld.global.u32 %r1, [gv+4+4]; ld.shared.u32 %r1, [%r2]; "
        "ld.param.u64 %rd1, "
        "[kp];\n"
        "ld.local.u32 %r1, [depot+8]; ld.u32 %r1, [gv]; ld.global.u32 %r1, [0x100]; ld.const.f32 "
        "%f1, [cv-4];\n"
        "mov.u64 %rd1, gv+12; mov.u32 %r1, sv; mov.b64 %rd1, kp; ld.param::entry.u32 %r1, [%rd1];");
    const struct ptx_operand *at = &insn_at(module, 0)->operand[1];
    assert_string_equal(reg_name(module, at->reg), "%rd2");
    assert_int_equal(at->offset, -8);
    at = &insn_at(module, 1)->operand[1];
    assert_int_equal(at->var, 0);
    assert_int_equal(at->reg, -1);
    assert_int_equal(at->var_space, PTX_GLOBAL);
    assert_int_equal(at->offset, 8);
    assert_int_equal(insn_at(module, 3)->space, PTX_KPARAM);
    assert_int_equal(insn_at(module, 4)->operand[1].var_space, PTX_LOCAL);
    assert_int_equal(insn_at(module, 5)->space, PTX_GLOBAL);
    assert_int_equal(insn_at(module, 6)->operand[1].offset, 0x100);
    assert_int_equal(insn_at(module, 6)->operand[1].var, -1);
    assert_int_equal(insn_at(module, 7)->operand[1].offset, -4);
    assert_int_equal(insn_at(module, 8)->operand[1].kind, PTX_OPERAND_VARIABLE);
    assert_int_equal(insn_at(module, 8)->operand[1].offset, 12);
    assert_int_equal(insn_at(module, 9)->operand[1].var_space, PTX_SHARED);
    assert_int_equal(insn_at(module, 10)->operand[1].var_space, PTX_KPARAM);
    assert_int_equal(insn_at(module, 11)->space, PTX_KPARAM);
    ptx_free(module);
}

TEST(reads_vectors_and_pairs) {
    struct ptx_module *module = parse_body(
        "ld.global.v4.f32 {%f1,_,%f2,%f3}, [%rd1]; st.global.v2.u32 [%rd1], {%r1, 7}; mov.b64 "
        "%rd1, {%r1, %r2};\n"
        "mov.b64 {%r3, _}, %rd1; shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; setp.lt.s32 %p1|%p2, "
        "%r1, 0;\n"
        "shfl.sync.up.b32 _|%p1, %r2, 1, 0, -1; atom.global.add.u32 _, [%rd1], 1; mov.b32 %r1, "
        "{%rs1, %rs2};\n"
        "setp.eq.and.u32 %p1, %r1, 0, !%p2; lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, !%p2;");
    const struct ptx_operand *vector = &insn_at(module, 0)->operand[0];
    assert_int_equal(insn_at(module, 0)->vector, 4);
    assert_int_equal(vector->nvec, 4);
    assert_int_equal(vector->vec[1], -1);
    assert_string_equal(reg_name(module, vector->vec[2]), "%f2");
    vector = &insn_at(module, 1)->operand[1];
    assert_int_equal(vector->vec_is_imm, 2);
    assert_int_equal(vector->vec_bits[1], 7);
    assert_int_equal(insn_at(module, 2)->operand[1].nvec, 2);
    assert_int_equal(ptx_operand_type(insn_at(module, 2), 1), PTX_B32);
    assert_int_equal(insn_at(module, 3)->operand[0].vec[1], -1);
    assert_string_equal(reg_name(module, insn_at(module, 4)->operand[0].reg2), "%p1");
    assert_string_equal(reg_name(module, insn_at(module, 5)->operand[0].reg2), "%p2");
    assert_int_equal(insn_at(module, 6)->operand[0].kind,
                     PTX_OPERAND_REG); /* the sink of a pair gets a register */
    assert_int_equal(insn_at(module, 7)->operand[0].kind, PTX_OPERAND_SINK);
    assert_int_equal(ptx_operand_type(insn_at(module, 8), 1), PTX_B16);
    assert_true(insn_at(module, 9)->operand[3].neg);
    assert_true(insn_at(module, 10)->operand[5].neg);
    ptx_free(module);
}

/* Special registers and addresses are read by mov only. */
TEST(reads_special_registers) {
    struct ptx_module *module =
        parse_body("mov.u32 %r1, %ntid.y; mov.u64 %rd1, %globaltimer; mov.b32 %r1, %envreg2; "
                   "mov.u32 %r1, %cluster_nctaid.x;\n"
                   "add.u32 %r1, %laneid, 3; cvta.global.u64 %rd1, gv; mov.u32 %r1, %nosuch; "
                   "mov.u32 %r1, %tid.q;");
    assert_int_equal(insn_at(module, 0)->operand[1].sreg, PTX_SREG_NTID_Y);
    assert_int_equal(insn_at(module, 1)->operand[1].sreg, PTX_SREG_GLOBALTIMER);
    assert_int_equal(insn_at(module, 2)->operand[1].sreg, PTX_SREG_ENVREG);
    assert_int_equal(insn_at(module, 2)->operand[1].sreg_index, 2);
    assert_int_equal(insn_at(module, 3)->operand[1].bits, 1);
    assert_int_equal(insn_at(module, 4)->op, PTX_MOV);
    assert_int_equal(insn_at(module, 4)->operand[1].sreg, PTX_SREG_LANEID);
    assert_int_equal(insn_at(module, 5)->op, PTX_ADD);
    assert_int_equal(insn_at(module, 5)->operand[1].reg, insn_at(module, 4)->operand[0].reg);
    assert_int_equal(insn_at(module, 6)->operand[1].kind, PTX_OPERAND_VARIABLE);
    assert_int_equal(insn_at(module, 7)->operand[1].kind, PTX_OPERAND_REG);
    assert_int_equal(insn_at(module, 8)->op, PTX_UNSUPPORTED);
    assert_int_equal(insn_at(module, 9)->op, PTX_UNSUPPORTED);
    ptx_free(module);
}

/* Only setp's kind of operand is negated in place. */
TEST(negates_predicates) {
    struct ptx_module *module =
        parse_body("setp.eq.and.u32 %p1, %r1, 0, !%p2; and.pred %p1, !%p2, %p3;");
    assert_true(insn_at(module, 0)->operand[3].neg);
    assert_int_equal(insn_at(module, 1)->op, PTX_NOT);
    assert_string_equal(reg_name(module, insn_at(module, 1)->operand[1].reg), "%p2");
    assert_int_equal(insn_at(module, 2)->operand[1].reg, insn_at(module, 1)->operand[0].reg);
    assert_false(insn_at(module, 2)->operand[1].neg);
    ptx_free(module);
}

TEST(reads_branch_tables) {
    struct ptx_module *module =
        parse_body("$T: .branchtargets $A, $B, $A; @%p1 brx.idx %r1, $T; $A: bra.uni $B; $B: ret;");
    const struct ptx_insn *brx = insn_at(module, 0);
    assert_int_equal(brx->op, PTX_BRX);
    assert_int_equal(brx->operand[1].kind, PTX_OPERAND_TABLE);
    const struct ptx_table *table = &module->functions[0].tables[brx->operand[1].target];
    assert_int_equal(table->ntargets, 3);
    assert_int_equal(table->targets[0], 1);
    assert_int_equal(table->targets[1], 2);
    assert_true(insn_at(module, 1)->uni);
    ptx_free(module);
}

/* ---- Suffixes ---- */

#define FIELD_IS(text, expression)                                                                 \
    do {                                                                                           \
        struct ptx_module *module_ = parse_body(text);                                             \
        const struct ptx_insn *i = insn_at(module_, 0);                                            \
        if (i->op == PTX_UNSUPPORTED) fail_msg("%s", (const char *)(uintptr_t)i->operand[0].bits); \
        if (!(expression)) fail_msg("%s: not %s", text, #expression);                              \
        ptx_free(module_);                                                                         \
    } while (0)

TEST(reads_suffixes) {
    FIELD_IS("mul.lo.s32 %r1, %r2, %r3;", i->lo && i->type == PTX_S32);
    FIELD_IS("mul.hi.u64 %rd1, %rd2, %rd3;", i->hi);
    FIELD_IS("mad.lo.cc.u32 %r1, %r2, %r3, %r4;", i->cc && i->lo);
    FIELD_IS("fma.rm.ftz.sat.f32 %f1, %f2, %f3, %f4;", i->round == PTX_RM && i->ftz && i->sat);
    FIELD_IS("div.full.f32 %f1, %f2, %f3;", i->full);
    FIELD_IS("rcp.approx.ftz.f64 %fd1, %fd2;", i->approx && i->ftz);
    FIELD_IS("cvt.rzi.s32.f32 %r1, %f1;",
             i->round == PTX_RZI && i->type == PTX_S32 && i->type2 == PTX_F32);
    FIELD_IS("cvt.u64.u8 %rd1, %rs1;", i->type == PTX_U64 && i->type2 == PTX_U8);
    FIELD_IS("cvt.rn.relu.f16x2.f32 %r1, %f1, %f2;", i->relu && i->noperands == 3);
    FIELD_IS("setp.hi.or.u32 %p1, %r1, %r2, %p2;",
             i->cmp == PTX_HI_CMP && i->boolop == PTX_BOOL_OR);
    FIELD_IS("setp.nan.f32 %p1, %f1, %f2;", i->cmp == PTX_NAN);
    FIELD_IS("set.eq.ftz.u32.f32 %r1, %f1, %f2;", i->cmp == PTX_EQ && i->type2 == PTX_F32);
    FIELD_IS("min.NaN.f32 %f1, %f2, %f3;", i->nan);
    FIELD_IS("max.ftz.xorsign.abs.f32 %f1, %f2, %f3;", i->xorsign && i->abs);
    FIELD_IS("and.pred %p1, %p2, %p3;", i->type == PTX_PRED);
    FIELD_IS("shf.l.wrap.b32 %r1, %r2, %r3, %r4;", i->sub == PTX_SHF_L && i->wrap);
    FIELD_IS("prmt.b32.f4e %r1, %r2, %r3, %r4;", i->sub == PTX_PRMT_F4E);
    FIELD_IS("bfind.shiftamt.u32 %r1, %r2;", i->wide);
    FIELD_IS("testp.subnormal.f32 %p1, %f1;", i->sub == PTX_TESTP_SUBNORMAL);
    FIELD_IS("dp4a.u32.s32 %r1, %r2, %r3, %r4;", i->type == PTX_U32 && i->type2 == PTX_S32);
    FIELD_IS("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", i->sub == PTX_ATOM_ADD);
    FIELD_IS("ld.relaxed.gpu.global.L1::no_allocate.v2.u32 {%r1,%r2}, [%rd1];",
             i->order == 'r' && i->scope == 'g' && i->vector == 2);
    FIELD_IS("ld.global.nc.L2::128B.u32 %r1, [%rd1];", i->nc);
    FIELD_IS("ld.volatile.shared::cta.u32 %r1, [%r2];", i->is_volatile && i->space == PTX_SHARED);
    FIELD_IS("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", i->noperands == 2);
    FIELD_IS("st.global.cs.u32 [%rd1], %r1;", i->cache == 's');
    FIELD_IS("st.release.sys.u32 [%rd1], %r1;",
             i->order == 'l' && i->scope == 's' && i->space == PTX_GENERIC);
    FIELD_IS("atom.acq_rel.cta.shared.cas.b32 %r1, [%r2], %r3, %r4;",
             i->sub == PTX_ATOM_CAS && i->order == 'q' && i->scope == 'c');
    FIELD_IS("red.global.add.noftz.f16x2 [%rd1], %r1;",
             i->sub == PTX_ATOM_ADD && i->type == PTX_F16X2);
    FIELD_IS("atom.global.v4.f32.add {%f1,%f2,%f3,%f4}, [%rd1], {%f1,%f2,%f3,%f4};",
             i->vector == 4);
    FIELD_IS("fence.sc.gpu;", i->order == 's' && i->scope == 'g');
    FIELD_IS("membar.gl;", i->scope == 'g');
    FIELD_IS("bar.sync 0;", i->op == PTX_BAR && i->sub == PTX_BAR_SYNC);
    FIELD_IS("barrier.sync.aligned 1, 64;",
             i->op == PTX_BAR && i->sub == PTX_BAR_SYNC && i->noperands == 2);
    FIELD_IS("barrier.cta.arrive 1, 64;", i->sub == PTX_BAR_ARRIVE);
    FIELD_IS("bar.warp.sync -1;", i->sub == PTX_BAR_WARP_SYNC);
    FIELD_IS("bar.red.or.pred %p1, 0, %p2;", i->sub == PTX_BAR_RED_OR && i->noperands == 3);
    FIELD_IS("vote.sync.ballot.b32 %r1, %p1, -1;", i->sub == PTX_VOTE_BALLOT && i->sync);
    FIELD_IS("vote.ballot.b32 %r1, !%p1;",
             i->sub == PTX_VOTE_BALLOT && !i->sync && i->operand[1].neg);
    FIELD_IS("shfl.bfly.b32 %r1, %r2, 1, 31;", i->sub == PTX_SHFL_BFLY && !i->sync);
    FIELD_IS("match.all.sync.b32 %r1|%p1, %r2, -1;", i->sub == PTX_MATCH_ALL);
    FIELD_IS("redux.sync.add.s32 %r1, %r2, -1;", i->sub == PTX_ATOM_ADD);
    FIELD_IS("elect.sync %r1|%p1, -1;", i->op == PTX_ELECT);
    FIELD_IS("cvta.to.shared.u64 %rd1, %rd2;", i->to && i->space == PTX_SHARED);
    FIELD_IS("cp.async.ca.shared.global [%r1], [%rd1], 16;", i->op == PTX_CP_ASYNC);
    FIELD_IS("cp.async.commit_group;", i->op == PTX_CP_ASYNC_COMMIT);
    FIELD_IS("cp.async.wait_all;", i->op == PTX_CP_ASYNC_WAIT && i->noperands == 0);
    FIELD_IS("prefetch.global.L2 [%rd1];", i->op == PTX_PREFETCH);
    FIELD_IS("createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;", i->op == PTX_CREATEPOLICY);
    FIELD_IS("exit;", i->op == PTX_EXIT);
    FIELD_IS("tex.a2d.v4.s32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%r1, %f1, %f2, %f2}];",
             i->geometry == PTX_A2D && i->type2 == PTX_F32 && i->noperands == 3 &&
                 i->operand[2].nvec == 4);
    FIELD_IS("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, %r1];",
             i->operand[0].reg2 < 0 && i[1].op == PTX_MOV && i[1].type == PTX_PRED);
    FIELD_IS("tex.level.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1}], %f2;",
             i->lod == PTX_LOD_LEVEL);
    FIELD_IS("tld4.b.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f2}];", i->component == 2);
    FIELD_IS("suld.b.2d.v2.b16.clamp {%rs1, %rs2}, [%rd1, {%r1, %r2}];",
             i->boundary == PTX_BOUNDARY_CLAMP && !i->formatted);
    FIELD_IS("sust.p.1d.b32.zero [%rd1, {%r1}], {%r2};",
             i->boundary == PTX_BOUNDARY_ZERO && i->formatted);
    FIELD_IS("txq.level.width.b32 %r1, [%rd1], %r2;",
             i->sub == PTX_QUERY_WIDTH && i->noperands == 3);
}

TEST(spells_instructions) {
    char text[64], little[4];
    struct ptx_module *module = parse_body("ld.global.v2.u32 {%r1, %r2}, [%rd1];");
    assert_string_equal(ptx_spell(insn_at(module, 0), text, sizeof text), "ld.global.v2.u32");
    assert_string_equal(ptx_spell(insn_at(module, 0), little, sizeof little), "ld.");
    ptx_free(module);
}

/* ---- What is refused when it is reached ---- */

TEST(refuses_instructions) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2}, [%rd1], %r3;",
         "wmma.load.a.sync"},
        {"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [gv, {%r1}];", "tex.1d.v4.f32.s32"},
        {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1}];", "too few coordinates"},
        {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}], {%r1,%r2};", "an offset"},
        {"tex.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1}];", "a suffix is missing"},
        {"cp.async.bulk.shared::cluster.global [%r1], [%rd1], 16, [%r2];",
         "cp.async.bulk.shared::cluster.global"},
        {"frobnicate.x %r1;", "frobnicate.x"},
        {"add.sync.u32 %r1, %r2, %r3;", "add.sync.u32"},
        {"add %r1, %r2, %r3;", "a suffix is missing"},
        {"add.u32 %r1, %r2;", "wrong number of operands"},
        {"add.u32 %r1, %r2, %r3, %r4;", "wrong number of operands"},
        {"add.u32 %r1, %r2, %rd3;", "not of the instruction's type"},
        {"add.u32 %r1, %r2, %p1;", "not of the instruction's type"},
        {"add.u32 5, %r2, %r3;", "a constant is not allowed here"},
        {"add.u32 %r1, %r2, [%r3];", "an address in brackets"},
        {"add.u32 %r1, %nosuch, 1;", "unknown symbol '%nosuch'"},
        {"add.u32 %r1|%p1|, %r2, 1;", "expected"},
        {"add.u32 %r1, %r2.x, 1;", "parts of registers"},
        {"ld.global.v2.u32 %r1, [%rd1];", "a vector expected"},
        {"ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];", "wrong number of elements"},
        {"ld.global.u32 {%r1,%r2}, [%rd1];", "wrong number of elements"},
        {"ld.global.u64 %r1, [%rd1];", "not of the instruction's type"},
        {"ld.global.u32 %r1, [%p1];", "wrong size"},
        {"ld.global.u32 %r1, [nosuch];", "unknown symbol 'nosuch'"},
        {"bra NOWHERE;", "unknown symbol 'NOWHERE'"},
        {"bra T; T: .branchtargets U; U: ret;", "a label where a table belongs"},
        {"call nosuch;", "a function expected"},
        {"setp.s32 %p1, %r1, 0;", "a suffix is missing"},
        {"mov.u32 %r1, ;", "an operand expected"},
        {"mov.b64 {%r1, %r2, %r3}, %rd1;", "a vector is not allowed here"},
        {"st.global.u32 [%rd1], _;", "'_' is read"},
        {"add.u32 _, %r1, %r2;", "'_' is not allowed here"},
        {"add.u32 %r1, !%r2, %r3;", "'!' is not allowed here"},
        {"st.shared.u32 [sv+%r1], %r1;", "a constant expected"},
        {"add.u32 %r1, %r2, 1/0;", "division by zero"},
        {"mov.u32 %r1, ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1;",
         "nested"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ptx_module *module = parse_body(cases[i].text);
        const struct ptx_insn *insn = insn_at(module, 0);
        if (insn->op != PTX_UNSUPPORTED) fail_msg("%s is not refused", cases[i].text);
        const char *why = (const char *)(uintptr_t)insn->operand[0].bits;
        if (!strstr(why, cases[i].says)) fail_msg("%s: %s", cases[i].text, why);
        assert_int_equal(insn_at(module, module->functions[0].ninsns - 1)->op, PTX_RET);
        ptx_free(module);
    }
}

/* ---- Linking ---- */

TEST(links_modules) {
    struct ptx_module *modules[2];
    modules[0] =
        parse_good(".extern .func f(); .extern .global .u32 g; .extern .func vprintf(); .weak "
                   ".func w() { ret; }\n"
                   ".extern .shared .b8 dyn[]; .func hidden() { ret; } .weak .global .u32 v = 1;");
    modules[1] = parse_good(
        ".visible .func f() { ret; } .visible .global .u32 g = 3; .weak .func w() { ret; }\n"
        ".extern .shared .b8 dyn[]; .func hidden() { ret; } .visible .global .u32 v = 2;");
    assert_true(ptx_link(modules, 2, error, sizeof error));
    assert_ptr_equal(modules[0]->functions[0].definition, &modules[1]->functions[0]);
    assert_null(modules[0]->functions[1].definition);
    assert_ptr_equal(modules[1]->functions[1].definition, &modules[0]->functions[2]);
    assert_ptr_equal(modules[0]->functions[3].definition, &modules[0]->functions[3]);
    assert_ptr_equal(var_named(modules[0], "g")->definition, var_named(modules[1], "g"));
    assert_ptr_equal(var_named(modules[0], "v")->definition, var_named(modules[1], "v"));
    assert_ptr_equal(var_named(modules[0], "dyn")->definition, var_named(modules[0], "dyn"));
    ptx_free(modules[1]);
    modules[1] = modules[0];
    modules[0] = parse_good(".visible .func x() { ret; }");
    ptx_free(modules[1]);
    modules[1] = parse_good(".visible .func x() { ret; }");
    assert_false(ptx_link(modules, 2, error, sizeof error));
    assert_string_equal(error, "'x' is defined in two modules");
    ptx_free(modules[0]);
    ptx_free(modules[1]);
}

/* ---- Damaged text ---- */

static const char sample[] = HEADER
    ".extern .shared .align 16 .b8 dyn[];\n.global .u32 x[4] = {1, 2+3, 0f3F800000};\n.func f();\n"
    ".global .u64 a[3] = {f, generic(x)+4, 0xFF00(x)};\n.global .b8 s[] = \"text\";\n"
    ".func (.param .b32 rv) g(.param .b32 p, .reg .b64 q) { .reg .b32 %r<4>; ld.param.u32 %r1, "
    "[p]; add.u32 %r2, %r1, "
    "%laneid;\n"
    "st.param.b32 [rv+0], %r2; ret; }\n"
    ".visible .entry k(.param .u64 k0, .param .align 8 .b8 k1[40])\n.maxntid 256, 1, 1\n{\n"
    ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .local .align 8 .b8 depot[24];\n"
    "ld.param.u64 %rd1, [k0]; .loc 1 2 3\nmov.u32 %r1, %tid.x; setp.lt.s32 %p1|%p2, %r1, 5;\n"
    "LOOP: @!%p1 bra DONE; ld.global.v4.u32 {%r2,%r3,_,%r4}, [%rd1+16];\n"
    "{ .param .b32 param0; st.param.b32 [param0+0], %r2; .param .b32 retval0; call.uni (retval0), "
    "g, (param0, %rd1);\n"
    "ld.param.b32 %r5, [retval0+0]; }\nshfl.sync.bfly.b32 %r6|%p3, %r5, 1, 31, -1; mov.b64 %rd2, "
    "{%r5, %r6};\n"
    "T: .branchtargets LOOP, DONE; @%p2 brx.idx %r6, T; bra.uni LOOP;\nDONE: ret; }\n";

/* One random change of the text: a byte, a deletion, a copy, or an end. Returns the new length. */
static size_t damage(char *text, size_t length) {
    static const char bytes[] = "{}[]().,;:@!%|<>-+*019x\"/_ \n";
    size_t at = next_random() % length, other = next_random() % length, n = next_random() % 16;
    switch (next_random() % 5) {
    case 0: text[at] = (char)next_random(); return length;
    case 1: text[at] = bytes[next_random() % (sizeof bytes - 1)]; return length;
    case 2:
        if (at + n > length) n = length - at;
        memmove(text + at, text + at + n, length - at - n);
        return length - n ? length - n : 1;
    case 3:
        if (at + n <= length && other + n <= length) memmove(text + at, text + other, n);
        return length;
    default: return next_random() % 4 ? length : at + 1;
    }
}

TEST(survives_damaged_text) {
    int parsed = 0;
    for (int i = 0; i < 5000; i++) {
        size_t length = sizeof sample - 1;
        char *text = malloc(length);
        memcpy(text, sample, length);
        for (uint64_t n = next_random() % 6; n-- > 0;) length = damage(text, length);
        text = realloc(text, length); /* so that a sanitizer sees reads beyond the end */
        struct ptx_module *module = ptx_parse(text, length, error, sizeof error);
        free(text);
        if (!module) {
            assert_memory_equal(error, "line ", 5);
            continue;
        }
        ptx_analyse(module);
        ptx_free(module);
        parsed++;
    }
    assert_in_range(parsed, 1000, 5000); /* the undamaged ones at least */
}
