// memory.js: what is in shared memory and in the touched parts of arrays, and which lane wrote it.

import { LANES, has } from "./recording.js";
import { html, plural } from "./draw.js";
import { showValue } from "./values.js";

/**
 * By space: what touches it; bytes of a row: a word of each bank, or a sector; the most rows; the
 * counters of a kernel that does.
 */
const SPACES = {
    shared: {
        kinds: ["store", "atomic", "copy", "stmatrix"],
        row: 128n,
        most: 8,
        counters: ["shared_st_wavefronts", "shared_atom_wavefronts"],
        summary: "what is in it, and who wrote it",
    },
    global: {
        kinds: ["load", "store", "atomic"],
        row: 32n,
        most: 16,
        counters: ["gld_sectors", "gst_sectors", "atom_sectors", "red_sectors"],
        summary: "what is in the parts that these warps touch, and who wrote it",
    },
};

/** The elements that a load or store moves: registers or constants, in the order of addresses. */
function elementsOf({ kind, ptx }) {
    const found =
        (kind === "store" && /\], \{?([^;}]*)\}?;$/.exec(ptx)) ||
        (kind === "load" && /^(?:@\S+ )?\S+ \{?([^[}]*)\}?, \[/.exec(ptx));
    return found ? found[1].split(",").map((part) => part.trim()) : [null];
}

/** Of an element, by lane, its value: {bits, text}; "?": it is not in a register of the instruction. */
function valuesOf(recording, event, { kind, reads, writes }, element) {
    const at = kind === "load" ? writes.indexOf(element) : reads.indexOf(element);
    if (at < 0) return () => ({ text: /^-?\d+$/.test(element ?? "") ? element : "?" });
    const row = recording.row(event.values[kind === "load" ? reads.length + at : at]);
    return (lane) => ({ bits: row(lane), text: showValue(element, row(lane)) });
}

/** All that touches a space: Map from address to [{position, bits, text, isWrite, warp, lane, line}]. */
function touchesOf(recording, name) {
    const touches = new Map();
    recording.events.forEach((event, position) => {
        const instruction = recording.instructions[event.instruction];
        if (!SPACES[name].kinds.includes(instruction.kind)) return;
        const isWrite = instruction.kind !== "load";
        for (const { space, addresses } of recording.accessesOf(event)) {
            if (space !== name) continue;
            const elements = elementsOf(instruction);
            const bytes = BigInt(Math.floor(instruction.bytes / elements.length));
            elements.forEach((element, i) => {
                const valueOf = valuesOf(recording, event, instruction, element);
                for (let lane = 0; lane < LANES; lane++) {
                    if (!has(event.guard, lane) || addresses[lane] === null) continue;
                    const start = BigInt.asUintN(name === "shared" ? 32 : 64, addresses[lane]);
                    const address = start + BigInt(i) * bytes;
                    if (!touches.has(address)) touches.set(address, []);
                    const { warp } = event;
                    touches
                        .get(address)
                        .push({ position, ...valueOf(lane), isWrite, warp, lane, line: instruction.line });
                }
            });
        }
    });
    return touches;
}

export class MemoryView {
    constructor(recording, space) {
        this.recording = recording;
        this.space = space;
        this.content = html("div");
        this.element = html("details", {}, html("summary", {}, SPACES[space].summary), this.content);
        this.element.addEventListener("toggle", () => this.show(this.position));
    }

    /** Is there something to show of the space? */
    static isFor(recording, space) {
        return recording.events.some((event) => recording.raised(event, ...SPACES[space].counters) > 0);
    }

    /** What is known of each address up to here, by row: its value, and the last of these warps' writes. */
    #rowsAt(position) {
        const rows = new Map();
        for (const [address, touches] of this.touches) {
            const last = touches.findLast((touch) => touch.position <= position);
            if (!last) continue;
            const write = touches.findLast((touch) => touch.isWrite && touch.position <= position);
            const isOther = write?.bits !== undefined && last.bits !== undefined && write.bits !== last.bits;
            const writer = isOther ? undefined : write;
            const row = address / SPACES[this.space].row;
            if (!rows.has(row)) rows.set(row, []);
            rows.get(row).push({ address, text: last.text, at: last.position, writer });
        }
        return rows;
    }

    /** The rows that the event at a position touches. */
    #touchedAt(position) {
        const accesses = this.recording.accessesOf(this.recording.events[position]);
        const addresses = accesses.filter(({ space }) => space === this.space).flatMap((access) => access.addresses);
        const bits = this.space === "shared" ? 32 : 64;
        return new Set(
            addresses.filter((a) => a !== null).map((a) => BigInt.asUintN(bits, a) / SPACES[this.space].row),
        );
    }

    /** "g_idata + 64": where an address lies. */
    #placeOf(address) {
        const array = this.space === "global" && this.recording.allocationOf(address);
        return array ? `${array.name || "memory"} + ${address - array.start}` : `${address}`;
    }

    #cell({ address, text, at, writer }, position) {
        const { warp, lane, line } = writer ?? {};
        const by = writer ? `by lane ${lane} of warp ${warp}${line ? `, line ${line}` : ""}` : "by none of these warps";
        const place = this.space === "shared" ? `byte ${address}` : this.#placeOf(address);
        const name = html("small", {}, writer ? ` ${warp}.${lane}` : "");
        return html("span", { title: `${place}, ${by}`, class: at === position ? "lit" : "" }, text, name);
    }

    show(position) {
        this.position = position;
        if (!this.element.open) return;
        this.touches ??= touchesOf(this.recording, this.space);
        const { row, most } = SPACES[this.space];
        const rows = this.#rowsAt(position);
        const touched = this.#touchedAt(position);
        const latest = (key) => (touched.has(key) ? Infinity : Math.max(...rows.get(key).map(({ at }) => at)));
        const keys = [...rows.keys()].sort((a, b) => latest(b) - latest(a) || Number(a - b));
        const shown = keys.slice(0, most).sort((a, b) => Number(a - b));
        const items = shown.map((key) => {
            const cells = rows.get(key).sort((a, b) => Number(a.address - b.address));
            return html(
                "li",
                {},
                html("b", {}, this.#placeOf(key * row)),
                ...cells.map((cell) => this.#cell(cell, position)),
            );
        });
        const all = [...rows.values()].reduce((sum, cells) => sum + cells.length, 0);
        const rest = keys.length > most ? ` The ${most} rows touched last, of ${keys.length}.` : "";
        const unwritten = this.space === "global" ? " One without them was only read." : "";
        const note = `${plural(all, "value")} by bytes, each with the warp and lane that wrote it last.${unwritten}${rest}`;
        this.content.replaceChildren(
            html("p", { class: "quiet" }, note),
            html("ul", { class: `memory ${this.space}` }, ...items),
        );
    }
}
