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

static const char PROGRAM[] = "#include \"common.h\"\n"
                              "__device__ int sumOfWarp(int x) { return x; }\n"
                              "__global__ void given(int *out) { *out = 1; }\n"
                              "__global__ void mine(int *out, int n) {\n"
                              "    // BEGIN SOLUTION mine\n"
                              "    // TODO(\"Do it.\", \"handouts/lab99.md\");\n"
                              "    out[0] = n;\n"
                              "    // END SOLUTION\n"
                              "}\n"
                              "static void launches(int *out) {\n"
                              "    // BEGIN SOLUTION launches\n"
                              "    // TODO(\"Launch it.\", \"handouts/lab99.md\");\n"
                              "    given<<<1, 1>>>(out);\n"
                              "    CHECK(cudaDeviceSynchronize());\n"
                              "    // END SOLUTION\n"
                              "}\n"
                              "static int checkAll(const int *out) { return out[0]; }\n"
                              "int main(int argc, char **argv) { return argc; }\n";

static const char HEADER[] = "#define CHECK(call) \\\n    do { call; } while (0)\n"
                             "#define POISON_BYTE 0xFF\n"
                             "class Lab {\n  public:\n    int size() const;\n};\n"
                             "static int todoCount;\n"
                             "static inline void tellGrader(int channel, const char *row) { (void)channel; }\n"
                             "template <class T> T *hostArray(unsigned long n);\n";

static struct source solution;
static struct guard guard;

static int make_guard(void **state) {
    (void)state;
    char error[256];
    const char *const headers[] = {HEADER};
    if (!source_parse(&solution, PROGRAM, "lab.cu", error, sizeof error)) return -1;
    guard = guard_make(&solution, headers, 1);
    return 0;
}

static int free_guard(void **state) {
    (void)state;
    guard_free(&guard);
    source_free(&solution);
    return 0;
}

enum { FIRST_LINE = 10, REASON = 256 };

/* Texts of the region, each refused with the words; ends with NULL. */
static void refuses_in(const char *region, const char *words, const char *const *texts) {
    for (; *texts != NULL; texts++) {
        char reason[REASON] = "";
        if (guard_allows(&guard, region, *texts, FIRST_LINE, reason, sizeof reason)) fail_msg("allowed: %s", *texts);
        if (strstr(reason, words) == NULL) fail_msg("`%s` is refused for `%s`, not `%s`", *texts, reason, words);
    }
}

#define REFUSES(words, ...)      refuses_in("mine", words, (const char *const[]){__VA_ARGS__, NULL})
#define REFUSES_HOST(words, ...) refuses_in("launches", words, (const char *const[]){__VA_ARGS__, NULL})

static void allows_in(const char *region, const char *const *texts) {
    for (; *texts != NULL; texts++) {
        char reason[REASON] = "";
        if (!guard_allows(&guard, region, *texts, FIRST_LINE, reason, sizeof reason))
            fail_msg("`%s` is refused: %s", *texts, reason);
    }
}

#define ALLOWS(...)      allows_in("mine", (const char *const[]){__VA_ARGS__, NULL})
#define ALLOWS_HOST(...) allows_in("launches", (const char *const[]){__VA_ARGS__, NULL})

/* ---- The preprocessor ---- */

