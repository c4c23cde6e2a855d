/* extra/graphs/dot.c: writes a graph in Graphviz's language, in the form that CUDA's runtime
 * writes. */
#include "graph.h"

#include "lib/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* The place of a node in its graph, by which the file names it. */
static void dot_name(FILE *file, const struct rt_node *node) {
    fprintf(file, "\"graph_%lu_node_%zu\"", (unsigned long)node->graph->id, node->mark);
}

static const char *direction(const struct cudaMemcpy3DParms *copy) {
    bool to = rt_place(copy->dstPtr.ptr, 1) != RT_HOST,
         from = rt_place(copy->srcPtr.ptr, 1) != RT_HOST;
    if (to) return from ? "DtoD" : "HtoD";
    return from ? "DtoH" : "HtoH";
}

/* A type's label and shape; kernels, copies and fills say more. */
static const struct {
    const char *label, *shape;
} looks[cudaGraphNodeTypeCount] = {
    [cudaGraphNodeTypeHost] = {"HOST", "rectangle"},
    [cudaGraphNodeTypeGraph] = {"CHILD_GRAPH", "rectangle"},
    [cudaGraphNodeTypeEmpty] = {"EMPTY", "rectangle"},
    [cudaGraphNodeTypeWaitEvent] = {"EVENT_WAIT", "rectangle"},
    [cudaGraphNodeTypeEventRecord] = {"EVENT_RECORD", "rectangle"},
    [cudaGraphNodeTypeMemAlloc] = {"MEM_ALLOC", "rectangle"},
    [cudaGraphNodeTypeMemFree] = {"MEM_FREE", "rectangle"},
    [cudaGraphNodeTypeConditional] = {"CONDITIONAL", "rectangle"},
};

static void write_kernel(FILE *file, const struct rt_node *node, bool verbose) {
    const struct cudaKernelNodeParams *kernel = &node->params.kernel;
    struct rt_function *function;
    const char *text = rt_function(kernel->func, &function) ? "?" : function->name;
    fprintf(file, "[style=\"bold\" shape=\"octagon\" label=\"%zu\n%s\n", node->mark, text);
    if (verbose)
        fprintf(file, "<<<(%u,%u,%u),(%u,%u,%u),%u>>>\n", kernel->gridDim.x, kernel->gridDim.y,
                kernel->gridDim.z, kernel->blockDim.x, kernel->blockDim.y, kernel->blockDim.z,
                kernel->sharedMemBytes);
}

static void write_node(FILE *file, const struct rt_node *node, bool verbose) {
    const struct cudaMemcpy3DParms *copy = &node->params.memcpy.copyParams;
    const struct cudaMemsetParams *fill = &node->params.memset;
    enum cudaGraphNodeType type = node->params.type;
    dot_name(file, node);
    if (type == cudaGraphNodeTypeKernel)
        write_kernel(file, node, verbose);
    else if (type == cudaGraphNodeTypeMemcpy)
        fprintf(file, "[style=\"solid\" shape=\"trapezium\"label=\"%zu\nMEMCPY\n(%s,%zu)\n",
                node->mark, direction(copy),
                copy->extent.width * copy->extent.height * copy->extent.depth);
    else if (type == cudaGraphNodeTypeMemset)
        fprintf(file, "[style=\"solid\" shape=\"invtrapezium\"label=\"%zu\nMEMSET\n(%u,%zu)\n",
                node->mark, fill->value, fill->elementSize * fill->width * fill->height);
    else
        fprintf(file, "[style=\"solid\" shape=\"%s\" label=\"%zu\n%s\n", looks[type].shape,
                node->mark, looks[type].label);
    fprintf(file, "\"];\n\n");
}

/* The graphs inside the node come after their graph, with an edge to the first node of each. */
static void write_graph(FILE *file, const struct rt_graph *graph, bool verbose) {
    struct rt_graph *inner;
    for (size_t i = 0; i < graph->count; i++) graph->nodes[i]->mark = i;
    fprintf(file, "subgraph cluster_%lu {\nlabel=\"graph_%lu\" graph[style=\"dashed\"];\n",
            (unsigned long)graph->id, (unsigned long)graph->id);
    for (size_t i = 0; i < graph->count; i++) write_node(file, graph->nodes[i], verbose);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->after.count; k++) {
            dot_name(file, graph->nodes[i]);
            fprintf(file, " -> ");
            dot_name(file, graph->nodes[i]->after.list[k].node);
            fprintf(file, "%s;\n", verbose ? " [headlabel=0]" : "");
        }
    fprintf(file, "}\n");
    for (size_t i = 0; i < graph->count; i++)
        for (unsigned k = 0; (inner = rt_inner(graph->nodes[i], k)); k++)
            write_graph(file, inner, verbose);
}

static cudaError_t dot_print(const struct rt_graph *graph, const char *path, unsigned flags) {
    if (!graph || !path) return cudaErrorInvalidValue;
    FILE *file = fopen(path, "w");
    if (!file) return cudaErrorOperatingSystem;
    fprintf(file, "digraph dot {\n");
    write_graph(file, graph,
                flags & (cudaGraphDebugDotFlagsVerbose | cudaGraphDebugDotFlagsKernelNodeParams));
    fprintf(file, "}\n");
    bool failed = ferror(file);
    return fclose(file) || failed ? cudaErrorOperatingSystem : cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
    RT_CALL(dot_print(rt_graph(graph), path, flags));
}
