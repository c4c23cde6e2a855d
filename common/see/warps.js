// warps.js: the warps of the block, each with its 32 lanes.

import { LANES, count, has } from "./recording.js";
import { html } from "./draw.js";

/** How a lane is shown: class, letter (so that no colour is needed), and what it means. */
export const LANE_STATES = {
    active: { letter: "", means: "executes the instruction" },
    off: { letter: "p", means: "predicate false: comes along, does nothing" },
    masked: { letter: "·", means: "masked: on the other side of a branch" },
    waiting: { letter: "w", means: "waits at a barrier" },
    exited: { letter: "×", means: "has ended" },
    before: { letter: "", means: "has not begun" },
};

function laneState(state, lane) {
    if (state.phase === "before") return "before";
    if (!has(state.live, lane) || state.phase === "done") return "exited";
    if (state.phase === "waits" && has(state.active, lane)) return "waiting";
    if (has(state.guard, lane)) return "active";
    return has(state.active, lane) ? "off" : "masked";
}

/** The warp in words. */
function describe(recording, warp, state) {
    if (state.phase === "before") return `Warp ${warp}: not begun`;
    if (state.phase === "done") return `Warp ${warp}: ended`;
    const { line, kind } = recording.instructionOf(state.position);
    const lanes = kind === "branch" ? count(state.active) : count(state.guard);
    const where = line ? `line ${line}` : "no line";
    return `Warp ${warp}: ${where}, ${state.phase === "waits" ? "waits at a barrier" : `${lanes} of ${LANES} lanes active`}`;
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
        const button = html("button", { type: "button", class: "warp" }, html("b", {}, String(warp)), lanes, where);
        button.addEventListener("click", () => onChoose(warp));
        this.rows.set(warp, { button, cells, where, shown: Array(LANES).fill("") });
        this.element.append(button);
    }

    #showRow(warp, row, state, chosen) {
        for (let lane = 0; lane < LANES; lane++) {
            const kind = laneState(state, lane);
            if (row.shown[lane] === kind) continue;
            row.shown[lane] = kind;
            row.cells[lane].className = kind;
            row.cells[lane].textContent = LANE_STATES[kind].letter;
        }
        const text = describe(this.recording, warp, state);
        row.button.setAttribute("aria-pressed", String(chosen));
        row.button.setAttribute("aria-label", text);
        row.where.textContent = text.replace(/^Warp \d+: /, "");
    }

    show(position, chosen) {
        for (const [warp, row] of this.rows)
            this.#showRow(warp, row, this.recording.warpAt(warp, position), warp === chosen);
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
