/* time/sm_issue.c: one warp's next instruction: what it waits for, and what issuing it does. */
#include "flow_walk.h"
#include "sm.h"
#include "uop_lists.h"
#include "without.h"

#include "simt/ptx/matrix.h"

#include <math.h>
#include <string.h>

#define STALL_BITS 4

/* Cycles for which ptxas lets a warp wait, in code for sm_75 to sm_90: between a comparison and
 * what its predicate decides, and after a branch. */
#define PREDICATE_CYCLES 13
#define BRANCH_CYCLES    5
/* A call or a return: cycles until the warp's next instruction, and until the scheduler's next
 * call or return. From random kernels on an H200: a pair takes a warp alone 40, and a full
 * scheduler 16 at least. */
#define JUMP_CYCLES      20
#define JUMP_TURN_CYCLES 8
#define WINDOW_BLOCKS    64
#define SOURCE_CYCLES    10
#define RETRY_CYCLES     52.0 /* of the loop that adds to floats in shared memory, for each thread */
#define RETRY_WARPS      4 /* up to so many of a block, each with a scheduler to itself, it takes */
#define RETRY_FLOAT      0.6  /* so much longer: 89 us for 2048 additions, but 123 for 4096, */
#define RETRY_DOUBLE     0.95 /* and 107 and 115 of doubles */
#define RETRY_QUEUE      12.0 /* of these, in the load/store unit, where warps retry in vain, */
#define RETRY_ALONE      4.0  /* and where no other warp adds to the word */
#define MOST_SPILLED     4    /* words of an access: 16 bytes */
#define STACK_SPACE      (1u << 30) /* apart from the sectors of the program's own local memory */

/* Of match.any, for each value: the multiprocessor's, and the warp's after the first. On an H200
 * (measure/spaces.cu, match) 1, 2, 3, 32 values take a warp 41, 52, 63, 382 cycles, and 32 warps
 * 65, 129, 193, 2049. */
#define MATCH_CYCLES  2.0
#define MATCH_LATENCY 11

/* ---- Registers ---- */

/*
 * A register's word, so that the larger word is the later value:
 *
 *   bits 63 .. 4: cycle when the value is there     bits 3 .. 0: enum stall of a warp that waits
 *                                                   for it
 */
static void set_ready(struct sm_warp *warp, uint32_t reg, uint64_t cycle, enum stall stall) {
    warp->regs[reg] = cycle << STALL_BITS | stall;
}

/* The word of the source that comes last; 0: no sources. */
static uint64_t latest_source(const struct sm *sm, const struct sm_warp *warp,
                              const struct uop *uop) {
    const uint32_t *regs = sm->setup->kernel->uop_regs + uop->regs;
    uint64_t latest = 0;
    for (unsigned i = 0; i < uop->sources; i++)
        if (warp->regs[regs[i]] > latest) latest = warp->regs[regs[i]];
    return latest;
}

static void set_barrier(struct sm_warp *warp, uint8_t barrier, uint64_t cycle, enum stall stall) {
    uint64_t word = cycle << STALL_BITS | stall;
    if (barrier < MACHINE_BARRIERS && word > warp->barriers[barrier])
        warp->barriers[barrier] = word;
}

/* Is it a result that ptxas has a barrier register count? */
static bool is_counted(enum stall stall) {
    return stall == STALL_LONG_SCOREBOARD || stall == STALL_SHORT_SCOREBOARD;
}

/* The uop's registers lie in one row of numbers: sources, then destinations. */
static void set_destinations(const struct sm *sm, struct sm_warp *warp, const struct uop *uop,
                             uint64_t cycle, enum stall stall) {
    const uint32_t *regs = sm->setup->kernel->uop_regs + uop->regs + uop->sources;
    if (uop->stall || is_counted(stall)) set_barrier(warp, uop->result_barrier, cycle, stall);
    for (unsigned i = 0; i < uop->destinations; i++) set_ready(warp, regs[i], cycle, stall);
}

