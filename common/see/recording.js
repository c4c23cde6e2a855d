// recording.js: the recording that the simulator wrote, made ready for a page. README.md describes
// its format.

import { namesOf, parameterNames } from "./names.js";

export const LANES = 32;

/** Is the lane in the mask? */
export function has(mask, lane) {
    return ((mask >>> lane) & 1) === 1;
}

/** How many lanes are in the mask. */
export function count(mask) {
    let n = 0;
    for (let rest = mask >>> 0; rest; rest = (rest & (rest - 1)) >>> 0) n++;
    return n;
}

/**
 * A row's text as a function from lane to value: a BigInt, true or false of a predicate, null where
 * it is unknown.
 */
export function readRow(text) {
    if (text.startsWith("p")) {
        const mask = Number(text.slice(1));
        return (lane) => has(mask, lane);
    }
    if (text.includes(",")) {
        const cells = text.split(",");
        return (lane) => (cells[lane] ? BigInt(cells[lane]) : null);
    }
    if (text.startsWith("=")) {
        const bytes = Uint8Array.from(atob(text.slice(1)), (c) => c.charCodeAt(0));
        const view = new DataView(bytes.buffer);
        if (bytes.length === 4 * LANES) return (lane) => BigInt(view.getUint32(4 * lane, true));
        return (lane) => view.getBigUint64(8 * lane, true);
    }
    if (text === "") return () => null;
    const [first, step] = text.split("+").map(BigInt);
    return (lane) => first + (step ?? 0n) * BigInt(lane);
}

/** Events as objects. Masks and counts are rows, each read once. */
function readEvents(events, rows) {
    const lists = new Map();
    const list = (row) => {
        if (!lists.has(row)) lists.set(row, rows[row].split(",").map(Number));
        return lists.get(row);
    };
    return events.map(([warp, instruction, masks, values, addresses = [], counted]) => {
        const [active, guard, live, stack] = list(masks);
        const counts = counted === undefined ? [] : list(counted);
        const calls = stack === undefined ? [] : rows[stack].split("\t");
        return { warp, instruction, active, guard, live, calls, values, addresses, counts };
    });
}

/**
 * The order in which the page shows the events. The simulator runs a warp until it waits; a GPU's
 * warps take turns. Between two barriers any order of warps is possible, unless they pass values by
 * other means.
 */
function inTurns(events, instructions) {
    if (instructions.some(({ kind }) => ["atomic", "fence", "named barrier"].includes(kind))) return events;
    const epoch = new Map();
    const turn = new Map();
    const keyed = events.map((event) => {
        const now = epoch.get(event.warp) ?? 0;
        const nth = turn.get(event.warp) ?? 0;
        const barrier = instructions[event.instruction].kind === "barrier";
        epoch.set(event.warp, barrier ? now + 1 : now);
        turn.set(event.warp, barrier ? 0 : nth + 1);
        return { event, now, nth };
    });
    keyed.sort((a, b) => a.now - b.now || a.nth - b.nth || a.event.warp - b.event.warp);
    return keyed.map((key) => key.event);
}

const CHECKPOINT = 256; // events between two stored sums

/** One kernel's recording. Positions count its events in the order shown, from 0. */
export class Recording {
    constructor(data, rows, counters, windows) {
        Object.assign(this, data);
        this.windows = Object.entries(windows).map(([space, from]) => [space, BigInt(from)]);
        this.rows = rows;
        this.counters = counters;
        this.events = inTurns(readEvents(data.events, rows), data.instructions);
        this.names = parameterNames(data.sources, data.kernel);
        this.countsOf = data.instructions.map((instruction) => this.#listCounts(instruction));
        this.#index();
        this.#nameAllocations();
        this.nameOf = namesOf(this);
        this.checkpoints = [new Float64Array(counters.length)];
    }

    /** Where each warp's events and barriers are. */
    #index() {
        const [from, to] = this.warps;
        this.positions = new Map();
        this.barriers = new Map();
        for (let warp = from; warp <= to; warp++) {
            this.positions.set(warp, []);
            this.barriers.set(warp, []);
        }
        this.events.forEach((event, position) => {
            this.positions.get(event.warp).push(position);
            if (this.instructionOf(position).kind === "barrier") this.barriers.get(event.warp).push(position);
        });
    }

