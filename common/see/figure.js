// figure.js: what an instruction does, as a sentence (sentences.js) and a picture: sectors and lines
// of memory, banks of shared memory, lanes of a shuffle, the two ways of a branch. How much an
// access moves is what the simulator counted; the picture shows where the addresses lie.

import { LANES, has } from "./recording.js";
import { html, svg } from "./draw.js";
import { sentence } from "./sentences.js";

const SECTOR = 32n;
const LINE = 128n;
const WORD = 4n;
const BANKS = 32;
const MOST_LINES = 32;
const WIDE = 760; // px, from which on the lanes stand in one row
const HEIGHT = 22; // of a cell
const ROW = 20; // of a word in its bank

/** Where cells stand in a picture of this width: 32 in a row, or 16 in each of two. */
function layout(width) {
    const columns = width < WIDE ? 16 : 32;
    const cell = Math.min(30, width / columns);
    const x = (i) => ((i % columns) + 0.5) * cell;
    return { columns, cell, x, rows: LANES / columns, width: columns * cell };
}

function lanesOf(mask) {
    return Array.from({ length: LANES }, (_, lane) => lane).filter((lane) => has(mask, lane));
}

function picture(grid, height, label) {
    const size = { width: grid.width, height, viewBox: `0 0 ${grid.width} ${height}` };
    return svg("svg", { ...size, role: "img", "aria-label": label });
}

const laneTop = (grid, lane) => 4 + Math.floor(lane / grid.columns) * (HEIGHT + 2);
const lanesHeight = (grid) => 4 + grid.rows * (HEIGHT + 2);

/**
 * The 32 lanes, numbered. marked: mask of those lit; side: mask of those in the second colour.
 */
function laneCells(grid, y, marked, side = 0) {
    const group = svg("g");
    for (let lane = 0; lane < LANES; lane++) {
        const kind = has(marked, lane) ? "lit" : has(side, lane) ? "other" : "off";
        const top = y - 4 + laneTop(grid, lane);
        const x = grid.x(lane) - grid.cell / 2 + 1;
        group.append(
            svg("rect", { x, y: top, width: grid.cell - 2, height: HEIGHT, rx: 3, class: `cell ${kind}` }),
            svg("text", { x: grid.x(lane), y: top + 15, class: `${kind} lane` }, String(lane)),
        );
    }
    return group;
}

function arrow(x1, y1, x2, y2, kind = "") {
    return svg("path", { d: `M${x1} ${y1}L${x2} ${y2}`, class: `arrow ${kind}` });
}