/* Find the run'th access of an instruction from *at on, and step after it; NULL: there is none. */
static const struct traced_access *find_access(const struct sm_warp *warp, const struct uop *uop,
                                               uint32_t *at, unsigned run) {
    while (*at < warp->accesses_end) {
        const struct traced_access *access = &warp->trace->accesses[(*at)++];
        if (access->insn == uop->insn && run-- == 0) return access;
    }
    return NULL;
}

/* ---- Machine code ---- */

static bool is_machine(const struct uop *uop) {
    return uop->stall != 0;
}

/* The barrier register that it waits for longest. */
static uint64_t latest_barrier(const struct sm_warp *warp, const struct uop *uop) {
    uint64_t latest = 0;
    for (int i = 0; i < MACHINE_BARRIERS; i++)
        if ((uop->waits | warp->waits) >> i & 1 && warp->barriers[i] > latest)
            latest = warp->barriers[i];
    return latest;
}

/* PTX has no uop for the return. */
static uint64_t jumps_of(const struct uop *uop) {
    return is_machine(uop) ? 1 : 2;
}

/* ---- What comes next ---- */

/* Machine code may have accesses of blocks that follow, up to the same block's next run. */
static uint32_t window_end(const struct warp_trace *trace, uint32_t at, uint32_t tally) {
    uint32_t end = at + WINDOW_BLOCKS < trace->nenters ? at + WINDOW_BLOCKS : trace->nenters;
    while (at < end && trace->enters[at].tally != tally) at++;
    return at;
}

/* Without divergence: does another warp of the block do this one's part of the list? A warp that
 * does it has room for lanes of others until the next barrier. So that all work alike, one that has
 * done more for others than they for it leaves its part to the next that comes, and none lets
 * others do a full warp's lanes more than it does for them. Lists with a barrier are each warp's
 * own. */
static bool is_carried(struct sm *sm, struct sm_warp *warp, uint32_t tally, int lanes) {
    int all = __builtin_popcount(warp->trace->enters[0].lanes);
    if (!sm->packs || lanes >= all) return false;
    for (uint32_t i = 0; i < warp->list->n; i++)
        if (warp->list->items[i].pipe == PIPE_BARRIER) return false;
    struct sm_pack *pack = &sm->packs[warp->block * sm->setup->kernel->ntallies + tally];
    if (pack->room >= lanes && pack->carrier != warp && warp->balance - lanes > -all) {
        pack->room -= lanes;
        pack->carrier->balance += lanes;
        warp->balance -= lanes;
        return true;
    }
    if (warp->balance > 0 && pack->owed + lanes < all) {
        pack->owed += lanes;
        warp->balance -= lanes;
        return true;
    }
    int taken = pack->owed + lanes < all ? pack->owed : all - lanes;
    warp->balance += taken;
    pack->owed -= taken;
    pack->room += all - lanes - taken;
    pack->carrier = warp;
    return false;
}

static void access_memory(struct sm *sm, struct sm_warp *warp, const struct uop *uop);

/* The list's accesses take place; its instructions take no time. */
static void carry(struct sm *sm, struct sm_warp *warp) {
    for (; warp->next < warp->list->n; warp->next++) {
        const struct uop *uop = &warp->list->items[warp->next];
        sm->sums.issued += uop->issues;
        if (uop->pipe == PIPE_MEMORY) access_memory(sm, warp, uop);
    }
}

/* The list is over. Does the warp go through it once more? Its accesses have taken place. */
static bool repeats(struct sm_warp *warp) {
    if (!warp->list || !warp->list->n || warp->repeats < 1) return false;
    warp->repeats--;
    warp->next = 0;
    warp->again = true;
    return true;
}

/* Does the warp pass over the uop? In a list that runs again, over what runs once; else over what
 * runs less often, as often as it does not. */
