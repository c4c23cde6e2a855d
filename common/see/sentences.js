// sentences.js: what an instruction does, in words. How much an access moves is what the simulator
// counted for it.

import { count } from "./recording.js";
import { plural, ranges } from "./draw.js";

/* ---- Accesses ---- */

const VERBS = { load: "load from", store: "store to", atomic: "update" };

/** Different bytes that the lanes want. */
function bytesWanted(addresses, bytes) {
    const wanted = new Set();
    for (const address of addresses) {
        if (address === null) continue;
        for (let i = 0; i < bytes; i++) wanted.add(address + BigInt(i));
    }
    return wanted.size;
}

function ofGlobal(recording, event, { kind, bytes }, addresses) {
    const names = [
        ...new Set(addresses.filter((a) => a !== null).map((a) => recording.allocationOf(a)?.name || "memory")),
    ];
    const sectors = recording.raised(event, "gld_sectors", "gst_sectors", "atom_sectors", "red_sectors");
    if (!sectors) return `${VERBS[kind] ?? "load from"} ${names.join(" and ")}, and fail: nothing moves.`;
    const wanted = bytesWanted(addresses, bytes);
    return (
        `${VERBS[kind] ?? "load from"} ${names.join(" and ")}: ${plural(wanted, "byte")} wanted. What moves: ` +
        `${plural(sectors, "sector")} of 32 bytes, of which ${Math.round((100 * wanted) / (32 * sectors))} % are used.`
    );
}

function ofLocal(recording, event, { kind }) {
    const sectors = recording.raised(event, "local_ld_sectors", "local_st_sectors");
    return (
        `${VERBS[kind]} local memory, each lane its own. Words of the 32 lanes lie side by side. ` +
        `What moves: ${plural(sectors, "sector")} of 32 bytes.`
    );
}

function ofShared(recording, event, { kind, bytes }, addresses) {
    const words = bytesWanted(
        addresses.map((address) => address && (address / 4n) * 4n),
        Math.max(bytes, 4),
    );
    const passes = recording.raised(event, "shared_ld_wavefronts", "shared_st_wavefronts", "shared_atom_wavefronts");
    const conflicts = recording.raised(event, "shared_ld_conflicts", "shared_st_conflicts");
    const why =
        kind === "atomic"
            ? "those of one bank, and repeats of an address, go one after the other."
            : `of which for bank conflicts: ${conflicts}.`;
    return `want ${plural(words / 4, "word")} of shared memory. Passes over the banks: ${passes}, ${why}`;
}

function ofConstant(addresses) {
    const different = new Set(addresses.filter((address) => address !== null)).size;
    return (
        `load from constant memory. The constant cache serves one address at a time: ` +
        `${different === 1 ? "1 address, 1 pass" : `${different} addresses, ${different} passes`}.`
    );
}

const SPACES = {
    global: ofGlobal,
    local: ofLocal,
    shared: ofShared,
    const: (recording, event, instruction, addresses) => ofConstant(addresses),
    param: () => "load from the kernel's parameters.",
};

function ofAccesses(recording, event, instruction) {
    return recording
        .accessesOf(event)
        .map(({ space, addresses }) => {
            const lanes = addresses.filter((address) => address !== null).length;
            return `Active lanes: ${lanes}. They ${SPACES[space](recording, event, instruction, addresses)}`;
        })
        .join(" ");
}

function ofCopy(recording, event, instruction) {
    if (instruction.spaces) return `A copy beside the threads' work. ${ofAccesses(recording, event, instruction)}`;
    return (
        `A copy from global to shared memory beside the threads' work: ` +
        `${plural(recording.raised(event, "gld_bytes"), "byte")} in ` +
        `${plural(recording.raised(event, "gld_sectors"), "sector")}.`
    );
}

function ofImage(recording, event, verb, unit) {
    const requests = recording.raised(event, `${unit[0]}_requests`, `${unit.at(-1)}_requests`);
    const sectors = recording.raised(event, `${unit[0]}_sectors`, `${unit.at(-1)}_sectors`);
    return `The texture unit ${verb} for ${plural(count(event.guard), "lane")}: ${plural(requests, "request")}, ${plural(sectors, "sector")}.`;
}

/* ---- Control ---- */

function ofBranch(recording, event, instruction) {
    const taken = count(event.guard);
    const others = count((event.active & ~event.guard) >>> 0);
    if (recording.raised(event, "divergent_branch"))
        return (
            `The branch divides the warp: lanes that jump: ${taken}, that go on: ${others}. ` +
            "The warp runs one part, then the other, and the other part's lanes wait."
        );
    if (taken && others)
        return (
            `Lanes that skip: ${taken}, that go on: ${others}. On a GPU this is no branch: the compiler gives what is ` +
            "skipped a predicate, and the warp stays together."
        );
    const way = instruction.cost?.branch ? "they stay together" : "on a GPU this is no branch";
    return `Active lanes: ${count(event.active)}. All of them ${taken ? "jump" : "go on"}: ${way}.`;
}

function ofCall(recording, event, { ptx }) {
    const callee = /call(?:\.uni)?\s+(?:\([^)]*\)\s*,\s*)?([\w$%]+)/.exec(ptx)?.[1] ?? "";
    const launched = recording.raised(event, "device_launches");
    const name = callee.startsWith("%")
        ? "the function that their register points to"
        : callee.replace(/^_Z(\d+)(\w+)/, (all, length, rest) => rest.slice(0, Number(length)));
    const and = launched ? ` That launches ${plural(launched, "kernel")}.` : "";
    return `Lanes that call ${name}: ${count(event.guard)}.${and}`;
}

