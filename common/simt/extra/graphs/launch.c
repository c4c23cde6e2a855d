/*
 * extra/graphs/launch.c: runs an executable graph: its nodes one after the other, in an order that
 * their dependencies allow. In modelled time nodes that do not wait for each other run beside each
 * other: each branch of the graph has a stream. A node runs in the branch of a node before it if no
 * other node does, or begins a branch.
 */
#include "graph.h"
#include "simt/api/capture.h"
#include "simt/api/clock.h"
#include "simt/extra/pools/pool.h"

#include <stdlib.h>

/* A launch of a graph, or of one inside it. */
struct run {
    struct rt_stream *stream; /* that it was launched into: its first branch */
    struct work *begin;       /* what the first nodes wait for */
    struct rt_stream *branches;
    size_t roots; /* nodes that have begun and wait for no other */
    const struct rt_exec *exec;
};

/* ---- Branches ---- */

/* What a node leaves for those that wait for it. */
static void note_end(struct rt_node *node, struct rt_stream *branch) {
    node->branch = branch;
    node->end = work_hold(branch->last);
    node->expected_ns = branch->expected_ns;
    node->callback = branch->last_callback;
    branch->tail = node;
}

/* The branch in which the node runs. The first one of the launch is its stream. */
static struct rt_stream *branch_of(struct run *run, const struct rt_node *node) {
    for (size_t i = 0; i < node->before.count; i++) {
        const struct rt_node *before = node->before.list[i].node;
        if (before->branch->tail == before && before->branch->device == node->device)
            return before->branch;
    }
    if (!run->stream->tail && run->stream->device == node->device) return run->stream;
    struct rt_stream *branch = rt_branch_new(node->device);
    if (!branch) return NULL;
    branch->priority = run->stream->priority;
    branch->sibling = run->branches;
    run->branches = branch;
    rt_stream_after(branch, run->begin, run->stream->expected_ns, run->stream->last_callback);
    return branch;
}

static void wait_for_nodes(struct rt_stream *branch, const struct rt_node *node) {
    for (size_t i = 0; i < node->before.count; i++) {
        const struct rt_node *before = node->before.list[i].node;
        if (before->branch != branch)
            rt_stream_after(branch, before->end, before->expected_ns, before->callback);
    }
}

/* The stream's later work waits for the nodes that no other node waits for. */
static void join_branches(struct run *run, const struct rt_graph *graph) {
    for (size_t i = 0; i < graph->count; i++) {
        const struct rt_node *node = graph->nodes[i];
        if (!node->after.count && node->branch && node->branch != run->stream)
            rt_stream_after(run->stream, node->end, node->expected_ns, node->callback);
    }
    for (size_t i = 0; i < graph->count; i++) {
        work_release(graph->nodes[i]->end);
        graph->nodes[i]->end = NULL;
        graph->nodes[i]->branch = NULL;
    }
    while (run->branches) {
        struct rt_stream *branch = run->branches;
        run->branches = branch->sibling;
        rt_branch_free(branch);
    }
    run->stream->tail = NULL;
}

/* ---- Nodes ---- */

static cudaError_t run_graph(struct rt_graph *graph, const struct rt_exec *exec,
                             struct rt_stream *stream);

static cudaError_t run_kernel_node(const struct rt_node *node, const struct rt_exec *exec,
                                   struct rt_stream *branch) {
    cudaLaunchAttributeValue cooperative, priority;
    struct launch launch = rt_kernel_launch(&node->params.kernel);
    rt_attribute_get(&node->attributes, cudaLaunchAttributeCooperative, &cooperative);
    rt_attribute_get(&node->attributes, cudaLaunchAttributePriority, &priority);
    launch.cooperative = cooperative.cooperative;
    launch.in_graph = true;
    int of_branch = branch->priority;
    if (exec->flags & cudaGraphInstantiateFlagUseNodePriority) branch->priority = priority.priority;
    cudaError_t error = rt_launch(node->params.kernel.func, &launch, (cudaStream_t)branch);
    rt_async_kernel_wait_stream(branch);
    branch->priority = of_branch;
    return error;
}

static cudaError_t run_fill(const struct cudaMemsetParams *fill, struct rt_stream *branch) {
    rt_stream_pass(branch, rt_cost_ns("graph fill"));
    return rt_fill(fill, (cudaStream_t)branch);
}

static cudaError_t run_host(const struct cudaHostNodeParams *host, struct rt_stream *branch) {
    bool after = branch->tail && branch->tail->params.type == cudaGraphNodeTypeHost;
    const char *cost = after ? "graph host function after another" : "graph host function";
    return rt_launch_host((cudaStream_t)branch, host->fn, host->userData, cost);
}

/* A condition chooses the body; a loop asks again after each round. */
static cudaError_t run_condition(const struct rt_node *node, const struct rt_exec *exec,
                                 struct rt_stream *branch) {
    const struct cudaConditionalNodeParams *params = &node->params.conditional;
    cudaError_t error = cudaSuccess;
    bool again = true;
    while (again && !error && rt_stream_turn(branch)) {
        unsigned value = rt_condition(params->handle);
        unsigned body = params->type == cudaGraphCondTypeSwitch ? value : !value;
        bool loops = params->type == cudaGraphCondTypeWhile;
        rt_stream_pass(branch, rt_cost_ns("graph condition"));
        again = loops && value;
        if (body < params->size) error = run_graph(rt_inner(node, body), exec, branch);
    }
    return error;
}

