// explore.js PAGE PROFILE [SEE]: run each launch of a page of --explore in node, as the page's worker
// does, and compare its row of the profile with the program's, PROFILE: kernel, shape, counters,
// times, to the last digit. Print the columns that differ; exit with 1 if any does.
// SEE: a page of --see of block 1 of one of the launches. What the worker records must be the same.
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";

const [, , page, profile, see] = process.argv;
const parts = Object.fromEntries(
    [...fs.readFileSync(page, "utf8").matchAll(/<script id="(\w+)" type="[^"]*">\n([^]*?)\n<\/script>/g)].map((m) => [
        m[1],
        m[2],
    ]),
);
const lines = JSON.parse(parts.launches);
const launches = lines.filter((line) => line.kernel);
const blobs = Object.fromEntries(lines.filter((l) => l.blob).map((l) => [l.blob, l]));

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "explore-"));
const file = path.join(folder, "worker.cjs");
fs.writeFileSync(file, parts.worker);
const { answer } = createRequire(import.meta.url)(file);
fs.rmSync(folder, { recursive: true });

function table(text) {
    const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((c) => c[1].replace(/^"|"$/g, ""));
    const [head, ...rows] = text.trimEnd().split("\n").map(cells);
    return rows.map((row) => Object.fromEntries(head.slice(0, -1).map((n, i) => [n, row[i]])));
}

/** How many members of the recording in the page of --see differ from the worker's. */
async function recordsOtherwise() {
    const [, json] = /<script id="recording"[^>]*>\n([^]*?)\n<\/script>/.exec(fs.readFileSync(see, "utf8"));
    const want = JSON.parse(json);
    const launch = launches.find(({ name }) => name === want.recordings[0].kernel);
    const env = { SIMT_GPU: launch.gpu, SIMT_QUIET: "1", SIMT_SEE: "/recording", SIMT_SEE_BLOCK: "1" };
    const { recording, text } = await answer({ launch, env });
    const got = JSON.parse(recording ?? '{"recordings":[{}]}');
    const differ = (a, b) => Object.keys(a).filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]));
    const members = [...differ(want, got), ...differ(want.recordings[0], got.recordings[0])];
    console.log(`${launch.name}: ${want.recordings[0].events.length} events`, text, ...members);
    return members.length;
}

async function main() {
    const module = await WebAssembly.compile(zlib.gunzipSync(Buffer.from(parts.wasm, "base64")));
    await answer({ module, gpus: `${parts.gpus.trim()}\n`, blobs, sources: lines.filter((line) => line.file) });
    const rows = table(fs.readFileSync(profile, "utf8")).filter((row) => row.parent === "0");
    let wrong = 0;
    for (const launch of launches) {
        const [gx, gy, gz, bx, by, bz] = launch.shape;
        const at = rows.findIndex(
            (row) =>
                row.kernel === launch.kernel &&
                row.grid === `(${gx} ${gy} ${gz})` &&
                row.block === `(${bx} ${by} ${bz})`,
        );
        const want = at >= 0 ? rows.splice(at, 1)[0] : {};
        const { row: made, limits, text } = await answer({ launch, env: { SIMT_GPU: launch.gpu, SIMT_QUIET: "1" } });
        const row = made ?? {};
        const differ = Object.keys(want).filter((name) => name !== "launch" && row[name] !== want[name]);
        if (at < 0 || limits?.error !== "cudaSuccess" || differ.length) wrong++;
        if (text || limits?.error !== "cudaSuccess") console.log(limits?.error, text);
        console.log(
            `${launch.kernel} (${launch.nth}): ${row.time_ns} ns`,
            at < 0 ? "not in the profile" : "",
            differ
                .slice(0, 8)
                .map((n) => `${n} ${row[n]} want ${want[n]}`)
                .join(", "),
        );
    }
    if (see) wrong += await recordsOtherwise();
    console.log(`${launches.length} launches, ${wrong} differ`);
    process.exit(wrong || !launches.length ? 1 : 0);
}

main();
