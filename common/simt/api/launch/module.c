/*
 * api/launch/module.c: loads a registered fat binary at its first use.
 *
 * A fat binary holds the device code of one object file, or with nvcc -rdc=true of several, which
 * this file links by name. From each object it takes the PTX for the newest architecture that the
 * virtual GPU supports. The machine code does not run; it tells the registers and shared memory of
 * each kernel, and with --machine-code the order of its instructions.
 */
#include "module.h"

#include "lib/memory.h"
#include "simt/explore/explore.h"
#include "simt/image/cubin.h"
#include "simt/image/fatbin.h"
#include "simt/machine/isa.h"
#include "simt/machine/variables.h"
#include "simt/run/repeat.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REGISTERS 255 /* per thread, on every GPU */

struct rt_module {
    const void *wrapper;
    int device;
    struct rt_module *original; /* device 0's; of that one NULL */
    /* of device 0's: those for the other devices, made when needed */
    struct rt_module *copies[MAX_DEVICES];
    struct fatbin *fatbin;
    struct ptx_module **units; /* one for each object that has PTX for the GPU */
    struct cubin **cubins;     /* machine code, one for each object that has any */
    int nunits, ncubins;
    struct rt_function *functions;
    bool loaded;       /* loading was tried; error has the result */
    bool instantiated; /* variables have addresses */
    cudaError_t error;
    struct rt_module *next;
};

static struct rt_module *modules;

struct rt_module *rt_module_here(struct rt_module *module) {
    int device = device_current();
    if (module->device == device) return module;
    if (module->original) module = module->original;
    if (!device || module->copies[device]) return device ? module->copies[device] : module;
    struct rt_module *copy = rt_module_new(module->wrapper);
    copy->device = device;
    copy->original = module;
    return module->copies[device] = copy;
}

struct rt_module *rt_module_new(const void *wrapper) {
    struct rt_module *module = need(calloc(1, sizeof *module));
    module->wrapper = wrapper;
    module->next = modules;
    return modules = module;
}

/* Does the module have this entry? Device code may pass any number as a kernel's address, so it is
 * compared, not dereferenced. */
static bool holds_entry(const struct rt_module *module, const struct ptx_function *entry) {
    for (int i = 0; i < module->nunits; i++) {
        const struct ptx_function *first = module->units[i]->functions;
        if (entry >= first && entry < first + module->units[i]->nfunctions) return entry->is_entry;
    }
    return false;
}

/* Finds the kernel's function. Adds one for a kernel that only device code launches, which the host
 * has not registered. */
static struct rt_function *function_of(struct rt_module *module, const struct ptx_function *entry) {
    for (struct rt_function *function = module->functions; function; function = function->next)
        if (function->entry == entry || (!function->entry && !strcmp(function->name, entry->name)))
            return function;
    struct rt_function *function = calloc(1, sizeof *function);
    if (!function) return NULL;
    *function = (struct rt_function){.name = entry->name, .entry = entry, .carveout = -1};
    rt_module_add(module, function);
    return function;
}

cudaError_t rt_module_function(const struct ptx_function *entry, struct rt_function **function) {
    for (struct rt_module *module = modules; module; module = module->next) {
        if (!entry || !holds_entry(module, entry)) continue;
        *function = function_of(module, entry);
        return *function ? rt_module_resolve(*function) : cudaErrorMemoryAllocation;
    }
    return cudaErrorInvalidDeviceFunction;
}

struct rt_function *rt_module_find(const struct rt_module *module, const void *host) {
    struct rt_function *function = module->functions;
    while (function && function->host != host) function = function->next;
    return function;
}

struct rt_function *rt_module_known(const struct rt_module *module, const char *name) {
    struct rt_function *function = module->functions;
    while (function && !(function->host && !strcmp(function->name, name)))
        function = function->next;
    return function;
}

void rt_module_add(struct rt_module *module, struct rt_function *function) {
    function->module = module;
    function->next = module->functions;
    module->functions = function;
}

/* ---- Loading ---- */

/* The PTX for the oldest architecture in any object; NULL: no PTX. */
static const struct fatbin_image *oldest_ptx(const struct fatbin *fatbin) {
    const struct fatbin_image *oldest = NULL;
    for (int i = 0; i < fatbin->nimages; i++) {
        const struct fatbin_image *image = &fatbin->images[i];
        if (image->kind == FATBIN_PTX && (!oldest || image->arch < oldest->arch)) oldest = image;
    }
    return oldest;
}

