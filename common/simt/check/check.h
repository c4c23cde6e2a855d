/*
 * check/check.h: what `simt --check` watches: races, reads of uninitialised memory, misused
 * barriers. Private to the interpreter, but for the last part, which the runtime calls.
 *
 * Where checking is on, the decoder puts one more operation before every access to memory
 * (check/decode.c). It sees the same lanes and addresses, and compares them with shadow memory:
 *
 *   check/shadow.c   two shadows of device and shared memory: a bit per byte, "was written"; and
 *                    for each word of 4 bytes the last write and the last reads: by which thread,
 *                    when, at which instruction
 *   check/init.c     reads of bytes that nobody wrote
 *   check/undefined.c   what becomes of the values of those reads, and of variables that were never
 *                       set
 *   check/bounds.c   accesses that leave their shared variable
 *   check/copy.c     accesses to what cp.async is still copying to
 *   check/race.c     accesses of two threads that nothing orders, one of them a write
 *   check/sync.c     what orders accesses: barriers, warp-wide operations, fences with atomics; and
 *                    barriers and warp-wide operations that not all threads reach
 *   check/order.c    work of different streams, devices and the host that nothing orders
 *   check/report.c   one report per defect, with a count
 *
 * What it does not see: races with an access before the last ones of a word; what the host does
 * with memory; variables that were never set, where the compiler put something in their place.
 *
 * Where it is off, kernels are decoded as ever, and nothing is slower. A checked grid runs on one
 * host thread.
 *
 * Time is counted in epochs: the number of events so far in the process that order anything. An
 * access carries the epoch at which it happened; each event begins a new epoch, later than those
 * of all accesses before it.
 *
 *      epoch      5          6          7
 *      events        fence      barrier
 *      accesses   a, b       c          d           a and b carry 5, c carries 6, d carries 7
 */
#pragma once

#include "simt/machine/machine.h"

typedef uint32_t epoch; /* 0: never */
#define NOT_YET 0

/* An instruction that accesses memory, or synchronises. */
struct site {
    const struct ptx_insn *insn;
    const struct ptx_function *function, *kernel;
    const struct ptx_var
        *variable;        /* shared or local, that the access is to stay within; NULL: not known */
    uint32_t variable_at; /* where it begins in the block's or the frame's memory */
};

enum access_flag {
    ACCESS_READ = 1,
    ACCESS_WRITE = 2,
    ACCESS_ATOMIC = 4,
    ACCESS_VOLATILE = 8,
    ACCESS_STRONG = 16,  /* relaxed, acquire, release: atomic as far as races go */
    ACCESS_POLLS = 32,   /* volatile, in a loop that only waits */
    ACCESS_EXPECTS = 64, /* read whose value an atomicCAS expects later: the atomic confirms it */
    ACCESS_SILENT = 128  /* stores the value that is there already */
};

/* One access to (part of) a word, as its shadow remembers it. */
struct access {
    epoch when;
    uint32_t block, site;
    uint16_t thread; /* in its block */
    uint8_t flags;   /* enum access_flag */
    uint8_t bytes;   /* bit per byte of the word */
};

/* What is remembered of a word, each in an array of its own, so that what never happens takes no
 * memory: its last write; if that is an atomic, the last write that was none; its last read, one by
 * another lane of that warp, and one by another warp. */
enum last_access {
    LAST_WRITE,
    LAST_PLAIN,
    LAST_READ,
    LAST_OTHER_READ,
    LAST_FAR_READ,
    LAST_ACCESSES
};

/* The work of streams that accessed a word last (check/order.c). */
struct ordered_word {
    uint32_t write, read, other, atomic;
};

#define WORD_BYTES 4u

/* The shadow of a range of memory. */
struct shadow {
    uint8_t *written;    /* bit per byte; NULL: all count as written */
    struct access *last; /* nwords of each enum last_access; NULL: races are not looked for */
    size_t nwords;
    bool has_far;                 /* warps read what others had read */
    struct ordered_word *ordered; /* NULL: no work of a stream has accessed it */
    size_t size;                  /* bytes in the range */
    size_t mapped_bits, mapped_words, mapped_ordered;
};

