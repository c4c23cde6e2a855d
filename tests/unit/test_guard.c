/* test_guard.c: what a student's region may hold, and what not. Each thing that is refused is here
 * once at least, with the words that say why, and beside it what looks like it and must be allowed.
 */
#include "guard/guard.h"
#include "unit.h"

enum { FIRST_LINE = 10, LINES = 20 };

static const char *given; /* NULL: a region; what is left of the program: helpers */

/* Judges what the preprocessor has left of a region. */
static bool judge(struct piece *piece, const char *left) {
    char text[LINES + 1];
    memset(text, '\n', LINES);
    text[LINES] = '\0';
    *piece = (struct piece){.name = "step", .text = text, .line = FIRST_LINE};
    const bool allowed = guard_allows(piece, left, "program", given);
    assert_int_equal(piece->refused, !allowed);
    return allowed;
}

/* Each of the texts, which end with NULL, is refused with the words. */
static void refuses(const char *words, const char *const *texts) {
    for (; *texts != NULL; texts++) {
        struct piece piece;
        if (judge(&piece, *texts)) fail_msg("allowed: %s", *texts);
        if (strstr(piece.reason, words) == NULL)
            fail_msg("`%s` is refused for `%s`, not `%s`", *texts, piece.reason, words);
    }
}

static void allows(const char *const *texts) {
    for (; *texts != NULL; texts++) {
        struct piece piece;
        if (!judge(&piece, *texts)) fail_msg("`%s` is refused: %s", *texts, piece.reason);
    }
}

#define REFUSES(words, ...) refuses(words, (const char *const[]){__VA_ARGS__, NULL})
#define ALLOWS(...)         allows((const char *const[]){__VA_ARGS__, NULL})

/* ---- The preprocessor ---- */

TEST(directives) {
    REFUSES("a pragma (only `#pragma unroll`", "#pragma once\n", "#pragma GCC optimize(\"O0\")\n",
            "#pragma unrolled\n", "#pragma push_macro(\"n\")\n", "#pragma nounroll \"//\" /*\n",
            "#pragma unroll \"4\"\n", "#pragma unroll 4 //\n", "#pragma unroll /\n",
            "#pragma GCC unroll 4\n", "#pragma\n", "#\n");
    ALLOWS("#pragma unroll\nfor (;;) {}\n", "#pragma unroll 8\nfor (;;) {}\n",
           "  #  pragma unroll TILE\n;\n", "#pragma unroll (4)\n;\n",
           "#pragma unroll (2 * TILE + 1)\n;\n");
}

TEST(lines) {
    REFUSES("`#include` or `#line`", "# 1 \"/usr/include/math.h\" 1 3 4\nint x;\n",
            "# 1 \"program.cu of the instructor\"\n",
            "# 1 \"========= ERROR SUMMARY: 0 errors\"\n");
    REFUSES("`#line`", "# 1 \"program.cu\"\n", "# 31 \"program.cu\"\n");
    ALLOWS("# 10 \"program.cu\"\nint x;\n", "# 30 \"program.cu\" 3 4\n");
}

TEST(trigraphs_and_digraphs) {
    REFUSES("a trigraph", "x = \"?\?/\";\n");
    REFUSES("a digraph", "%>\n", "<% %>\n", "int a<:2:>;\n", "a<::>;\n");
    ALLOWS("int x = n < 2 ? 1 : 0; x %= 3;\n", "bool b = n <0 || n> 1;\n", "puts(\"what?\");\n");
}

/* ---- Brackets, comments, strings ---- */

TEST(unbalanced_brackets) {
    REFUSES("`}` closes what the region has not opened", "}\n", "{ } }\n", "} int main() {\n",
            "if (n) { } } void f() {\n");
    REFUSES("`)` closes what", ")\n");
    REFUSES("closes a `", "( ]\n", "{ ( }\n");
    REFUSES("is not closed within the region", "{\n", "out[0\n", "f(\n");
    ALLOWS("// }\n", "/* { ( */\n", "char c = '}', d = '\\'', e = '{';\n", "puts(\"}}}\\\"}\");\n",
           "int x = 1'000'000; { char c = '{'; }\n", "{ { } { } }\n");
}

TEST(nesting_is_bounded) {
    char text[1000];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    REFUSES("brackets nested too deeply", text);
}

TEST(open_comments_and_strings) {
    REFUSES("a comment that does not end", "/*\n", "out[0] = 1; /* until the next one\n", "/*/\n",
            "/* * /\n");
    REFUSES("a string or character that does not end", "const char *s = \"\n", "'\n", "\"\\\"\n");
    REFUSES("a raw string", "const char *s = R\"(})\";\n", "u8R\"x(})x\"\n", "LR\"(\n)\"\n");
    REFUSES("a backslash outside of a string", "int \\u0061sm;\n");
    ALLOWS("// /*\n", "const char *s = \"/*\";\n", "int R = 1; R = R;\n", "/**/\n");
}

