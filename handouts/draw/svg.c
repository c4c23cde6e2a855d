#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/outfile.h"

enum { TEXT_LIMIT = 256 };

static struct outfile out;

static void stop(const char *path) {
    fprintf(stderr, "pictures: %s: %s\n", path, strerror(errno));
    exit(1);
}

void svg_open(const char *dir, const char *name, double width, double height, const char *title) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.svg", dir, name);
    if (!outfile_open(&out, path)) stop(path);
    fprintf(out.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
            "height=\"%g\" role=\"img\" "
            "font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n<title>%s</title>\n",
            width, height, width, height, title);
    svg_rect(0, 0, width, height, 8, WHITE, NONE);
}

void svg_close(void) {
    fputs("</svg>\n", out.file);
    if (!outfile_commit(&out)) stop(out.path);
}

static void put_escaped(const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out.file); break;
        case '>': fputs("&gt;", out.file); break;
        case '&': fputs("&amp;", out.file); break;
        default: putc(*text, out.file);
        }
    }
}

static void put_text(double x, double y, double size, enum svg_anchor anchor, const char *color,
                     const char *style, const char *format, va_list args) {
    static const char *const ANCHORS[] = {"start", "middle", "end"};
    char text[TEXT_LIMIT];
    vsnprintf(text, sizeof text, format, args);
    fprintf(out.file, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%s\"%s>",
            x, y, size, ANCHORS[anchor], color, style);
    put_escaped(text);
    fputs("</text>\n", out.file);
}

void svg_text(double x, double y, double size, enum svg_anchor anchor, const char *color,
              const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_text(x, y, size, anchor, color, "", format, args);
    va_end(args);
}

void svg_bold(double x, double y, double size, enum svg_anchor anchor, const char *color,
              const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_text(x, y, size, anchor, color, " font-weight=\"bold\"", format, args);
    va_end(args);
}

void svg_code(double x, double y, double size, enum svg_anchor anchor, const char *color,
              const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_text(x, y, size, anchor, color,
             " font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\"", format, args);
    va_end(args);
}

static void put_rect(double x, double y, double width, double height, double radius,
                     const char *fill, const char *stroke, const char *dash) {
    fprintf(out.file,
            "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\" fill=\"%s\" "
            "stroke=\"%s\"%s/>\n",
            x, y, width, height, radius, fill, stroke, dash);
}

void svg_rect(double x, double y, double width, double height, double radius, const char *fill,
              const char *stroke) {
    put_rect(x, y, width, height, radius, fill, stroke, "");
}

void svg_dashed(double x, double y, double width, double height, double radius,
                const char *stroke) {
    put_rect(x, y, width, height, radius, NONE, stroke, " stroke-dasharray=\"4 3\"");
}

void svg_circle(double x, double y, double radius, const char *fill, const char *stroke) {
    fprintf(out.file, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%s\" stroke=\"%s\"/>\n", x, y,
            radius, fill, stroke);
}

void svg_line(double x1, double y1, double x2, double y2, const char *stroke, double width) {
    fprintf(out.file,
            "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-width=\"%g\"/>\n",
            x1, y1, x2, y2, stroke, width);
}

void svg_arrow(double x1, double y1, double x2, double y2, const char *stroke, double width) {
    enum { HEAD = 7 }; /* its length; half as wide */
    double length = hypot(x2 - x1, y2 - y1), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    double bx = x2 - HEAD * dx, by = y2 - HEAD * dy;
    svg_line(x1, y1, bx, by, stroke, width);
    fprintf(out.file, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"%s\"/>\n", x2, y2,
            bx - dy * HEAD / 2, by + dx * HEAD / 2, bx + dy * HEAD / 2, by - dx * HEAD / 2, stroke);
}