    /** A pointer among the parameters names the allocation that it points into. */
    #nameAllocations() {
        this.allocations = this.allocations.map((allocation) => ({ ...allocation, start: BigInt(allocation.address) }));
        this.parameters.forEach((parameter, i) => {
            const allocation = parameter.bytes === 8 && this.allocationOf(BigInt(parameter.value));
            if (allocation && !allocation.name) allocation.name = this.names[i] ?? "";
        });
    }

    allocationOf(address) {
        return this.allocations.find(({ start, bytes }) => address >= start && address < start + BigInt(bytes));
    }

    get length() {
        return this.events.length;
    }

    instructionOf(position) {
        return this.instructions[this.events[position].instruction];
    }

    /** The position of the warp's last event up to here; -1: it has not begun. */
    lastOf(warp, position) {
        const all = this.positions.get(warp);
        let low = 0;
        let high = all.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (all[middle] <= position) low = middle + 1;
            else high = middle;
        }
        return low ? all[low - 1] : -1;
    }

    /** Warps that have not come to the barrier at which this event waits; []: all have. */
    missingAt(barrierPosition, position) {
        const nth = this.barriers.get(this.events[barrierPosition].warp).indexOf(barrierPosition);
        const missing = [];
        for (const [warp, barriers] of this.barriers) {
            if (nth < barriers.length && barriers[nth] > position) missing.push(warp);
        }
        return missing;
    }

    /**
     * The state of a warp at a position:
     * {event, position, phase: "before" | "runs" | "waits" | "done", active, guard, live}.
     */
    warpAt(warp, position) {
        const last = this.lastOf(warp, position);
        if (last < 0) return { phase: "before", position: -1, active: 0, guard: 0, live: 0 };
        const event = this.events[last];
        const all = this.positions.get(warp);
        const { kind } = this.instructionOf(last);
        const isLast = last === all[all.length - 1];
        const waits = kind === "barrier" && this.missingAt(last, position).length > 0;
        const phase = waits ? "waits" : isLast && last < position && kind === "exit" ? "done" : "runs";
        return { phase, event, position: last, active: event.active, guard: event.guard, live: event.live };
    }

    /**
     * The branch that took the lane away from the warp's path: the position of its event; -1: none
     * is known.
     */
    maskedBy(warp, lane, position) {
        const all = this.positions.get(warp);
        for (let i = all.indexOf(this.lastOf(warp, position)); i >= 0; i--) {
            if (has(this.events[all[i]].active, lane))
                return this.instructionOf(all[i]).kind === "branch" ? all[i] : -1;
        }
        return -1;
    }

    /**
     * What an instruction counts each time: [counter, by, for each lane of this mask or "warp"].
     */
    #listCounts({ cost = {}, guarded = {} }) {
        const counts = [];
        this.counters.forEach(({ name, unit }, i) => {
            if (cost[name]) counts.push([i, cost[name], unit === "warps" ? "warp" : "active"]);
            if (guarded[name]) counts.push([i, guarded[name], unit === "warps" ? "warp" : "guard"]);
        });
        return counts;
    }

    /** How far the event raised these counters, which are counted where it happens. */
    raised(event, ...names) {
        let sum = 0;
        for (let i = 0; i < event.counts.length; i += 2) {
            if (names.includes(this.counters[event.counts[i]].name)) sum += event.counts[i + 1];
        }
        return sum;
    }

    /** Adds what an event counts. */
    addCounts(sums, event) {
        for (const [counter, by, mask] of this.countsOf[event.instruction]) {
            sums[counter] += by * (mask === "warp" ? 1 : count(event[mask]));
        }
        for (let i = 0; i < event.counts.length; i += 2) sums[event.counts[i]] += event.counts[i + 1];
    }

    /** What all events up to this position have counted, by counter's name. */
    sumsAt(position) {
        const wanted = Math.floor((position + 1) / CHECKPOINT);
        while (this.checkpoints.length <= wanted) {
            const sums = Float64Array.from(this.checkpoints[this.checkpoints.length - 1]);
            const start = (this.checkpoints.length - 1) * CHECKPOINT;
            for (let i = start; i < start + CHECKPOINT; i++) this.addCounts(sums, this.events[i]);
            this.checkpoints.push(sums);
        }
        const sums = Float64Array.from(this.checkpoints[wanted]);
        for (let i = wanted * CHECKPOINT; i <= position; i++) this.addCounts(sums, this.events[i]);
        return Object.fromEntries(this.counters.map(({ name }, i) => [name, sums[i]]));
    }

    /**
     * The event that made the value of a register that the event at a position reads: the warp's
     * last one that wrote it, for one of its lanes; -1: none.
     */
    makerOf(position, register) {
        const { warp, active, instruction, calls } = this.events[position];
        const all = this.positions.get(warp);
        const { function: code } = this.instructions[instruction];
        for (let i = all.indexOf(position) - 1; i >= 0; i--) {
            const { function: other, writes } = this.instructionOf(all[i]);
            const event = this.events[all[i]];
            if (
                other === code &&
                event.calls.length === calls.length &&
                writes.includes(register) &&
                event.guard & active
            )
                return all[i];
        }
        return -1;
    }

    /** The values of a row of an event, as a function from lane to value. */
    row(number) {
        return readRow(this.rows[number]);
    }

    /**
     * What the event accesses: [{space, addresses: BigInts by lane, null where the lane has none}].
     * Lanes with generic addresses may access several spaces; one outside of the windows of the
     * others is global memory's.
     */
    accessesOf(event) {
        const { spaces = [], lanes = LANES } = this.instructions[event.instruction];
        const found = new Map();
        spaces.forEach((named, i) => {
            const row = this.row(event.addresses[i]);
            for (let lane = 0; lane < lanes; lane++) {
                if (!has(event.guard, lane)) continue;
                const [space, address] = named === "generic" ? this.#spaceOf(row(lane)) : [named, row(lane)];
                if (!found.has(space)) found.set(space, Array(LANES).fill(null));
                found.get(space)[lane] = address;
            }
        });
        return [...found].map(([space, addresses]) => ({ space, addresses }));
    }

    #spaceOf(address) {
        const window = address & (0xffn << 56n);
        const [space, from] = this.windows.find(([, start]) => start === window) ?? ["global", 0n];
        return [space, address - from];
    }

    /** Sectors that a request to global memory needs at least for the bytes asked for. */
    #idealSectors(event) {
        const rise = Object.fromEntries(this.counters.map(({ name }) => [name, 0]));
        for (let i = 0; i < event.counts.length; i += 2)
            rise[this.counters[event.counts[i]].name] = event.counts[i + 1];
        const touched = rise.gld_sectors + rise.gst_sectors;
        return Math.min(touched, Math.ceil((rise.gld_bytes + rise.gst_bytes) / 32));
    }

    /**
     * What the lines of a source have counted in all: Map from line to sums by counter's name, and
     * `ideal_sectors`.
     */
    heat(source) {
        if (!this.heats) this.heats = new Map();
        if (this.heats.has(source)) return this.heats.get(source);
        const lines = new Map();
        const ideal = new Map();
        for (const event of this.events) {
            const instruction = this.instructions[event.instruction];
            if (instruction.source !== source) continue;
            if (!lines.has(instruction.line)) lines.set(instruction.line, new Float64Array(this.counters.length));
            this.addCounts(lines.get(instruction.line), event);
            if (event.counts.length)
                ideal.set(instruction.line, (ideal.get(instruction.line) ?? 0) + this.#idealSectors(event));
        }
        const named = new Map();
        for (const [line, sums] of lines) {
            const counted = Object.fromEntries(this.counters.map(({ name }, i) => [name, sums[i]]));
            named.set(line, { ...counted, ideal_sectors: ideal.get(line) ?? 0 });
        }
        this.heats.set(source, named);
        return named;
    }
}
