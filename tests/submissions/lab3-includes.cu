// A part of cooperative groups that there is not: the step fails, and not the grader.
#include <cooperative_groups/nothing.h>
namespace groups = cooperative_groups;

// BEGIN SOLUTION reduceNeighboredLess
g_odata[blockIdx.x] = groups::this_thread_block().thread_rank();
// END SOLUTION
