/* svg.h: the shapes of the handouts' pictures, as SVG. A picture is a file; one picture is open at
 * a time. Lengths are SVG units, or pixels; y grows downwards. */
#pragma once

#include <stdbool.h>

/* The pictures' colours: those of the plots. Blue works, orange has just been written, grey is idle
 * or used. */
#define BLUE     "#0072B2"
#define PALEBLUE "#D6E8F3"
#define ORANGE   "#E69F00"
#define CREAM    "#FCEBC8"
#define RED      "#D55E00"
#define INK      "#202428"
#define QUIET    "#6A7178"
#define RULE     "#C4C8CC"
#define PALE     "#F1F3F5"
#define WHITE    "#FFFFFF"
#define NONE     "none"

enum svg_anchor { LEFT, MIDDLE, RIGHT };

/* Starts DIR/NAME.svg with a white page of this size. Screen readers say the title. Ends the
 * program with a message if the file cannot be written. */
void svg_open(const char *dir, const char *name, double width, double height, const char *title);
/* Finishes the picture and gives the file its name. */
void svg_close(void);

/* Text with its baseline at y. Markup characters are escaped. */
void svg_text(double x, double y, double size, enum svg_anchor anchor, const char *color,
              const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same in bold, and in a fixed-width font. */
void svg_bold(double x, double y, double size, enum svg_anchor anchor, const char *color,
              const char *format, ...) __attribute__((format(printf, 6, 7)));
void svg_code(double x, double y, double size, enum svg_anchor anchor, const char *color,
              const char *format, ...) __attribute__((format(printf, 6, 7)));

void svg_rect(double x, double y, double width, double height, double radius, const char *fill,
              const char *stroke);
/* The same with a dashed outline. */
void svg_dashed(double x, double y, double width, double height, double radius, const char *stroke);
void svg_circle(double x, double y, double radius, const char *fill, const char *stroke);
void svg_line(double x1, double y1, double x2, double y2, const char *stroke, double width);
/* A line with a head at its second end. */
void svg_arrow(double x1, double y1, double x2, double y2, const char *stroke, double width);