static cudaError_t run_node(const struct rt_node *node, const struct rt_exec *exec,
                            struct rt_stream *branch) {
    const struct cudaGraphNodeParams *params = &node->params;
    cudaStream_t stream = (cudaStream_t)branch;
    if (node->disabled) return cudaSuccess;
    switch (params->type) {
    case cudaGraphNodeTypeKernel: return run_kernel_node(node, exec, branch);
    case cudaGraphNodeTypeMemcpy: return rt_copy_3d(&params->memcpy.copyParams, stream, false);
    case cudaGraphNodeTypeMemset: return run_fill(&params->memset, branch);
    case cudaGraphNodeTypeHost: return run_host(&params->host, branch);
    case cudaGraphNodeTypeGraph: return run_graph(rt_inner(node, 0), exec, branch);
    case cudaGraphNodeTypeWaitEvent: return rt_event_wait(stream, params->eventWait.event, 0);
    case cudaGraphNodeTypeEventRecord: return rt_event_record(params->eventRecord.event, stream, 0);
    case cudaGraphNodeTypeMemAlloc: return rt_graph_memory_take(node);
    case cudaGraphNodeTypeMemFree: return rt_free_async(params->free.dptr, stream);
    case cudaGraphNodeTypeConditional: return run_condition(node, exec, branch);
    default: return cudaSuccess;
    }
}

/* Runs a graph whose nodes are sorted. The stream may be a branch of the graph around it. */
static cudaError_t run_graph(struct rt_graph *graph, const struct rt_exec *exec,
                             struct rt_stream *stream) {
    struct rt_node *tail = stream->tail;
    struct run run = {.stream = stream, .exec = exec, .begin = work_hold(stream->last)};
    cudaError_t error = cudaSuccess;
    int caller = device_current();
    stream->tail = NULL;
    for (size_t i = 0; i < graph->count && !error; i++) {
        struct rt_node *node = graph->nodes[i];
        /* Branches that begin together start one after the other: so many before the node's. */
        size_t begun = node->before.count ? node->before.list[0].node->mark++ : run.roots++;
        struct rt_stream *branch = branch_of(&run, node);
        if (!branch) error = cudaErrorMemoryAllocation;
        if (error) break;
        device_use(node->device);
        wait_for_nodes(branch, node);
        if (begun) rt_stream_pass(branch, (double)begun * rt_cost_ns("graph branch"));
        node->mark = 0;
        error = run_node(node, exec, branch);
        note_end(node, branch);
    }
    device_use(caller);
    join_branches(&run, graph);
    work_release(run.begin);
    stream->tail = tail;
    return error;
}

/* ---- The API ---- */

/* Launches of an executable graph come one after the other, whatever their streams. */
static void follow(struct rt_launched *last, struct rt_stream *stream) {
    if (last->end && last->stream != stream->id)
        rt_stream_after(stream, last->end, last->expected_ns, last->callback);
}

static void note_launch(struct rt_launched *last, const struct rt_stream *stream) {
    work_release(last->end);
    *last = (struct rt_launched){last->users, stream->id, work_hold(stream->last),
                                 stream->expected_ns, stream->last_callback};
}

static cudaError_t launch_now(const struct rt_exec *exec, struct rt_stream *stream) {
    cudaError_t error = rt_graph_memory_clear(exec);
    if (error) return error;
    follow(exec->last, stream);
    if (!rt_stream_turn(stream)) return rt_surface();
    rt_conditions_reset(exec->graph);
    rt_graph_memory_begin(exec->graph, stream);
    rt_stream_pass(stream, rt_cost_ns("graph"));
    error = run_graph(exec->graph, exec, stream);
    rt_graph_memory_end(stream);
    note_launch(exec->last, stream);
    return error;
}

/* A launch that waits for a kernel has the graph as it is now. */
struct launch_later {
    struct rt_exec exec;
    cudaStream_t stream;
};

static cudaError_t launch_kept(const struct launch_later *later) {
    cudaError_t error = launch_now(&later->exec, rt_stream(later->stream));
    rt_graph_free(later->exec.graph);
    rt_launched_release(later->exec.last);
    return error;
}

static cudaError_t call_launch(const void *argument) {
    const struct launch_later *later = argument;
    RT_DEFERRED_CALL(later->stream, launch_kept(later));
}

static bool launch_deferred(struct rt_exec *exec, const struct rt_stream *stream,
                            cudaStream_t handle) {
    if (!rt_async_kernel_runs()) return false;
    struct launch_later later = {*exec, handle};
    later.exec.graph = rt_graph_clone(exec->graph);
    if (!later.exec.graph) return false;
    bool deferred = rt_graph_sort(later.exec.graph) &&
                    rt_async_kernel_defer_graph("cudaGraphLaunch", stream, exec, call_launch,
                                                &later, sizeof later);
    exec->last->users += deferred;
    if (!deferred) rt_graph_free(later.exec.graph);
    return deferred;
}

static cudaError_t launch(struct rt_exec *exec, cudaStream_t handle) {
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(handle, &stream);
    if (!error && stream->capture) error = rt_capture_guard();
    if (error) return error;
    if (!exec) return cudaErrorInvalidValue;
    if (!stream->capture && launch_deferred(exec, stream, handle)) return cudaSuccess;
    return stream->capture ? rt_capture_launch(stream, exec) : launch_now(exec, stream);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    RT_ACTING_CALL(launch(rt_exec(exec), stream));
}

/* The simulator has nothing to load onto the device. */
static cudaError_t upload(const struct rt_exec *exec, cudaStream_t stream) {
    if (!exec) return cudaErrorInvalidValue;
    rt_call_nodes("uploaded node", exec->graph->count);
    return rt_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    RT_ACTING_CALL(upload(rt_exec(exec), stream));
}
