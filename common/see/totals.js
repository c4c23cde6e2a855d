// totals.js: what the steps so far add up to, beside what the whole block does.

import { html } from "./draw.js";

function percent(part, whole) {
    return whole ? `${Math.round((1000 * part) / whole) / 10} %` : "-";
}

function number(value) {
    return value.toLocaleString("en");
}

/**
 * The rows shown: a name, and how it follows from the sums. Rows whose last value is 0 are left
 * out.
 */
const ROWS = [
    ["warp instructions", (s) => number(s.inst_executed), "inst_executed"],
    ["warp_execution_efficiency", (s) => percent(s.thread_inst_executed, 32 * s.inst_executed), "inst_executed"],
    ["branches", (s) => number(s.branch), "branch"],
    ["divergent branches", (s) => number(s.divergent_branch), "branch"],
    ["branch_efficiency", (s) => percent(s.branch - s.divergent_branch, s.branch), "branch"],
    ["global loads", (s) => number(s.gld_requests), "gld_requests"],
    ["sectors loaded", (s) => number(s.gld_sectors), "gld_requests"],
    ["gld_efficiency", (s) => percent(s.gld_bytes, 32 * s.gld_sectors), "gld_requests"],
    ["global stores", (s) => number(s.gst_requests), "gst_requests"],
    ["sectors stored", (s) => number(s.gst_sectors), "gst_requests"],
    ["gst_efficiency", (s) => percent(s.gst_bytes, 32 * s.gst_sectors), "gst_requests"],
    ["shared loads", (s) => number(s.shared_ld_requests), "shared_ld_requests"],
    ["their passes", (s) => number(s.shared_ld_wavefronts), "shared_ld_requests"],
    ["their bank conflicts", (s) => number(s.shared_ld_conflicts), "shared_ld_requests"],
    ["shared stores", (s) => number(s.shared_st_requests), "shared_st_requests"],
    ["their passes", (s) => number(s.shared_st_wavefronts), "shared_st_requests"],
    ["their bank conflicts", (s) => number(s.shared_st_conflicts), "shared_st_requests"],
    ["shuffles and votes", (s) => number(s.shuffles), "shuffles"],
    ["atomics", (s) => number(s.atom_requests + s.red_requests), "atom_requests"],
    ["barriers", (s) => number(s.barriers), "barriers"],
];

export class TotalsView {
    constructor(recording) {
        this.recording = recording;
        const end = recording.sumsAt(recording.length - 1);
        this.rows = ROWS.filter(([, , counter]) => end[counter] > 0);
        this.cells = this.rows.map(() => html("td"));
        const head = html(
            "tr",
            {},
            ...["counted", "so far", "whole block"].map((t) => html("th", { scope: "col" }, t)),
        );
        const body = this.rows.map(([name, show], i) =>
            html("tr", {}, html("th", { scope: "row" }, name), this.cells[i], html("td", {}, show(end))),
        );
        const table = html("table", { class: "totals" }, html("thead", {}, head), html("tbody", {}, ...body));
        this.element = html("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Totals" }, table);
    }

    show(position) {
        const sums = this.recording.sumsAt(position);
        this.rows.forEach(([, show], i) => (this.cells[i].textContent = show(sums)));
    }
}
