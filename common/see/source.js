// source.js: the kernel's source, the chosen warp's line lit, each line with its counts and its PTX
// to unfold.

import { html } from "./draw.js";

const BEFORE = 30; // lines above the first executed one, among which the kernel's head is looked for

/** What the column of counts can show. */
export const HEATS = {
    instructions: { label: "instructions", of: (sums) => sums.inst_executed },
    sectors: {
        label: "sectors",
        of: (sums) => sums.gld_sectors + sums.gst_sectors + sums.atom_sectors + sums.red_sectors,
    },
    excess: {
        label: "excess sectors",
        of: (sums) => sums.gld_sectors + sums.gst_sectors - sums.ideal_sectors,
    },
    conflicts: { label: "bank conflicts", of: (sums) => sums.shared_ld_conflicts + sums.shared_st_conflicts },
    divergent: { label: "divergent branches", of: (sums) => sums.divergent_branch },
};

/** The lines [from, to] of the source that belong to the kernel. */
function rangeOf(recording, source, text) {
    const lines = recording.instructions.filter((i) => i.source === source && i.line > 0).map((i) => i.line);
    const first = Math.min(...lines);
    let from = first;
    for (let line = first; line > Math.max(0, first - BEFORE); line--) {
        if (/__global__|__device__/.test(text[line - 1] ?? "")) {
            from = line;
            break;
        }
    }
    return [from, Math.min(Math.max(...lines), text.length)];
}

/** The source with most executed instructions is the kernel's. */
function mainSource(recording) {
    const counts = recording.sources.map((_, i) => recording.instructions.filter((x) => x.source === i).length);
    return counts.indexOf(Math.max(...counts));
}

export class SourceView {
    constructor(recording, onLine) {
        this.recording = recording;
        this.source = mainSource(recording);
        this.lines = new Map();
        this.lit = [];
        this.element = html("div", { class: "source", tabindex: "0", role: "region", "aria-label": "Source" });
        const text = recording.sources[this.source]?.text.split("\n") ?? [];
        if (text.length < 2)
            this.element.append(html("p", { class: "quiet" }, "The source is not at hand: PTX alone."));
        this.#addLines(text, onLine);
        this.showHeat("instructions");
    }

    #addLines(text, onLine) {
        const known = text.length > 1;
        const [from, to] = known ? rangeOf(this.recording, this.source, text) : [0, 0];
        for (let line = from; line <= to; line++) {
            const instructions = this.recording.instructions.filter(
                (i) => (i.source === this.source && i.line === line) || (!known && line === 0),
            );
            this.element.append(this.#line(line, known ? text[line - 1] : "PTX", instructions, onLine));
        }
    }

    #line(line, text, instructions, onLine) {
        const count = html("span", { class: "count" });
        const head = [html("span", { class: "number" }, String(line || "")), count, html("code", {}, text || " ")];
        const ptx = new Map();
        let element;
        if (instructions.length) {
            const list = html("ol", { class: "ptx" });
            for (const instruction of instructions) {
                const { machine } = instruction;
                const code = machine ? ` → ${machine.join(", ") || "no machine instruction of its own"}` : "";
                const item = html(
                    "li",
                    {},
                    html("code", {}, instruction.ptx),
                    html("span", { class: "machine" }, code),
                );
                ptx.set(instruction, item);
                list.append(item);
            }
            element = html("details", { class: "line" }, html("summary", {}, ...head), list);
            element.addEventListener("dblclick", () => onLine(line));
        } else {
            element = html("div", { class: "line plain" }, ...head);
        }
        this.lines.set(line, { element, count, ptx });
        return element;
    }

    /** Shows a kind of counts beside the lines, with a bar as long as the line's share. */
    showHeat(kind) {
        const heat = this.recording.heat(this.source);
        const values = new Map([...heat].map(([line, sums]) => [line, HEATS[kind].of(sums)]));
        const most = Math.max(...values.values(), 0);
        for (const [line, { count, element }] of this.lines) {
            const value = values.get(line) ?? 0;
            count.textContent = value ? value.toLocaleString("en") : "";
            element.style.setProperty("--share", most ? String(value / most) : "0");
        }
    }

    /** Lights the instruction's line and its PTX. */
    show(instruction) {
        for (const element of this.lit) element.classList.remove("lit");
        const line = this.lines.get(instruction.line) ?? this.lines.get(0);
        const item = line?.ptx.get(instruction);
        this.lit = [line?.element, item].filter(Boolean);
        for (const element of this.lit) element.classList.add("lit");
        if (line) keepInView(this.element, line.element);
    }
}

/**
 * Scrolls the pane, not the page. The pane is positioned, so offsets of what is in it are its own.
 */
function keepInView(pane, element) {
    const top = element.offsetTop;
    if (top < pane.scrollTop || top + element.offsetHeight > pane.scrollTop + pane.clientHeight) {
        pane.scrollTop = top - pane.clientHeight / 3;
    }
}