function sortedUnique(values) {
    return [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/* ---- Global and local memory ---- */

/**
 * The parts of the lanes' accesses that lie side by side: [{lane, at, bytes}]. Local memory lies
 * word by word, the words of the 32 lanes side by side.
 */
function piecesOf(space, addresses, bytes) {
    const pieces = [];
    addresses.forEach((address, lane) => {
        if (address === null) return;
        if (space !== "local") return pieces.push({ lane, at: address, bytes });
        const size = Math.min(bytes, 4);
        for (let at = address; at < address + BigInt(bytes); at += WORD)
            pieces.push({ lane, at: (at / WORD) * LINE + BigInt(lane) * WORD + (at % WORD), bytes: size });
    });
    return pieces;
}

function sectorsOf(pieces) {
    const all = [];
    for (const { at, bytes } of pieces)
        for (let sector = at / SECTOR; sector <= (at + BigInt(bytes - 1)) / SECTOR; sector++) all.push(sector);
    return sortedUnique(all);
}

function lineBox(recording, line, box, lit, space) {
    const group = svg("g");
    for (let s = 0; s < 4; s++) {
        const touched = lit.has(line * 4n + BigInt(s));
        const at = { x: box.x + s * box.sector, y: box.y, width: Math.max(box.sector - 1, 1), height: 26 };
        group.append(svg("rect", { ...at, class: `sector ${touched ? "lit" : "off"}` }));
    }
    const allocation =
        space === "global" && (recording.allocationOf(line * LINE) ?? recording.allocationOf(line * LINE + LINE - 1n));
    const offset = allocation ? line * LINE - allocation.start : line * LINE;
    if (box.sector > 9) group.append(svg("text", { x: box.x, y: box.y + 42, class: "tick" }, `+${offset}`));
    return group;
}

function sectorPicture(recording, event, { space, addresses }, bytes, width, text) {
    const grid = layout(width);
    const pieces = piecesOf(space, addresses, bytes);
    const sectors = sectorsOf(pieces);
    const lit = new Set(sectors);
    const lines = sortedUnique(sectors.map((sector) => sector / 4n));
    const shown = lines.slice(0, MOST_LINES);
    const columns = Math.min(Math.max(shown.length, 4), grid.columns === LANES ? MOST_LINES : 8);
    const step = grid.width / columns;
    const sector = (step - Math.min(6, step / 8)) / 4;
    const top = lanesHeight(grid) + 64;
    const place = (i) => ({ x: (i % columns) * step, y: top + Math.floor(i / columns) * 50, sector });
    const height = top + Math.ceil(shown.length / columns) * 50 + (lines.length > shown.length ? 16 : 0);
    const drawing = picture(grid, height, text);
    for (const { lane, at, bytes: size } of pieces) {
        const i = shown.indexOf(at / LINE);
        if (i < 0) continue;
        const box = place(i);
        const x = box.x + ((Number(at % LINE) + size / 2) / 32) * sector;
        drawing.append(arrow(grid.x(lane), laneTop(grid, lane) + HEIGHT, x, box.y - 2));
    }
    drawing.append(laneCells(grid, 4, event.guard));
    shown.forEach((line, i) => drawing.append(lineBox(recording, line, place(i), lit, space)));
    const cut = `the first ${shown.length} lines of ${lines.length}`;
    if (lines.length > shown.length) drawing.append(svg("text", { x: 0, y: height - 4, class: "tick" }, cut));
    return drawing;
}

/* ---- Shared memory ---- */

/** The words of each bank that the lanes want, in the order of lanes. Words are 4 bytes wide. */
function wordsByBank(addresses, bytes) {
    const banks = Array.from({ length: BANKS }, () => []);
    for (const address of addresses) {
        if (address === null) continue;
        const offset = BigInt.asUintN(32, address);
        for (let word = offset / WORD; word <= (offset + BigInt(bytes - 1)) / WORD; word++) {
            const bank = banks[Number(word % BigInt(BANKS))];
            if (!bank.includes(word)) bank.push(word);
        }
    }
    return banks;
}

function bankPicture(recording, event, { addresses }, bytes, width, text) {
    const grid = layout(width);
    const banks = wordsByBank(addresses, bytes);
    const conflicts = recording.raised(event, "shared_ld_conflicts", "shared_st_conflicts") > 0;
    const tops = [];
    let height = lanesHeight(grid) + 64;
    for (let first = 0; first < BANKS; first += grid.columns) {
        tops.push(height);
        height += 24 + ROW * Math.max(...banks.slice(first, first + grid.columns).map((bank) => bank.length), 1);
    }
    const topOf = (bank) => tops[Math.floor(bank / grid.columns)];
    const drawing = picture(grid, height, text);
    addresses.forEach((address, lane) => {
        if (address === null) return;
        const word = BigInt.asUintN(32, address) / WORD;
        const bank = Number(word % BigInt(BANKS));
        const kind = conflicts && banks[bank].indexOf(word) > 0 ? "conflict" : "";
        drawing.append(arrow(grid.x(lane), laneTop(grid, lane) + HEIGHT, grid.x(bank), topOf(bank) - 12, kind));
    });
    drawing.append(laneCells(grid, 4, event.guard));
    banks.forEach((words, bank) => {
        const x = grid.x(bank);
        drawing.append(svg("text", { x, y: topOf(bank), class: "tick middle" }, String(bank)));
        words.forEach((word, i) => {
            const kind = i > 0 && conflicts ? "conflict" : "moved";
            const y = topOf(bank) + 6 + i * ROW;
            const box = { x: x - grid.cell / 2 + 1, y, width: grid.cell - 2, height: ROW - 2 };
            drawing.append(svg("rect", { ...box, class: `cell ${kind}` }));
            drawing.append(svg("text", { x, y: y + 13, class: `${kind} lane word` }, String(word)));
        });
    });
    return drawing;
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

function shufflePicture(recording, event, instruction, width, text) {
    const grid = layout(width);
    const below = lanesHeight(grid) + 68;
    const drawing = picture(grid, below + lanesHeight(grid), text);
    const found = /shfl(?:\.sync)?\.(up|down|bfly|idx)\.b32\s+([^;]*);/.exec(instruction.ptx);
    const operands = found?.[2].split(",").map((part) => part.trim());
    if (found) {
        const b = shuffleOperand(recording, event, instruction, operands[2]);
        const c = shuffleOperand(recording, event, instruction, operands[3]);
        for (const lane of lanesOf(event.guard)) {
            const source = shuffleSource(found[1], lane, b(lane), c(lane));
            const [from, to] = [laneTop(grid, source) + HEIGHT, below - 4 + laneTop(grid, lane)];
            drawing.append(arrow(grid.x(source), from, grid.x(lane), to, source === lane ? "self" : ""));
        }
    }
    drawing.append(laneCells(grid, 4, event.guard), laneCells(grid, below, event.guard));
    return drawing;
}

/* ---- Branches ---- */

function branchPicture(event, width, text) {
    const grid = layout(width);
    const others = (event.active & ~event.guard) >>> 0;
    const drawing = picture(grid, lanesHeight(grid) + 18, text);
    drawing.append(laneCells(grid, 4, event.guard, others));
    const key = others && event.guard ? "filled: jump; dashed: go on" : "";
    drawing.append(svg("text", { x: 0, y: lanesHeight(grid) + 12, class: "tick" }, key));
    return drawing;
}

/**
 * What the event's instruction does: an element with a sentence and pictures, none wider than
 * `width` pixels.
 */
export function showFigure(recording, event, position, width) {
    const instruction = recording.instructions[event.instruction];
    const text = sentence(recording, event, position);
    const drawings = [];
    for (const access of recording.accessesOf(event)) {
        const { space } = access;
        if (space === "shared") drawings.push(bankPicture(recording, event, access, instruction.bytes, width, text));
        else if (space === "global" || space === "local")
            drawings.push(sectorPicture(recording, event, access, instruction.bytes, width, text));
    }
    if (instruction.kind === "shuffle" && event.guard)
        drawings.push(shufflePicture(recording, event, instruction, width, text));
    if (instruction.kind === "branch") drawings.push(branchPicture(event, width, text));
    return { element: html("div", { class: "figure" }, html("p", {}, text), ...drawings), text };
}
