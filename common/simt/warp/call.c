/*
 * warp/call.c: calls of device functions. Each call has a frame: registers, a piece of every lane's
 * local memory, and the reconvergence where its lanes return to, so that lanes may return at
 * different points and times.
 *
 *      local memory of a thread, local_stride bytes
 *
 *      | kernel                    | callee                    | callee's callee ...
 *      | .local, .param for calls  | parameters, results, .local, CALL_BYTES
 *      ^ local_base 0              ^ local_base                ^ local_top
 *
 * Arguments and results are .param variables. They are copied between the local memory of caller
 * and callee.
 */
#include "lib/memory.h"
#include "simt/check/check.h"
#include "simt/machine/report.h"

#include <stdlib.h>
#include <string.h>

/* stack of a call beside its local memory: return address and saved registers at least */
#define CALL_BYTES 16

/*
 * A frame for a call of code, from the spare ones of that code. Registers that may be read before
 * they are written begin as NaN.
 *
 *   | struct frame, padded | registers, frame_size bytes | --check: undefined bits, scratch rows |
 */
struct frame *frame_new(struct worker *worker, const struct code *code) {
    struct frame **spare = &worker->spare_frames[code->id], *frame = *spare;
    if (frame) {
        *spare = frame->caller;
    } else {
        size_t head = (sizeof *frame + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
        size_t more = worker->grid->check ? check_frame_bytes(code) : 0;
        frame = need(aligned_alloc(ROW_ALIGN, head + code->frame_size + more));
        frame->undefined = NULL;
        frame->regs = (char *)frame + head;
        frame->code = code;
        frame->next_owned = worker->owned_frames;
        worker->owned_frames = frame;
    }
    memset(frame->regs, 0, PRED_FIRST_OFFSET);
    for (int32_t i = 0; i < code->nunset; i++)
        memset(frame->regs + code->unset[i].offset, POISON, code->unset[i].bytes);
    if (worker->grid->check) check_frame_start(frame, worker->kernel->entry);
    *(uint32_t *)(frame->regs + PRED_TRUE_OFFSET) = FULL_MASK;
    return frame;
}

void frame_free(struct worker *worker, struct frame *frame) {
    frame->caller = worker->spare_frames[frame->code->id];
    worker->spare_frames[frame->code->id] = frame;
}

/* Copy whole words of the lanes between two offsets in local memory. Word i of all lanes is one row
 * of 32 words. */
static void copy_words(struct warp *w, uint32_t lanes, uint64_t to, uint64_t from, uint32_t words) {
    uint32_t *d = (uint32_t *)(w->local + to * WARP_SIZE);
    const uint32_t *s = (const uint32_t *)(w->local + from * WARP_SIZE);
    for (; words; words--, d += WARP_SIZE, s += WARP_SIZE) {
        if (lanes == FULL_MASK)
            memcpy(d, s, WARP_SIZE * sizeof *d);
        else
            for (uint32_t left = lanes; left; left &= left - 1)
                d[__builtin_ctz(left)] = s[__builtin_ctz(left)];
    }
}

/* Copy a .param variable of size bytes between two frames, for each lane. With --check, bytes that
 * were not written stay so. */
static void copy_variable(struct warp *w, uint32_t lanes, uint64_t to, uint64_t from,
                          uint32_t size) {
    uint8_t bytes[64];
    if ((to | from | size) % 4 == 0 && !w->block->check) {
        copy_words(w, lanes, to, from, size / 4);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        for (uint32_t at = 0; at < size; at += sizeof bytes) {
            uint32_t n = size - at < sizeof bytes ? size - at : (uint32_t)sizeof bytes;
            local_read(w, lane, from + at, bytes, n);
            local_write(w, lane, to + at, bytes, n);
        }
        if (w->block->check) check_local_copied(w, lane, to, from, size);
    }
}

static uint32_t smaller(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

/* operand[2] of the call lists the caller's variables. The callee's frame begins with its
 * parameters. */
static void copy_arguments(struct warp *w, const struct frame *frame, uint32_t lanes) {
    const struct ptx_function *callee = frame->code->function, *caller = frame->call->caller;
    const struct ptx_operand *list = &frame->call->insn->operand[2];
    for (int32_t i = 0; i < list->nlist && i < callee->nparams; i++) {
        const struct ptx_var *from = &caller->frame[list->list[i]], *to = &callee->frame[i];
        copy_variable(w, lanes, frame->local_base + to->offset,
                      frame->caller->local_base + from->offset, smaller(from->size, to->size));
    }
}

/* operand[0] of the call lists the caller's variables. The callee's results are after its
 * parameters. */
static void copy_results(struct warp *w, const struct frame *frame, uint32_t lanes) {
    const struct ptx_function *callee = frame->code->function, *caller = frame->call->caller;
    const struct ptx_operand *list = &frame->call->insn->operand[0];
    for (int32_t i = 0; i < list->nlist && i < callee->nreturns; i++) {
        const struct ptx_var *from = &callee->frame[callee->nparams + i],
                             *to = &caller->frame[list->list[i]];
        copy_variable(w, lanes, frame->caller->local_base + to->offset,
                      frame->local_base + from->offset, smaller(from->size, to->size));
    }
}

static const struct op *call_overflow(struct warp *w, const struct op *op,
                                      const struct code *callee, uint32_t lanes) {
    char name[512];
    struct text text = {name, sizeof name};
    text_name(&text, callee->function->name);
    return fault_raise(
        w, op, SIM_ERROR_LAUNCH, __builtin_ctz(lanes),
        "Stack overflow in a call of %s: %u bytes of stack per thread do not suffice "
        "(cudaDeviceSetLimit(cudaLimitStackSize, ...) raises them)",
        name, w->worker->local_stride);
}

/* The lanes get a frame and go on at the callee's first operation. Other active lanes go on after
 * the call. */
const struct op *call_enter(struct warp *w, const struct op *op, const struct code *callee,
                            uint32_t lanes) {
    if (lanes != w->active) path_step_aside(w, op, w->active & ~lanes);
    uint32_t base = w->frame->local_top, top = base + callee->local_bytes + CALL_BYTES;
    if (top > w->worker->local_stride) return call_overflow(w, op, callee, lanes);
    struct frame *frame = frame_new(w->worker, callee);
    frame->caller = w->frame;
    frame->call = op->call.args;
    frame->local_base = base;
    frame->local_top = top;
    frame->reconvergence = (struct reconvergence){.parent = w->reconvergence,
                                                  .pc = op + 1,
                                                  .frame = w->frame,
                                                  .mask = lanes,
                                                  .callee = frame};
    copy_arguments(w, frame, lanes);
    w->frame = frame;
    w->reconvergence = &frame->reconvergence;
    w->rows[ROWS_REGS] = frame->regs;
    return callee->ops;
}

/* Points inside the function no longer expect the lanes. The last lane to arrive frees the frame:
 * do not use it after path_arrive(). */
const struct op *call_return(struct warp *w, const struct op *op, uint32_t lanes) {
    struct frame *frame = w->frame;
    if (!frame->call) return path_exit(w, op, lanes);
    copy_results(w, frame, lanes);
    w->active &= ~lanes;
    path_leave(w, w->reconvergence, &frame->reconvergence, lanes);
    path_arrive(w, &frame->reconvergence, lanes);
    return w->active ? op + 1 : path_next(w);
}

/* Lanes with different function pointers call one function after the other and come together after
 * the call. The first lane's function is called now; the lanes with another pointer execute op
 * again. */
const struct op *call_indirect(struct warp *w, const struct op *op, uint32_t lanes) {
    const uint64_t *pointer = row(w, op->a);
    int first = __builtin_ctz(lanes);
    uint64_t target = pointer[first];
    uint32_t same = 0;
    for (int l = 0; l < WARP_SIZE; l++) same |= (uint32_t)(pointer[l] == target) << l;
    same &= lanes;
    const struct code *callee = kernel_code(w->worker->kernel, (void *)(uintptr_t)target);
    if (!callee)
        return fault_raise(w, op, SIM_ERROR_PC, first,
                           "Call through an invalid function pointer 0x%llx",
                           (unsigned long long)target);
    if (same == lanes) return call_enter(w, op, callee, lanes);
    if (lanes != w->active) path_step_aside(w, op, w->active & ~lanes);
    path_reconvergence_at(w, op + 1);
    path_push(w, op, w->frame, w->reconvergence, lanes & ~same);
    w->active = same;
    return call_enter(w, op, callee, same);
}