TEST(hidden_letters) {
    REFUSES("a character that is no text", "int \x01 = 1;\n");
    ALLOWS("int \xC3\xA4 = 1;\n", "int \\u00e4, \\U000000e4, Gr\\U000000f6;\n",
           "puts(\"\xC3\xA4\");\n");
}

/* ---- Names ---- */

/* What runs cannot reach what judges it, so a name may be any. */
TEST(names) {
    ALLOWS("int most = 1, least = 2, device = 3, repeat = 4, diagonal = 5;\n",
           "float x, main, Lab;\n", "system(\"id\");\n", "auto f = system;\n",
           "out[0] = 0 not_eq system;\n", "std::sort(out, out + n);\n",
           "cudaDeviceSynchronize();\n", "given<<<1, 1, 0, cudaStreamFireAndForget>>>(out);\n",
           "given<<<1, 1, 0, cudaStreamTailLaunch>>>(out);\n",
           "namespace cg = cooperative_groups;\n",
           "auto block = cooperative_groups::this_thread_block(); block.sync();\n",
           "todoNote.line = 0;\n");
}

TEST(assembly) {
    REFUSES("inline assembly", "asm(\"exit;\");\n", "__asm(\"\");\n", "__asm__ volatile(\"\");\n",
            "int f() asm(\"main\");\n", "asm(\"mov.u32 %0, %%laneid; exit;\" : \"=r\"(x));\n",
            "asm(\"mov.u32 %0, kept;\" : \"=r\"(x));\n",
            "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x) : \"r\"(y));\n");
    ALLOWS("int asmx = 1;\n", "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n",
           "asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(sm));\n");
}

TEST(specifiers_and_attributes) {
    ALLOWS("[[maybe_unused]] int x = 1;\n",
           "switch (n) { case 1: n = 2; [[fallthrough]]; default: break; }\n",
           "extern __shared__ int tile[];\n", "extern /* of the launch */ __shared__ int tile[];\n",
           "__shared__ int tile[32];\n", "out[out[n]] = 1;\n",
           "__attribute__((aligned(16))) float x[4];\n",
           "struct Add { __device__ int operator()(int a, int b) const { return a + b; } };\n");
}

#define SHARED "__attribute__((shared))"

TEST(what_outlives_a_launch) {
    REFUSES("a variable that outlives the launch", "static int kept;\n",
            "static const int *kept;\n", "static const int a = 1, *kept = 0;\n",
            "static struct S { S() { } } constructed;\n", "thread_local int kept;\n",
            "__thread int kept;\n", "__specialization_static int kept;\n",
            "struct S { static int kept; };\n",
            "struct S { mutable int kept; }; static constexpr S s{};\n",
            "struct S { alignas(4) mutable int kept; }; static const S s{};\n",
            "static int (kept){0};\n", "static int (*kept)(int) {0};\n",
            "static struct __attribute__((x)) S { } kept;\n",
            "static auto kept = [](int x) { return x; };\n",
            "static int kept __attribute__((aligned(4)));\n");
    ALLOWS("static const int table[] = {1, 2};\n", "static constexpr int four = 4;\n",
           "constexpr static int four = 4;\n", "const static int x = n * 2;\n",
           "static " SHARED " int tile[32];\n", SHARED " static int tile[32];\n",
           "constexpr int five = 5;\n", "static const int x = n * 2;\n",
           "auto next = [n]() mutable { return n++; };\n",
           "auto next = [n]() mutable -> int { return n++; };\n",
           "struct S { mutable int x; } s;\n", "struct S { static int f(int x) { return x; } };\n");
}

/* ---- What students write ---- */

TEST(what_students_write) {
    ALLOWS("", "\n\n", "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) out[i] = i;\n",
           "return;\n", "auto twice = [](int x) { return 2 * x; };\nout[0] = twice(n);\n",
           "auto f = [&]() -> int { return n; }; f();\n",
           "for (int i = 0; i < n; i++) {\n  if (i == 3) goto done;\n}\ndone:\nout[0] = 1;\n",
           "__syncthreads();\nint x = __shfl_down_sync(0xFFFFFFFF, n, 16);\natomicAdd(out, "
           "x);\n__syncwarp();\n",
           "float4 v = *reinterpret_cast<float4 *>(out);\nv.x += 1.5e-3f + .5f + 0x1p-3f;\n",
           "printf(\"%d %s\\n\", n, \"text\" \"of two\");\n",
           "struct Pair { int a, b; } p = {1, 2};\n", "template_ = 1 << n << 2 >> 1;\n",
           "do { n--; } while (n > 0);\nswitch (n) { case 1: break; default:; }\n",
           "int *p = new int[4]; delete[] p;\n", "using T = int; typedef T U; U u = sizeof(T);\n",
           "assert(n > 0);\n__threadfence();\n__launch_bounds__;\n");
}