/* Epochs in rising order. */
struct epochs {
    epoch *items;
    uint32_t n, capacity;
};

/* What a warp published to its block, or a block to the grid. */
struct published {
    /* fences of its threads; of a block only those for all of the grid */
    struct epochs fences;
    /* what makes earlier reads come before: fences, and atomic or strong stores */
    struct epochs reads;
    /* atomic, volatile and strong stores: by them others know of the fences before */
    struct epochs signals;
};

struct check_warp {
    struct published published;
    epoch ordered[WARP_SIZE][WARP_SIZE]; /* [i][j]: what lane j did before then happened before
                                             what lane i does now */
    epoch acquired;     /* the latest store of another thread that it looked at, and ordered */
    epoch looked;       /* the same by relaxed loads: a fence will order it */
    uint8_t *local;     /* bit per byte of local memory, lane by lane: written */
    bool has_undefined; /* some register may be undefined */
};

struct check_block {
    uint8_t *pending; /* bit per byte of shared memory: cp.async has begun to write it; NULL: none
                         ever */
    epoch start;      /* of the block */
    epoch barrier;    /* all its threads met then, the last time */
    epoch acquired;   /* by any of its warps */
    epoch looked;
    struct check_warp *warps;
    struct shadow shared;
};

struct check_grid {
    struct check_grid *outer; /* the grid in whose midst this one runs; NULL: none */
    uint64_t nblocks;
    epoch start;
    struct published **blocks; /* by index; NULL: nothing published */
};

/* ---- Life (check/sync.c) ---- */

/* Opened before the grid's first block, closed after its last. Grids nest where one waits for its
 * children. */
struct check_grid *check_grid_open(const struct grid *grid);
void check_grid_close(struct check_grid *check);
struct check_block *check_block_open(const struct block *block);
void check_block_start(struct block *block);
void check_block_close(struct check_block *check, uint32_t nwarps);

/* ---- Events (check/sync.c): called only where block->check is not NULL ---- */

/* The present epoch: the number of the last event. */
epoch check_now(void);
/* The block's threads met at barrier id: it is released after this. */
void check_barrier(struct block *block, uint8_t id);
/* Lanes go through the warp-wide operation op, whose mask names these: may it? awaited: those that
 * it waited for. */
void check_members(struct warp *w, const struct frame *frame, const struct op *op, uint32_t lanes,
                   uint32_t named, uint32_t awaited);
/* Those of the lanes that a path begins to wait for, but the ones that are about to exit. */
uint32_t check_awaited(const struct warp *w, uint32_t lanes);
/* The lanes took part in a warp-wide operation, each together with those that its mask, in members,
 * names. */
void check_converge(struct warp *w, uint32_t lanes, const uint32_t members[WARP_SIZE]);
/* Does what a thread did at `when` happen before what a lane of w does now? */
bool check_ordered(const struct warp *w, uint32_t lane, const struct access *earlier, bool shared);
/* A fence, or an operation that is one; in_grid: of device or system scope. */
void check_publish(struct warp *w, bool in_grid);
/* A store that others may look for: reads before it are over, and so is what was fenced. */
void check_signal(struct warp *w);
/* A lane of the warp looks, by an atomic, volatile or ordered load, at what was stored at `when`.
 * relaxed: what is after the look comes after that store only from the next fence on. */
void check_acquire(struct warp *w, epoch when, bool relaxed);
/* Was the access published before a store that the warp looked at, but did not fence? */
bool check_lacks_fence(const struct warp *w, const struct access *earlier);
handler check_fence;

/* ---- Shadows (check/shadow.c) ---- */

