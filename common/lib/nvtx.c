/* nvtx.c: NVTX's functions for ranges, and for names of streams and threads. Their types are those
 * of NVTX 3's nvtxTypes.h, of which a program has any version: it says how much of each table it
 * has. Marks of a single moment, and names of other things, are not recorded. */
#include "nvtx.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "memory.h"
#include "timeline.h"

enum { TABLE_OF_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_CUDA, MODULE_CUDART = 4, MODULE_CORE2 };

/* The places of functions in the modules' tables. */
enum { RANGE_START_EX = 4, RANGE_START, RANGE_START_W, RANGE_END, RANGE_PUSH_EX };
enum { RANGE_PUSH = RANGE_PUSH_EX + 1, RANGE_PUSH_W, RANGE_POP };
enum { NAME_THREAD = 14, NAME_THREAD_W };
enum { CUDA_NAME_STREAM = 5, CUDA_NAME_STREAM_W };
enum { CUDART_NAME_STREAM = 3, CUDART_NAME_STREAM_W };
enum { DOMAIN_RANGE_START_EX = 2, DOMAIN_RANGE_END, DOMAIN_RANGE_PUSH_EX, DOMAIN_RANGE_POP };
enum { DOMAIN_REGISTER = 10, DOMAIN_REGISTER_W, DOMAIN_CREATE, DOMAIN_CREATE_W };

enum { MESSAGE_ASCII = 1, MESSAGE_UNICODE, MESSAGE_REGISTERED };

/* nvtxEventAttributes_t */
struct attributes {
    uint16_t version, size;
    uint32_t category, color_type, color, payload_type, reserved;
    uint64_t payload;
    uint32_t message_type;
    const void *message;
};

/* NvtxExportTableCallbacks */
typedef void (*function)(void);
struct callbacks {
    size_t size;
    int (*table_of)(uint32_t module, function ***table, unsigned *size);
};

/* A range that has not ended. */
struct range {
    char *name, *domain; /* domain: "" for the default one */
    uint64_t start_ns, id, thread;
    struct range *next;
};

static struct nvtx_source source;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *started;              /* by nvtxRangeStart */
static _Thread_local struct range *pushed; /* by nvtxRangePush, the last one first */
static uint64_t last_id;

/* ---- Texts ---- */

/* Letters that are not ASCII become question marks. */
static char *narrow(const wchar_t *wide) {
    size_t length = wide ? wcslen(wide) : 0;
    char *text = need(malloc(length + 1));
    for (size_t i = 0; i < length; i++) text[i] = wide[i] < 128 ? (char)wide[i] : '?';
    text[length] = '\0';
    return text;
}

static char *copy(const char *text) {
    return need(strdup(text ? text : ""));
}

static char *message_of(const struct attributes *a) {
    switch (a ? a->message_type : 0) {
    case MESSAGE_ASCII:
    case MESSAGE_REGISTERED: return copy(a->message);
    case MESSAGE_UNICODE: return narrow(a->message);
    default: return copy("");
    }
}

/* ---- Ranges ---- */

static struct range *begin(const char *domain, char *name) {
    struct range *range = need(calloc(1, sizeof *range));
    *range = (struct range){.name = name,
                            .domain = copy(domain),
                            .start_ns = source.now_ns(),
                            .thread = source.thread((uint32_t)gettid())};
    return range;
}

static void end(struct range *range) {
    if (!range) return;
    uint64_t now = source.now_ns();
    timeline_write(&(struct timeline_row){.record = TIMELINE_RANGE,
                                          .name = range->name,
                                          .source = range->domain,
                                          .start_ns = range->start_ns,
                                          .end_ns = now > range->start_ns ? now : range->start_ns,
                                          .thread = range->thread});
    free(range->name);
    free(range->domain);
    free(range);
}

/* Returns how many ranges of the domain the thread is in beside it. */
static int push(const char *domain, char *name) {
    int level = 0;
    for (const struct range *r = pushed; r; r = r->next) level += strcmp(r->domain, domain) == 0;
    struct range *range = begin(domain, name);
    range->next = pushed;
    pushed = range;
    return level;
}

static int pop(const char *domain) {
    struct range **at = &pushed;
    int level = -1;
    while (*at && strcmp((*at)->domain, domain) != 0) at = &(*at)->next;
    struct range *range = *at;
    for (const struct range *r = range; r; r = r->next) level += strcmp(r->domain, domain) == 0;
    if (range) *at = range->next;
    end(range);
    return level;
}

static uint64_t start(const char *domain, char *name) {
    struct range *range = begin(domain, name);
    pthread_mutex_lock(&lock);
    uint64_t id = range->id = ++last_id;
    range->next = started;
    started = range;
    pthread_mutex_unlock(&lock);
    return id;
}

static void stop(uint64_t id) {
    pthread_mutex_lock(&lock);
    struct range **at = &started;
    while (*at && (*at)->id != id) at = &(*at)->next;
    struct range *range = *at;
    if (range) *at = range->next;
    pthread_mutex_unlock(&lock);
    end(range);
}

/* ---- Names ---- */