static bool passes_over(const struct sm *sm, struct sm_warp *warp, const struct uop *uop) {
    if (!sm->setup->shares || !is_machine(uop)) return false;
    float share = sm->setup->shares->insns[uop->at];
    if (warp->again) return pipe_happens((enum pipe)uop->pipe) || share <= 1;
    if (share >= 1 || pipe_happens((enum pipe)uop->pipe)) return false;
    warp->taken += share;
    bool takes = warp->taken >= 1;
    if (takes) warp->taken--;
    return !takes;
}

/* Step into the next uop list of the trace. Its accesses are those from accesses to accesses_end.
 * Those of blocks with an empty list before it may be in it. False: the trace is over. */
static bool next_list(struct sm *sm, struct sm_warp *warp) {
    const struct warp_trace *trace = warp->trace;
    if (warp->at >= trace->nenters) return false;
    const struct kernel *kernel = sm->setup->kernel;
    uint32_t tally = trace->enters[warp->at].tally;
    int lanes = __builtin_popcount(trace->enters[warp->at].lanes);
    warp->lanes = lanes;
    bool behind_empty = warp->list && warp->list->machine && !warp->list->n;
    if (!behind_empty) warp->accesses = trace->enters[warp->at].access;
    warp->list = uop_list_at(kernel, trace, &warp->at);
    warp->next = 0;
    warp->again = false;
    if (sm->setup->shares) warp->repeats += sm->setup->shares->repeats[tally];
    uint32_t end =
        warp->list->machine && warp->list->n ? window_end(trace, warp->at, tally) : warp->at;
    warp->accesses_end = trace_accesses_at(trace, end);
    if (is_carried(sm, warp, tally, lanes)) carry(sm, warp);
    return true;
}

/* ---- What is accounted for by instruction ---- */

/* Give the cycles to the instruction that the warp issued last; before any, to the first. */
static void add_cycles(const struct sm *sm, const struct sm_warp *warp, unsigned reason,
                       double cycles) {
    if (!sm->setup->insn_cycles) return;
    uint32_t insn = warp->last ? kernel_insn(sm->setup->kernel, warp->last->insn) : 0;
    sm->setup->insn_cycles[(size_t)insn * INSN_CYCLES + reason] += cycles;
}

/* Tell who watches how the warp spends its next cycles. */
static void sm_issue_tell(struct sm *sm, const struct sm_warp *warp, unsigned reason,
                          double cycles) {
    if (!sm->setup->watch) return;
    const struct uop *uop = warp->list && warp->next ? &warp->list->items[warp->next - 1] : NULL;
    struct warp_wait wait = {
        .cycles = (uint64_t)cycles, .insn = uop ? uop->insn : NULL, .reason = (uint8_t)reason};
    watch_add(sm->setup->watch, (uint32_t)(warp - sm->warps), &wait);
}

/* Both. Not inlined: most replays are not watched, and pay for one test alone. */
static __attribute__((noinline)) void account(struct sm *sm, const struct sm_warp *warp,
                                              unsigned reason, double cycles) {
    add_cycles(sm, warp, reason, cycles);
    sm_issue_tell(sm, warp, reason, cycles);
}

void sm_stall(struct sm *sm, const struct sm_warp *warp, enum stall stall, double cycles) {
    sm->sums.stall[stall] += cycles;
    if (sm->accounts) account(sm, warp, stall, cycles);
}

/* The warp's threads have ended: barriers no longer wait for it. Its slot is free when its stores
 * are acknowledged. */
static void drain(struct sm *sm, struct sm_warp *warp) {
    struct sm_block *block = &sm->blocks[warp->block];
    warp->draining = true;
    warp->ready = warp->stored > warp->free ? warp->stored : warp->free;
    sm_sleep(sm, warp);
    block->live_warps--;
    if (block->arrived && block->arrived >= block->live_warps) sm_release_barrier(sm, warp->block);
}

/* The last warp of a block leaves: younger blocks move up. */
static void sm_issue_end_block(struct sm *sm, uint32_t block) {
    uint32_t i = 0;
    while (sm->oldest[i] != block) i++;
    memmove(sm->oldest + i, sm->oldest + i + 1, (--sm->live_blocks - i) * sizeof *sm->oldest);
}

