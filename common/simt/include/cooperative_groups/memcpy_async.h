/* cooperative_groups/memcpy_async.h: a group copies from global to shared memory, and waits. */
#ifndef SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../async_copy.h"
#include "../cooperative_groups.h"

SIMT_HEADER_BEGIN

#define SIMT_GROUP __device__ inline

namespace cooperative_groups {

template <class Group, class Size>
SIMT_GROUP void memcpy_async(const Group &group, void *to, const void *from, Size size) {
    simtCopyPart(to, from, (size_t)size, group.thread_rank(), group.size());
    simtCopyCommit();
}

/* All copies of the group but the last LATER have arrived. */
template <unsigned int LATER, class Group> SIMT_GROUP void wait_prior(const Group &group) {
    simtCopyWait<(int)LATER>();
    group.sync();
}
template <class Group> SIMT_GROUP void wait(const Group &group) {
    wait_prior<0>(group);
}

} // namespace cooperative_groups

#undef SIMT_GROUP

SIMT_HEADER_END
#endif
