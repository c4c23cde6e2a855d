// walk.js: from one position to the next: by instruction, by line, to a divergence, an access, a
// barrier.

/**
 * Is the event at `to` of another line than the one at `from`? One that belongs to no line is not.
 */
function isOtherLine(recording, from, to) {
    const a = recording.instructionOf(from);
    const b = recording.instructionOf(to);
    return b.line > 0 && (a.line !== b.line || a.source !== b.source);
}

/** Does a line begin at the warp's event number i? */
function beginsLine(recording, all, i) {
    let before = i - 1;
    while (before >= 0 && recording.instructionOf(all[before]).line <= 0) before--;
    return before < 0 ? recording.instructionOf(all[i]).line > 0 : isOtherLine(recording, all[before], all[i]);
}

/** Does a branch send lanes of the warp different ways? One that a GPU makes predicates of does not. */
export function divides(recording, position) {
    return recording.raised(recording.events[position], "divergent_branch") > 0;
}

/**
 * The units of a step: does one end at event number i of a warp, whose events' positions are `all`?
 */
export const UNITS = {
    instruction: { label: "instruction", ends: () => true },
    line: { label: "line", ends: beginsLine },
    divergence: { label: "divergence", ends: (recording, all, i) => divides(recording, all[i]) },
    access: {
        label: "memory access",
        ends: (recording, all, i) => recording.instructionOf(all[i]).spaces !== undefined,
    },
    barrier: { label: "barrier", ends: (recording, all, i) => recording.instructionOf(all[i]).kind === "barrier" },
};

/** Does the instruction do more than compute? */
export function isTelling(recording, position) {
    return !["compute", "parameter", "argument", "nop", "hint"].includes(recording.instructionOf(position).kind);
}

/**
 * What the line at this position does more than compute: positions of the warp's events, in order.
 * Compilers mix the computations of several lines, so these do not end the line; another line's
 * access does, and a second round.
 */
export function lineFrom(recording, warp, position) {
    const all = recording.positions.get(warp);
    const seen = new Set();
    const found = [];
    for (let i = all.indexOf(position); i < all.length; i++) {
        const { instruction } = recording.events[all[i]];
        const isOther = isOtherLine(recording, position, all[i]);
        if (seen.has(instruction) || (isOther && isTelling(recording, all[i]))) break;
        seen.add(instruction);
        if (!isOther && isTelling(recording, all[i])) found.push(all[i]);
    }
    return found;
}

/**
 * The position after a step of the warp. direction: 1 or -1. Without another such place: the warp's
 * last or first event; a warp that has not begun begins.
 */
export function step(recording, warp, position, unit, direction) {
    const all = recording.positions.get(warp);
    let i = all.indexOf(recording.lastOf(warp, position));
    if (i < 0) return direction > 0 && all.length ? all[0] : position;
    for (i += direction; i >= 0 && i < all.length; i += direction) {
        if (UNITS[unit].ends(recording, all, i)) return all[i];
    }
    return direction > 0 ? all[all.length - 1] : all[0];
}
