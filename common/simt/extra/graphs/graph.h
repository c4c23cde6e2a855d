/*
 * extra/graphs/graph.h: graphs: what their files share.
 *
 *   cudaGraphAdd...Node, stream capture --> struct rt_graph --instantiate: a clone--> struct
 * rt_exec --launch--> streams
 *
 * A node keeps its parameters as CUDA's union has them, with copies of what they point to. Call all
 * functions with the lock held.
 */
#pragma once

#include "simt/api/attributes.h"
#include "simt/api/launch/launch.h"

struct rt_graph;

/* A dependency, as one of its two nodes has it. */
struct rt_edge {
    struct rt_node *node; /* the other one */
    cudaGraphEdgeData data;
};

struct rt_edges {
    struct rt_edge *list; /* in the order in which they were added */
    size_t count;
};

struct rt_node {
    struct rt_graph *graph; /* NULL: destroyed */
    uint64_t id, origin;    /* its number; that of the node from which it was cloned, 0: none */
    int device;
    bool disabled;                     /* in an executable graph */
    struct cudaGraphNodeParams params; /* an empty node has the type alone */
    struct rt_attributes attributes;   /* of a kernel node */
    struct rt_edges before, after;     /* nodes that it waits for; nodes that wait for it */
    size_t mark;                       /* for a walk over the graph */
    struct rt_node *spare;             /* the next destroyed one */
    /* While its graph is launched. */
    struct rt_stream *branch; /* that it ran in */
    struct work *end;
    double expected_ns;
    uint64_t callback;
};

struct rt_graph {
    bool alive;
    uint64_t id, origin;    /* its number; that of the graph from which it was cloned, 0: none */
    struct rt_node **nodes; /* in the order in which they were added; of an executable graph in one
                               of execution */
    size_t count;
    struct rt_node *owner;  /* the node whose child or body it is; NULL: none */
    struct rt_held *held;   /* its user objects */
    struct rt_graph *spare; /* the next destroyed one */
};

struct rt_exec {
    struct rt_graph *graph; /* a clone */
    unsigned long long flags;
    struct rt_exec *next;
    struct rt_launched {
        unsigned users;            /* the executable graph, and launches that wait for a kernel */
        unsigned long long stream; /* its number */
        struct work *end;          /* NULL: none */
        double expected_ns;
        uint64_t callback;
    } * last; /* its last launch */
};

/* ---- Graphs and nodes (extra/graphs/node.c) ---- */

/* The object of a handle; NULL: none, or destroyed. */
struct rt_graph *rt_graph(cudaGraph_t handle);
struct rt_node *rt_node(cudaGraphNode_t handle);
/* A new empty graph; NULL: no memory. */
struct rt_graph *rt_graph_new(void);
void rt_graph_free(struct rt_graph *graph);
/* Adds a node of these parameters to the graph, after those nodes; data: of the edges to them,
 * NULL: ordinary ones. Stores in *params what the caller is told: memory's address, the bodies of a
 * condition. */
cudaError_t rt_graph_add(struct rt_graph *graph, const cudaGraphNode_t *before,
                         const cudaGraphEdgeData *data, size_t n,
                         struct cudaGraphNodeParams *params, cudaGraphNode_t *node);
/* Adds a node without parameters and dependencies; NULL: no memory. */
struct rt_node *rt_node_new(struct rt_graph *graph, enum cudaGraphNodeType type);
/* Removes a node with its edges. */
void rt_node_remove(struct rt_node *node);
/* Hands a list of handles to the program: *n fit, the rest of its array becomes NULL; without an
 * array only stores how many there are. item(list, i) is the i-th. */
cudaError_t rt_list_nodes(cudaGraphNode_t *to, size_t *n, size_t items,
                          struct rt_node *item(const void *, size_t), const void *list);

/* ---- Edges (extra/graphs/edge.c) ---- */

/* Makes `to` wait for `from`. Returns cudaErrorInvalidValue if it does already, or if they are not
 * two nodes of one graph. data: NULL: an ordinary dependency. */
cudaError_t rt_edge_add(struct rt_node *from, struct rt_node *to, const cudaGraphEdgeData *data);
/* Removes all edges of a node. */
void rt_edges_drop(struct rt_node *node);
/* Marks with 1 the nodes that any of these waits for, themselves included; with 0 all others of the
 * graph. */
void rt_mark_before(struct rt_graph *graph, const cudaGraphNode_t *nodes, size_t n);
/* Puts the graph's nodes in an order of execution, and those of its children and bodies. Returns
 * false if nodes wait for each other in a circle. */
bool rt_graph_sort(struct rt_graph *graph);

/* ---- Parameters (extra/graphs/params.c) ---- */

/* The launch of a kernel node. */
struct launch rt_kernel_launch(const struct cudaKernelNodeParams *kernel);
/* Checks parameters as CUDA does when they are given to a node. */
cudaError_t rt_params_check(const struct cudaGraphNodeParams *params);
/* Copies parameters and what they point to. Returns false without memory. Of children and bodies
 * only the handle is copied. */
bool rt_params_copy(struct cudaGraphNodeParams *to, const struct cudaGraphNodeParams *from);
/* Frees what a copy owns. */
void rt_params_free(struct cudaGraphNodeParams *params);
/* Checks the parameters, and puts a copy in the place of the node's. */
cudaError_t rt_params_set(struct rt_node *node, const struct cudaGraphNodeParams *params);