/* The cycles since its last instruction are STALL_DRAIN. */
void sm_end_warp(struct sm *sm, struct sm_warp *warp) {
    warp->live = false;
    if (!--sm->live_warps) sm->sums.active += (double)(warp->ready - sm->active_from);
    sm->sums.warp_cycles += (double)(warp->ready - warp->born);
    sm_stall(sm, warp, STALL_DRAIN, (double)(warp->ready - warp->issued));
    slowest_end(&sm->memory.slowest, warp->reads, (double)warp->ready);
    sm->schedulers[warp->scheduler].of_block[warp->block] &= ~(1ull << warp->turn);
    if (!--sm->blocks[warp->block].present) sm_issue_end_block(sm, warp->block);
}

/* Does the access leave the multiprocessor's own memories? Shared and constant accesses do not. */
static bool leaves(const struct uop *uop) {
    return uop->insn->space != PTX_SHARED && uop->insn->space != PTX_CONST;
}

static enum pipe sm_issue_queue_of(const struct uop *uop) {
    return uop->pipe == PIPE_MEMORY && !leaves(uop) ? PIPE_SHUFFLE : (enum pipe)uop->pipe;
}

/* Uops without machine instructions only rename: their results are there when their sources are,
 * and the loop goes on. */
void sm_fetch(struct sm *sm, struct sm_warp *warp) {
    for (;;) {
        while (!warp->list || warp->next >= warp->list->n)
            if (!repeats(warp) && !next_list(sm, warp)) {
                drain(sm, warp);
                return;
            }
        const struct uop *uop = &warp->list->items[warp->next];
        if (passes_over(sm, warp, uop)) {
            warp->waits |= uop->waits;
            warp->next++;
            continue;
        }
        uint64_t latest = latest_barrier(warp, uop);
        if (!is_machine(uop)) {
            uint64_t source = latest_source(sm, warp, uop);
            latest = source > latest ? source : latest;
        }
        uint64_t cycle = latest >> STALL_BITS;
        if (uop->issues) {
            sm_code_fetch(sm, warp, uop->at);
            bool waits = cycle > warp->free;
            warp->ready = waits ? cycle : warp->free;
            warp->stall = waits ? latest & ((1u << STALL_BITS) - 1) : warp->stall;
            warp->queue = sm_issue_queue_of(uop);
            sm_sleep(sm, warp);
            return;
        }
        set_destinations(sm, warp, uop, cycle, latest & ((1u << STALL_BITS) - 1));
        warp->next++;
    }
}

/* ---- Issue ---- */

/* One unit of the multiprocessor counts the arriving warps, one after the other. barrier_free is
 * when it has counted them. */
void sm_release_barrier(struct sm *sm, uint32_t block) {
    const struct gpu *gpu = sm->setup->gpu;
    double delay = gpu->barrier_latency_cycles - gpu->barrier_warp_cycles * gpu->schedulers_per_sm;
    uint64_t go = (uint64_t)(fmax((double)sm->now, sm->barrier_free) + delay);
    sm->blocks[block].arrived = 0;
    sm_forget_packs(sm, block);
    for (uint32_t i = 0; i < sm->nslots; i++) {
        struct sm_warp *warp = &sm->warps[i];
        if (!warp->live || !warp->waiting || warp->block != block) continue;
        warp->waiting = false;
        double held = (double)(go - warp->issued);
        warp->stall = STALL_BARRIER;
        sm->sums.stall[STALL_BARRIER] += held;
        sm_issue_tell(sm, warp, STALL_BARRIER, held);
        warp->issued = warp->free = go;
        sm_fetch(sm, warp);
        /* The barrier has issued: as a GPU's samples do, give the wait to what comes after it. */
        if (!warp->draining) warp->last = &warp->list->items[warp->next];
        add_cycles(sm, warp, STALL_BARRIER, held);
    }
}

