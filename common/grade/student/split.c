#include "split.h"

#include "guard/lex.h"
#include "lib/die.h"

#include <string.h>

bool split_any(const struct source *source, bool on_host) {
    bool any = false;
    for (size_t i = 0; i < source->regions_n; i++)
        any = any || source_on_host(source, &source->regions[i]) == on_host;
    return any;
}

/* ---- The judge ---- */

/* Writes the function's parameter names, each after ", ". brackets: the head's text from the ( on.
 */
static void put_parameters(FILE *out, const char *brackets) {
    struct lexer lexer = {brackets, false};
    struct token last = {0};
    int depth = 0;
    for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
        depth += token_is(&t, "(") - token_is(&t, ")");
        bool after = depth == 0 || (depth == 1 && token_is(&t, ","));
        if (after && last.kind == TOKEN_NAME) fprintf(out, ", %.*s", (int)last.length, last.start);
        if (depth == 0) return;
        last = t;
    }
}

/* Reads the function's head, and returns its text after the function's name. NULL: the region's
 * name is not the function's. */
static char *read_head(const struct source *source, const struct region *region, char *text,
                       size_t size) {
    FILE *out = fmemopen(text, size, "w");
    if (out == NULL) return NULL;
    for (size_t i = source_head(source, region); i < region->begin; i++)
        if (strncmp(source->lines[i], " *", 2) != 0 && strncmp(source->lines[i], "/*", 2) != 0)
            fprintf(out, "%s\n", source->lines[i]);
    fclose(out);
    char name[SOURCE_NAME_SIZE + 1];
    snprintf(name, sizeof name, "%s(", region->name);
    char *found = strstr(text, name);
    return found != NULL ? found + strlen(region->name) : NULL;
}

static bool put_asking(FILE *out, const struct source *source, size_t i) {
    const struct region *region = &source->regions[i];
    char text[4096];
    const char *brackets = read_head(source, region, text, sizeof text);
    if (brackets == NULL)
        return fail_with("%s:%zu: no function %s above its region", source->path, region->begin + 1,
                         region->name);
    fprintf(out, "    return studentAsk(%s, %zu, \"%s\", &hostTodoNote.line", region->name, i,
            region->name);
    put_parameters(out, brackets);
    fprintf(out, ");\n");
    return true;
}

/* Calls put for each kernel of the program, except templates. */
static void each_kernel(FILE *out, const struct source *source,
                        void (*put)(FILE *, const struct token *)) {
    for (size_t i = 0; i < source->lines_n; i++) {
        if (line_after(source->lines[i], "__global__ ") == NULL) continue;
        if (i > 0 && strncmp(source->lines[i - 1], "template", 8) == 0) continue;
        struct lexer lexer = {source->lines[i], true};
        struct token last = {0};
        int depth = 0;
        for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
            bool opens = token_is(&t, "(");
            if (opens && depth == 0 && last.kind == TOKEN_NAME &&
                !token_is(&last, "__launch_bounds__")) {
                put(out, &last);
                break;
            }
            depth += opens - token_is(&t, ")");
            last = t;
        }
    }
}

static void put_judges_kernel(FILE *out, const struct token *name) {
    fprintf(out, "(const void *)%.*s, ", (int)name->length, name->start);
}

bool split_put_judge(FILE *out, const struct source *source) {
    size_t line = 0;
    if (split_any(source, true)) fprintf(out, "#include \"grade/student/judge.h\"\n#line 1\n");
    for (size_t i = 0; i < source->regions_n; i++) {
        const struct region *region = &source->regions[i];
        for (; line <= region->begin; line++) fprintf(out, "%s\n", source->lines[line]);
        bool put = source_on_host(source, region) ? put_asking(out, source, i)
                                                  : source_put_todo(out, source, region);
        if (!put) return false;
        line = region->end;
    }
    for (; line < source->lines_n; line++) fprintf(out, "%s\n", source->lines[line]);
    if (!split_any(source, true)) return true;
    fprintf(out, "\nextern const void *const studentKernels[] = {");
    each_kernel(out, source, put_judges_kernel);
    fprintf(out, "NULL};\nextern const uint32_t studentKernelsN = sizeof studentKernels / sizeof "
                 "*studentKernels - 1;\n");
    return true;
}

/* ---- The student's program ---- */

static void put_students_kernel(FILE *out, const struct token *name) {
    fprintf(out, "studentKernel(%.*s), ", (int)name->length, name->start);
}

void split_put_student(FILE *out, const struct source *source) {
    fprintf(out, "#line 1 \"the grader\"\n#include \"grade/student/student.h\"\n");
    fprintf(out, "extern const struct student_kernel student_kernels[] = {");
    each_kernel(out, source, put_students_kernel);
    fprintf(out, "{NULL, 0, {}}};\n");
    fprintf(out, "extern const uint32_t student_kernels_n = sizeof student_kernels / sizeof "
                 "*student_kernels - 1;\n");
    fprintf(out, "void student_do(struct turn *turn) {\n    switch (turn->step) {\n");
    for (size_t i = 0; i < source->regions_n; i++) {
        const struct region *region = &source->regions[i];
        if (source_on_host(source, region))
            fprintf(out, "    case %zu: studentCall(%s, turn); break;\n", i, region->name);
    }
    fprintf(out, "    }\n}\n");
}