/* written: all counts as written; words: races are looked for. */
void shadow_open(struct shadow *shadow, size_t size, bool written, bool words);
void shadow_close(struct shadow *shadow);
/* Gives it the words of check/order.c, if it has none. */
void shadow_open_order(struct shadow *shadow);
/* The bytes are written. */
void shadow_mark(struct shadow *shadow, size_t from, size_t size);
bool shadow_written(const struct shadow *shadow, size_t from, size_t size); /* any byte of it? */
void bits_set(uint8_t *bits, size_t from, size_t n);
void bits_clear(uint8_t *bits, size_t at); /* one */
bool bits_any(const uint8_t *bits, size_t from, size_t n);
/* The shadow of an allocation, made at first use. */
struct shadow *shadow_of(struct allocation *allocation);

/* ---- Accesses (check/access.c, check/init.c, check/race.c) ---- */

/* A request of one warp, its lanes' places found. */
struct check_request {
    struct warp *w;
    const struct op *op;
    uint32_t mask, bytes, site;
    uint8_t flags;
    bool is_shared;
    struct shadow *shadow[WARP_SIZE]; /* NULL: nothing to check */
    size_t offset[WARP_SIZE];         /* in the shadow's range */
    const char *host[WARP_SIZE];      /* the bytes themselves */
    uint64_t address[WARP_SIZE];      /* for reports */
};

handler check_access;
/* Look for reads of bytes that nobody wrote; note what the request writes. */
void check_init(struct check_request *r);
/* The same for local memory, whose shadow the warp has. store: the access is a write. */
void check_init_local(struct warp *w, const struct op *op, uint32_t mask, bool store);
/* The bytes, which a load of the lane read, count as written from now on. space, address: as
 * reports have them. */
void check_init_mark(struct warp *w, uint32_t lane, const char *space, uint64_t address,
                     uint32_t bytes);
/* Look for races with earlier accesses and among the lanes; remember the request. */
void check_race(struct check_request *r);
/* Builtins and calls wrote local memory. */
void check_local_written(struct warp *w, int lane, uint64_t offset, uint32_t size);
/* A call copied local memory: what was not written there is not written here. */
void check_local_copied(struct warp *w, int lane, uint64_t to, uint64_t from, uint32_t size);

/* ---- Bounds of variables (check/bounds.c) ---- */

struct decoder;
/* The shared or local variable that this address is always in; NULL: not known, or of unknown
 * size. */
const struct ptx_var *check_variable(struct decoder *d, const struct ptx_operand *address);
/* Report the lanes whose access leaves its variable, and take them off the mask. */
void check_bounds(struct check_request *r);
/* Is the lane's access, at this offset in local memory, within its variable? Else report it. */
bool check_local_bounds(struct warp *w, const struct op *op, uint32_t l, uint32_t offset);

/* ---- Work of streams (check/order.c) ---- */

enum order_access { ORDER_READ, ORDER_WRITE, ORDER_ATOMIC };
/* The current work accesses size bytes from `from` on in the shadow's range; they lie at the
 * address. */
void order_access(struct shadow *shadow, size_t from, size_t size, enum order_access access,
                  uint64_t address);
/* Pairs that were reported. */
unsigned long order_defects(void);

/* ---- cp.async (check/copy.c) ---- */

struct async_copy;
/* cp.async will write these bytes of the block's shared memory. */
void check_copy_begun(struct block *block, size_t offset, size_t bytes);
/* Report lanes that access what a copy has not arrived in; true: there were some. */
bool check_copies(struct check_request *r);
/* Report lanes that store to what a copy of their block, which has not arrived, reads. */
void check_copied_from(struct check_request *r);
/* A copy that a lane of w waited for is over. */
void check_copy_arrived(struct warp *w, const struct async_copy *copy);

/* ---- Undefined values (check/undefined.c) ---- */

/* A register whose value comes from memory that nobody wrote, or from a lane that did not take
 * part, by lane. */
