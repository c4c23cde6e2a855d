// moments.js: the moments of a recording that an address names by what they show, as in
// #to=divergence.

import { count } from "./recording.js";
import { divides } from "./walk.js";

/** Different addresses of constant memory that the event's lanes want. */
function constants(recording, event) {
    const access = recording.accessesOf(event).find(({ space }) => space === "const");
    return new Set(access?.addresses.filter((address) => address !== null)).size;
}

/**
 * By name: what the address leads to, and how much of it an event has; the first event with most is
 * shown. An access is wide by its sectors and long by its passes over the banks.
 */
export const MOMENTS = {
    divergence: {
        label: "a branch divides a warp",
        of: (recording, event, instruction, at) => Number(divides(recording, at)),
    },
    load: {
        label: "the widest load",
        of: (recording, event) => recording.raised(event, "gld_sectors"),
    },
    store: {
        label: "the widest store",
        of: (recording, event) => recording.raised(event, "gst_sectors"),
    },
    atomic: {
        label: "the widest atomic operation",
        of: (recording, event) => recording.raised(event, "atom_sectors", "red_sectors"),
    },
    constant: {
        label: "the widest load of constants",
        of: (recording, event, { spaces }) => (spaces?.includes("const") ? constants(recording, event) : 0),
    },
    banks: {
        label: "the longest access to shared memory",
        of: (recording, event) =>
            recording.raised(event, "shared_ld_wavefronts", "shared_st_wavefronts", "shared_atom_wavefronts"),
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
        of: (recording, event, { kind }, at) => (kind === "branch" && !divides(recording, at) ? at + 1 : 0),
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