/* Of a thread or of a stream: the other number is 0. */
static void give_name(uint64_t thread, int stream, char *name) {
    if (thread || stream)
        timeline_write(&(struct timeline_row){
            .record = TIMELINE_NAME, .name = name, .thread = thread, .stream = stream});
    free(name);
}

/* Programs give the thread's number of the system, or, as NVIDIA's examples do, pthread's. */
static uint64_t thread_of(uint32_t id) {
    return source.thread(id == (uint32_t)pthread_self() ? (uint32_t)gettid() : id);
}

static void name_thread(uint32_t id, const char *name) {
    give_name(thread_of(id), 0, copy(name));
}

static void name_thread_w(uint32_t id, const wchar_t *name) {
    give_name(thread_of(id), 0, narrow(name));
}

static void name_stream(void *handle, const char *name) {
    give_name(0, source.stream(handle), copy(name));
}

static void name_stream_w(void *handle, const wchar_t *name) {
    give_name(0, source.stream(handle), narrow(name));
}

/* ---- What NVTX calls. A domain's handle is its name, a registered string's its text. ---- */

static uint64_t range_start_ex(const struct attributes *a) {
    return start("", message_of(a));
}

static uint64_t range_start(const char *text) {
    return start("", copy(text));
}

static uint64_t range_start_w(const wchar_t *text) {
    return start("", narrow(text));
}

static int range_push_ex(const struct attributes *a) {
    return push("", message_of(a));
}

static int range_push(const char *text) {
    return push("", copy(text));
}

static int range_push_w(const wchar_t *text) {
    return push("", narrow(text));
}

static int range_pop(void) {
    return pop("");
}

static uint64_t domain_range_start_ex(const char *domain, const struct attributes *a) {
    return start(domain ? domain : "", message_of(a));
}

static void domain_range_end(const char *domain, uint64_t id) {
    (void)domain;
    stop(id);
}

static int domain_range_push_ex(const char *domain, const struct attributes *a) {
    return push(domain ? domain : "", message_of(a));
}

static int domain_range_pop(const char *domain) {
    return pop(domain ? domain : "");
}

static char *domain_register(const char *domain, const char *text) {
    (void)domain;
    return copy(text);
}

static char *domain_register_w(const char *domain, const wchar_t *text) {
    (void)domain;
    return narrow(text);
}

/* ---- Injection ---- */

static const struct hook {
    uint32_t module;
    unsigned place;
    function ours;
} hooks[] = {
#define HOOK(module, place, ours)                                                                  \
    { module, place, (function)ours }
    HOOK(MODULE_CORE, RANGE_START_EX, range_start_ex),
    HOOK(MODULE_CORE, RANGE_START, range_start),
    HOOK(MODULE_CORE, RANGE_START_W, range_start_w),
    HOOK(MODULE_CORE, RANGE_END, stop),
    HOOK(MODULE_CORE, RANGE_PUSH_EX, range_push_ex),
    HOOK(MODULE_CORE, RANGE_PUSH, range_push),
    HOOK(MODULE_CORE, RANGE_PUSH_W, range_push_w),
    HOOK(MODULE_CORE, RANGE_POP, range_pop),
    HOOK(MODULE_CORE, NAME_THREAD, name_thread),
    HOOK(MODULE_CORE, NAME_THREAD_W, name_thread_w),
    HOOK(MODULE_CUDA, CUDA_NAME_STREAM, name_stream),
    HOOK(MODULE_CUDA, CUDA_NAME_STREAM_W, name_stream_w),
    HOOK(MODULE_CUDART, CUDART_NAME_STREAM, name_stream),
    HOOK(MODULE_CUDART, CUDART_NAME_STREAM_W, name_stream_w),
    HOOK(MODULE_CORE2, DOMAIN_RANGE_START_EX, domain_range_start_ex),
    HOOK(MODULE_CORE2, DOMAIN_RANGE_END, domain_range_end),
    HOOK(MODULE_CORE2, DOMAIN_RANGE_PUSH_EX, domain_range_push_ex),
    HOOK(MODULE_CORE2, DOMAIN_RANGE_POP, domain_range_pop),
    HOOK(MODULE_CORE2, DOMAIN_REGISTER, domain_register),
    HOOK(MODULE_CORE2, DOMAIN_REGISTER_W, domain_register_w),
    HOOK(MODULE_CORE2, DOMAIN_CREATE, copy),
    HOOK(MODULE_CORE2, DOMAIN_CREATE_W, narrow),
#undef HOOK
};

int InitializeInjectionNvtx2(nvtx_tables *tables) {
    const struct callbacks *callbacks = tables(TABLE_OF_CALLBACKS);
    if (!source.now_ns || !callbacks) return 0;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        function **table;
        unsigned size;
        if (callbacks->table_of(hooks[i].module, &table, &size) && hooks[i].place < size)
            *table[hooks[i].place] = hooks[i].ours;
    }
    return 1;
}

void nvtx_record(struct nvtx_source from, const char *library) {
    source = from;
    if (library) setenv("NVTX_INJECTION64_PATH", library, 0);
}