static void directives(void **state) {
    (void)state;
    REFUSES("a preprocessor directive", "#include \"/etc/passwd\"\n", "#define n 0\n", " \t#undef CHECK\n",
            "/* x */ #define n 0\n", "/* two\nlines */ #define n 0\n", "#line 1 \"other.cu\"\n", "#pragma once\n",
            "#pragma GCC optimize(\"O0\")\n", "#pragma unroll 4 evil\n", "#pragma unrolled\n", "#\n", "#if 0\n",
            "#pragma unroll /* a\n comment */\n", "\f#define n 0\n");
    REFUSES("`_Pragma`", "_Pragma(\"once\")\n");
    REFUSES("`__pragma`", "__pragma(once)\n");
    ALLOWS("#pragma unroll\nfor (;;) {}\n", "#pragma unroll 8\nfor (;;) {}\n", "#pragma unroll 8 // eight\n;\n",
           "  #  pragma unroll /* all */ // of it\n;\n", "UNROLL for (;;) {}\n");
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
    REFUSES("a macro of the system's headers", "__END_DECLS\n", "int x = __COUNTER__;\n", "const char *p = __FILE__;\n",
            "_Static_assert(1, \"\");\n");
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

static void names_of_the_harness(void **state) {
    (void)state;
    REFUSES("belongs to the harness or to another step", "tellGrader(3, \"ok\");\n", "int x = todoCount;\n",
            "CHECK(0);\n", "Lab *lab;\n", "checkAll(out);\n", "main(0, 0);\n", "hostArray<int>(n);\n",
            "int x = POISON_BYTE;\n", "auto f = &main;\n", "void tellGrader(int, const char *);\n",
            "using T = decltype(checkAll);\n", "::main(0, 0);\n");
    REFUSES("`given` belongs", "given(out);\n", "auto k = given;\n", "struct A { void f() { given(0); } };\n");
    ALLOWS("out[0] = sumOfWarp(n);\n", "int lab = n;\n", "int mains = 1, xCHECK = 2;\n", "/* CHECK(main) */\n",
           "puts(\"tellGrader\");\n");
    ALLOWS_HOST("given<<<2, 3>>>(out);\nCHECK(cudaDeviceSynchronize());\n", "CHECK(cudaDeviceSynchronize());\n");
}

static void words_as_variables(void **state) {
    (void)state;
    ALLOWS("int read = 1; out[0] = read;\n", "for (int write = 0; write < n; write++) out[write] = write;\n",
           "for (int read = 0; read < n; read++) { out[read] = 1; out[0] += read; }\n",
           "int checkAll = 2; n = checkAll;\n",
           "struct P { int read; int write; }; P p; p.read = 1; (&p)->write = 2;\n",
           "auto f = [](int link) { return link; };\n", "unsigned int open{1}; open += 2;\n");
    REFUSES("`write`: a call that reads or writes files", "int write = 0; (void)::write;\n",
            "{ int write = 0; } auto p = write;\n", "for (int write = 0; write < 1; write++) { } auto p = write;\n",
            "for (int write = 0; write < 1; write++) out[0] = 1; auto p = write;\n",
            "__extension__ write; auto p = write;\n", "sizeof write; auto p = write;\n",
            "__alignof__ write; auto p = write;\n", "int write = 0; write(3, \"\", 1);\n",
            "auto p = [](int write) { return write; }; auto q = write;\n", "auto p = true ? write : 0;\n",
            "struct P { int write; }; auto p = write;\n");
    REFUSES("`checkAll` belongs", "{ int checkAll = 1; } auto p = checkAll;\n", "int checkAll = 1; (void)::checkAll;\n",
            "int x; x.checkAll();\n");
}

static void assembly(void **state) {
    (void)state;
    REFUSES("inline assembly", "asm(\"exit;\");\n", "__asm(\"\");\n", "__asm__ volatile(\"\");\n",
            "int f() asm(\"main\");\n", "as/**/m(\"\"); asm(\"\");\n");
    ALLOWS("int asmx = 1;\n");
}

static void specifiers_and_attributes(void **state) {
    (void)state;
    REFUSES("a word that changes what is built", "extern \"C\" void exit(int);\n", "extern int todo;\n",
            "__attribute__((constructor)) void f();\n", "__device__ int kept;\n", "__host__ int f();\n",
            "__constant__ int c;\n", "__global__ void k();\n", "__managed__ int m;\n", "using namespace x;\n",
            "namespace x = y;\n", "int x __annotate__(section(\"x\"));\n", "__location__(device) int kept;\n");
    REFUSES("an attribute", "[[gnu::constructor]] void f();\n", "[[using gnu: alias(\"main\")]] int f();\n",
            "[ [gnu::section(\"x\")]] int x;\n", "[[]] int x;\n", "[[maybe_unused, gnu::used]] int x;\n");
    ALLOWS("[[maybe_unused]] int x = 1;\n", "switch (n) { case 1: n = 2; [[fallthrough]]; default: break; }\n",
           "extern __shared__ int tile[];\n", "extern /* of the launch */ __shared__ int tile[];\n",
           "__shared__ int tile[32];\n", "out[out[n]] = 1;\n");
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

static void processes_and_files(void **state) {
    (void)state;
    REFUSES_HOST("processes", "system(\"id\");\n", "std_system(); fork();\n", "execve(\"/bin/sh\", 0, 0);\n",
                 "exit(0);\n", "_exit(0);\n", "quick_exit(0);\n", "abort();\n", "kill(0, 9);\n", "auto f = system;\n",
                 "int (*f)(const char *) = &system;\n", "pthread_create(0, 0, 0, 0);\n", "dlopen(0, 1);\n",
                 "syscall(60);\n", "longjmp(0, 1);\n", "getenv(\"HOME\");\n", "mmap(0, 1, 3, 2, -1, 0);\n",
                 "__builtin_frame_address(0);\n", "__libc_system(\"id\");\n", "raise(9);\n");
    REFUSES_HOST("files or sockets", "fopen(\"x\", \"w\");\n", "open(\"x\", 0);\n", "write(3, \"\", 1);\n",
                 "read(3, out, 4);\n", "send(3, out, 4, 0);\n", "socket(1, 1, 0);\n", "dup2(1, 3);\n",
                 "unlink(\"x\");\n", "fprintf(stdout, \"x\");\n", "ofstream f;\n", "dprintf(3, \"\");\n",
                 "pipe2(0, 0);\n", "__write(3, 0, 0);\n", "memfd_create(\"x\", 0);\n", "sendmsg(3, 0, 0);\n");
}

static void libraries_and_the_runtime(void **state) {
    (void)state;
    REFUSES("a library that would do the work", "thrust::reduce(out, out + n);\n", "cub::WarpReduce<int> w;\n",
            "std::sort(out, out + n);\n", "cublasSgemm_v2();\n", "::std::exit(0);\n");
    REFUSES("a call of the CUDA runtime", "cudaMalloc(&out, 1);\n", "cudaMemcpy(out, out, 1, cudaMemcpyDefault);\n",
            "cudaLaunchKernel(0);\n");
    REFUSES_HOST("a call of the CUDA runtime", "cudaDeviceReset();\n");
    REFUSES("this step launches no kernel", "sumOfWarp<<<1, 1>>>(n);\n");
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
    assert_false(guard_allows(&guard, "mine", "int x;\n\nasm(\"\");\n", FIRST_LINE, reason, sizeof reason));
    assert_string_equal(reason, "line 12: `asm`: inline assembly");
    assert_false(guard_allows(&guard, "mine", "{\n", FIRST_LINE, reason, sizeof reason));
    assert_string_equal(reason, "line 11: a `{` is not closed within the region");
}

/* A region that the solution does not have is allowed nothing of the solution's. */
static void other_regions(void **state) {
    (void)state;
    refuses_in("unknown", "CUDA runtime", (const char *const[]){"cudaDeviceSynchronize();\n", NULL});
    REFUSES("a call of the CUDA runtime", "cudaDeviceSynchronize();\n");
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
        cmocka_unit_test(names_of_the_harness),
        cmocka_unit_test(words_as_variables),
        cmocka_unit_test(assembly),
        cmocka_unit_test(specifiers_and_attributes),
        cmocka_unit_test(what_outlives_a_launch),
        cmocka_unit_test(processes_and_files),
        cmocka_unit_test(libraries_and_the_runtime),
        cmocka_unit_test(what_students_write),
        cmocka_unit_test(the_line_is_the_students),
        cmocka_unit_test(other_regions),
    };
    return cmocka_run_group_tests(tests, make_guard, free_guard);
}
