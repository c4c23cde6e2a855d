// chart.js: the warps of one GPU's multiprocessor by cycles: a row for each place of a warp.

import { plural, svg } from "./draw.js";

const WIDTH = 960;
const LEFT = 60; // for the names of the schedulers
const TOP = 18;
const ROW = 9;

/** What a warp does in its cycles, with the class that gives its colour. */
export const REASONS = {
    issues: "issues an instruction",
    not_selected: "could issue, but another warp does",
    throttle: "waits for a pipe or a queue that is full",
    wait: "waits for arithmetic",
    short_scoreboard: "waits for shared memory, a shuffle or a special function",
    long_scoreboard: "waits for global or local memory",
    barrier: "waits at a barrier",
    branch: "waits for its code",
    membar: "waits at a fence",
    drain: "waits for its last stores",
};

/** Stretches {from, to, reason, instruction} of a warp. */
function stretchesOf(time, warp) {
    const all = [];
    let from = warp.born;
    for (let i = 0; i < warp.waits.length; i += 3) {
        const [cycles, reason, instruction] = warp.waits.slice(i, i + 3);
        const to = from + cycles;
        all.push({ from, to, reason: time.reasons[reason], instruction: time.instructions[instruction] });
        from = to;
    }
    return all;
}

/** What the warps' cycles went to: Map from reason to cycles. */
function cyclesByReason(warps) {
    const sums = new Map();
    for (const { stretches } of warps) {
        for (const { from, to, reason } of stretches) sums.set(reason, (sums.get(reason) ?? 0) + to - from);
    }
    return sums;
}

/** Lists of items by key. */
function group(items, keyOf) {
    const groups = new Map();
    for (const item of items) {
        const key = keyOf(item);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(item);
    }
    return groups;
}

const nameOf = (instruction) => `${instruction?.line}: ${instruction?.ptx}`;

/**
 * The cycle in which each event's instruction is issued; -1: not known. The model replays machine
 * code. Where that issues an instruction of PTX n times for each time that the warp executes it,
 * the nth, 2nth .. of them begin an event's.
 */
function cyclesOf(recording, warps) {
    const { at, grid } = recording;
    const block = at[0] + grid[0] * (at[1] + grid[1] * at[2]);
    const cycles = new Float64Array(recording.length).fill(-1);
    for (const [warp, positions] of recording.positions) {
        const shown = warps.find((one) => one.index === block && one.warp === warp);
        if (!shown) continue;
        const issues = group(
            shown.stretches.filter(({ reason }) => reason === "issues"),
            ({ instruction }) => nameOf(instruction),
        );
        for (const [name, executed] of group(positions, (position) => nameOf(recording.instructionOf(position)))) {
            const issued = issues.get(name) ?? [];
            const times = issued.length / executed.length;
            if (times < 1 || !Number.isInteger(times)) continue;
            executed.forEach((position, i) => (cycles[position] = issued[i * times].from));
        }
    }
    return cycles;
}

/** The chart of one GPU's times. `cycle`: where its cursor is. */
export class Chart {
    constructor(time, recording) {
        this.time = time;
        this.recording = recording;
        this.device = time.device;
        this.warps = time.warps.map((warp) => ({ ...warp, stretches: stretchesOf(time, warp) }));
        this.sums = cyclesByReason(this.warps);
        this.cycles = cyclesOf(recording, this.warps);
        this.cycle = 0;
        this.differs = String([time.grid, time.block]) !== String([recording.grid, recording.block]);
        this.#placeRows();
        this.element = svg("svg", {
            class: "time",
            role: "img",
            "aria-label": this.summary(),
            viewBox: `0 0 ${WIDTH} ${this.height}`,
        });
        this.marker = svg("path", { class: "arrow" });
        this.wait = svg("path", { class: "arrow wait" });
    }

