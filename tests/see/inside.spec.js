// inside.spec.js: names, makers, shared memory, calls and predictions, each against the recorded values.
import { address, expect, kinds, test } from "./pages.js";

const PAGES = ["default", "banks", ...kinds.map((name) => `kinds-${name}`)];

test("registers have the names of their variables, and these have the right values", async ({ page }) => {
    await page.goto(address("default"));
    const { named, block } = await page.evaluate(() => {
        const [{ recording }] = window.see.stages;
        const all = {};
        for (const event of recording.events) {
            const { reads, writes } = recording.instructions[event.instruction];
            writes.forEach((register, i) => {
                const name = recording.nameOf(register);
                const row = recording.row(event.values[reads.length + i]);
                const lane = 31 - Math.clz32(event.guard);
                if (name && lane >= 0) (all[name] ??= []).push([event.warp, lane, Number(row(lane))]);
            });
        }
        return { named: all, block: recording.block[0] };
    });
    expect(Object.keys(named).sort()).toEqual(
        ["blockDim.x", "blockIdx.x", "g_idata", "g_odata", "idata", "idx", "n", "stride", "threadIdx.x"].sort(),
    );
    for (const [warp, lane, value] of [...named.idx, ...named["threadIdx.x"]]) expect(value).toBe(32 * warp + lane);
    for (const [, , value] of named.stride) expect(Number.isInteger(Math.log2(value))).toBe(true);
    for (const [, , value] of named["blockDim.x"]) expect(value).toBe(block);
    expect(named.idata.map(([, , value]) => value)).toEqual(
        named.g_idata.slice(0, named.idata.length).map(([, , v]) => v),
    );
});

for (const name of PAGES) {
    test(`inside: ${name}: what is read is what its maker and the last store wrote`, async ({ page }) => {
        await page.goto(address(name));
        const [registers, words, wrong] = await page.evaluate(() => {
            const [{ recording }] = window.see.stages;
            const wrong = [];
            let registers = 0;
            let words = 0;
            const same = (about, one, other) => one === other || wrong.push(`${about}: ${one}, not ${other}`);
            const memory = new Map();
            recording.events.forEach((event, at) => {
                const { reads, ptx, kind, bytes } = recording.instructions[event.instruction];
                const lanes = Array.from({ length: 32 }, (_, lane) => lane);
                reads.forEach((register, i) => {
                    const maker = recording.makerOf(at, register);
                    if (maker < 0) return;
                    const made = recording.events[maker];
                    const by = recording.instructions[made.instruction];
                    const row = recording.row(made.values[by.reads.length + by.writes.indexOf(register)]);
                    const now = recording.row(event.values[i]);
                    for (const lane of lanes.filter((l) => ((made.guard & event.active) >>> l) & 1))
                        registers += same(`${ptx} ${register} ${lane}`, String(now(lane)), String(row(lane))) ? 1 : 0;
                });
                const access = recording.accessesOf(event).find(({ space }) => space === "shared");
                if (!access || bytes !== 4 || recording.accessesOf(event).length > 1) return;
                const isStore = /^(@\S+ )?st\.shared\.[bfsu]32 .*, %\w+;$/.test(ptx);
                const isLoad = kind === "load" && /^(@\S+ )?ld\.shared\.[bfsu]32 /.test(ptx);
                if (kind !== "load" && !isStore) memory.clear(); // of what it writes no register tells
                const row = isStore
                    ? recording.row(event.values[reads.length - 1])
                    : isLoad && recording.row(event.values[reads.length]);
                access.addresses.forEach((place, lane) => {
                    if (place === null || !row) return;
                    if (isStore) memory.set(place, row(lane));
                    else if (memory.has(place))
                        words += same(`${ptx} ${place}`, String(row(lane)), String(memory.get(place))) ? 1 : 0;
                });
            });
            return [registers, words, wrong.slice(0, 5)];
        });
        expect(wrong).toEqual([]);
        expect(registers).toBeGreaterThan(100);
        if (name === "banks") expect(words).toBe(64); // of a row of 8 warps, 8 words of each column
    });
}

test("shared memory shows what the last stores wrote, and who did", async ({ page }) => {
    await page.goto(address("banks", "#to=banks"));
    await page.locator("summary", { hasText: "what is in it, and who wrote it" }).click();
    const words = page.locator(".memory.shared span");
    await expect(words).toHaveCount(256); // a row of each of 8 warps
    await expect(words.nth(33)).toHaveAttribute("title", /^byte 132, by lane 1 of warp 1, line \d+$/);
    const [shown, stored] = await page.evaluate(() => {
        const [{ recording }] = window.see.stages;
        const store = recording.events.find(
            (event) => event.warp === 1 && recording.instructions[event.instruction].ptx.startsWith("st.shared"),
        );
        const bits = Number(recording.row(store.values[recording.instructions[store.instruction].reads.length - 1])(1));
        const view = new DataView(new ArrayBuffer(4));
        view.setUint32(0, bits);
        return [document.querySelectorAll(".memory.shared span")[33].firstChild.textContent, view.getFloat32(0)];
    });
    expect(Number(shown)).toBeCloseTo(stored, 3);
});

