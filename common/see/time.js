// time.js: the warps of one multiprocessor by cycles, as the time model replays them: who issues, who waits, and for what.

import { html, plural, svg } from "./draw.js";

const WIDTH = 960;
const LEFT = 60; // for the names of the schedulers
const ROW = 9;
const ZOOMS = [1, 4, 16, 64];

/** What a warp does in its cycles, with the class that gives its colour. */
const REASONS = {
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
        all.push({
            from,
            to: from + cycles,
            reason: time.reasons[reason],
            instruction: time.instructions[instruction],
        });
        from += cycles;
    }
    return all;
}

/** What the warps' cycles went to: Map from reason to cycles. */
export function cyclesByReason(time) {
    const sums = new Map();
    for (const warp of time.warps) {
        for (const { from, to, reason } of stretchesOf(time, warp))
            sums.set(reason, (sums.get(reason) ?? 0) + to - from);
    }
    return sums;
}

/** The chart, its cursor, what the cursor's cycle shows in words, and the shares as a table. */
export class TimeView {
    constructor(time) {
        this.time = time;
        this.sums = cyclesByReason(time);
        this.warps = time.warps.map((warp) => ({ ...warp, stretches: stretchesOf(time, warp) }));
        this.#placeRows();
        this.chart = svg("svg", { class: "time", role: "img", "aria-label": this.#summary() });
        this.words = html("p", { class: "sentence" });
        this.cursor = this.#range("Cycle", 0, Math.max(0, time.cycles - 1));
        this.zoom = html("select", { "aria-label": "Zoom" });
        for (const zoom of ZOOMS)
            this.zoom.append(html("option", { value: zoom }, zoom === 1 ? "all cycles" : `${zoom} times`));
        this.zoom.addEventListener("change", () => this.draw());
        this.chart.addEventListener("mousemove", (event) => this.#point(event));
        const controls = html("div", { class: "controls-time" }, html("label", {}, "cycle ", this.cursor), this.zoom);
        const pane = html(
            "div",
            { class: "figure", tabindex: "0", role: "group", "aria-label": "Warps by cycles" },
            this.chart,
        );
        const note = html("p", { class: "quiet" }, this.#summary());
        this.element = html("div", {}, note, controls, pane, this.words, this.#legend());
        this.draw();
    }

    #range(label, min, max) {
        const range = html("input", { type: "range", min, max, value: min, "aria-label": label });
        range.addEventListener("input", () => this.draw());
        return range;
    }

    /** A row for each slot in use, the slots of a scheduler together. */
    #placeRows() {
        const { schedulers } = this.time;
        const slots = [...new Set(this.warps.map((warp) => warp.slot))];
        slots.sort((a, b) => (a % schedulers) - (b % schedulers) || a - b);
        this.rows = new Map(slots.map((slot, i) => [slot, 18 + i * ROW + (slot % schedulers) * 6]));
        this.height = Math.max(...this.rows.values(), 0) + ROW + 4;
    }

    #summary() {
        const { cycles, full, warps } = this.time;
        const part = full ? "the first " : "";
        return (
            `Modelled: ${plural(warps.length, "warp")} of one multiprocessor in ${part}${plural(cycles, "cycle")}. ` +
            "A row is a place for a warp; a scheduler issues for one of its rows at a time."
        );
    }

    #legend() {
        const total = [...this.sums.values()].reduce((a, b) => a + b, 0);
        const list = html("ul", { class: "legend" });
        for (const [reason, means] of Object.entries(REASONS)) {
            const cycles = this.sums.get(reason);
            if (!cycles) continue;
            const share = `${((100 * cycles) / total).toFixed(1)} %`;
            list.append(
                html("li", {}, html("span", { class: `why-${reason}`, "aria-hidden": "true" }), ` ${means}: ${share}`),
            );
        }
        return list;
    }

    /** The cycles shown: [first, how many]. */
    #window() {
        const length = Math.max(1, Math.ceil(this.time.cycles / Number(this.zoom.value)));
        const middle = Number(this.cursor.value) - Math.floor(length / 2);
        return [Math.max(0, Math.min(this.time.cycles - length, middle)), length];
    }

    #path(reason, first, length) {
        const scale = (WIDTH - LEFT) / length;
        const place = (cycle) => (LEFT + (cycle - first) * scale).toFixed(1);
        const height = reason === "issues" ? ROW - 1 : ROW - 4;
        const parts = [];
        for (const warp of this.warps) {
            const y = this.rows.get(warp.slot) + (ROW - 1 - height) / 2;
            for (const stretch of warp.stretches) {
                if (stretch.reason !== reason || stretch.to <= first || stretch.from >= first + length) continue;
                const from = place(Math.max(stretch.from, first));
                const to = place(Math.min(stretch.to, first + length));
                parts.push(`M${from} ${y}H${to}v${height}H${from}z`);
            }
        }
        return svg("path", { d: parts.join(""), class: `why-${reason}` });
    }

    draw() {
        const [first, length] = this.#window();
        const x = LEFT + ((Number(this.cursor.value) - first + 0.5) * (WIDTH - LEFT)) / length;
        const { schedulers } = this.time;
        this.chart.setAttribute("viewBox", `0 0 ${WIDTH} ${this.height}`);
        this.chart.replaceChildren(...Object.keys(REASONS).map((reason) => this.#path(reason, first, length)));
        this.chart.append(svg("text", { x: LEFT, y: 12, class: "tick" }, `cycle ${first}`));
        this.chart.append(svg("text", { x: WIDTH, y: 12, class: "tick end" }, `${first + length}`));
        for (let i = 0; i < schedulers; i++) {
            const slot = [...this.rows.keys()].find((candidate) => candidate % schedulers === i);
            if (slot === undefined) continue;
            this.chart.append(svg("text", { x: 0, y: this.rows.get(slot) + ROW, class: "tick" }, `sched. ${i}`));
        }
        this.chart.append(svg("path", { d: `M${x} 14V${this.height}`, class: "arrow" }));
        this.words.textContent = this.describe(Number(this.cursor.value));
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

    /** A cycle in words: who issues, and what how many others wait for. */
    describe(cycle) {
        const all = this.at(cycle);
        const issuing = all.filter(({ stretch }) => stretch.reason === "issues");
        const waiting = new Map();
        for (const { stretch } of all) {
            if (stretch.reason !== "issues") waiting.set(stretch.reason, (waiting.get(stretch.reason) ?? 0) + 1);
        }
        const others = [...waiting].map(([reason, n]) => `${plural(n, "warp")}: ${REASONS[reason]}`).join("; ");
        const who = issuing.length ? issuing.map((one) => this.#sentence(one)).join(". ") : "No warp issues";
        return `Cycle ${cycle.toLocaleString("en")}. ${who}. ${others ? `${others}.` : ""}`;
    }

    /** The mouse chooses a cycle, and says what its row's warp does. */
    #point(event) {
        const box = this.chart.getBoundingClientRect();
        const x = ((event.clientX - box.left) * WIDTH) / box.width;
        const y = ((event.clientY - box.top) * this.height) / box.height;
        const [first, length] = this.#window();
        const cycle = first + Math.floor(((x - LEFT) * length) / (WIDTH - LEFT));
        const found = this.at(cycle).find(
            ({ warp }) => y >= this.rows.get(warp.slot) && y < this.rows.get(warp.slot) + ROW,
        );
        this.words.textContent = found
            ? `Cycle ${cycle.toLocaleString("en")} (${found.stretch.from} to ${found.stretch.to}). ${this.#sentence(found)}`
            : this.describe(Number(this.cursor.value));
    }
}
