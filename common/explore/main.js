// main.js: the controls, and what a launch gives with them. All numbers come from the worker, in
// which simt runs (worker.js).
import { html, svg } from "./draw.js";
import { parameterNames } from "./names.js";

const SHOWN = [
    "inst_executed",
    "thread_inst_executed",
    "branch",
    "divergent_branch",
    "gld_requests",
    "gld_sectors",
    "gst_requests",
    "gst_sectors",
    "shared_ld_requests",
    "shared_ld_conflicts",
    "shared_st_requests",
    "shared_st_conflicts",
    "local_ld_requests",
    "atom_requests",
];

const text = (id) => document.getElementById(id).textContent.trim();
const lines = JSON.parse(text("launches"));
const blobs = Object.fromEntries(lines.filter((l) => l.blob).map((l) => [l.blob, l]));
const sources = lines.filter((l) => l.file);
const launches = lines.filter((l) => l.kernel).map((l) => ({ ...l, run: runOf(l.run) }));
const gpus = text("gpus")
    .split("\n")
    .find((line) => !line.startsWith("#"))
    .split("\t")
    .slice(2, -1);
const removals = text("without")
    .split("\n")
    .map((line) => line.trim());

/** "size 4096, block 256" as an object. */
function runOf(name) {
    return Object.fromEntries(
        name
            .split(", ")
            .filter(Boolean)
            .map((pair) => pair.split(" ")),
    );
}

function number(value, digits = 3) {
    const n = Number(value);
    return n >= 1000 || Number.isInteger(n) ? Math.round(n).toLocaleString("en") : n.toPrecision(digits);
}

function time(ns) {
    return ns >= 1e6 ? `${number(ns / 1e6)} ms` : `${number(ns / 1e3)} µs`;
}

// ---- What is chosen --------------------------------------------------------------------------

