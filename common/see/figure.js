// figure.js: what an instruction does, as a picture and a sentence: sectors and lines of global
// memory, banks of shared memory, lanes of a shuffle, the two ways of a branch, who is missing at a
// barrier.

import { LANES, count, has } from "./recording.js";
import { html, plural, ranges, svg } from "./draw.js";

const SECTOR = 32n;
const LINE = 128n;
const BANKS = 32;
const WIDTH = 960;
const CELL = WIDTH / LANES;

function lanesOf(mask) {
    return Array.from({ length: LANES }, (_, lane) => lane).filter((lane) => has(mask, lane));
}

function picture(height, label) {
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
}

/**
 * A row of 32 numbered cells. marked: mask of those lit; side: mask of those in the second colour.
 */
function laneRow(y, marked, side = 0) {
    const group = svg("g");
    for (let lane = 0; lane < LANES; lane++) {
        const kind = has(marked, lane) ? "lit" : has(side, lane) ? "other" : "off";
        group.append(svg("rect", { x: lane * CELL + 1, y, width: CELL - 2, height: 22, rx: 3, class: `cell ${kind}` }));
        group.append(svg("text", { x: (lane + 0.5) * CELL, y: y + 15, class: `${kind} lane` }, String(lane)));
    }
    return group;
}

function arrow(x1, y1, x2, y2, kind = "") {
    return svg("path", { d: `M${x1} ${y1}L${x2} ${y2}`, class: `arrow ${kind}` });
}

