/* test_guard.c: what a student's region may hold, and what not. Each thing that is refused is here once at least, with
 * the words that say why, and beside it what looks like it and must be allowed. */
#include "grade/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST_LINE = 10, REASON = 256 };

/* Each of the texts, which end with NULL, is refused with the words. */
static void refuses(const char *words, const char *const *texts) {
    for (; *texts != NULL; texts++) {
        char reason[REASON] = "";
        if (guard_allows(*texts, FIRST_LINE, reason, sizeof reason)) fail_msg("allowed: %s", *texts);
        if (strstr(reason, words) == NULL) fail_msg("`%s` is refused for `%s`, not `%s`", *texts, reason, words);
    }
}

static void allows(const char *const *texts) {
    for (; *texts != NULL; texts++) {
        char reason[REASON] = "";
        if (!guard_allows(*texts, FIRST_LINE, reason, sizeof reason)) fail_msg("`%s` is refused: %s", *texts, reason);
    }
}

#define REFUSES(words, ...) refuses(words, (const char *const[]){__VA_ARGS__, NULL})
#define ALLOWS(...)         allows((const char *const[]){__VA_ARGS__, NULL})

/* ---- The preprocessor ---- */

static void directives(void **state) {
    (void)state;
    REFUSES("a preprocessor directive", "#include \"/etc/passwd\"\n", "#define n 0\n", " \t#undef CHECK\n",
            "/* x */ #define n 0\n", "/* two\nlines */ #define n 0\n", "#line 1 \"other.cu\"\n", "#pragma once\n",
            "#pragma GCC optimize(\"O0\")\n", "#pragma unrolled\n", "#\n", "#if 0\n", "#pragma\n",
            "#pragma push_macro(\"n\")\n", "#pragma GCC unrolls\n", "#pragma unroll /* a\n comment */\n",
            "\f#define n 0\n");
    REFUSES("`_Pragma`", "_Pragma(\"once\")\n", "_Pragma(\"GCC poison n\")\n", "_Pragma\n", "_Pragma(unroll)\n");
    ALLOWS("#pragma unroll\nfor (;;) {}\n", "#pragma unroll 8\nfor (;;) {}\n", "#pragma unroll 8 // eight\n;\n",
           "  #  pragma unroll /* all */ // of it\n;\n", "UNROLL for (;;) {}\n", "#pragma unroll (4)\n;\n",
           "#pragma unroll TILE\n;\n", "#pragma unroll (TILE / 2)\n;\n", "#pragma nounroll\n;\n",
           "#pragma GCC unroll 4\n;\n", "_Pragma(\"unroll 4\") for (;;) {}\n", "_Pragma(\"nounroll\")\n;\n",
           "#pragma unroll 4 // not /* a comment\n;\n");
}

static void line_splices(void **state) {
    (void)state;
    REFUSES("a line continuation", "int x; \\\nint y;\n", "// a comment \\\n}\n", "// white space behind \\ \t\n}\n",
            "/* in here \\\n too */\n", "const char *s = \"a\\\nb\";\n", "#pragma unroll \\\n#define n 0\n",
            "as\\\nm(\"exit;\");\n");
    ALLOWS("char c = '\\n'; const char *s = \"\\\\ \\t\";\n", "// a \\ in the middle\n");
}

static void trigraphs_and_digraphs(void **state) {
    (void)state;
    REFUSES("a trigraph", "?\?=define n 0\n", "// comment ?\?/\n}\n", "x = \"?\?/\";\n", "int a?\?(2?\?);\n");
    REFUSES("a digraph", "%:define n 0\n", "%>\n", "<% %>\n", "int a<:2:>;\n", "a<::>;\n");
    ALLOWS("int x = n < 2 ? 1 : 0; x %= 3;\n", "bool b = n <0 || n> 1;\n", "puts(\"what?\");\n");
}

static void system_macros(void **state) {
    (void)state;
    REFUSES("a macro of the system's headers", "__END_DECLS\n", "_CG_END_NAMESPACE\n", "_GLIBCXX_END_EXTERN_C\n");
    ALLOWS("if (__CUDA_ARCH__ >= 800) n = 1;\n");
}

/* ---- Brackets, comments, strings ---- */

static void unbalanced_brackets(void **state) {
    (void)state;
    REFUSES("`}` closes what the region has not opened", "}\n", "{ } }\n", "} int main() {\n",
            "if (n) { } } void f() {\n");
    REFUSES("`)` closes what", ")\n");
    REFUSES("closes a `", "( ]\n", "{ ( }\n");
    REFUSES("is not closed within the region", "{\n", "out[0\n", "f(\n");
    ALLOWS("// }\n", "/* { ( */\n", "char c = '}', d = '\\'', e = '{';\n", "puts(\"}}}\\\"}\");\n",
           "int x = 1'000'000; { char c = '{'; }\n", "{ { } { } }\n");
}

static void nesting_is_bounded(void **state) {
    (void)state;
    char text[1000];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    REFUSES("brackets nested too deeply", text);
}

static void open_comments_and_strings(void **state) {
    (void)state;
    REFUSES("a comment that does not end", "/*\n", "out[0] = 1; /* until the next one\n", "/*/\n", "/* * /\n");
    REFUSES("a string or character that does not end", "const char *s = \"\n", "'\n", "\"\\\"\n");
    REFUSES("a raw string", "const char *s = R\"(})\";\n", "u8R\"x(})x\"\n", "LR\"(\n)\"\n");
    REFUSES("a backslash outside of a string", "int \\u0061sm;\n");
    ALLOWS("// /*\n", "const char *s = \"/*\";\n", "int R = 1; R = R;\n", "/**/\n");
}

