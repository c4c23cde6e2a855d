// totals.js: what the steps so far add up to, beside what all recorded warps do.

import { html } from "./draw.js";

function percent(part, whole) {
    return whole ? `${Math.round((1000 * part) / whole) / 10} %` : "-";
}

function number(value) {
    return value.toLocaleString("en");
}

/**
 * The rows: a name; a counter, or how a text follows from all; and the counter without which it is
 * left out, where that is another one.
 */
const ROWS = [
    ["warp instructions", "inst_executed"],
    ["warp_execution_efficiency", (s) => percent(s.thread_inst_executed, 32 * s.inst_executed), "inst_executed"],
    ["instructions of PTX", "ptx_executed"],
    ["branches", "branch"],
    ["divergent branches", "divergent_branch", "branch"],
    ["branch_efficiency", (s) => percent(s.branch - s.divergent_branch, s.branch), "branch"],
    ["threads that branch", "branch_targets_threads"],
    ["global loads", "gld_requests"],
    ["read-only ones", "gld_read_only"],
    ["sectors loaded", "gld_sectors"],
    ["gld_efficiency", (s) => percent(s.gld_bytes, 32 * s.gld_sectors), "gld_sectors"],
    ["global stores", "gst_requests"],
    ["sectors stored", "gst_sectors"],
    ["gst_efficiency", (s) => percent(s.gst_bytes, 32 * s.gst_sectors), "gst_sectors"],
    ["local loads", "local_ld_requests"],
    ["their sectors", "local_ld_sectors"],
    ["local stores", "local_st_requests"],
    ["their sectors", "local_st_sectors"],
    ["shared loads", "shared_ld_requests"],
    ["bytes they want", "shared_ld_bytes"],
    ["their passes", "shared_ld_wavefronts"],
    ["their bank conflicts", "shared_ld_conflicts", "shared_ld_wavefronts"],
    ["shared stores", "shared_st_requests"],
    ["bytes they want", "shared_st_bytes"],
    ["their passes", "shared_st_wavefronts"],
    ["their bank conflicts", "shared_st_conflicts", "shared_st_wavefronts"],
    ["shared atomics", "shared_atom_requests"],
    ["their passes", "shared_atom_wavefronts"],
    ["global atomics", "atom_requests"],
    ["their sectors", "atom_sectors"],
    ["global reductions", "red_requests"],
    ["their sectors", "red_sectors"],
    ["constant loads", "const_requests"],
    ["texture fetches", "tex_inst"],
    ["their requests", "tex_requests"],
    ["their sectors", "tex_sectors"],
    ["surface loads", "surf_ld_requests"],
    ["their sectors", "surf_ld_sectors"],
    ["surface stores", "surf_st_requests"],
    ["their sectors", "surf_st_sectors"],
    ["products of matrices", "inst_tensor"],
    ["shuffles, votes, matches", "shuffles"],
    ["barriers", "barriers"],
    ["kernels launched", "device_launches"],
    ["additions, float", "flop_sp_add"],
    ["multiplications, float", "flop_sp_mul"],
    ["fused, float", "flop_sp_fma"],
    ["special functions, float", "flop_sp_special"],
    ["additions, double", "flop_dp_add"],
    ["multiplications, double", "flop_dp_mul"],
    ["fused, double", "flop_dp_fma"],
    ["additions, half", "flop_hp_add"],
    ["multiplications, half", "flop_hp_mul"],
    ["fused, half", "flop_hp_fma"],
    ["integer instructions", "inst_integer"],
    ["control instructions", "inst_control"],
    ["memory instructions", "inst_load_store"],
];

export class TotalsView {
    constructor(recording) {
        this.recording = recording;
        const end = recording.sumsAt(recording.length - 1);
        const [first, last, all] = recording.warps;
        this.rows = ROWS.map(([name, of, by = of]) => ({
            name,
            by,
            show: typeof of === "string" ? (sums) => number(sums[of]) : of,
            cell: html("td"),
        })).filter(({ by }) => end[by] > 0);
        const titles = ["counted", "so far", last - first + 1 === all ? "whole block" : "these warps"];
        const head = html("tr", {}, ...titles.map((t) => html("th", { scope: "col" }, t)));
        const body = this.rows.map(({ name, show, cell }) =>
            html("tr", {}, html("th", { scope: "row" }, name), cell, html("td", {}, show(end))),
        );
        const table = html("table", { class: "totals" }, html("thead", {}, head), html("tbody", {}, ...body));
        this.element = html("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Totals" }, table);
    }

    show(position) {
        const sums = this.recording.sumsAt(position);
        for (const { show, cell } of this.rows) cell.textContent = show(sums);
    }
}