const short = (name) => name.replace(/^void /, "").replace(/\(.*$/, "");
const kernels = [...new Map(launches.map((l) => [l.kernel, l])).values()];
const keys = [...new Set(launches.flatMap((l) => Object.keys(l.run)))];

const chosen = {
    kernel: launches[0].kernel,
    nth: 1, // which of its launches
    gpu: launches[0].gpu,
    without: new Set(),
    run: {},
    block: null, // threads in x and in y; null: as recorded
    params: new Map(), // by index
    inside: [0, 0, 0], // the block whose warps are shown
};

function chooseKernel(kernel) {
    chosen.kernel = kernel;
    chosen.nth = 1;
    chosen.params.clear();
    chosen.block = null;
}

const threadsOf = (shape) => shape[3] * shape[4] * shape[5];

/** The values that runs with the chosen launch have for a key, in order; of blocks, those that differ. */
function valuesOf(key) {
    const { nth } = recorded();
    const all = launches.filter((l) => l.kernel === chosen.kernel && l.nth === nth);
    const differ = key === "block" ? (l) => threadsOf(l.shape) : (l) => l.run[key];
    return [...new Map(all.map((l) => [differ(l), l.run[key]])).values()].sort((a, b) => parseFloat(a) - parseFloat(b));
}

/** The recorded launch nearest to what is chosen: what no run has gives way. */
function recorded() {
    const fits = (l) => keys.filter((key) => l.run[key] === chosen.run[key]).length;
    const all = launches.filter((l) => l.kernel === chosen.kernel);
    const same = all.filter((l) => l.nth === chosen.nth);
    return (same.length ? same : all).reduce((best, l) => (fits(l) > fits(best) ? l : best));
}

/** The launches of the kernel in that launch's run. */
function siblings({ kernel, run }) {
    return launches.filter((l) => l.kernel === kernel && keys.every((key) => l.run[key] === run[key]));
}

const shapeText = (numbers) => numbers.join("x").replace(/(x1)+$/, "");

/**
 * What its launches in a run differ in: {label, of: the text of a launch, param: its index}; null:
 * there is one.
 */
function variation(launch) {
    const all = siblings(launch);
    const varies = (of) => new Set(all.map(of)).size === all.length;
    if (all.length < 2) return null;
    const params = launch.types.flatMap((type, i) => (isNumber(type) ? [i] : []));
    const param = params.find((i) => varies((l) => readParam(l, l.types[i])));
    if (param !== undefined)
        return { label: namesOf(launch)[param], of: (l) => `${readParam(l, l.types[param])}`, param };
    const block = (l) => shapeText(l.shape.slice(3, 6));
    if (varies(block)) return { label: "Block", of: block };
    const grid = (l) => shapeText(l.shape.slice(0, 3));
    if (varies(grid)) return { label: "Grid", of: grid };
    return { label: "Launch", of: (l) => `${l.nth}` };
}

/** Gives a parameter a value; of launches that differ in it, the one whose grid is large enough. */
function chooseParam(i, value) {
    const launch = recorded();
    if (variation(launch)?.param === i) {
        const below = siblings(launch).filter((l) => readParam(l, l.types[i]) <= value);
        if (below.length)
            chosen.nth = below.reduce((a, b) => (readParam(b, b.types[i]) > readParam(a, a.types[i]) ? b : a)).nth;
    }
    chosen.params.set(i, value);
    if (readParam(recorded(), launch.types[i]) === value) chosen.params.delete(i);
}

const valueOf = (i) => chosen.params.get(i) ?? readParam(recorded(), recorded().types[i]);

/** The launch of that block, or else the chosen one in another shape. */
function chooseBlock([x, y]) {
    const same = siblings(recorded()).find(({ shape }) => shape[3] === x && shape[4] === y);
    if (same) chosen.nth = same.nth;
    chosen.block = same ? null : [x, y];
}

/** A parameter's value; and the parameters with another one, as hexadecimal digits. */
function readParam(launch, [offset, size, type]) {
    const view = new DataView(new ArrayBuffer(8));
    for (let i = 0; i < size; i++) view.setUint8(i, parseInt(launch.params.substr(2 * (offset + i), 2), 16));
    if (type === "float") return size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
    return size === 8
        ? Number(view.getBigInt64(0, true))
        : size === 4
          ? view.getInt32(0, true)
          : size === 2
            ? view.getInt16(0, true)
            : view.getInt8(0);
}

function writeParam(params, [offset, size, type], value) {
    const view = new DataView(new ArrayBuffer(8));
    if (type === "float") size === 4 ? view.setFloat32(0, value, true) : view.setFloat64(0, value, true);
    else view.setBigInt64(0, BigInt(Math.trunc(value)), true);
    const digits = Array.from({ length: size }, (_, i) => view.getUint8(i).toString(16).padStart(2, "0")).join("");
    return params.slice(0, 2 * offset) + digits + params.slice(2 * (offset + size));
}

const isNumber = ([, size, type]) => type !== "pointer" && size <= 8 && (size & (size - 1)) === 0;

const namesFound = new Map(); // by kernel

/** Names of a launch's parameters, by index. */
function namesOf(launch) {
    if (!namesFound.has(launch.name)) namesFound.set(launch.name, parameterNames(sources, launch.name));
    const names = namesFound.get(launch.name);
    return launch.types.map((_, i) => names[i] || `parameter ${i + 1}`);
}

const is2D = ({ shape }) => shape[1] > 1 || shape[4] > 1;
const blockOf = (launch) => chosen.block ?? launch.shape.slice(3, 5);

/** The launch to run: the recorded one with what the reader changed. */
function changed() {
    const launch = recorded(),
        shape = [...launch.shape];
    let params = launch.params;
    chosen.block?.forEach((threads, axis) => {
        const all = shape[axis] * shape[3 + axis];
        shape[3 + axis] = threads;
        shape[axis] = Math.ceil(all / threads);
    });
    for (const [i, value] of chosen.params) params = writeParam(params, launch.types[i], value);
    const { kernel, name, code, arrays } = launch;
    return { kernel, name, code, arrays, shape, params };
}

// ---- The address ------------------------------------------------------------------------------
//
// #step=KERNEL&size=N&block=N or XxY&launch=N&gpu=NAME&without=A,B&inside=X,Y,Z&PARAMETER=VALUE: what
// is missing is as recorded. inside: the block whose warps are shown.

/** Writes what is chosen into the address, so that a link shows it. */
function writeAddress() {
    const launch = recorded(),
        names = namesOf(launch),
        varied = variation(launch),
        given = new URLSearchParams({ step: short(launch.name) });
    for (const key of keys.filter((k) => valuesOf(k).length > 1)) given.set(key, launch.run[key]);
    if (chosen.block || varied?.label === "Block") given.set("block", blockOf(launch).join("x"));
    else if (varied && varied.param === undefined) given.set("launch", launch.nth);
    if (varied?.param !== undefined) given.set(names[varied.param], valueOf(varied.param));
    for (const [i, value] of chosen.params) given.set(names[i], value);
    if (chosen.gpu !== launches[0].gpu) given.set("gpu", chosen.gpu);
    if (inside.open) given.set("inside", chosen.inside.join(",").replace(/(,0){1,2}$/, ""));
    if (chosen.without.size) given.set("without", [...chosen.without].join(","));
    history.replaceState(null, "", `#${given}`.replaceAll("%2C", ","));
}

/** Chooses what the address names. Returns the name of a kernel that is not here, or "". */
function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1)),
        step = given.get("step") ?? "";
    const kernel = kernels.find(({ name }) => [short(name), short(name).replace(/<.*/, "")].includes(step));
    if (kernel) chooseKernel(kernel.kernel);
    else if (step) return step;
    for (const key of keys) if (given.has(key)) chosen.run[key] = given.get(key);
    if (given.has("launch")) chosen.nth = Number(given.get("launch"));
    if (gpus.includes(given.get("gpu"))) chosen.gpu = given.get("gpu");
    chosen.without = new Set((given.get("without") ?? "").split(",").filter((name) => removals.includes(name)));
    inside.open = given.has("inside");
    (given.get("inside") ?? "").split(",").forEach((at, axis) => (chosen.inside[axis] = parseInt(at) || 0));
    const block = /^(\d+)x(\d+)$/.exec(given.get("block") ?? "");
    const threads = Number(given.get("block"));
    if (block) chooseBlock([Number(block[1]), Number(block[2])]);
    else if (threads > 0 && !keys.includes("block")) chooseBlock([threads, blockOf(recorded())[1]]);
    namesOf(recorded()).forEach((name, i) => {
        const isTaken = ["step", "launch", "gpu", "without", "inside", "block", ...keys].includes(name);
        const value = Number(given.get(name) || NaN);
        if (!isTaken && isNumber(recorded().types[i]) && Number.isFinite(value)) chooseParam(i, value);
    });
    return "";
}

