// stage.js: one kernel's recording on the page: head, source, warps, picture, registers, totals.

import { Recording, count, has, LANES } from "./recording.js";
import { html, plural, ranges } from "./draw.js";
import { showFigure } from "./figure.js";
import { MemoryView } from "./memory.js";
import { momentIn } from "./moments.js";
import { Predictions } from "./predict.js";
import { SourceView } from "./source.js";
import { TimeView } from "./time.js";
import { TotalsView } from "./totals.js";
import { showValues } from "./values.js";
import { lineFrom, step } from "./walk.js";
import { WarpsView } from "./warps.js";

const MOST_FIGURES = 4;
const MEMORIES = { shared: "Shared memory", global: "Arrays" };
const NARROW = 320; // px: of a page that is not in sight

function shape(numbers) {
    return numbers.join(" × ").replace(/( × 1)+$/, "");
}

/** Which part of the launch is here, and what was left out. */
function describe(recording) {
    const { grid, block, at, warps, device, launch } = recording;
    const blocks = grid[0] * grid[1] * grid[2];
    const all = warps[1] - warps[0] + 1 === warps[2];
    const part = all ? `all ${plural(warps[2], "warp")}` : `warps ${warps[0]}-${warps[1]} of ${warps[2]}`;
    const rest = blocks > 1 ? `; ${plural(blocks - 1, "more block")} ran` : "";
    return `<<<${shape(grid)}, ${shape(block)}>>>, launch ${launch} on ${device}: block (${at}), ${part}${rest}.`;
}

function section(title, ...children) {
    return html("section", {}, html("h2", {}, title), ...children);
}

/** What the kernel launched: no event of it is here, and no count. */
function childrenOf({ children }) {
    if (!children.length) return "";
    const items = children.map(({ kernel, grid, block, count: times }) =>
        html(
            "li",
            {},
            `${kernel.replace(/\(.*/s, "")}<<<${shape(grid)}, ${shape(block)}>>>, ${plural(times, "launch")}`,
        ),
    );
    const note =
        "The launch started these kernels. They are not in this page, but in the profile's row of this kernel:";
    return html("div", {}, html("p", { class: "quiet" }, note), html("ul", {}, ...items));
}

export class Stage {
    constructor(data, page, onChange) {
        this.recording = new Recording(data, page.rows, page.counters, page.windows);
        this.onChange = onChange;
        this.position = 0;
        this.warp = this.recording.warps[0];
        this.source = new SourceView(this.recording, () => {});
        this.warps = new WarpsView(this.recording, (warp) => this.chooseWarp(warp));
        this.totals = new TotalsView(this.recording);
        this.memory = ["shared", "global"]
            .filter((space) => MemoryView.isFor(this.recording, space))
            .map((space) => new MemoryView(this.recording, space));
        this.predictions = new Predictions(this.recording, onChange);
        this.time = this.recording.times.some(({ warps }) => warps.length) ? new TimeView(this.recording) : null;
        this.sentence = html("p", { class: "sentence" });
        this.picture = html("div");
        this.masked = html("p", { class: "quiet" });
        this.values = html("div");
        this.element = html(
            "article",
            { class: "stage" },
            html("h1", {}, this.recording.kernel.replace(/\(.*/s, "")),
            html("p", { class: "quiet" }, describe(this.recording)),
            this.recording.failure ? html("pre", { class: "failure" }, this.recording.failure) : "",
            html(
                "div",
                { class: "panes" },
                section("Source", this.source.element),
                section("Warps", this.warps.element, this.masked),
            ),
            section("What the line does", this.sentence, this.picture),
            section("Registers", this.values),
            ...this.memory.map(({ space, element }) => section(MEMORIES[space], element)),
            section("What it adds up to", this.totals.element, childrenOf(this.recording)),
            this.time ? section("Time", this.time.element) : "",
        );
    }

    chooseWarp(warp) {
        this.warp = warp;
        this.onChange();
    }

    /** Goes to a position, which is kept within the recording. */
    moveTo(position) {
        this.position = Math.max(0, Math.min(this.recording.length - 1, position));
    }

    hasMoment(name) {
        return name === "time" ? this.time !== null : momentIn(this.recording, name) >= 0;
    }

    /** Below the controls. scrollIntoView would scroll a page around a frame, too. */
    #scrollToTime() {
        const controls = 100; // px
        if (this.time) window.scrollBy(0, this.time.element.getBoundingClientRect().top - controls);
    }

