/* global simt, module */
// worker.js: runs one launch at a time, each in a new instance of the module, so that a kernel that
// goes wrong leaves nothing behind. `simt` is the module's loader, which stands above.
//
// In: { module, gpus, blobs, sources } once; then { launch, env, blobs }, a launch as the page changed it.
// Blobs stay, unpacked.
// Out: { ready }; { row, limits, text, ms, recording }: the row of the profile by column, or none, and,
// where env has SIMT_SEE, what --see records. While a kernel runs: { progress } and { note }, what the
// command prints on a terminal.

let given,
    tell = () => {};

/** Takes simt's stderr, a byte at a time. A line of progress begins with \r and ends with ESC [K. */
function listener(lines) {
    let bytes = [];
    return (byte) => {
        bytes.push(byte);
        const clears = byte === 75 && bytes.at(-3) === 27;
        if (byte !== 10 && !clears) return;
        const text = new TextDecoder().decode(Uint8Array.from(bytes.slice(0, clears ? -3 : -1)));
        const line = text.split("\r").pop();
        bytes = [];
        if (!clears) lines.push(line);
        if (line.startsWith("simt: ")) tell({ [clears ? "progress" : "note"]: line.slice(6) });
    };
}

/** A length of an LZ4 block: 15 in the token means that bytes follow, up to one that is not 255. */
function lengthAt(packed, at, length) {
    if (length < 15) return [length, at];
    let byte;
    do length += byte = packed[at++];
    while (byte === 255);
    return [length, at];
}

/** The bytes of an LZ4 block: literals, then a copy of what came before, and so on. */
function unpack(packed, size) {
    const bytes = new Uint8Array(size);
    let i = 0,
        end = 0,
        length;
    for (;;) {
        const token = packed[i++];
        [length, i] = lengthAt(packed, i, token >> 4);
        bytes.set(packed.subarray(i, i + length), end);
        end += length;
        i += length;
        if (i >= packed.length) return bytes;
        const from = end - (packed[i] | (packed[i + 1] << 8));
        [length, i] = lengthAt(packed, i + 2, token & 15);
        length += 4;
        if (from + length <= end) bytes.copyWithin(end, from, from + length);
        else for (let k = 0; k < length; k++) bytes[end + k] = bytes[from + k];
        end += length;
    }
}

function bytesOf(blob) {
    const text = blob.lz4 ?? blob.data;
    const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return blob.lz4 ? unpack(bytes, blob.size) : bytes;
}

/** The files that simt reads: the GPUs; the kernels' sources, and a page of --see that is its data alone. */
function putFiles(made) {
    made.FS.writeFile("/gpus.tsv", given.gpus);
    made.FS.writeFile("/see.html", '{"recording":"here"}');
    for (const { file, text } of given.sources ?? []) {
        const at = file.lastIndexOf("/");
        if (at > 0) made.FS.mkdirTree(file.slice(0, at));
        made.FS.writeFile(file, text);
    }
}

/** A file that simt has written; null: none. */
function fileOf(made, path) {
    if (!made.FS.analyzePath(path).exists) return null;
    made.FS.chmod(path, 0o600);
    return made.FS.readFile(path, { encoding: "utf8" });
}

const MARGIN = 32 << 20; // for guards between arrays, and for what kernels allocate

async function instance({ launch, env }, lines) {
    const bytes = launch.arrays.reduce((end, [address, size]) => Math.max(end, address + size - 2 ** 45), 0) + MARGIN;
    const all = { ...env, SIMT_COLD: "1", SIMT_PROFILE: "/profile.csv", PAGE_BYTES: `${bytes}` };
    return simt({
        instantiateWasm(imports, done) {
            WebAssembly.instantiate(given.module, imports).then((made) => done(made));
            return {};
        },
        preRun: [(made) => Object.assign(made.ENV, all), putFiles],
        print: (line) => lines.push(line),
        stderr: listener(lines),
    });
}

function call(made, name, result, ...values) {
    return made.ccall(
        name,
        result,
        values.map((v) => typeof v),
        values,
    );
}

function put(made, blob, at) {
    if (blob.fill) call(made, "page_fill", null, at, blob.size, blob.fill, blob.seed);
    else made.HEAPU8.set((blob.bytes ??= bytesOf(blob)), at);
}

function load(made, launch) {
    for (const name of launch.code) {
        const blob = given.blobs[name],
            at = made._malloc(blob.size);
        put(made, blob, at);
        call(made, "page_code", null, at, blob.size);
    }
    for (const [address, size, name, blob] of launch.arrays) {
        const at = call(made, "page_array", "number", address, size, name);
        if (!at && size) throw new Error("the arrays do not fit into the page's memory");
        put(made, given.blobs[blob], at);
    }
}

function start(made, launch) {
    const shape = made._malloc(4 * launch.shape.length);
    const params = made._malloc(launch.params.length / 2 + 1);
    new Int32Array(made.HEAPU8.buffer).set(launch.shape, shape / 4);
    for (let i = 0; i < launch.params.length; i += 2)
        made.HEAPU8[params + i / 2] = parseInt(launch.params.slice(i, i + 2), 16);
    call(made, "page_name", null, launch.kernel, launch.name);
    return JSON.parse(call(made, "page_launch", "string", launch.kernel, shape, params));
}

/** The last row of a CSV file, by column. */
function lastRow(text) {
    const cells = (line) =>
        [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((cell) => cell[1].replace(/^"|"$/g, ""));
    const lines = text.trimEnd().split("\n"),
        names = cells(lines[0]);
    const values = cells(lines[lines.length - 1]);
    return Object.fromEntries(names.slice(0, -1).map((name, i) => [name, values[i]]));
}

async function run(request) {
    const lines = [],
        began = performance.now();
    try {
        const made = await instance(request, lines);
        load(made, request.launch);
        const limits = start(made, request.launch);
        const profile = fileOf(made, "/profile.csv"),
            recording = request.env.SIMT_SEE && fileOf(made, request.env.SIMT_SEE);
        const row = profile && lastRow(profile);
        return { limits, row, text: lines.join("\n"), ms: performance.now() - began, recording };
    } catch (error) {
        return { text: [...lines, String(error.message ?? error)].join("\n") };
    }
}

/** Takes a message; gives the answer to post. */
async function answer(message) {
    if (!message.module) {
        given.blobs = { ...message.blobs, ...given.blobs };
        return run(message);
    }
    given = message;
    return { ready: true };
}

if (typeof WorkerGlobalScope !== "undefined") {
    tell = (message) => postMessage(message);
    onmessage = async (event) => postMessage(await answer(event.data));
} else {
    module.exports = { answer };
}