// ---- The worker ------------------------------------------------------------------------------

const SLOW_MS = 300;
let answers = 0; // so far
let worker,
    costsWorker, // beside it: what each part costs
    insideWorker, // and what a block's warps do
    busy = null,
    next = null,
    ended = null, // the request whose result is shown
    before = null;

/** What a part of the page holds, packed. */
function unpacked(id, type) {
    const base64 = text(id);
    const bytes = Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream, { headers: { "Content-Type": type } });
}

/** The module, compiled while it is unpacked. */
async function compile() {
    return WebAssembly.compileStreaming(unpacked("wasm", "application/wasm"));
}

const compiled = compile();
compiled.catch((error) => showFailure("this browser cannot run the page", [error.message]));
const workerUrl = URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));

/** A worker; take: is given what it sends. */
function newWorker(take) {
    const made = new Worker(workerUrl);
    made.onmessage = (event) => take(event.data);
    made.onerror = (event) => take({ text: event.message });
    tell(made, (module) => ({ module, gpus: text("gpus") + "\n", blobs: {}, sources }));
    return made;
}

/** Posts a message once there is a module, in order. */
function tell(to, message) {
    compiled.then((module) => to.postMessage(message(module))).catch(() => {});
}

/** Posts a launch with the blobs that it names. */
function post(to, launch, env) {
    const names = [...launch.code, ...launch.arrays.map((array) => array[3])];
    const wanted = Object.fromEntries(names.map((name) => [name, blobs[name]]));
    tell(to, () => ({ launch, env, blobs: wanted }));
}

function send(request) {
    worker ??= newWorker(take);
    busy = request;
    Object.assign(request, { began: performance.now(), progress: "", note: "" });
    post(worker, request.launch, request.env);
    setTimeout(() => busy === request && showStatus(), SLOW_MS);
}

/** A worker that runs a kernel hears nothing: another one takes its place, and the request. */
function restart(request) {
    worker.terminate();
    worker = busy = next = null;
    if (request) send(request);
}

/** Asks what each part of the launch costs. */
function askCosts({ launch, env }) {
    costsWorker = newWorker(({ row }) => row && showCosts(row));
    post(costsWorker, launch, { ...env, SIMT_WHAT_IF: "1" });
}

