// walk.js: from one position to the next: by instruction, by line, to a divergence, an access, a barrier.

/** The units of a step: does the event at `to` end a step that began at `from`? Both are the same warp's. */
export const UNITS = {
    instruction: { label: "instruction", ends: () => true },
    line: {
        label: "line",
        ends: (recording, from, to) => {
            const a = recording.instructionOf(from);
            const b = recording.instructionOf(to);
            return b.line > 0 && (a.line !== b.line || a.source !== b.source);
        },
    },
    divergence: {
        label: "divergence",
        ends: (recording, from, to) => {
            const event = recording.events[to];
            const divided = event.guard !== 0 && event.guard !== event.active;
            return recording.instructionOf(to).kind === "branch" && divided;
        },
    },
    access: { label: "memory access", ends: (recording, from, to) => recording.instructionOf(to).space !== undefined },
    barrier: { label: "barrier", ends: (recording, from, to) => recording.instructionOf(to).kind === "barrier" },
};

/** Does the instruction do more than compute? */
export function isTelling(recording, position) {
    return recording.instructionOf(position).kind !== "other";
}

/**
 * What the line at this position does more than compute: positions of the warp's events, in order. Compilers mix the
 * computations of several lines, so these do not end the line; another line's access does, and a second round.
 */
export function lineFrom(recording, warp, position) {
    const all = recording.positions.get(warp);
    const seen = new Set();
    const found = [];
    for (let i = all.indexOf(position); i < all.length; i++) {
        const { instruction } = recording.events[all[i]];
        const isOther = UNITS.line.ends(recording, position, all[i]);
        if (seen.has(instruction) || (isOther && isTelling(recording, all[i]))) break;
        seen.add(instruction);
        if (!isOther && isTelling(recording, all[i])) found.push(all[i]);
    }
    return found;
}

/**
 * The position after a step of the warp. direction: 1 or -1. Without another such place: the warp's last or first event;
 * a warp that has not begun begins.
 */
export function step(recording, warp, position, unit, direction) {
    const all = recording.positions.get(warp);
    let i = all.indexOf(recording.lastOf(warp, position));
    if (i < 0) return direction > 0 && all.length ? all[0] : position;
    const from = all[i];
    for (i += direction; i >= 0 && i < all.length; i += direction) {
        if (UNITS[unit].ends(recording, from, all[i])) return all[i];
    }
    return direction > 0 ? all[all.length - 1] : all[0];
}
