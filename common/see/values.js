// values.js: the registers that an instruction reads and writes, lane by lane.

import { LANES, has } from "./recording.js";
import { html } from "./draw.js";

const buffer = new DataView(new ArrayBuffer(8));

function asFloat(bits, size) {
    if (size === 4) {
        buffer.setUint32(0, Number(BigInt.asUintN(32, bits)));
        return buffer.getFloat32(0);
    }
    buffer.setBigUint64(0, BigInt.asUintN(64, bits));
    return buffer.getFloat64(0);
}

function shortNumber(value) {
    const text = String(value);
    return text.length > 8 && Number.isFinite(value) ? value.toPrecision(5) : text;
}

/** An address as a place: "g_idata+128"; a number that points nowhere as it is. */
function asPlace(recording, value) {
    const allocation = recording.allocationOf(value);
    if (!allocation) return String(BigInt.asIntN(64, value));
    const offset = value - allocation.start;
    return `${allocation.name || "memory"}${offset ? `+${offset}` : ""}`;
}

/** A value as its register holds it. PTX names registers by type: %p, %rs, %r, %rd, %f, %fd. */
export function showValue(recording, register, value) {
    if (value === null) return "";
    if (typeof value === "boolean") return value ? "true" : "false";
    if (register.startsWith("%fd")) return shortNumber(asFloat(value, 8));
    if (register.startsWith("%f")) return shortNumber(asFloat(value, 4));
    if (register.startsWith("%rd")) return asPlace(recording, BigInt.asUintN(64, value));
    if (register.startsWith("%rs")) return String(BigInt.asIntN(16, value));
    return String(BigInt.asIntN(32, value));
}

/** A row in words where it follows a rule: "7 in all lanes", "0, 1, 2 ...". "": it follows none. */
function rule(texts, lanes) {
    if (!lanes.length) return "no lane";
    const first = texts[lanes[0]];
    return lanes.every((lane) => texts[lane] === first) ? `${first} in every active lane` : "";
}

function valueRow(recording, register, role, row, mask) {
    const lanes = Array.from({ length: LANES }, (_, lane) => lane);
    const texts = lanes.map((lane) => (has(mask, lane) ? showValue(recording, register, row(lane)) : ""));
    const same = rule(
        texts,
        lanes.filter((lane) => has(mask, lane)),
    );
    const name = html("th", { scope: "row" }, `${register}`);
    const cells = same
        ? [html("td", { colspan: LANES, class: "same" }, same)]
        : texts.map((text) => html("td", {}, text));
    return html("tr", {}, name, html("td", { class: "role" }, role), ...cells);
}

/** The table of an event's registers. */
export function showValues(recording, event) {
    const instruction = recording.instructions[event.instruction];
    const head = html("tr", {}, html("th", { scope: "col" }, "register"), html("th", { scope: "col" }, ""));
    for (let lane = 0; lane < LANES; lane++) head.append(html("th", { scope: "col" }, String(lane)));
    const body = html("tbody");
    instruction.reads.forEach((register, i) =>
        body.append(valueRow(recording, register, "reads", recording.row(event.values[i]), event.active)),
    );
    instruction.writes.forEach((register, i) => {
        const number = event.values[instruction.reads.length + i];
        body.append(valueRow(recording, register, "writes", recording.row(number), event.guard));
    });
    if (!body.children.length) return html("p", { class: "quiet" }, "This instruction reads and writes no register.");
    const table = html("table", { class: "values" }, html("thead", {}, head), body);
    return html("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Registers by lane" }, table);
}