function dropOthers() {
    costsWorker?.terminate();
    insideWorker?.terminate();
    costsWorker = insideWorker = null;
}

/** Asks what the warps of the chosen block do, if the reader wants to see it. */
function askInside({ launch, env }) {
    insideWorker?.terminate();
    if (!inside.open) return;
    insideSaid.textContent = "Recording ...";
    insideWorker = newWorker((result) => {
        if (!result.ready && !result.progress && !result.note) showInside(result);
    });
    const block = chosen.inside.map((at, axis) => Math.min(at, launch.shape[axis] - 1));
    post(insideWorker, launch, { ...env, SIMT_SEE: "/recording", SIMT_SEE_BLOCK: block.join(",") });
}

function stop() {
    const request = busy;
    restart();
    status.replaceChildren("Stopped. Change a control to run again.");
    showFailure(request.launch.name, [`Stopped after ${runningText(request)}`, request.note].filter(Boolean));
}

/** Asks for the launch as it is chosen now; then, once it is there, for what each part costs. */
function ask() {
    const env = { SIMT_GPU: chosen.gpu, SIMT_QUIET: "1" };
    if (chosen.without.size) env.SIMT_WITHOUT = [...chosen.without].join(",");
    const request = { launch: changed(), env, whole: chosen.without.size === 0 };
    for (const follow of followers) follow();
    writeAddress();
    dropOthers();
    if (busy) next = request;
    else send(request);
    setTimeout(() => next === request && restart(request), SLOW_MS);
}

function take(result) {
    const request = busy;
    if (result.progress || result.note) hear(request, result);
    if (!result.ready && !result.progress && !result.note) end(request, result);
}

/** What simt says while a kernel runs. Its first note is about the kernel, those after it about the command. */
function hear(request, { progress, note }) {
    request.progress = progress ?? request.progress;
    request.note ||= note;
    updateStatus(request);
}

function end(request, result) {
    busy = null;
    status.replaceChildren();
    if (next) {
        const later = next;
        next = null;
        send(later);
        return;
    }
    show(result, request);
    if (result.limits?.error === "cudaSuccess") askCosts(request);
    ended = request;
    askInside(request);
}

// ---- Controls --------------------------------------------------------------------------------

const controls = html("form", { class: "controls", "aria-label": "Controls" });
const status = html("div", { class: "status", role: "status" });
const result = html("div", { class: "panes answer" });
const costs = html("div");

function labelled(label, control, ...more) {
    return html("label", {}, html("span", {}, label, ...more), control);
}

function select(label, options, value, choose) {
    const control = html(
        "select",
        {},
        ...options.map(([v, name]) => html("option", v === value ? { value: v, selected: "" } : { value: v }, name)),
    );
    control.addEventListener("change", () => choose(control.value));
    return labelled(label, control);
}

/** Controls that show another value when what they belong to is chosen anew. */
let followers = [];

/** A slider over a list of values. valueNow, and textNow of what is shown: functions. */
function slider(label, values, valueNow, choose, textNow = valueNow) {
    const control = html("input", { type: "range", min: 0, max: values.length - 1, step: 1 });
    const shown = html("b");
    const showValue = (value) => {
        shown.textContent = ` ${value}`;
        control.setAttribute("aria-valuetext", value);
    };
    const follow = () => {
        control.value = values.findLastIndex((value) => value === valueNow() || Number(value) <= Number(valueNow()));
        showValue(textNow());
    };
    control.addEventListener("input", () => {
        showValue(values[control.value]);
        choose(values[control.value]);
    });
    followers.push(follow);
    follow();
    return labelled(label, control, shown);
}

function numberInput(label, valueNow, integer, choose) {
    const control = html("input", { type: "number", value: valueNow(), step: integer ? 1 : "any" });
    control.addEventListener("change", () => {
        if (control.value !== "" && control.checkValidity()) choose(Number(control.value));
    });
    followers.push(() => {
        if (document.activeElement !== control) control.value = valueNow();
    });
    return labelled(label, control);
}

/** The threads of a block along an axis. */
function blockSlider(label, axis) {
    const now = () => `${blockOf(recorded())[axis]}`;
    const values = [...new Set([...BLOCKS, now()])].sort((a, b) => a - b);
    return slider(label, values, now, (value) => {
        const block = [...blockOf(recorded())];
        block[axis] = Number(value);
        chooseBlock(block);
        ask();
    });
}

