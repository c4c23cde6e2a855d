// warps.js: the warps of the block, each with its 32 lanes.

import { LANES, count, has } from "./recording.js";
import { html, ranges } from "./draw.js";

/** How a lane is shown: class, letter (so that no colour is needed), and what it means. */
export const LANE_STATES = {
    active: { letter: "", means: "executes the instruction" },
    off: { letter: "p", means: "predicate false: comes along, does nothing" },
    masked: { letter: "·", means: "masked: on another path" },
    waiting: { letter: "w", means: "waits at a barrier" },
    exited: { letter: "×", means: "has ended" },
    before: { letter: "", means: "has not begun" },
};

function laneState(state, kind, lane) {
    if (state.phase === "before") return "before";
    if (!has(state.live, lane) || state.phase === "done") return "exited";
    if (state.phase === "waits" && has(state.active, lane)) return "waiting";
    if (has(kind === "branch" ? state.active : state.guard, lane)) return "active";
    return has(state.active, lane) ? "off" : "masked";
}

/** A warp's state in words. */
function describe(recording, state) {
    if (state.phase === "before") return "not begun";
    if (state.phase === "done") return "ended";
    const { line, kind } = recording.instructionOf(state.position);
    const lanes = kind === "branch" ? count(state.active) : count(state.guard);
    const where = line ? `line ${line}` : "no line";
    return `${where}, ${state.phase === "waits" ? "waits at a barrier" : `${lanes} of ${LANES} lanes active`}`;
}

/** What warps that look the same have in common; the chosen one stands alone. */
function keyOf({ phase, event, active, guard, live }, chosen) {
    return chosen ? "chosen" : [phase, phase === "done" ? -1 : event?.instruction, active, guard, live].join();
}

export class WarpsView {
    constructor(recording, onChoose) {
        this.recording = recording;
        this.rows = new Map();
        this.element = html("div", { class: "warps", role: "group", "aria-label": "Warps of the block" });
        for (let warp = recording.warps[0]; warp <= recording.warps[1]; warp++) this.#addRow(warp, onChoose);
    }

    #addRow(warp, onChoose) {
        const cells = Array.from({ length: LANES }, (_, lane) => html("span", { title: `lane ${lane}` }));
        const where = html("span", { class: "where" });
        const lanes = html("span", { class: "lanes", "aria-hidden": "true" }, ...cells);
        const name = html("b", {});
        const button = html("button", { type: "button", class: "warp" }, name, lanes, where);
        button.addEventListener("click", () => onChoose(warp));
        this.rows.set(warp, { button, name, cells, where, shown: Array(LANES).fill("") });
        this.element.append(button);
    }

    /** A row for these warps, which are in the same state. */
    #showRow(warps, row, state, chosen) {
        const kind = state.event && this.recording.instructionOf(state.position).kind;
        for (let lane = 0; lane < LANES; lane++) {
            const look = laneState(state, kind, lane);
            if (row.shown[lane] === look) continue;
            row.shown[lane] = look;
            row.cells[lane].className = look;
            row.cells[lane].textContent = LANE_STATES[look].letter;
        }
        const text = describe(this.recording, state);
        row.name.textContent = ranges(warps);
        row.where.textContent = text;
        row.button.setAttribute("aria-pressed", String(chosen));
        row.button.setAttribute("aria-label", `Warp${warps.length > 1 ? "s" : ""} ${ranges(warps)}: ${text}`);
    }

    show(position, chosen) {
        const groups = new Map();
        for (const [warp, row] of this.rows) {
            const state = this.recording.warpAt(warp, position);
            const key = keyOf(state, warp === chosen);
            row.button.hidden = groups.has(key);
            if (row.button.hidden) groups.get(key).warps.push(warp);
            else groups.set(key, { warps: [warp], row, state });
        }
        for (const [key, { warps, row, state }] of groups) this.#showRow(warps, row, state, key === "chosen");
    }
}

/** What the lanes' colours and letters mean. */
export function legend() {
    const list = html("ul", { class: "legend" });
    for (const [kind, { letter, means }] of Object.entries(LANE_STATES)) {
        list.append(html("li", {}, html("span", { class: kind, "aria-hidden": "true" }, letter), ` ${means}`));
    }
    return list;
}