function ofBarrier(recording, event, instruction, position) {
    const missing = recording.missingAt(recording.events.indexOf(event), position);
    return missing.length
        ? `Warp ${event.warp} waits at the barrier. Warps that have not come yet: ${ranges(missing)}.`
        : "All warps have come to the barrier, and go on.";
}

function ofNamedBarrier(recording, event, { ptx }) {
    return /\.arrive/.test(ptx)
        ? "The warp tells a barrier that it has come, and goes on."
        : "The warp waits at a barrier for as many threads as the instruction names.";
}

/* ---- Lanes together ---- */

function ofVote(recording, event, { ptx, reads }) {
    const mode = /vote(?:\.sync)?\.(\w+)/.exec(ptx)?.[1];
    const at = reads.findIndex((register) => register.startsWith("%p"));
    const row = at < 0 ? null : recording.row(event.values[at]);
    const holds =
        row && Array.from({ length: 32 }, (_, lane) => (event.guard >>> lane) & 1 && row(lane)).filter(Boolean);
    const results = {
        all: "whether it holds in all of them",
        any: "whether it holds in at least one of them",
        uni: "whether it is the same in all of them",
        ballot: "the mask of the lanes in which it holds",
    };
    const sum = holds ? ` Its register is true in ${holds.length} of ${count(event.guard)}.` : "";
    return `The lanes vote on a predicate, without memory. Each gets ${results[mode]}.${sum}`;
}

const reduction = { add: "sum", min: "least", max: "greatest", and: "AND", or: "OR", xor: "XOR" };

/** By kind: a text, or a function of recording, event, instruction and position. */
const KINDS = {
    compute: "An instruction on registers: each active lane computes with its own values.",
    parameter: "Reads the kernel's parameters, which are the same for all lanes: no access to global memory.",
    argument: "Hands a value to a function or back: a register on a GPU, no access to memory.",
    nop: "Nothing: the compiler fuses this product with the sum that uses it.",
    hint: "A hint to the hardware: no result changes.",
    load: ofAccesses,
    store: ofAccesses,
    atomic: ofAccesses,
    ldmatrix: (...all) =>
        `The warp loads matrices of 8 × 8 elements; a lane's address is that of a row. ${ofAccesses(...all)}`,
    stmatrix: (...all) =>
        `The warp stores matrices of 8 × 8 elements; a lane's address is that of a row. ${ofAccesses(...all)}`,
    copy: ofCopy,
    texture: (recording, event) => ofImage(recording, event, "fetches", ["tex"]),
    surface: (recording, event) => ofImage(recording, event, "accesses a surface", ["surf_ld", "surf_st"]),
    query: "Asks for a property of a texture or a surface.",
    mma: "The warp's lanes multiply matrices together, on tensor cores: each lane's registers hold a part of each matrix.",
    movmatrix: "The warp's lanes transpose a matrix whose parts are in their registers.",
    shuffle: (recording, event) =>
        `Active lanes: ${count(event.guard)}. Each takes a value from a lane's register, without memory.`,
    vote: ofVote,
    match: (recording, event, { ptx }) =>
        /\.all\./.test(ptx)
            ? "The lanes compare a value: each gets the mask of all of them if it is the same in all, else 0."
            : "The lanes compare a value: each gets the mask of the lanes with the same one.",
    redux: (recording, event, { ptx }) =>
        `The lanes' values become one, their ${reduction[/redux\.sync\.(\w+)/.exec(ptx)?.[1]]}, and each lane gets it.`,
    elect: "One of the lanes is elected: the predicate is true in it alone.",
    activemask: "Each lane gets the mask of the lanes that are here.",
    warpsync: "The lanes that the mask names wait for each other.",
    fence: "A fence: what the lanes wrote before it is seen before what they write after it.",
    branch: ofBranch,
    call: ofCall,
    return: (recording, event) => `Lanes that return to their caller: ${count(event.guard)}.`,
    exit: (recording, event) => `Lanes that end here: ${count(event.guard)}.`,
    trap: "Stops the kernel with an error.",
    brkpt: "Stops the kernel with an error.",
    nanosleep: "The warp sleeps about as long as it says.",
    barrier: ofBarrier,
    "named barrier": ofNamedBarrier,
    "cp.async.commit_group": "The lanes' copies since the last group become a group.",
    "cp.async.wait_group": "Waits until the lanes' earlier copies have arrived in shared memory.",
    "cp.async.mbarrier.arrive": "A barrier in shared memory is told when the lanes' earlier copies have arrived.",
};

/** What the event's instruction does. */
export function sentence(recording, event, position) {
    const instruction = recording.instructions[event.instruction];
    if (event.guard === 0 && instruction.kind !== "branch")
        return "No lane executes it: its predicate is false in all of them.";
    const words = KINDS[instruction.kind];
    const text = typeof words === "string" ? words : words(recording, event, instruction, position);
    const part = instruction.runs && instruction.runs !== "nop" ? `Runs as ${instruction.runs}. ` : "";
    return part + text;
}