function sortedUnique(values) {
    return [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/* ---- Global memory ---- */

const MOST_LINES = 32;

/** Bytes that the lanes want, each once. */
function bytesWanted(addresses, bytes) {
    const wanted = new Set();
    for (const address of addresses) {
        if (address === null) continue;
        for (let i = 0; i < bytes; i++) wanted.add(address + BigInt(i));
    }
    return wanted.size;
}

function sectorsOf(addresses, bytes) {
    const all = [];
    for (const address of addresses) {
        if (address === null) continue;
        for (let at = address / SECTOR; at <= (address + BigInt(bytes - 1)) / SECTOR; at++) all.push(at);
    }
    return sortedUnique(all);
}

function lineBox(recording, line, i, width, y, lit) {
    const group = svg("g");
    const gap = Math.min(6, width / 8);
    const sector = (width - gap) / 4;
    for (let s = 0; s < 4; s++) {
        const touched = lit.has(line * 4n + BigInt(s));
        const at = { x: i * width + s * sector, y, width: Math.max(sector - 1, 1), height: 26 };
        group.append(svg("rect", { ...at, class: `sector ${touched ? "lit" : "off"}` }));
    }
    const allocation = recording.allocationOf(line * LINE) ?? recording.allocationOf(line * LINE + LINE - 1n);
    const offset = allocation ? line * LINE - allocation.start : line * LINE;
    if (width > 40) group.append(svg("text", { x: i * width, y: y + 42, class: "tick" }, `+${offset}`));
    return group;
}

function globalFigure(recording, event, instruction) {
    const addresses = recording.addressesOf(event);
    const sectors = sectorsOf(addresses, instruction.bytes);
    const lit = new Set(sectors);
    const lines = sortedUnique(sectors.map((sector) => sector / 4n));
    const shown = lines.slice(0, MOST_LINES);
    const width = WIDTH / Math.max(shown.length, 4);
    const wanted = bytesWanted(addresses, instruction.bytes);
    const moved = sectors.length * 32;
    const names = [
        ...new Set(addresses.filter((a) => a !== null).map((a) => recording.allocationOf(a)?.name || "memory")),
    ];
    const verb = { load: "load from", store: "store to", atomic: "update" }[instruction.kind];
    const used = moved ? Math.round((100 * wanted) / moved) : 0;
    const text =
        `Active lanes: ${count(event.guard)}. They ${verb} ${names.join(" and ")}: ${plural(wanted, "byte")} wanted. ` +
        `What moves: ${plural(sectors.length, "sector")} of 32 bytes, ${plural(moved, "byte")} in ` +
        `${plural(lines.length, "line")} of 128, of which ${used} % are used.`;
    const drawing = picture(190, text);
    drawing.append(laneRow(4, event.guard));
    addresses.forEach((address, lane) => {
        const line = address === null ? -1 : shown.indexOf(address / LINE);
        if (line < 0) return;
        const gap = Math.min(6, width / 8);
        const x =
            line * width + (Number(address % LINE) / 128) * (width - gap) + (instruction.bytes / 256) * (width - gap);
        drawing.append(arrow((lane + 0.5) * CELL, 28, x, 116));
    });
    shown.forEach((line, i) => drawing.append(lineBox(recording, line, i, width, 120, lit)));
    if (lines.length > shown.length) {
        drawing.append(
            svg("text", { x: 0, y: 184, class: "tick" }, `the first ${shown.length} lines of ${lines.length}`),
        );
    }
    return { text, drawing };
}

/* ---- Shared memory ---- */

/** The words of each bank that the lanes want, in the order of lanes. Words are 4 bytes wide. */
function wordsByBank(addresses, bytes) {
    const banks = Array.from({ length: BANKS }, () => []);
    addresses.forEach((address) => {
        if (address === null) return;
        const offset = BigInt.asUintN(32, address);
        for (let word = offset / 4n; word <= (offset + BigInt(bytes - 1)) / 4n; word++) {
            const bank = banks[Number(word % BigInt(BANKS))];
            if (!bank.includes(word)) bank.push(word);
        }
    });
    return banks;
}

function sharedFigure(recording, event, instruction) {
    const addresses = recording.addressesOf(event);
    const banks = wordsByBank(addresses, instruction.bytes);
    const highest = Math.max(...banks.map((bank) => bank.length), 1);
    const passes =
        recording.raised(event, "shared_ld_wavefronts") +
        recording.raised(event, "shared_st_wavefronts") +
        recording.raised(event, "shared_atom_wavefronts");
    const extra = recording.raised(event, "shared_ld_conflicts") + recording.raised(event, "shared_st_conflicts");
    const words = banks.reduce((sum, bank) => sum + bank.length, 0);
    const text =
        `Active lanes: ${count(event.guard)}. They want ${plural(words, "word")} of shared memory. ` +
        `Passes over the banks: ${passes}, of which for bank conflicts: ${extra}.`;
    const row = 20;
    const drawing = picture(190 + Math.max(highest - 2, 0) * row, text);
    drawing.append(laneRow(4, event.guard));
    addresses.forEach((address, lane) => {
        if (address === null) return;
        const word = BigInt.asUintN(32, address) / 4n;
        const bank = Number(word % BigInt(BANKS));
        const place = banks[bank].indexOf(word);
        drawing.append(
            arrow((lane + 0.5) * CELL, 28, (bank + 0.5) * CELL, 104, place > 0 && extra > 0 ? "conflict" : ""),
        );
    });
    banks.forEach((bank, b) => {
        const x = b * CELL + 1;
        drawing.append(svg("text", { x: x + CELL / 2, y: 118, class: "tick middle" }, String(b)));
        bank.forEach((word, i) => {
            const kind = i > 0 && extra > 0 ? "conflict" : "lit";
            drawing.append(
                svg("rect", { x, y: 124 + i * row, width: CELL - 2, height: row - 2, class: `cell ${kind}` }),
            );
            drawing.append(svg("text", { x: x + CELL / 2, y: 137 + i * row, class: `${kind} lane` }, String(word)));
        });
    });
    return { text, drawing };
}

/* ---- Shuffles ---- */

/**
 * The lane that each lane takes its value from. operands: a, b, c as shfl has them (PTX ISA,
 * "shfl.sync"): b is the lane or the distance, c has the segment's mask in bits 8 to 12 and the
 * clamp in bits 0 to 4.
 */
export function shuffleSource(mode, lane, b, c) {
    const segment = (c >> 8) & 31;
    const clamp = c & 31;
    const most = (lane & segment) | (clamp & ~segment);
    const least = lane & segment;
    if (mode === "up") return lane - b >= most ? lane - b : lane;
    if (mode === "down") return lane + b <= most ? lane + b : lane;
    if (mode === "bfly") return (lane ^ b) <= most ? lane ^ b : lane;
    const source = least | (b & ~segment);
    return source <= most ? source : lane;
}

function shuffleOperand(recording, event, instruction, text) {
    const at = instruction.reads.indexOf(text);
    const row = at < 0 ? null : recording.row(event.values[at]);
    return (lane) => (row ? Number(row(lane) ?? 0n) : Number(text));
}

function shuffleFigure(recording, event, instruction) {
    const found = /shfl\.sync\.(up|down|bfly|idx)\.b32\s+([^;]*);/.exec(instruction.ptx);
    const text = `Active lanes: ${count(event.guard)}. Each takes a value from another lane's register, without memory.`;
    const drawing = picture(130, text);
    drawing.append(laneRow(4, event.guard), laneRow(100, event.guard));
    if (!found) return { text, drawing };
    const operands = found[2].split(",").map((part) => part.trim());
    const b = shuffleOperand(recording, event, instruction, operands[2]);
    const c = shuffleOperand(recording, event, instruction, operands[3]);
    for (const lane of lanesOf(event.guard)) {
        const source = shuffleSource(found[1], lane, b(lane), c(lane));
        drawing.append(arrow((source + 0.5) * CELL, 28, (lane + 0.5) * CELL, 98, source === lane ? "self" : ""));
    }
    return { text, drawing };
}

/* ---- Branches and barriers ---- */

function branchFigure(recording, event) {
    const taken = event.guard >>> 0;
    const other = (event.active & ~event.guard) >>> 0;
    const divides = taken !== 0 && other !== 0;
    const text = divides
        ? `The branch divides the warp: lanes that jump: ${count(taken)}, that go on: ${count(other)}. ` +
          "The warp runs one part, then the other, and the other part's lanes wait."
        : `Active lanes: ${count(event.active)}. All of them ${taken ? "jump" : "go on"}: the warp stays together.`;
    const drawing = picture(66, text);
    drawing.append(laneRow(4, taken, other));
    drawing.append(svg("text", { x: 0, y: 52, class: "tick" }, divides ? "filled: jump; hatched: go on" : ""));
    return { text, drawing };
}

function barrierFigure(recording, event, position) {
    const own = recording.events.indexOf(event);
    const missing = recording.missingAt(own, position);
    const text = missing.length
        ? `Warp ${event.warp} waits at the barrier. Warps that have not come yet: ${ranges(missing)}.`
        : "All warps have come to the barrier, and go on.";
    return { text, drawing: null };
}

/**
 * What the event's instruction does: an element with a sentence and, where there is one, a picture.
 */
export function showFigure(recording, event, position) {
    const instruction = recording.instructions[event.instruction];
    const isOff = event.guard === 0 && instruction.kind !== "branch";
    let figure = { text: "An instruction on registers: each active lane computes with its own values.", drawing: null };
    if (isOff) figure = { text: "No lane executes it: its predicate is false in all of them.", drawing: null };
    else if (instruction.space === "shared") figure = sharedFigure(recording, event, instruction);
    else if (instruction.space) figure = globalFigure(recording, event, instruction);
    else if (instruction.kind === "shuffle") figure = shuffleFigure(recording, event, instruction);
    else if (instruction.kind === "branch") figure = branchFigure(recording, event);
    else if (instruction.kind === "barrier") figure = barrierFigure(recording, event, position);
    else if (instruction.kind === "exit") figure = { text: "These lanes end here.", drawing: null };
    const pane = figure.drawing ? { tabindex: "0", role: "group", "aria-label": "What the instruction does" } : {};
    const element = html("div", { class: "figure", ...pane }, html("p", {}, figure.text));
    if (figure.drawing) element.append(figure.drawing);
    return { element, text: figure.text };
}