/** The launches of the kernel, by what they differ in. */
function variantSlider({ label, of, param }) {
    const all = siblings(recorded()).sort((a, b) => Number(of(a)) - Number(of(b)) || a.nth - b.nth);
    const now = () => (param === undefined ? of(recorded()) : `${valueOf(param)}`);
    return slider(label, all.map(of), now, (value) => {
        chosen.nth = all.find((l) => of(l) === value).nth;
        chosen.params.delete(param);
        chosen.block = null;
        ask();
    });
}

const NAMES = { size: "Size", block: "Threads a block" };
const BLOCKS = ["1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"];

function buildControls() {
    followers = [];
    const launch = recorded(),
        names = namesOf(launch),
        made = [
            select(
                "Kernel",
                kernels.map((l) => [l.kernel, short(l.name)]),
                chosen.kernel,
                (kernel) => {
                    chooseKernel(kernel);
                    rebuild();
                },
            ),
        ];
    for (const key of keys.filter((k) => valuesOf(k).length > 1))
        made.push(
            slider(
                NAMES[key] ?? key,
                valuesOf(key),
                () => recorded().run[key],
                (value) => {
                    chosen.run[key] = value;
                    chosen.params.clear();
                    if (key === "block") chosen.block = null;
                    ask();
                },
                () => (key === "block" ? `${threadsOf(changed().shape)}` : recorded().run[key]),
            ),
        );
    const varied = variation(launch);
    if (varied) made.push(variantSlider(varied));
    if (is2D(launch)) made.push(blockSlider("Threads in x", 0), blockSlider("Threads in y", 1));
    else if (!keys.includes("block") && varied?.label !== "Block") made.push(blockSlider("Threads a block", 0));
    made.push(
        select(
            "GPU",
            gpus.map((name) => [name, name]),
            chosen.gpu,
            (gpu) => {
                chosen.gpu = gpu;
                ask();
            },
        ),
    );
    launch.types.forEach((type, i) => {
        if (isNumber(type))
            made.push(
                numberInput(
                    varied?.param === i ? `any ${names[i]}` : names[i],
                    () => valueOf(i),
                    type[2] !== "float",
                    (value) => {
                        chooseParam(i, value);
                        ask();
                    },
                ),
            );
    });
    controls.replaceChildren(...made);
    buildInside();
}

function rebuild() {
    buildControls();
    ask();
}

/** "12 s, 3 of 8 blocks have ended". */
function runningText(request) {
    const seconds = Math.round((performance.now() - request.began) / 1000);
    return `${seconds} s${request.progress.replace(/^\d+ s/, "")}`;
}

function showStatus() {
    const button = html("button", { type: "button" }, "Stop");
    button.addEventListener("click", stop);
    status.replaceChildren(html("span"), button, html("span"));
    const request = busy,
        tick = setInterval(() => (busy === request ? updateStatus(request) : clearInterval(tick)), 1000);
    updateStatus(request);
}

function updateStatus(request) {
    const [running, , note] = status.children;
    if (!note) return;
    const below = answers ? " Below: the result before." : "";
    running.textContent = `Running for ${runningText(request)}.${below}`;
    note.textContent = request.note ?? "";
}

// ---- Results ---------------------------------------------------------------------------------

function table(head, rows) {
    return html(
        "table",
        {},
        html("thead", {}, html("tr", {}, ...head.map((h) => html("th", { scope: "col" }, h)))),
        html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map((cell) => html("td", {}, cell))))),
    );
}

/** The time as a bar, above that of the result before. */
function bars(now, then) {
    const most = Math.max(now, then ?? 0),
        width = (ns) => Math.max(1, (360 * ns) / most);
    const bar = (y, ns, colour) => [svg("rect", { x: 0, y, width: width(ns), height: 14, fill: `var(--${colour})` })];
    return svg(
        "svg",
        { viewBox: "0 0 360 34", role: "img", "aria-label": `now ${time(now)}${then ? `, before ${time(then)}` : ""}` },
        ...bar(0, now, "now"),
        ...(then ? bar(18, then, "before") : []),
    );
}