    /** Goes to a moment and its warp; stays where there is none. */
    goTo(name) {
        if (name === "time") this.#scrollToTime();
        const position = momentIn(this.recording, name);
        if (position < 0) return;
        this.moveTo(position);
        this.warp = this.recording.events[position].warp;
    }

    step(unit, direction) {
        this.moveTo(step(this.recording, this.warp, this.position, unit, direction));
    }

    isAtEnd() {
        const all = this.recording.positions.get(this.warp);
        return this.recording.lastOf(this.warp, this.position) === all[all.length - 1];
    }

    /** The branches that keep lanes of the chosen warp away, in words. */
    #maskedText(state) {
        if (state.phase === "before" || state.phase === "done") return "";
        const byLine = new Map();
        for (let lane = 0; lane < LANES; lane++) {
            if (!has(state.live, lane) || has(state.active, lane)) continue;
            const branch = this.recording.maskedBy(this.warp, lane, this.position);
            const line = branch < 0 ? 0 : this.recording.instructionOf(branch).line;
            byLine.set(line, [...(byLine.get(line) ?? []), lane]);
        }
        const parts = [...byLine].map(
            ([line, lanes]) => `lanes ${ranges(lanes)} ${line ? `by the branch of line ${line}` : "on another path"}`,
        );
        return parts.length ? `Masked: ${parts.join("; ")}.` : "";
    }

    /** The step in words, for the eye and for a screen reader. */
    describe(state, figureText) {
        if (state.phase === "before") return `Warp ${this.warp} has not begun.`;
        const { line, ptx } = this.recording.instructionOf(state.position);
        const lanes = count(state.active);
        return `Warp ${this.warp}${line ? `, line ${line}` : ""}, ${plural(lanes, "lane")}: ${ptx} ${figureText}`;
    }

    /** The picture of the event at a position, or the question for what it moves. */
    figure(at) {
        if (this.predictions.hides(at)) return this.predictions.question(at);
        const figure = showFigure(
            this.recording,
            this.recording.events[at],
            Math.max(at, this.position),
            this.picture.clientWidth || NARROW,
        );
        const verdict = this.predictions.verdict(at);
        if (verdict) figure.element.prepend(html("p", {}, verdict));
        return figure;
    }

    /** Goes to a position of the chosen warp. */
    #goTo(position) {
        this.moveTo(position);
        this.onChange();
    }

    /** Pictures of the event; by line, of all that the line does that has one. */
    #figures(position, unit) {
        const events = unit === "line" ? lineFrom(this.recording, this.warp, position) : [];
        return (events.length ? events.slice(0, MOST_FIGURES) : [position]).map((at) => this.figure(at));
    }

    show(unit) {
        const state = this.recording.warpAt(this.warp, this.position);
        this.warps.show(this.position, this.warp);
        this.totals.show(this.position);
        this.masked.textContent = this.#maskedText(state);
        this.time?.follow(state.position);
        if (!state.event) {
            this.sentence.textContent = this.describe(state, "");
            this.picture.replaceChildren();
            this.values.replaceChildren();
            return this.sentence.textContent;
        }
        const instruction = this.recording.instructionOf(state.position);
        const figures = this.#figures(state.position, unit);
        this.source.show(instruction);
        const calls = state.event.calls.map((call) => call.replace(/^(\d+) (.*)/, "in $2, called in line $1"));
        this.sentence.replaceChildren(html("code", {}, instruction.ptx), ` ${calls.join(", ")}`);
        for (const view of this.memory) view.show(this.position);
        this.element.classList.toggle("predicting", this.predictions.wanted);
        this.picture.replaceChildren(...figures.map((figure) => figure.element));
        this.values.replaceChildren(
            showValues(this.recording, state.position, this.values.clientWidth || NARROW, (at) => this.#goTo(at)),
        );
        return this.describe(state, figures.map((figure) => figure.text).join(" "));
    }
}