/* The warp waits at the block's barrier; the last one to arrive releases all. */
static void sm_issue_arrive(struct sm *sm, struct sm_warp *warp) {
    struct sm_block *block = &sm->blocks[warp->block];
    warp->waiting = true;
    sm->barrier_free =
        fmax((double)sm->now, sm->barrier_free) + sm->setup->gpu->barrier_warp_cycles;
    if (++block->arrived >= block->live_warps) sm_release_barrier(sm, warp->block);
}

/* Keep registers of all the warp's threads on their stacks, or fetch them. A word of all threads is
 * a line. Returns when they are there. */
static double spill(struct sm *sm, struct sm_warp *warp, const struct uop *uop) {
    uint64_t sectors[MOST_SPILLED * LINE_SECTORS],
        first = STACK_SPACE | (uint64_t)uop->word * LINE_SECTORS;
    uint32_t n = uop->width / (uint32_t)sizeof(uint32_t) * LINE_SECTORS;
    struct traced_access access = {.kind = uop->stores ? ACCESS_LOCAL_STORE : ACCESS_LOCAL_LOAD,
                                   .count = n,
                                   .sectors = sectors,
                                   .width = uop->width,
                                   .stores = uop->stores};
    for (uint32_t i = 0; i < n; i++) sectors[i] = first + i;
    return memory_model_access(&sm->memory, sm->now, &access, warp->salt,
                               (uint32_t)(warp - sm->warps));
}

/* Does it add to floats in shared memory? No machine instruction does: a loop compares and swaps.
 */
static bool retries(const struct traced_access *access) {
    const struct ptx_insn *insn = access->insn;
    return is_shared_atomic(access) && insn->type >= PTX_F16 && insn->sub == PTX_ATOM_ADD;
}

/* Cycles of that loop for each thread. From RETRY_WARPS to twice as many it falls. */
static double retry_cycles(const struct sm *sm, const struct sm_warp *warp,
                           const struct traced_access *access) {
    double more = access->insn->type == PTX_F64 ? RETRY_DOUBLE : RETRY_FLOAT;
    double warps = sm->blocks[warp->block].live_warps;
    return RETRY_CYCLES * (1 + more * fmin(1, fmax(0, 2 - warps / RETRY_WARPS)));
}

/* That loop. Threads on one word take turns, those of the block's other warps too. Returns when the
 * last one has done it. */
static double retry(struct sm *sm, const struct sm_warp *warp, const struct traced_access *access) {
    uint32_t threads = access->count;
    double *free = &sm->blocks[warp->block].retry_free[access->place / 4 % RETRY_WORDS];
    double queued = *free > (double)sm->now ? RETRY_QUEUE : RETRY_ALONE;
    double turn = memory_model_queue(&sm->memory, sm->now, queued * threads);
    double cycles = retry_cycles(sm, warp, access);
    *free = fmax(turn, *free) + cycles * threads;
    return fmax(*free, turn + 2 * cycles);
}

/* Is it done by one thread for the warp? Sums of values that the threads have, which each wants as
 * it finds them, only where all threads take part. */
static bool is_combined(const struct sm_warp *warp, const struct uop *uop,
                        const struct traced_access *access) {
    const struct ptx_insn *insn = uop->insn;
    if (!uop->combined || !(access->flags & ACCESS_ONE_WORD)) return false;
    bool sums = ptx_answers(insn) && insn->sub == PTX_ATOM_ADD &&
                insn->operand[insn->noperands - 1].kind != PTX_OPERAND_IMM;
    return !sums || warp->lanes == WARP_SIZE;
}

/* Do the accesses of an instruction: those of the current list that carry its address. Loads set
 * when the results are there; stores only when the warp may end. */