struct undefined_row {
    uint32_t lanes;    /* where some of its bits are undefined */
    uint32_t computed; /* where it cannot be padding that is only copied */
    uint32_t site, bytes;
    /* of the load; NULL: it was a shuffle; VARIABLE: the register was never written */
    const char *space;
    uint64_t address[WARP_SIZE]; /* of a shuffle: enum absence and source lane: see absent() */
};

/* A load of bytes that nobody wrote. */
struct undefined_load {
    const char *space;
    uint64_t address;
    uint32_t bytes;
    bool may_be_padding;
};

/* Is it a kernel of CUB or Thrust? They pass on, and compare, what the lanes and the shared memory
 * beyond the end have, and use none of it. */
bool check_is_of_library(const struct ptx_function *kernel);
/* What a frame needs after its registers. */
size_t check_frame_bytes(const struct code *code);
/* A call begins: the registers are undefined that may be read before they are written. */
void check_frame_start(struct frame *frame, const struct ptx_function *kernel);
/* The lanes depend on the value of ref: report where it is undefined. */
void check_use(struct warp *w, uint32_t ref, uint32_t lanes);
/* A lane loads (op->vector elements of op->size bytes): written has a bit for each byte of the
 * memory, from bit `at` on. from: NULL where all were written. */
void check_loaded(struct warp *w, const struct op *op, uint32_t l, const uint8_t *written,
                  size_t at, const struct undefined_load *from);
/* A lane stores. written: NULL where all of the memory counts as written; is_own: to its local
 * memory. */
void check_stored(struct warp *w, const struct op *op, uint32_t l, uint8_t *written, size_t at,
                  uint64_t address, bool is_own);
/* The lanes' register at this offset in the frame is defined now. */
void check_result_defined(struct warp *w, uint32_t offset, uint32_t lanes);
/* The lanes of a path took part in a shuffle, whose operands are in x. */
void check_shuffled(struct warp *w, struct frame *frame, const struct op *op, uint32_t lanes,
                    const struct collective *x);
handler check_flow;

/* ---- Decoding (check/decode.c) ---- */

/* insn was decoded to operations from first on: put the check of its accesses before the last. */
void check_decode(struct decoder *d, const struct ptx_insn *insn, int32_t first);
void check_decode_flow(struct decoder *d, int32_t first);

/* ---- Reports (check/report.c) ---- */

/* Remember an instruction; returns its number, by which accesses name it. */
uint32_t site_new(const struct site *site);
/* Where the site's variable begins; sets *variable. */
uint32_t site_variable(uint32_t site, const struct ptx_var **variable);
void report_uninitialised(struct warp *w, uint32_t site, uint32_t lane, const char *space,
                          uint64_t address, uint32_t bytes);
/* The value of a variable that was never set. */
void report_unset(struct warp *w, uint32_t site, uint32_t lane);
/* A value that a shuffle took from a lane that gave none. why: what that lane does. */
void report_shuffle(struct warp *w, uint32_t site, uint32_t lane, uint32_t source, const char *why);
/* The lane's access leaves the site's variable. */
void report_bounds(const struct check_request *r, uint32_t lane);
void report_race(const struct check_request *r, uint32_t lane, const struct access *earlier);
/* A misused barrier or warp-wide operation. what: the sentence; detail: a line more, or NULL. */
void report_sync(struct warp *w, const struct ptx_function *function, const struct ptx_insn *insn,
                 int lane, const char *what, const char *detail);
/* Print what a launch brought to light. flush: passes the program's own output on, which goes
 * first. */
void report_launch(void (*flush)(int device));

/* ---- For the runtime ---- */

#include "host.h"

/* check/matrix.c */
/* The access of ldmatrix or stmatrix as check_access sees it: a row for each lane of .rows. */
void check_matrix_rows(struct decoder *d, struct op *check);
/* After the instruction's operation, the last one: its results are defined. */
void check_matrix_results(struct decoder *d, const struct ptx_insn *insn);
