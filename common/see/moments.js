// moments.js: the moments of a recording that an address names by what they show, as in
// #to=divergence.

import { count } from "./recording.js";

const hasSome = (mask, of) => mask !== 0 && mask !== of;

/** Sums of counters that the event raised. */
const raised = (recording, event, ...names) => names.reduce((sum, name) => sum + recording.raised(event, name), 0);

/**
 * By name: what the address leads to, and how much of it an event has; the first event with most is
 * shown. An access is wide by its sectors and long by its passes over the banks.
 */
export const MOMENTS = {
    divergence: {
        label: "a branch divides a warp",
        of: (recording, { active, guard }, { kind }) => Number(kind === "branch" && hasSome(guard, active)),
    },
    load: {
        label: "the widest load",
        of: (recording, event) => raised(recording, event, "gld_sectors"),
    },
    store: {
        label: "the widest store",
        of: (recording, event) => raised(recording, event, "gst_sectors"),
    },
    atomic: {
        label: "the widest atomic operation",
        of: (recording, event) => raised(recording, event, "atom_sectors", "red_sectors"),
    },
    constant: {
        label: "the widest load of constants",
        of: (recording, event, { space }) =>
            space === "const" ? new Set(recording.addressesOf(event).filter((address) => address !== null)).size : 0,
    },
    banks: {
        label: "the longest access to shared memory",
        of: (recording, event) =>
            raised(recording, event, "shared_ld_wavefronts", "shared_st_wavefronts", "shared_atom_wavefronts"),
    },
    shuffle: {
        label: "values go from lane to lane",
        of: (recording, event, { kind }) => Number(kind === "shuffle"),
    },
    barrier: {
        label: "a warp waits at a barrier",
        of: (recording, event, { kind }, at) => (kind === "barrier" ? recording.missingAt(at, at).length : 0),
    },
    lanes: {
        label: "the narrowest instruction",
        of: (recording, { guard }, { kind }) => (guard && kind !== "branch" ? 33 - count(guard) : 0),
    },
    branch: {
        label: "a branch at which a warp stays together",
        of: (recording, { active, guard }, { kind }, at) => (kind === "branch" && !hasSome(guard, active) ? at + 1 : 0),
    },
    time: { label: "warps by cycles", of: () => 0 }, // a place of the page, no event
};

/** The position of a moment; -1: the recording has none. */
export function momentIn(recording, name) {
    let most = 0;
    let found = -1;
    recording.events.forEach((event, at) => {
        const much = MOMENTS[name].of(recording, event, recording.instructionOf(at), at);
        if (much > most) [most, found] = [much, at];
    });
    return found;
}