TEST(the_line_is_the_students) {
    struct piece piece;
    assert_false(judge(&piece, "int x;\n\n{\n"));
    assert_string_equal(piece.reason, "line 13: a `{` is not closed within the region");
    assert_false(judge(&piece, "int x;\n# 20 \"program.cu\" 3\nint y;\n}\n"));
    assert_string_equal(piece.reason, "line 21: `}` closes what the region has not opened");
}

/* ---- The program around the regions ---- */

/* What the script writes of a program with two regions: their texts and what comes after them,
 * without and with them.
 */
static enum guard_verdict judge_program(struct piece pieces[3], const char *given,
                                        const char *first, const char *between,
                                        const char *second) {
    char left[1000];
    snprintf(
        left, sizeof left,
        "struct Mb0;\nstruct Me0;\n# 5 \"x\"\n%s\nstruct Mb1;\nstruct Me1;\nend\nstruct Mz2;\n\nM\n"
        "struct Mb0;\n%s\nstruct Me0;\n%s\nstruct Mb1;\n%s\nstruct Me1;\nend\nstruct Mz2;\n",
        given, first, between, second);
    pieces[0] = (struct piece){.name = "one", .text = "\n", .line = 1};
    pieces[1] = (struct piece){.name = "two", .text = "\n", .line = 5};
    pieces[2] = (struct piece){.name = NULL};
    return guard_judge(pieces, 2, left, "program", "M");
}

TEST(the_program_around_the_regions) {
    struct piece pieces[3];
    assert_int_equal(judge_program(pieces, "int  n;", "f();", "\n# 7 \"y\"\nint n;", "g();"),
                     GUARD_ALLOWS);
    assert_int_equal(judge_program(pieces, "int n;", "f();", "int m;", "g();"), GUARD_OUTSIDE);
    assert_int_equal(judge_program(pieces, "int n;", "f();", "int n;", "}"), GUARD_REFUSES);
    assert_false(pieces[0].refused);
    assert_true(pieces[1].refused);
    assert_int_equal(judge_program(pieces, "int n;", "{ struct Me0;", "int n;", "g();"),
                     GUARD_REFUSES);
    assert_true(pieces[0].refused);
    assert_int_equal(
        judge_program(pieces, "int n;", "struct Me0;\nstruct Mb1;\nstruct Me1;", "int n;", "g();"),
        GUARD_OUTSIDE);
    assert_int_equal(guard_judge(pieces, 2, "", "program", "M"), GUARD_INCOMPLETE);
}

/* ---- Helpers ---- */

#define DEVICE "__attribute__((device)) "

TEST(helpers) {
    given = "int sumOf(int x) { return x; } struct Quad { int x; };\n";
    ALLOWS(DEVICE "int twice(int x) { return 2 * x; }\n", "constexpr int WIDE = 16;\n",
           DEVICE "const int TABLE[] = {1, 2};\n", "struct Pair { int a, b; };\n", "struct Pair;\n",
           "enum class Side : unsigned { LEFT };\n", "enum { ONE = 1 };\n",
           "template <class T> " DEVICE "T most(T a, T b) { return a < b ? b : a; }\n",
           "template <class T> struct Both : Pair { T c; };\n", "typedef float Real;\n",
           "using Word = unsigned int;\n", "static_assert(sizeof(int) == 4, \"an int\");\n",
           "static inline int f(Quad q) { return q.x; }\n", ";\n",
           DEVICE "__inline__ __attribute__((always_inline)) int f(int x) { return x; }\n",
           "int f(int x) { return x; } int g(int x) { return f(x); }\n");
    REFUSES("a variable that outlives the launch", DEVICE "int kept;\n", "int kept = 0;\n",
            DEVICE "int kept{0};\n", "__attribute__((constant)) float table[4];\n",
            "const int *kept;\n", "struct Pair { int a; } kept;\n", "struct Pair kept{0};\n",
            "struct Pair kept;\n", "static int kept;\n", "inline int kept;\n",
            "template <class T> T kept;\n", "int Pair::kept = 0;\n",
            "int f() { static int kept; return kept++; }\n", "int f() { return 0; } int kept;\n");
    REFUSES("the program has this name", DEVICE "float sumOf(float x) { return x; }\n",
            "struct Quad { int y; };\n", "template <class T> struct Quad { T y; };\n",
            "int f() { return 0; } int sumOf() { return 0; }\n",
            DEVICE "float sumOf [[gnu::pure]] (float x) { return x; }\n",
            DEVICE "float sumOf __attribute__((pure)) (float x) { return x; }\n");
    REFUSES("write the name without brackets", DEVICE "float(sumOf)(float x) { return x; }\n");
    REFUSES("may change", "extern int kept;\n", "extern \"C\" { int kept; }\n",
            "namespace std { int f() { return 0; } }\n", "using namespace std;\n",
            DEVICE "Pair operator+(Pair a, Pair b) { return a; }\n",
            "template <> int most(int a, int b) { return a; }\n", "template int most(int, int);\n");
    REFUSES("a kernel of your own", "__attribute__((global)) void own() {}\n");
    given = NULL;
}
