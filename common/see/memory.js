// memory.js: what is in shared memory, and which lane wrote it.

import { LANES, has } from "./recording.js";
import { html, plural } from "./draw.js";
import { showValue } from "./values.js";

const ROW = 128n; // bytes: a word of each bank
const MOST_ROWS = 8;

/** The elements that a store writes: registers or constants, in the order of addresses. */
function elementsOf({ kind, ptx }) {
    const found = kind === "store" && /\], \{?([^;}]*)\}?;$/.exec(ptx);
    return found ? found[1].split(",").map((part) => part.trim()) : [null];
}

/** Of an element, by lane, its value as text; "?": it is not in a register of the instruction. */
function textsOf(recording, event, instruction, element) {
    const at = instruction.reads.indexOf(element);
    if (at < 0) return () => (/^-?\d+$/.test(element ?? "") ? element : "?");
    const row = recording.row(event.values[at]);
    return (lane) => showValue(element, row(lane));
}

/** All writes to shared memory: Map from address to [{position, text, warp, lane, line}]. */
function writesOf(recording) {
    const writes = new Map();
    recording.events.forEach((event, position) => {
        const instruction = recording.instructions[event.instruction];
        if (!["store", "atomic", "copy", "stmatrix"].includes(instruction.kind)) return;
        for (const { space, addresses } of recording.accessesOf(event)) {
            if (space !== "shared") continue;
            const elements = elementsOf(instruction);
            const bytes = BigInt(Math.floor(instruction.bytes / elements.length));
            elements.forEach((element, i) => {
                const textOf = textsOf(recording, event, instruction, element);
                for (let lane = 0; lane < LANES; lane++) {
                    if (!has(event.guard, lane) || addresses[lane] === null) continue;
                    const address = BigInt.asUintN(32, addresses[lane]) + BigInt(i) * bytes;
                    const write = { position, text: textOf(lane), warp: event.warp, lane, line: instruction.line };
                    writes.set(address, [...(writes.get(address) ?? []), write]);
                }
            });
        }
    });
    return writes;
}

export class SharedView {
    constructor(recording) {
        this.recording = recording;
        this.content = html("div");
        this.element = html("details", {}, html("summary", {}, "what is in it, and who wrote it"), this.content);
        this.element.addEventListener("toggle", () => this.show(this.position));
    }

    /** Does the kernel write to shared memory? */
    static isFor(recording) {
        const counters = ["shared_st_wavefronts", "shared_atom_wavefronts"];
        return recording.events.some((event) => recording.raised(event, ...counters) > 0);
    }

    /** The last write of each address up to here, by row of banks. */
    #rowsAt(position) {
        const rows = new Map();
        for (const [address, writes] of this.writes) {
            const last = writes.findLast((write) => write.position <= position);
            if (!last) continue;
            const row = address / ROW;
            rows.set(row, [...(rows.get(row) ?? []), { address, ...last }]);
        }
        return rows;
    }

    /** The rows that the event at a position touches. */
    #touchedAt(position) {
        const event = this.recording.events[position];
        const shared = this.recording.accessesOf(event).filter(({ space }) => space === "shared");
        const addresses = shared.flatMap((access) => access.addresses).filter((address) => address !== null);
        return new Set(addresses.map((address) => BigInt.asUintN(32, address) / ROW));
    }

    show(position) {
        this.position = position;
        if (!this.element.open) return;
        this.writes ??= writesOf(this.recording);
        const rows = this.#rowsAt(position);
        const touched = this.#touchedAt(position);
        const keys = [...rows.keys()].sort((a, b) => Number(touched.has(b)) - Number(touched.has(a)) || Number(a - b));
        const items = keys.slice(0, MOST_ROWS).map((key) => {
            const cells = rows.get(key).sort((a, b) => Number(a.address - b.address));
            const words = cells.map(({ address, text, warp, lane, line, position: at }) => {
                const from = `byte ${address}, by lane ${lane} of warp ${warp}${line ? `, line ${line}` : ""}`;
                const writer = html("small", {}, ` ${warp}.${lane}`);
                return html("span", { title: from, class: at === position ? "lit" : "" }, text, writer);
            });
            return html("li", {}, html("b", {}, `${key * ROW}`), ...words);
        });
        const all = [...rows.values()].reduce((sum, cells) => sum + cells.length, 0);
        const rest = keys.length > MOST_ROWS ? ` ${MOST_ROWS} rows of ${keys.length}.` : "";
        const note = `${plural(all, "value")} by bytes, each with the warp and lane that wrote it last.${rest}`;
        this.content.replaceChildren(html("p", { class: "quiet" }, note), html("ul", { class: "shared" }, ...items));
    }
}