static void access_memory(struct sm *sm, struct sm_warp *warp, const struct uop *uop) {
    double ready = (double)sm->now + sm->setup->gpu->alu_latency_cycles;
    enum stall stall = STALL_WAIT;
    const struct traced_access *found;
    uint32_t at = warp->accesses;
    double taken = fmax((double)sm->now, sm->memory.unit_free);
    if (is_machine(uop))
        set_barrier(warp, uop->source_barrier, (uint64_t)taken + SOURCE_CYCLES,
                    STALL_SHORT_SCOREBOARD);
    if (uop->spills) {
        ready = spill(sm, warp, uop);
        stall = STALL_LONG_SCOREBOARD;
    }
    for (unsigned run = uop->copy; !uop->spills && (found = find_access(warp, uop, &at, run));
         run = 0) {
        struct traced_access access = *found;
        access.width = uop->width;
        access.stores = uop->insn->op == PTX_ST;
        access.first = !sm->later && warp->rank < sm->setup->resident;
        if (is_combined(warp, uop, found)) {
            access.flags = ONE_PASS | (access.flags & (ACCESS_HOST | ACCESS_PEER));
            if (is_shared_atomic(found)) access.count = 1;
        }
        uint32_t slot = (uint32_t)(warp - sm->warps);
        if (sm->setup->removed)
            without_access(sm->setup->removed, &sm->turns, warp->salt ^ (uint64_t)slot << 52,
                           &access);
        sm->memory.waits = warp->reads;
        double done = retries(&access)
                          ? retry(sm, warp, found)
                          : memory_model_access(&sm->memory, sm->now, &access, warp->salt, slot);
        stall = access.kind < ACCESS_SHARED ? STALL_LONG_SCOREBOARD : STALL_SHORT_SCOREBOARD;
        bool answers = access.kind != ACCESS_STORE && access.kind != ACCESS_RED;
        bool held = !answers || access.kind == ACCESS_ATOM;
        if (held && done > (double)warp->stored) warp->stored = (uint64_t)done;
        if (answers && done > ready) ready = done;
        if (is_machine(uop)) break;
    }
    set_destinations(sm, warp, uop, (uint64_t)ready, stall);
}

/* Is the warp held at this barrier? bar.arrive does not hold it. Without a traced access no lane
 * came. */
static bool is_held(const struct sm *sm, const struct sm_warp *warp, const struct uop *uop) {
    if (lacks(sm->setup->removed, WITHOUT_BARRIERS)) return false;
    uint32_t at = warp->accesses;
    const struct traced_access *found = find_access(warp, uop, &at, uop->copy);
    return found && !(found->flags & ACCESS_LEAVES);
}

/* Set when results of arithmetic are there. Of several machine instructions of which nobody
 * measured the time, half depend on the one before. */
static void compute(struct sm *sm, struct sm_warp *warp, const struct uop *uop, int latency,
                    enum stall stall) {
    uint64_t chain = (uint64_t)(uop->issues - 1) * (uint64_t)sm->setup->gpu->alu_latency_cycles / 2;
    uint64_t cycles = uop->latency ? uop->latency : (uint64_t)latency + chain;
    set_destinations(sm, warp, uop, sm->now + cycles, stall);
}

/* If the instruction calls the device's runtime, the warp waits. Its threads call malloc or free
 * one after the other; the warps of all multiprocessors take turns at one heap and one buffer for
 * text. The warp whose turn is last decides. */
static void wait_for_call(struct sm *sm, struct sm_warp *warp, const struct uop *uop) {
    const struct gpu *gpu = sm->setup->gpu;
    uint32_t at = warp->accesses;
    const struct traced_access *call = find_access(warp, uop, &at, uop->copy);
    if (!call) return;
    bool prints = call->kind == ACCESS_PRINT;
    double others = call->count - 1.0;
    double thread_ns = call->kind == ACCESS_MALLOC ? gpu->malloc_thread_ns : gpu->free_thread_ns;
    double ns = gpu->heap_call_ns + others * thread_ns;
    double turn_ns = (double)gpu->heap_turn_ns * call->count;
    if (prints) {
        ns = gpu->print_ns + (warp->has_printed ? 0 : others * gpu->print_first_thread_ns);
        turn_ns = gpu->print_turn_ns + others * gpu->print_turn_thread_ns;
        warp->has_printed = true;
    }
    double cycles = gpu->clock_mhz / 1000.0, turn = fmax((double)sm->now, sm->runtime_free);
    sm->runtime_free = turn + turn_ns * cycles * sm->setup->active_sms;
    warp->free = (uint64_t)(sm->runtime_free + fmax(0, ns - turn_ns) * cycles);
    warp->stall = STALL_LONG_SCOREBOARD;
}