/** Operations per byte against operations per second, both logarithmic. */
function roofline(row) {
    const flops = ["add", "mul", "fma"].reduce(
        (sum, kind) => sum + Number(row[`flop_sp_${kind}`]) * (kind === "fma" ? 2 : 1),
        0,
    );
    const bytes = Number(row.dram_read_bytes) + Number(row.dram_write_bytes);
    const seconds = Number(row.time_ns) / 1e9,
        peakBytes = Number(row.dram_peak_bps);
    const work = flops || Number(row.thread_inst_executed),
        what = flops ? "FLOP" : "instructions";
    const peak = (flops ? 2 : 1) * row.fp32_per_sm * row.sms * row.clock_hz;
    const x = (intensity) => 40 + (300 * (Math.log10(intensity) + 2)) / 5;
    const y = (rate) => 150 - (140 * (Math.log10(rate) - 9)) / 6;
    const ridge = peak / peakBytes,
        at = work / Math.max(bytes, 1),
        rate = work / seconds;
    const clamp = (v, low, high) => Math.min(high, Math.max(low, v));
    return [
        svg(
            "svg",
            {
                viewBox: "0 0 360 180",
                role: "img",
                "aria-label": `${number(rate / 1e9)} G${what}/s at ${number(at)} ${what} a byte`,
            },
            svg("path", {
                d: `M${x(0.01)},${y(0.01 * peakBytes)}L${x(ridge)},${y(peak)}H340`,
                fill: "none",
                stroke: "var(--quiet)",
                "stroke-width": 2,
            }),
            svg("path", { d: "M40,10V150H340", fill: "none", stroke: "var(--rule)" }),
            svg("circle", { cx: clamp(x(at), 40, 340), cy: clamp(y(rate), 10, 150), r: 6, fill: "var(--now)" }),
            svg("text", { x: 40, y: 170 }, `0.01 to 1000 ${what} a byte`),
        ),
        html(
            "p",
            { class: "quiet" },
            `${number(rate / 1e9)} G${what}/s at ${number(at)} ${what} ` +
                `a byte of DRAM; roof ${number(Math.min(peak, at * peakBytes) / 1e9)} G.`,
        ),
    ];
}

function occupancyText(row, limits) {
    const threads = row.block.match(/\d+/g).reduce((a, b) => a * b, 1);
    return (
        `${number(100 * row.theoretical_occupancy)} % of the warps fit: ${limits.blocks} ` +
        `blocks of ${threads} threads on a multiprocessor, limited by ${limits.limit}. ` +
        `${row.registers} registers a thread, ${number(
            Number(row.static_shared) + Number(row.dynamic_shared),
        )} bytes of shared memory a block. Achieved (modelled): ` +
        `${number(100 * row.achieved_occupancy)} %.`
    );
}

function showFailure(name, lines) {
    costs.replaceChildren();
    result.replaceChildren(
        html("div", {}, html("h2", {}, `No result: ${name}`), html("p", { class: "failure" }, lines.join("\n"))),
    );
}

function show({ row, limits, text: said, ms }, request) {
    const failed = !row || limits.error !== "cudaSuccess";
    result.dataset.number = ++answers;
    result.dataset.ms = ms ?? "";
    if (failed) {
        showFailure(request.launch.name, [said.replace(/^=+ /gm, "") || limits?.error || "no result"]);
        return;
    }
    const then = before;
    before = row;
    const { launch } = request,
        [gx, gy, gz, bx, by, bz] = launch.shape;
    const counters = Object.entries(row).filter(([name]) => SHOWN.includes(name));
    const all = Object.entries(row).filter(([, value]) => value !== "" && value !== "NA");
    const cells = ([name, value]) => [
        name,
        /^[-.\de+]+$/.test(value) ? number(value, 4) : value,
        then && /^[-.\de+]+$/.test(then[name]) ? number(then[name], 4) : "",
    ];
    const used = counters.filter(([name, value]) => Number(value) || Number(then?.[name]));
    result.replaceChildren(
        html(
            "div",
            {},
            html("h2", {}, "Time (modelled)"),
            html("p", { class: "time" }, time(Number(row.time_ns))),
            bars(Number(row.time_ns), then && Number(then.time_ns)),
            html(
                "p",
                { class: "quiet" },
                `Grid ${gx} x ${gy} x ${gz}, block ${bx} x ${by} x ` +
                    `${bz}. ${then ? `Grey: the result before, ${time(Number(then.time_ns))}. ` : ""}` +
                    (request.whole ? "" : "Times without what is ticked below."),
            ),
            html("h2", {}, "Occupancy"),
            html("p", {}, occupancyText(row, limits)),
            costs,
        ),
        html(
            "div",
            {},
            html("h2", {}, "Counters"),
            table(["counter", "now", "before"], used.map(cells)),
            html(
                "details",
                {},
                html("summary", {}, "All columns of the profile"),
                table(["column", "now", "before"], all.map(cells)),
            ),
            html("h2", {}, "Roofline"),
            ...roofline(row),
        ),
    );
}