    /** A row for each slot in use, the slots of a scheduler together. */
    #placeRows() {
        const { schedulers } = this.time;
        const slots = [...new Set(this.warps.map((warp) => warp.slot))];
        slots.sort((a, b) => (a % schedulers) - (b % schedulers) || a - b);
        this.rows = new Map(slots.map((slot, i) => [slot, TOP + i * ROW + (slot % schedulers) * 6]));
        this.height = Math.max(...this.rows.values(), 0) + ROW + 4;
    }

    summary() {
        const { cycles, full, warps, grid, block, clock_mhz: mhz } = this.time;
        const shape = this.differs ? ` The program launched <<<(${grid}), (${block})>>> here.` : "";
        return (
            `Modelled, ${this.device} at ${mhz} MHz: ${plural(warps.length, "warp")} of one multiprocessor in ` +
            `${full ? "the first " : ""}${plural(cycles, "cycle")}, ${((cycles * 1000) / mhz).toFixed(0)} ns.${shape} ` +
            "A row is a place for a warp; a scheduler issues for one of its rows at a time."
        );
    }

    /** The cycle in which the multiprocessor issues the recording's event; -1: not known. */
    cycleOf(position) {
        return this.cycles[position] ?? -1;
    }

    /**
     * Goes to the cycle in which the recording's event is issued, and shows what made the last of
     * its operands. False: it is not known.
     */
    follow(position) {
        const to = this.cycleOf(position);
        if (to < 0) return false;
        const { warp, instruction } = this.recording.events[position];
        const { reads } = this.recording.instructions[instruction];
        const makers = reads.map((register) => [register, this.recording.makerOf(position, register)]);
        const known = makers.filter(([, maker]) => this.cycleOf(maker) >= 0 && this.cycleOf(maker) < to);
        known.sort(([, a], [, b]) => this.cycleOf(b) - this.cycleOf(a));
        this.cycle = to;
        this.operand = null;
        if (!known.length) return true;
        const [register, maker] = known[0];
        const shown = this.at(to).find((one) => one.warp.warp === warp && one.stretch.from === to);
        const { line, ptx } = this.recording.instructionOf(maker);
        if (shown) this.operand = { register, from: this.cycleOf(maker), slot: shown.warp.slot, line, ptx };
        return true;
    }

    /** An arrow from where the last operand's instruction is issued to the cursor. */
    #waitPath() {
        if (!this.operand) return "";
        const [x, end] = [this.operand.from, this.cycle].map((cycle) => this.place(cycle + 0.5));
        const y = this.rows.get(this.operand.slot) + ROW / 2;
        return `M${x.toFixed(1)} ${y}H${end.toFixed(1)}m-5 -4l5 4l-5 4`;
    }

    #path(reason, place, first, last) {
        const height = reason === "issues" ? ROW - 1 : ROW - 4;
        const parts = [];
        for (const warp of this.warps) {
            const y = this.rows.get(warp.slot) + (ROW - 1 - height) / 2;
            for (const stretch of warp.stretches) {
                if (stretch.reason !== reason || stretch.to <= first || stretch.from >= last) continue;
                const from = place(Math.max(stretch.from, first)).toFixed(1);
                const to = place(Math.min(stretch.to, last)).toFixed(1);
                parts.push(`M${from} ${y}H${to}v${height}H${from}z`);
            }
        }
        return svg("path", { d: parts.join(""), class: `why-${reason}` });
    }

    #tick(x, end, cycle) {
        const ns = (cycle * 1000) / this.time.clock_mhz;
        const text = `cycle ${Math.round(cycle).toLocaleString("en")}, ${ns.toFixed(0)} ns`;
        return svg("text", { x, y: 12, class: end ? "tick end" : "tick" }, text);
    }

    /** Draws the stretch [start, start + length] of an axis that has `unit` for each cycle. */
    draw(unit, start, length) {
        const scale = ((WIDTH - LEFT) * unit) / length;
        const first = start / unit;
        const last = (start + length) / unit;
        const place = (cycle) => LEFT + (cycle - first) * scale;
        this.place = place;
        const key = [unit, start, length].join();
        if (key !== this.drawn) this.#drawAll(place, first, last);
        this.drawn = key;
        this.marker.setAttribute("d", `M${place(this.cycle + 0.5).toFixed(1)} 14V${this.height}`);
        this.wait.setAttribute("d", this.#waitPath());
    }

    #drawAll(place, first, last) {
        this.element.replaceChildren(...Object.keys(REASONS).map((reason) => this.#path(reason, place, first, last)));
        this.element.append(this.#tick(LEFT, false, first), this.#tick(WIDTH, true, last));
        for (let i = 0; i < this.time.schedulers; i++) {
            const slot = [...this.rows.keys()].find((candidate) => candidate % this.time.schedulers === i);
            if (slot === undefined) continue;
            this.element.append(svg("text", { x: 0, y: this.rows.get(slot) + ROW, class: "tick" }, `sched. ${i}`));
        }
        this.element.append(this.marker, this.wait);
    }

    /** What the warps do in a cycle: [{warp, stretch}], in the order of rows. */
    at(cycle) {
        const found = [];
        for (const warp of this.warps) {
            const stretch = warp.stretches.find(({ from, to }) => from <= cycle && cycle < to);
            if (stretch) found.push({ warp, stretch });
        }
        return found;
    }

    #sentence({ warp, stretch }) {
        const { instruction } = stretch;
        const where = instruction ? `${instruction.line ? `, line ${instruction.line}` : ""}: ${instruction.ptx}` : "";
        return `Block ${warp.block}, warp ${warp.warp} ${REASONS[stretch.reason]}${where}`;
    }

    /** The cursor's cycle in words: who issues, and what how many others wait for. */
    describe() {
        const all = this.at(this.cycle);
        const issuing = all.filter(({ stretch }) => stretch.reason === "issues");
        const waiting = group(
            all.filter(({ stretch }) => stretch.reason !== "issues"),
            ({ stretch }) => stretch.reason,
        );
        const others = [...waiting].map(([reason, list]) => `${plural(list.length, "warp")}: ${REASONS[reason]}`);
        const who = issuing.length ? issuing.map((one) => this.#sentence(one)).join(". ") : "No warp issues";
        const { register, from, line, ptx } = this.operand ?? {};
        const operand = register
            ? `Arrow: its operand ${register} is of ${line ? `line ${line}: ` : ""}${ptx} ${plural(this.cycle - from, "cycle")} before. `
            : "";
        return `Cycle ${this.cycle.toLocaleString("en")}. ${who}. ${operand}${others.length ? `${others.join("; ")}.` : ""}`;
    }

    /** What the warp under the mouse does; undefined: there is none. */
    describePoint(event) {
        const box = this.element.getBoundingClientRect();
        const x = ((event.clientX - box.left) * WIDTH) / box.width;
        const y = ((event.clientY - box.top) * this.height) / box.height;
        const cycle = Math.floor((x - this.place(0)) / (this.place(1) - this.place(0)));
        const found = this.at(cycle).find(
            ({ warp }) => y >= this.rows.get(warp.slot) && y < this.rows.get(warp.slot) + ROW,
        );
        if (!found) return undefined;
        return `Cycle ${cycle.toLocaleString("en")} (${found.stretch.from} to ${found.stretch.to}). ${this.#sentence(found)}`;
    }
}