/* Steps in which a tensor core goes through the rows of an mma: of 128 bits, or of 4 doubles. */
static uint32_t tensor_steps(const struct uop *uop, bool *doubles) {
    const struct ptx_insn *insn = uop->insn;
    *doubles = insn && insn->op == PTX_MMA && insn->type2 == PTX_F64;
    /* machine code, which ptxas made of something else */
    if (!insn || insn->op != PTX_MMA) return 1;
    struct ptx_dims dims = ptx_shape_dims(insn->shape);
    uint32_t steps = *doubles ? dims.k / 4u : dims.k * ptx_element_bits(insn->type2) / 128u;
    return steps ? steps : 1;
}

/* Cycles for which it keeps the scheduler's tensor core. */
static uint64_t tensor_cycles(const struct gpu *gpu, const struct uop *uop) {
    bool doubles;
    uint32_t steps = tensor_steps(uop, &doubles);
    return doubles
               ? steps * (uint64_t)gpu->tensor_fp64_cycles
               : (uint64_t)(gpu->tensor_cycles + (steps - 1) * (uint32_t)gpu->tensor_step_cycles);
}

static int tensor_latency(const struct gpu *gpu, const struct uop *uop) {
    bool doubles;
    int more = (int)tensor_steps(uop, &doubles) - 1;
    return doubles ? gpu->tensor_fp64_latency_cycles + more * gpu->tensor_fp64_cycles
                   : gpu->tensor_latency_cycles + more * gpu->tensor_step_latency_cycles;
}

/* Shuffles and their like. match.any takes a pass for each value that a lane has. */
static void shuffle(struct sm *sm, struct sm_warp *warp, const struct uop *uop) {
    uint32_t at = warp->accesses;
    bool any = uop->insn->op == PTX_MATCH && uop->insn->sub == PTX_MATCH_ANY;
    const struct traced_access *match = any ? find_access(warp, uop, &at, uop->copy) : NULL;
    int latency = sm->setup->gpu->shuffle_latency_cycles;
    if (match) latency += (int)(match->count - 1) * MATCH_LATENCY;
    memory_model_queue(&sm->memory, sm->now, match ? MATCH_CYCLES * match->count : 1);
    compute(sm, warp, uop, latency, STALL_SHORT_SCOREBOARD);
}

/* What an instruction does beyond issuing: its results, or the wait after it. */
static void sm_issue_execute(struct sm *sm, struct sm_warp *warp, const struct uop *uop) {
    const struct gpu *gpu = sm->setup->gpu;
    switch ((enum pipe)uop->pipe) {
    case PIPE_MEMORY: access_memory(sm, warp, uop); break;
    case PIPE_SHUFFLE: shuffle(sm, warp, uop); break;
    case PIPE_SFU: compute(sm, warp, uop, gpu->sfu_latency_cycles, STALL_SHORT_SCOREBOARD); break;
    case PIPE_TENSOR: compute(sm, warp, uop, tensor_latency(gpu, uop), STALL_WAIT); break;
    case PIPE_SREG:
        compute(sm, warp, uop, gpu->shared_latency_cycles, STALL_SHORT_SCOREBOARD);
        break;
    case PIPE_FP64: compute(sm, warp, uop, gpu->fp64_latency_cycles, STALL_WAIT); break;
    case PIPE_CONTROL:
        warp->free = sm->now + (uop->stall > BRANCH_CYCLES ? uop->stall : BRANCH_CYCLES);
        warp->stall = STALL_BRANCH;
        if (uop->jumps) warp->free = sm->now + jumps_of(uop) * JUMP_CYCLES;
        if (uop->insn->op == PTX_CALL) wait_for_call(sm, warp, uop);
        break;
    case PIPE_FENCE:
        warp->free = sm->now + (uint64_t)(uop->insn->scope == 'c' ? gpu->alu_latency_cycles
                                                                  : gpu->l2_latency_cycles);
        warp->stall = STALL_MEMBAR;
        break;
    default:
        compute(sm, warp, uop,
                uop->insn->op == PTX_SETP ? PREDICATE_CYCLES : gpu->alu_latency_cycles, STALL_WAIT);
    }
}

