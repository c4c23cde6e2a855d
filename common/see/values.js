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
    return text.length > 8 && Number.isFinite(value) ? String(Number(value.toPrecision(5))) : text;
}

/** A value as its register holds it. PTX names registers by type: %p, %rs, %r, %rd, %f, %fd. */
export function showValue(register, value) {
    if (typeof value === "boolean") return value ? "true" : "false";
    if (register.startsWith("%fd")) return shortNumber(asFloat(value, 8));
    if (register.startsWith("%f")) return shortNumber(asFloat(value, 4));
    if (register.startsWith("%rd")) return String(BigInt.asIntN(64, value));
    if (register.startsWith("%rs")) return String(BigInt.asIntN(16, value));
    return String(BigInt.asIntN(32, value));
}

/** The allocation into which all these values point; undefined: there is none. */
function targetOf(recording, register, values) {
    if (!register.startsWith("%rd")) return undefined;
    const target = recording.allocationOf(BigInt.asUintN(64, values[0]));
    return values.every((value) => target && recording.allocationOf(BigInt.asUintN(64, value)) === target)
        ? target
        : undefined;
}

/** "7" where all lanes have it, "4 × lane + 256" where they follow that; "": no rule. */
function ruleOf(lanes, texts) {
    if (new Set(texts).size === 1) return `${texts[0]} in every active lane`;
    if (lanes.length < 3 || !texts.every((text) => /^-?\d+$/.test(text))) return "";
    const numbers = texts.map(BigInt);
    const step = (numbers[1] - numbers[0]) / BigInt(lanes[1] - lanes[0]);
    const first = numbers[0] - step * BigInt(lanes[0]);
    if (!numbers.every((number, i) => number === first + step * BigInt(lanes[i]))) return "";
    return `${step === 1n ? "" : `${step} × `}lane${first ? ` ${first < 0n ? "-" : "+"} ${first < 0n ? -first : first}` : ""}`;
}

/** Rows of a register's table. columns: lanes side by side. role: elements that tell its part. */
function registerRows(recording, { register, code, role }, row, mask, columns) {
    const lanes = Array.from({ length: LANES }, (_, lane) => lane).filter((lane) => has(mask, lane));
    const values = lanes.map(row);
    if (values.includes(null)) return [];
    const target = values.length ? targetOf(recording, register, values) : undefined;
    const texts = values.map((value) =>
        target ? String(BigInt.asUintN(64, value) - target.start) : showValue(register, value),
    );
    const rule = lanes.length ? ruleOf(lanes, texts) : "no lane";
    const place = target ? `${target.name || "memory"} + ` : "";
    const name = recording.nameOf(register, code);
    const head = html("th", { scope: "rowgroup", colspan: columns + 1 }, html("code", {}, register));
    head.append(name ? html("b", {}, ` ${name}`) : "", " ", ...role, " ");
    head.append(html("span", { class: "rule" }, place + rule));
    const rows = [html("tr", {}, head)];
    for (let from = 0; from < LANES && !rule; from += columns) {
        const cells = Array.from({ length: columns }, (_, i) => html("td", {}, texts[lanes.indexOf(from + i)] ?? ""));
        rows.push(html("tr", {}, html("th", { scope: "row" }, `${from}-${from + columns - 1}`), ...cells));
    }
    return rows;
}

/** "is read, from line 84": a button that leads to what made the value. */
function makerOf(recording, position, register, onGo) {
    const maker = recording.makerOf(position, register);
    if (maker < 0) return ["is read"];
    const { line, ptx } = recording.instructionOf(maker);
    const button = html("button", { type: "button", title: ptx }, `← ${line ? `line ${line}` : ptx}`);
    button.addEventListener("click", () => onGo(maker));
    return ["is read", " ", button];
}

/** The table of an event's registers, at most `width` pixels wide. onGo: shows another position. */
export function showValues(recording, position, width, onGo) {
    const event = recording.events[position];
    const { reads, writes, function: code } = recording.instructions[event.instruction];
    const columns = width < 600 ? 8 : 16;
    const body = html("tbody");
    reads.forEach((register, i) => {
        const role = makerOf(recording, position, register, onGo);
        const row = recording.row(event.values[i]);
        body.append(...registerRows(recording, { register, code, role }, row, event.active, columns));
    });
    writes.forEach((register, i) => {
        const row = recording.row(event.values[reads.length + i]);
        body.append(...registerRows(recording, { register, code, role: ["is written"] }, row, event.guard, columns));
    });
    if (!body.children.length) return html("p", { class: "quiet" }, "This instruction reads and writes no register.");
    return html("table", { class: "values" }, body);
}
