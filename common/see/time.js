// time.js: the warps of one multiprocessor by cycles, as the time model replays them: who issues,
// who waits, and for what. Of two GPUs the charts stand one above the other, on one axis.

import { Chart, REASONS } from "./chart.js";
import { html } from "./draw.js";

const ZOOMS = [1, 4, 16, 64];
const AXES = { cycles: "cycle", ns: "nanosecond" };

function choice(label, texts, action) {
    const select = html("select", { "aria-label": label });
    for (const [value, text] of texts) select.append(html("option", { value }, text));
    select.addEventListener("change", action);
    return select;
}

/** The charts, their cursors, what the cursors' cycles show in words, and the shares as a table. */
export class TimeView {
    constructor(recording) {
        this.charts = recording.times.map((time) => new Chart(time, recording));
        const isPair = this.charts.length > 1;
        const zooms = ZOOMS.map((zoom) => [zoom, zoom === 1 ? "all cycles" : `${zoom} times`]);
        this.zoom = choice("Zoom", zooms, () => this.draw());
        this.axis = choice("Axis", Object.entries(AXES), () => this.changeAxis());
        this.axis.value = isPair ? "ns" : "cycles";
        this.cursor = html("input", { type: "range", min: 0, value: 0, "aria-label": "Cycle" });
        this.cursor.addEventListener("input", () => this.moveTo(Number(this.cursor.value)));
        this.element = html(
            "div",
            {},
            html(
                "div",
                { class: "controls-time" },
                html("label", {}, "time ", this.cursor),
                this.zoom,
                isPair ? this.axis : "",
            ),
            ...this.charts.map((chart) => this.#show(chart)),
        );
        this.changeAxis();
    }

    #show(chart) {
        const words = html("p", { class: "sentence" });
        const pane = {
            class: "figure",
            tabindex: "0",
            role: "group",
            "aria-label": `Warps by cycles: ${chart.device}`,
        };
        chart.element.addEventListener("mousemove", (event) => {
            words.textContent = chart.describePoint(event) ?? chart.describe();
        });
        chart.words = words;
        const note = html("p", { class: "quiet" }, chart.summary());
        return html("div", {}, note, html("div", pane, chart.element), words, this.#legend(chart));
    }

    #legend(chart) {
        const list = html("ul", { class: "legend" });
        const total = [...chart.sums.values()].reduce((a, b) => a + b, 0);
        for (const [reason, means] of Object.entries(REASONS)) {
            const cycles = chart.sums.get(reason);
            if (!cycles) continue;
            const share = `${((100 * cycles) / total).toFixed(1)} %`;
            list.append(
                html("li", {}, html("span", { class: `why-${reason}`, "aria-hidden": "true" }), ` ${means}: ${share}`),
            );
        }
        return list;
    }

    /** Units of the axis in a cycle of the chart's GPU. */
    #unit(chart) {
        return this.axis.value === "ns" ? 1000 / chart.time.clock_mhz : 1;
    }

    /** The longest chart's end on the axis. */
    #end() {
        return Math.max(...this.charts.map((chart) => chart.time.cycles * this.#unit(chart)), 1);
    }

    changeAxis() {
        this.cursor.max = String(this.#end() - (this.axis.value === "ns" ? 0 : 1));
        this.cursor.step = this.axis.value === "ns" ? "0.1" : "1";
        this.cursor.setAttribute("aria-label", this.axis.value === "ns" ? "Nanosecond" : "Cycle");
        this.cursor.value = String(this.charts[0].cycle * this.#unit(this.charts[0]));
        this.draw();
    }

    /** All cursors to a moment of the axis. */
    moveTo(moment) {
        for (const chart of this.charts) {
            chart.cycle = Math.floor(moment / this.#unit(chart));
            chart.operand = null;
        }
        this.draw();
    }

    /**
     * Each cursor to the cycle in which its GPU issues what the recording has at this position, if
     * that is known.
     */
    follow(position) {
        const found = this.charts.filter((chart) => chart.follow(position));
        if (!found.length) return;
        this.cursor.value = String(this.charts[0].cycle * this.#unit(this.charts[0]));
        this.draw();
    }

    /**
     * The part of the axis that is shown: [first, how much]. It stays while the first cursor is in
     * it.
     */
    #window() {
        const length = Math.max(1, Math.ceil(this.#end() / Number(this.zoom.value)));
        const moment = this.charts[0].cycle * this.#unit(this.charts[0]);
        const [first, before] = this.shown ?? [];
        if (before === length && moment >= first && moment < first + length) return this.shown;
        const middle = Math.floor(moment - length / 2);
        return [Math.max(0, Math.min(Math.ceil(this.#end()) - length, middle)), length];
    }

    draw() {
        this.shown = this.#window();
        for (const chart of this.charts) {
            chart.draw(this.#unit(chart), ...this.shown);
            chart.words.textContent = chart.describe();
        }
    }
}