static cudaError_t no_image(const struct fatbin *fatbin) {
    const struct fatbin_image *oldest = oldest_ptx(fatbin);
    if (oldest)
        report_note("the program has PTX for compute_%d%s, and the virtual %s is sm_%d",
                    oldest->arch,
                    oldest->last == INT_MAX        ? " and newer"
                    : oldest->last == oldest->arch ? "a alone"
                                                   : "f and its family",
                    rt.gpu->product, gpu_arch(rt.gpu));
    else
        report_note("the program has no PTX, only machine code, which a simulator cannot run");
    report_note("build it with: nvcc -gencode arch=compute_%d,code=compute_%d ...", OLDEST_ARCH,
                OLDEST_ARCH);
    return cudaErrorNoKernelImageForDevice;
}

/* With ptxas -dlcm=cg, global loads without a cache operator bypass the L1. */
static void take_load_caching(struct ptx_module *unit, const char *options) {
    if (!strstr(options, "-dlcm=cg") && !strstr(options, "-def-load-cache=cg")) return;
    for (int i = 0; i < unit->nfunctions; i++)
        for (int32_t k = 0; k < unit->functions[i].ninsns; k++) {
            struct ptx_insn *insn = &unit->functions[i].insns[k];
            bool global = insn->space == PTX_GLOBAL || insn->space == PTX_GENERIC;
            if (insn->op == PTX_LD && global && !insn->cache && !insn->nc) insn->cache = 'g';
        }
}

static cudaError_t parse_object(struct rt_module *module, int object) {
    char error[512];
    const struct fatbin_image *image =
        fatbin_find(module->fatbin, object, FATBIN_PTX, gpu_arch(rt.gpu));
    if (!image) return cudaSuccess; /* a library for another GPU: an error only at its first use */
    struct ptx_module *unit =
        ptx_parse((const char *)image->bytes, image->size, error, sizeof error);
    if (!unit) {
        report_note("the program's PTX cannot be read: %s", error);
        return cudaErrorInvalidPtx;
    }
    take_load_caching(unit, image->options);
    module->units[module->nunits++] = unit;
    return cudaSuccess;
}

/* Reads machine code for the GPU or the next older one, else for any: the compiler's choices differ
 * little. */
static void read_cubin(struct rt_module *module, int object) {
    char error[512];
    const struct fatbin_image *image =
        fatbin_find(module->fatbin, object, FATBIN_ELF, gpu_arch(rt.gpu));
    for (int i = 0; !image && i < module->fatbin->nimages; i++) {
        const struct fatbin_image *other = &module->fatbin->images[i];
        if (other->object == object && other->kind == FATBIN_ELF) image = other;
    }
    struct cubin *cubin = image ? cubin_read(image->bytes, image->size, error, sizeof error) : NULL;
    if (!cubin) return;
    cubin_read_code(cubin, image->bytes, image->size);
    module->cubins[module->ncubins++] = cubin;
}

/* The grid's barrier as a library has it for compilers without cooperative groups (Numba): of the
 * workspace at %envreg1 and 2, block 0 adds what makes the top bit change when all have come. */