/* Account for the cycles since the instruction before: until ready, the stall that the operands
 * caused; from then on, throttled or not selected. */
static void count_wait(struct sm *sm, const struct sm_warp *warp, const struct uop *uop,
                       bool throttled) {
    struct sm_sums *sums = &sm->sums;
    double late = (double)(sm->now - warp->ready);
    sums->issued += uop->issues;
    sums->load_store += (uop->units & UNIT_LOAD_STORE) != 0;
    sums->divergence += (uop->units & UNIT_DIVERGENCE) != 0;
    if (warp->ready > warp->issued)
        sm_stall(sm, warp, warp->stall, (double)(warp->ready - warp->issued));
    sm_stall(sm, warp, throttled ? STALL_THROTTLE : STALL_NOT_SELECTED, late);
    if (sm->accounts) account(sm, warp, CYCLES_ISSUING, uop->issues);
    sums->eligible += uop->issues + (throttled ? 0 : late);
}

/* Cycles for which an instruction keeps its pipe. Only one of the machine instructions of a special
 * function needs the slow lanes. One of those of a product with 64 bits takes its lanes a second
 * turn, in which they do nothing else. */
static uint64_t pipe_cycles(const struct sm *sm, enum pipe pipe, const struct uop *uop) {
    if (uop->jumps) return jumps_of(uop) * JUMP_TURN_CYCLES;
    if (pipe == PIPE_TENSOR) return uop->issues * tensor_cycles(sm->setup->gpu, uop);
    if (uop->turn) return uop->turn;
    if (pipe == PIPE_SFU) return sm->interval[pipe] + uop->issues - 1u;
    return (uint64_t)(uop->issues + uop->wide) * sm->interval[pipe];
}

/* The next instruction may issue after this one; sm_issue_execute() moves that later where the
 * hardware waits. */
void sm_issue(struct sm *sm, struct sm_scheduler *scheduler, struct sm_warp *warp, bool throttled) {
    const struct uop *uop = warp->last = &warp->list->items[warp->next++];
    bool any = lacks(sm->setup->removed, WITHOUT_ISSUE);
    count_wait(sm, warp, uop, throttled);
    warp->waits = 0;
    warp->stall = STALL_WAIT;
    warp->issued = warp->free = sm->now + (any ? 1 : uop->issues);
    scheduler->free = sm->now + (any ? 0 : uop->issues);
    /* 2 is how long Turing's pipes are busy */
    if (uop->stall > 2) warp->free = sm->now + uop->stall;
    enum pipe pipe = sm_pipe_taken(scheduler, uop->pipe);
    uint64_t cycles = any ? 0 : pipe_cycles(sm, pipe, uop);
    scheduler->pipe[pipe] = sm->now + cycles;
    sm->sums.pipe[pipe] += (double)cycles;
    if (uop->wide) scheduler->pipe[PIPE_FP32] = scheduler->pipe[PIPE_INT] = scheduler->pipe[pipe];
    if (uop->pipe == PIPE_BARRIER && is_held(sm, warp, uop)) {
        sm_issue_arrive(sm, warp);
        return;
    }
    sm_issue_execute(sm, warp, uop);
    sm_fetch(sm, warp);
}