test("arrays show what was read, and the last writer of what these warps wrote", async ({ page }) => {
    await page.goto(address("default", "#to=store"));
    await page.locator("summary", { hasText: "in the parts that these warps touch" }).click();
    const first = page.locator(".memory.global span").first();
    await expect(first).toHaveAttribute("title", /^g_idata \+ 0, by lane 0 of warp 0, line \d+$/);
    await expect(page.locator(".memory.global span").nth(1)).toHaveAttribute(
        "title",
        "g_idata + 4, by none of these warps",
    );
    const [before, sums] = await page.evaluate(() => {
        const [{ recording, position }] = window.see.stages;
        const values = (at) => recording.row(recording.events[at].values.at(-1));
        const loads = recording.events.flatMap(({ instruction, warp }, at) =>
            warp === 0 && at < position && recording.instructions[instruction].ptx.includes("ld.global") ? [at] : [],
        );
        return [
            loads.slice(0, 2).map((at) => Number(values(at)(0))),
            document.querySelector(".memory.global span"),
        ].map((part) => part.firstChild?.textContent ?? part);
    });
    expect(Number(sums)).toBe(before[0] + before[1]);
    await page.getByRole("button", { name: /To the end/ }).click();
    const results = page.locator(".memory.global li", { hasText: "g_odata" });
    await expect(results.locator("span")).toHaveCount(1);
    await expect(results.locator("small")).toHaveText(" 0.0");
});

test("a function shows where it was called, a register what made it", async ({ page }) => {
    await page.goto(address("kinds-calls", "#by=instruction"));
    const at = await page.evaluate(() => {
        const [{ recording }] = window.see.stages;
        return recording.events.findIndex(({ calls, warp }) => warp === 0 && calls.length === 2);
    });
    await page.goto(address("kinds-calls", `#at=${at}&by=instruction`));
    await expect(page.locator(".sentence").first()).toContainText(
        /in square, called in line \d+, in twice, called in line \d+/,
    );
    await page.goto(address("default", "#to=load"));
    const before = await page.evaluate(() => window.see.stages[0].position);
    await page.locator(".values button").first().click();
    const maker = await page.evaluate(() => {
        const [{ recording, position }] = window.see.stages;
        return recording.instructionOf(position).writes;
    });
    expect(await page.evaluate(() => window.see.stages[0].position)).toBeLessThan(before);
    expect(maker).toHaveLength(1);
});

test("the chart has an arrow from the maker of an operand to its use", async ({ page }) => {
    await page.goto(address("default"));
    const at = await page.evaluate(() => {
        const [{ recording }] = window.see.stages;
        return recording.events.findIndex(({ instruction }) => recording.instructions[instruction].kind === "store");
    });
    await page.goto(address("default", `#at=${at}&warp=0&by=instruction`));
    await expect(page.locator(".arrow.wait")).toHaveAttribute("d", /^M/);
    await expect(page.getByText(/Arrow: its operand %\w+ is of .* [\d,]+ cycles? before\./)).toBeVisible();
});

test("predict first hides what moves until the reader has named a number", async ({ page }) => {
    await page.goto(address("default", "#to=load"));
    const picture = page.locator(".figure svg .sector");
    await expect(picture.first()).toBeVisible();
    await page.getByLabel("predict first").check();
    await page.getByRole("combobox", { name: "go to" }).selectOption("load");
    await expect(picture).toHaveCount(0);
    await expect(page.getByText(/What moves/)).toHaveCount(0);
    await page.getByLabel(/How many sectors of 32 bytes/).fill("7");
    await page.getByRole("button", { name: "show" }).click();
    await expect(page.getByText("You said 7; it takes 4 sectors of 32 bytes.")).toBeVisible();
    await expect(picture.first()).toBeVisible();
});

test("beside the PTX stands what ptxas made of it", async ({ page }) => {
    await page.goto(address("default"));
    const wrong = await page.evaluate(() =>
        window.see.stages[0].recording.instructions
            .filter(({ kind, machine }) => ["load", "store"].includes(kind) && !machine.includes(kind.toUpperCase()))
            .map(({ ptx }) => ptx),
    );
    expect(wrong).toEqual([]);
    const remainder = page.locator(".ptx li", { hasText: "rem.u32" });
    await expect(remainder).toHaveText(/→ .*(ALU|IMAD).*(ALU|IMAD).*(ALU|IMAD)/);
});