static const char barrier_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope) {\n"
    ".reg .b32 %r<3>; .reg .b64 %rd;\n"
    "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd, {%r2, %r1};\n"
    "st.param.b64 [handle], %rd; ret; }\n"
    ".visible .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags) "
    "{\n"
    ".reg .b32 %r<12>; .reg .b64 %rd; .reg .pred %p;\n"
    "ld.param.u64 %rd, [handle]; bar.sync 0;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; or.b32 %r1, %r1, %r2;\n"
    "mov.u32 %r2, %tid.z; or.b32 %r1, %r1, %r2; setp.ne.u32 %p, %r1, 0; @%p bra MET;\n"
    "mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.y; mul.lo.u32 %r3, %r3, %r4;\n"
    "mov.u32 %r4, %nctaid.z; mul.lo.u32 %r3, %r3, %r4; sub.u32 %r5, 0x80000001, %r3;\n"
    "mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; or.b32 %r6, %r6, %r7;\n"
    "mov.u32 %r7, %ctaid.z; or.b32 %r6, %r6, %r7; setp.eq.u32 %p, %r6, 0;\n"
    "selp.u32 %r8, %r5, 1, %p; membar.gl; atom.add.u32 %r9, [%rd + 4], %r8;\n"
    "AGAIN: ld.volatile.u32 %r10, [%rd + 4]; xor.b32 %r11, %r9, %r10;\n"
    "setp.ge.s32 %p, %r11, 0; @%p bra AGAIN; membar.gl;\n"
    "MET: bar.sync 0; st.param.b32 [status], 0; ret; }\n";

/* Adds it to a module that calls it. */
static void add_barrier(struct rt_module *module) {
    char error[512];
    struct ptx_module *unit = NULL;
    for (int u = 0; u < module->nunits && !unit; u++)
        for (int i = 0; i < module->units[u]->nfunctions && !unit; i++)
            if (strcmp(module->units[u]->functions[i].name, "cudaCGSynchronize") == 0)
                unit = ptx_parse(barrier_ptx, sizeof barrier_ptx - 1, error, sizeof error);
    if (unit) module->units[module->nunits++] = unit;
}

static cudaError_t parse_objects(struct rt_module *module) {
    int n = module->fatbin->nobjects;
    module->units = calloc((size_t)n + 2, sizeof *module->units);
    module->cubins = calloc((size_t)n + 1, sizeof *module->cubins);
    if (!module->units || !module->cubins) return cudaErrorMemoryAllocation;
    for (int object = 0; object < n; object++) {
        cudaError_t error = parse_object(module, object);
        if (error) return error;
        read_cubin(module, object);
    }
    add_barrier(module);
    return module->nunits ? cudaSuccess : no_image(module->fatbin);
}

static const struct cubin_function *find_machine_code(const struct rt_module *module,
                                                      const char *name) {
    const struct cubin_function *found = NULL;
    for (int i = 0; i < module->ncubins && !found; i++) found = cubin_find(module->cubins[i], name);
    return found;
}

/* Tell each function what ptxas made of it. */
static void take_machine_code(struct rt_module *module) {
    for (int i = 0; i < module->nunits; i++)
        for (int k = 0; k < module->units[i]->nfunctions; k++) {
            struct ptx_function *function = &module->units[i]->functions[k];
            const struct cubin_function *found = find_machine_code(module, function->name);
            function->machine = found ? found->code : NULL;
        }
}

/* Tells early what would stop a kernel late, after hours perhaps. A program may never launch that
 * kernel. */
static void note_lacking(const struct rt_module *module) {
    struct lacking lacking = lacking_find(module->units, module->nunits, rt.gpu, isa_best());
    char name[256], place[512];
    struct text end = {place, sizeof place};
    if (!lacking.kernels || rt.quiet || module->original) return;
    text_place(&end, lacking.kernel, lacking.function, lacking.insn);
    report_note("note: simt does not have %s, of %s. A launch that reaches it will fail. simt "
                "--supports lists all that "
                "is missing%s",
                lacking_name(lacking.function, lacking.insn, name, sizeof name), place,
                lacking.kernels > 1 ? ", of other kernels too" : "");
}

static cudaError_t link_units(struct rt_module *module) {
    char error[512];
    if (!ptx_link(module->units, module->nunits, error, sizeof error)) {
        report_note("the program's device code cannot be linked: %s", error);
        return cudaErrorInvalidPtx;
    }
    for (int i = 0; i < module->nunits; i++) ptx_analyse(module->units[i]);
    take_machine_code(module);
    note_lacking(module);
    return cudaSuccess;
}

static cudaError_t module_load(struct rt_module *module) {
    char error[512];
    module->fatbin = fatbin_read(module->wrapper, error, sizeof error);
    if (!module->fatbin) {
        report_note("%s", error);
        return cudaErrorInvalidKernelImage;
    }
    explore_module(module->fatbin, gpu_arch(rt.gpu));
    cudaError_t failed = parse_objects(module);
    return failed ? failed : link_units(module);
}

/* Managed variables are the same on all devices: a copy takes device 0's addresses. */
static cudaError_t share_managed(struct rt_module *copy) {
    for (int i = 0; i < copy->nunits; i++)
        for (int k = 0; k < copy->units[i]->nvars; k++) {
            if (!copy->units[i]->vars[k].is_managed) continue;
            cudaError_t error = rt_module_load(copy->original);
            if (error) return error;
            copy->units[i]->vars[k].offset = copy->original->units[i]->vars[k].offset;
        }
    return cudaSuccess;
}

static cudaError_t place_variables(struct rt_module *module) {
    cudaError_t error = module->original ? share_managed(module) : cudaSuccess;
    if (error) return error;
    rt_register_loading(module);
    for (int i = 0; i < module->nunits; i++)
        if (!module_instantiate(module->units[i])) return cudaErrorMemoryAllocation;
    module->instantiated = true;
    rt_register_loaded(module);
    return cudaSuccess;
}

/* Its variables lie on its device, whatever is the current one. */
cudaError_t rt_module_load(struct rt_module *module) {
    if (!module->loaded) module->error = module_load(module);
    module->loaded = true;
    if (module->error || module->instantiated) return module->error;
    int caller = device_current();
    device_use(module->device);
    cudaError_t error = place_variables(module);
    device_use(caller);
    return error;
}

void rt_modules_reset(void) {
    repeat_forget_all();
    for (struct rt_module *module = modules; module; module = module->next) {
        if (module->device != device_current()) continue;
        for (struct rt_function *function = module->functions; function;
             function = function->next) {
            kernel_free(function->kernel);
            function->kernel = NULL;
        }
        module->instantiated = false;
    }
}

/* ---- A module's contents ---- */

static struct ptx_var *find_variable(const struct ptx_module *unit, const char *name) {
    for (int i = 0; i < unit->nvars; i++)
        if (!strcmp(unit->vars[i].name, name)) return unit->vars[i].definition;
    return NULL;
}

uintptr_t rt_module_variable(const struct rt_module *module, const char *name) {
    const struct ptx_var *variable = NULL;
    for (int i = 0; i < module->nunits && !variable; i++)
        variable = find_variable(module->units[i], name);
    return variable
               ? module_var_address(variable->module, (int32_t)(variable - variable->module->vars))
               : 0;
}

void rt_module_host_variable(struct rt_module *module, const char *name, void *host) {
    for (int i = 0; i < module->nunits; i++) {
        struct ptx_var *variable = find_variable(module->units[i], name);
        if (variable && variable->is_managed) variable->host = host;
    }
}

static const struct ptx_function *find_entry(const struct rt_module *module, const char *name) {
    for (int i = 0; i < module->nunits; i++)
        for (int j = 0; j < module->units[i]->nfunctions; j++) {
            const struct ptx_function *function = &module->units[i]->functions[j];
            if (function->is_entry && !strcmp(function->name, name)) return function;
        }
    return NULL;
}

/* The compiler's limit on registers: .maxnreg, and the launch bounds, whose blocks must fit. */
static int most_registers(const struct ptx_function *entry) {
    int most = entry->maxnreg ? (int)entry->maxnreg : MOST_REGISTERS;
    if (!entry->maxntid[0] && !entry->reqntid[0]) return most;
    int blocks = entry->minnctapersm ? (int)entry->minnctapersm : 1;
    int fit = occupancy_registers_for(rt.gpu, rt_bounded_threads(entry), blocks);
    return fit < most ? fit : most;
}

/* Estimates the registers of a kernel without machine code. */
static int estimate_registers(const struct ptx_function *entry) {
    int most = most_registers(entry);
    return entry->live_registers < most ? entry->live_registers : most;
}

static int constant_bytes(const struct ptx_module *unit) {
    uint64_t bytes = 0;
    for (int i = 0; i < unit->nvars; i++)
        if (unit->vars[i].space == PTX_CONST) bytes += unit->vars[i].size;
    return (int)bytes;
}

static void module_describe(struct rt_function *function) {
    const struct cubin_function *machine = find_machine_code(function->module, function->name);
    function->estimated = !machine;
    function->registers = machine ? machine->registers : estimate_registers(function->entry);
    function->static_shared =
        machine ? (int)machine->shared_bytes : (int)kernel_static_shared(function->kernel);
    function->code_bytes = machine ? machine->code_bytes : kernel_code_bytes(function->kernel);
    function->constant_bytes = constant_bytes(function->entry->module);
    function->ptx_version = function->entry->module->target;
    function->binary_version = 10 * rt.gpu->cc_major + rt.gpu->cc_minor;
}

/* The error for a missing kernel. It may lie in an object without PTX for this GPU. */
static cudaError_t missing(const struct rt_module *module) {
    return module->nunits < module->fatbin->nobjects ? no_image(module->fatbin)
                                                     : cudaErrorInvalidDeviceFunction;
}

const struct ptx_function *rt_module_entry(const struct rt_function *function) {
    if (function->entry) return function->entry;
    bool loaded = function->module->instantiated && !function->module->error;
    return loaded ? find_entry(function->module, function->name) : NULL;
}

cudaError_t rt_module_resolve(struct rt_function *function) {
    cudaError_t error = rt_module_load(function->module);
    if (error || function->kernel) return error;
    if (!function->entry) function->entry = find_entry(function->module, function->name);
    if (!function->entry) return missing(function->module);
    function->kernel = kernel_prepare(function->entry, rt.gpu, isa_best());
    if (!function->kernel) return cudaErrorMemoryAllocation;
    module_describe(function);
    return cudaSuccess;
}