static void hidden_letters(void **state) {
    (void)state;
    REFUSES("neither ASCII", "int \xC3\xA4 = 1;\n", "x\xE2\x80\x8B = 1;\n", "int a; \xEF\xBC\x9B\n");
    ALLOWS("// \xC3\xA4\n", "puts(\"\xC3\xA4\");\n");
}

/* ---- Names ---- */

/* What runs cannot reach what judges it, so a name may be any. */
static void names(void **state) {
    (void)state;
    ALLOWS("int most = 1, least = 2, device = 3, repeat = 4, diagonal = 5;\n", "float x, main, Lab;\n",
           "system(\"id\");\n", "auto f = system;\n", "out[0] = 0 not_eq system;\n", "std::sort(out, out + n);\n",
           "cudaDeviceSynchronize();\n", "given<<<1, 1, 0, cudaStreamFireAndForget>>>(out);\n",
           "given<<<1, 1, 0, cudaStreamTailLaunch>>>(out);\n", "namespace cg = cooperative_groups;\n",
           "auto block = cooperative_groups::this_thread_block(); block.sync();\n", "todoNote.line = 0;\n");
}

static void assembly(void **state) {
    (void)state;
    REFUSES("inline assembly", "asm(\"exit;\");\n", "__asm(\"\");\n", "__asm__ volatile(\"\");\n",
            "int f() asm(\"main\");\n", "as/**/m(\"\"); asm(\"\");\n");
    ALLOWS("int asmx = 1;\n");
}

static void specifiers_and_attributes(void **state) {
    (void)state;
    ALLOWS("[[maybe_unused]] int x = 1;\n", "switch (n) { case 1: n = 2; [[fallthrough]]; default: break; }\n",
           "extern __shared__ int tile[];\n", "extern /* of the launch */ __shared__ int tile[];\n",
           "__shared__ int tile[32];\n", "out[out[n]] = 1;\n", "__attribute__((aligned(16))) float x[4];\n",
           "struct Add { __device__ int operator()(int a, int b) const { return a + b; } };\n");
}

static void what_outlives_a_launch(void **state) {
    (void)state;
    REFUSES("a variable that outlives the launch", "static int kept;\n", "static const int *kept;\n",
            "static const int a = 1, *kept = 0;\n", "static struct S { S() { } } constructed;\n",
            "thread_local int kept;\n", "__thread int kept;\n", "__specialization_static int kept;\n",
            "struct S { static int kept; };\n", "struct S { mutable int kept; }; static constexpr S s{};\n");
    ALLOWS("static const int table[] = {1, 2};\n", "static constexpr int four = 4;\n",
           "static __shared__ int tile[32];\n", "constexpr int five = 5;\n", "static const int x = n * 2;\n");
}

/* ---- What students write ---- */

static void what_students_write(void **state) {
    (void)state;
    ALLOWS("", "\n\n", "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) out[i] = i;\n", "return;\n",
           "auto twice = [](int x) { return 2 * x; };\nout[0] = twice(n);\n",
           "auto f = [&]() -> int { return n; }; f();\n",
           "for (int i = 0; i < n; i++) {\n  if (i == 3) goto done;\n}\ndone:\nout[0] = 1;\n",
           "__syncthreads();\nint x = __shfl_down_sync(0xFFFFFFFF, n, 16);\natomicAdd(out, x);\n__syncwarp();\n",
           "float4 v = *reinterpret_cast<float4 *>(out);\nv.x += 1.5e-3f + .5f + 0x1p-3f;\n",
           "printf(\"%d %s\\n\", n, \"text\" \"of two\");\n", "struct Pair { int a, b; } p = {1, 2};\n",
           "template_ = 1 << n << 2 >> 1;\n", "do { n--; } while (n > 0);\nswitch (n) { case 1: break; default:; }\n",
           "int *p = new int[4]; delete[] p;\n", "using T = int; typedef T U; U u = sizeof(T);\n",
           "assert(n > 0);\n__threadfence();\n__launch_bounds__;\n");
}

static void the_line_is_the_students(void **state) {
    (void)state;
    char reason[REASON];
    assert_false(guard_allows("int x;\n\nasm(\"\");\n", FIRST_LINE, reason, sizeof reason));
    assert_string_equal(reason, "line 12: `asm`: inline assembly, which is read by another reader than this one");
    assert_false(guard_allows("{\n", FIRST_LINE, reason, sizeof reason));
    assert_string_equal(reason, "line 11: a `{` is not closed within the region");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directives),
        cmocka_unit_test(line_splices),
        cmocka_unit_test(trigraphs_and_digraphs),
        cmocka_unit_test(system_macros),
        cmocka_unit_test(unbalanced_brackets),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(open_comments_and_strings),
        cmocka_unit_test(hidden_letters),
        cmocka_unit_test(names),
        cmocka_unit_test(assembly),
        cmocka_unit_test(specifiers_and_attributes),
        cmocka_unit_test(what_outlives_a_launch),
        cmocka_unit_test(what_students_write),
        cmocka_unit_test(the_line_is_the_students),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
