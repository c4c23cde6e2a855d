/* extra/images/exec/cube.h: faces of cube maps: which one a direction meets, and what lies beyond a
 * face's edge. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A face: the axis that it is across, that one's sign, and the axes and signs of its columns and
 * rows (CUDA C++ Programming Guide, "Cubemap Textures"). */
static const struct cube_face {
    int8_t axis, sign, column, column_sign, row, row_sign;
} cube_faces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
                   {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};

/* The face that a direction meets; of equal components z counts before y, and y before x. */
static inline int cube_face(const float direction[3]) {
    int axis = 2;
    if (fabsf(direction[1]) > fabsf(direction[axis])) axis = 1;
    if (fabsf(direction[0]) > fabsf(direction[axis])) axis = 0;
    return 2 * axis + (signbit(direction[axis]) != 0);
}

/* Where it meets the face, as normalised coordinates. */
static inline void cube_coordinates(const float direction[3], int face, float at[2]) {
    const struct cube_face *f = &cube_faces[face];
    float across = fabsf(direction[f->axis]), half = 0.5f / across;
    at[0] = at[1] = 0.5f;
    if (across == 0) return;
    at[0] = fmaxf(fmaf((float)f->column_sign * direction[f->column], half, 0.5f), 0);
    at[1] = fmaxf(fmaf((float)f->row_sign * direction[f->row], half, 0.5f), 0);
}

/* Turn a gradient of the direction into the step on the faces, in normalised coordinates of the
 * first one. Another face lies unfolded beside the first. A step to the opposite one is longer than
 * a face, so it asks for the last level. Returns whether the step leads to another face. */
static inline bool cube_gradient(const float direction[3], float gradient[3]) {
    const struct cube_face *from = &cube_faces[cube_face(direction)];
    float there[3], step[2];
    for (int i = 0; i < 3; i++) there[i] = direction[i] + gradient[i];
    const struct cube_face *to = &cube_faces[cube_face(there)];
    float here_across = fabsf(direction[from->axis]), there_across = fabsf(there[to->axis]);
    for (int k = 0; k < 2; k++) {
        int axis = k ? from->row : from->column;
        float start = direction[axis] / here_across, end = there[axis] / there_across;
        if (axis == to->axis) end *= 2 - (float)from->sign * there[from->axis] / there_across;
        step[k] = (end - start) / 2;
    }
    if (to != from && to->axis == from->axis) step[0] = 2;
    gradient[0] = step[0], gradient[1] = step[1], gradient[2] = 0;
    return to != from;
}

/* A texel one step outside of a face, after one of its edges: the face and the texel where that
 * is. */
static inline void cube_step(int *face, int32_t *column, int32_t *row, int32_t extent) {
    const struct cube_face *f = &cube_faces[*face];
    float direction[3], at[2];
    float x = (float)(2 * *column + 1) / (float)extent - 1,
          y = (float)(2 * *row + 1) / (float)extent - 1;
    direction[f->axis] = f->sign;
    direction[f->column] = (float)f->column_sign * x;
    direction[f->row] = (float)f->row_sign * y;
    *face = cube_face(direction);
    cube_coordinates(direction, *face, at);
    int32_t c = (int32_t)floorf(at[0] * (float)extent), r = (int32_t)floorf(at[1] * (float)extent);
    *column = c < 0 ? 0 : c >= extent ? extent - 1 : c;
    *row = r < 0 ? 0 : r >= extent ? extent - 1 : r;
}