/** What the launch would take without each thing; ticked ones are left out of all times. */
function showCosts(row) {
    const ns = Number(row.time_ns),
        of = (name) => Number(row[`without_${name}_ns`]);
    const sorted = [...removals].sort((a, b) => of(a) - of(b));
    const tick = (name) => {
        const box = html("input", { type: "checkbox", ...(chosen.without.has(name) ? { checked: "" } : {}) });
        box.addEventListener("change", () => {
            if (box.checked) chosen.without.add(name);
            else chosen.without.delete(name);
            ask();
        });
        return html("label", {}, box, ` ${name}`);
    };
    const percent = (value) => (value < ns ? `-${(100 - (100 * value) / ns).toFixed(1)} %` : "");
    const focus = costs.contains(document.activeElement)
        ? document.activeElement.parentElement.textContent.trim()
        : null;
    costs.replaceChildren(
        html("h2", {}, "What if it had no ..."),
        table(
            ["without", "time", "change"],
            [
                ...sorted.map((name) => [tick(name), time(of(name)), percent(of(name))]),
                ["all of them", time(Number(row.without_all_ns)), percent(Number(row.without_all_ns))],
                ["roof", time(Number(row.roof_ns)), ""],
            ],
        ),
        html("p", { class: "quiet" }, "Parts need not add up: what one thing hides, another takes."),
    );
    if (focus) [...costs.querySelectorAll("label")].find((l) => l.textContent.trim() === focus)?.firstChild.focus();
}

// ---- Inside a block ---------------------------------------------------------------------------

const inside = html("details", { class: "inside" });
const insideSaid = html("p", { class: "quiet", role: "status" });
const insideFrame = html("iframe", { title: "Inside a block", hidden: "" });

function blockInput(label, axis) {
    const control = html("input", { type: "number", min: 0, value: chosen.inside[axis], step: 1 });
    control.addEventListener("change", () => {
        if (control.value === "" || !control.checkValidity()) return;
        chosen.inside[axis] = Number(control.value);
        writeAddress();
        if (ended) askInside(ended);
    });
    followers.push(() => {
        control.max = changed().shape[axis] - 1;
        control.value = Math.min(chosen.inside[axis], control.max);
    });
    return labelled(label, control);
}

function buildInside() {
    const fields = ["Block x", "Block y", "Block z"].map(blockInput).filter((_, axis) => changed().shape[axis] > 1);
    inside.replaceChildren(
        html("summary", {}, "Inside a block: what its warps do, instruction by instruction"),
        html("div", { class: "controls" }, ...fields),
        insideSaid,
        insideFrame,
    );
}

/** The page of --see, with the recording in it. */
async function showInside({ recording, text: said }) {
    insideSaid.textContent = recording ? "" : said;
    insideFrame.hidden = !recording;
    if (!recording) return;
    const page = await unpacked("see", "text/html").text();
    insideFrame.srcdoc = page.replace('{"recording":"here"}', () => recording);
}

inside.addEventListener("toggle", () => {
    writeAddress();
    if (ended) askInside(ended);
});

// ---- Begin -----------------------------------------------------------------------------------

controls.addEventListener("submit", (event) => event.preventDefault());
document.body.append(
    html(
        "main",
        {},
        html("h1", {}, document.title),
        controls,
        status,
        result,
        inside,
        html(
            "p",
            { class: "quiet" },
            "simt runs in this page, and counts and models as the command does. Nothing is loaded from elsewhere. " +
                "Results are not checked: a kernel that needs one shape of block computes something else in another.",
        ),
    ),
);
const note = html("p", { class: "quiet" });

/** Shows what the address names. */
function openAddress() {
    const missing = readAddress();
    note.textContent = missing && `No kernel ${missing} is on this page. It has those that ran when it was made.`;
    rebuild();
}

window.addEventListener("hashchange", openAddress);
document.body.classList.toggle("framed", window.parent !== window);
document.querySelector("main").prepend(note);
openAddress();