/* ---- Clones (extra/graphs/clone.c) ---- */

/* A copy with children and bodies; NULL: no memory. */
struct rt_graph *rt_graph_clone(const struct rt_graph *graph);
/* The graph's node, or one of its children's and bodies', that was cloned from that node; NULL:
 * none. */
struct rt_node *rt_clone_of(const struct rt_graph *clone, const struct rt_node *node);
/* Makes a new child node's graph: a clone of the one that its parameters name, or that one
 * itself. */
cudaError_t rt_child_open(struct rt_node *node, struct cudaGraphNodeParams *params);
/* Calls visit for the node's child or bodies, as long as it returns true. Returns whether it always
 * did. */
bool rt_each_inner(const struct rt_node *node, bool visit(struct rt_graph *));
/* The node's child, or its i-th body; NULL: none. */
struct rt_graph *rt_inner(const struct rt_node *node, unsigned i);
/* Has the graph, a child or a body, such a node? */
bool rt_graph_has(const struct rt_graph *graph, bool (*is)(const struct rt_node *));
/* May a graph with this node have one executable graph only, and no clone? */
bool rt_node_is_single(const struct rt_node *node);

/* ---- Executable graphs (extra/graphs/exec.c, extra/graphs/launch.c) ---- */

struct rt_exec *rt_exec(cudaGraphExec_t handle);
/* Forgets what an executable graph's last launch was, if nobody asks any more. */
void rt_launched_release(struct rt_launched *last);
/* Replaces the parameters of the node that was cloned from that one. */
cudaError_t rt_exec_set(struct rt_exec *exec, const struct rt_node *original,
                        const struct cudaGraphNodeParams *params);
/* May an executable graph's node take these parameters? */
bool rt_may_replace(const struct cudaGraphNodeParams *now, const struct cudaGraphNodeParams *then);
/* Gives an executable graph's child node the parameters of another graph
 * (extra/graphs/update.c). */
cudaError_t rt_exec_set_child(struct rt_node *node, const struct rt_graph *child);
/* Gives a graph's nodes the parameters of another graph of the same shape. */
cudaError_t rt_graph_take(struct rt_graph *now, const struct rt_graph *then);

/* ---- Memory of graphs (extra/graphs/memory.c) ---- */

/* Does the node allocate or free memory? */
bool rt_node_has_memory(const struct rt_node *node);
/* Gives an alloc node the address that its memory has at each launch, which *params then tells:
 * that of memory freed before it in the graph, or a new one. */
cudaError_t rt_graph_memory_place(struct rt_node *node, struct cudaGraphNodeParams *params);
/* Returns cudaErrorInvalidValue if a free node's address is no alloc node's, or if the graph frees
 * it already. */
cudaError_t rt_graph_memory_check(struct rt_node *node);
/* Do so many bytes lie in memory that alloc nodes have reserved? */
bool rt_graph_memory_holds(const void *pointer, size_t size);
/* Allocates an alloc node's memory. Returns cudaErrorInvalidValue if it is still in use. */
cudaError_t rt_graph_memory_take(const struct rt_node *node);
/* Frees what the last launch of the graph has left, if it was instantiated so. Else returns
 * cudaErrorInvalidValue if there is something. */
cudaError_t rt_graph_memory_clear(const struct rt_exec *exec);

/* Begin and end a launch of the graph: physical memory backs what it allocates. */
void rt_graph_memory_begin(const struct rt_graph *graph, struct rt_stream *stream);
void rt_graph_memory_end(const struct rt_stream *stream);

/* ---- Physical memory of graphs (extra/graphs/footprint.c) ---- */

struct rt_backing;
/* Is memory in use that it backs? (extra/graphs/memory.c) */
bool rt_graph_memory_kept(const struct rt_backing *backing);
/* Physical memory for a launch of that graph on the device, from now until the launch's end; NULL:
 * no memory for the record. The call and the stream take the time that it takes to map it. */
struct rt_backing *rt_footprint_begin(uint64_t graph, int device, uint64_t bytes,
                                      struct rt_stream *stream);
void rt_footprint_end(struct rt_backing *backing, const struct rt_stream *stream);
/* Bytes that graphs have from the device, and had at most since the last reset. */
uint64_t rt_footprint(int device);
uint64_t rt_footprint_highest(int device);
void rt_footprint_reset(int device);
/* Gives back what no launch and no allocation uses. */
void rt_footprint_trim(int device);

/* ---- Conditions (extra/graphs/condition.c) ---- */

/* Makes the bodies of a conditional node, which *params then names. */
cudaError_t rt_condition_open(struct rt_node *node, struct cudaGraphNodeParams *params);
/* Are all conditions of the graph those of a node? */
bool rt_conditions_are_used(const struct rt_graph *graph);
/* Gives the graph's conditions their default values, if they have one, as a launch begins. */
void rt_conditions_reset(const struct rt_graph *graph);
unsigned rt_condition(cudaGraphConditionalHandle handle);

/* ---- User objects (extra/graphs/object.c) ---- */

/* Makes `to` hold what `from` holds; releases all that a graph holds. */
void rt_objects_share(struct rt_graph *to, const struct rt_graph *from);
void rt_objects_release(struct rt_graph *graph);
