// kinds.spec.js: for each event of every kind of operation, what the sentence and the picture say is
// what the simulator counted.
import { address, expect, kinds, test } from "./pages.js";

/** All events: what the page says of them, and what they count. */
function readEvents() {
    const [stage] = window.see.stages;
    const { recording } = stage;
    return recording.events.map((event, at) => {
        const { element, text } = stage.figure(at);
        const n = Object.fromEntries(recording.counters.map(({ name }) => [name, recording.raised(event, name)]));
        const { ptx, kind, cost = {}, runs } = recording.instructions[event.instruction];
        const isLast = recording.positions.get(event.warp).at(-1) === at;
        const later = recording.positions.get(event.warp).filter((other) => other > at);
        const returns = later.some((other) => recording.events[other].active & event.guard);
        const [sectors, words] = [".sector.lit", "rect.moved, rect.conflict"].map(
            (s) => element.querySelectorAll(s).length,
        );
        const { active, guard } = event;
        return { ptx, kind, runs, text, n, cost, active, guard, isLast, returns, sectors, words };
    });
}

const numbers = (text, pattern) => [...text.matchAll(pattern)].map((found) => Number(found[1].replace(/,/g, "")));
const sum = (list) => list.reduce((a, b) => a + b, 0);
const bits = (mask) => mask.toString(2).replace(/0/g, "").length;

/** What the opcode may be told as. */
const NOT_COMPUTED =
    /^(@!?%p\d+ )?(vote|match|redux|elect|activemask|shfl|tex|tld4|txq|suld|sust|sured|suq|mma|wmma\.mma|ldmatrix|stmatrix|movmatrix|call|ret|exit|bra|brx|bar|barrier|ld|st|atom|red|cp|fence|membar|mbarrier|nanosleep|prefetch)\b/;

function check({ ptx, kind, runs, text, n, cost, active, guard, returns, sectors, words }) {
    const about = `${ptx} | ${text}`;
    const moved = n.gld_sectors + n.gst_sectors + n.atom_sectors + n.red_sectors;
    const local = n.local_ld_sectors + n.local_st_sectors;
    const images = n.tex_sectors + n.surf_ld_sectors + n.surf_st_sectors;
    const passes = n.shared_ld_wavefronts + n.shared_st_wavefronts + n.shared_atom_wavefronts;
    const isConstant = n.const_requests > 0;
    expect(sum(numbers(text, /([\d,]+) sectors?\b/g)), about).toBe(moved + local + images);
    if (kind !== "copy" || words) expect(sectors, about).toBe(isConstant ? 0 : moved + local);
    const told = sum(numbers(text, /Passes over the banks: (\d+)/g));
    if (kind !== "copy" || words) expect(told, about).toBe(passes);
    expect(sum(numbers(text, /bank conflicts: (\d+)/g)), about).toBe(n.shared_ld_conflicts + n.shared_st_conflicts);
    if (passes && n.shared_ld_bytes + n.shared_st_bytes)
        expect(4 * words, about).toBeGreaterThanOrEqual(n.shared_ld_bytes + n.shared_st_bytes);
    const percent = numbers(text, /of which (\d+) % are used/g);
    if (n.gld_bytes + n.gst_bytes && kind !== "copy")
        expect(percent, about).toEqual([Math.round((100 * (n.gld_bytes + n.gst_bytes)) / (32 * moved))]);
    expect(/divides the warp/.test(text), about).toBe(n.divergent_branch > 0);
    if (kind === "branch") expect(/on a GPU this is no branch/i.test(text), about).toBe(!cost.branch);
    expect(sum(numbers(text, /launches (\d+) kernel/g)), about).toBe(n.device_launches);
    expect(/end here/.test(text), about).toBe(guard !== 0 && kind === "exit");
    if (/end here/.test(text)) expect(returns, about).toBe(false);
    if (/return to their caller/.test(text)) expect(returns, about).toBe(true);
    if (/each active lane computes/.test(text) && !runs) expect(ptx).not.toMatch(NOT_COMPUTED);
    if (guard === 0 && active && kind !== "branch") expect(text, about).toMatch(/No lane executes it/);
    expect(ptx.endsWith(";"), about).toBe(true);
    const lanes = numbers(text, /Active lanes: (\d+)/g);
    if (["load", "store", "atomic"].includes(kind) && guard) expect(sum(lanes), about).toBe(bits(guard));
}

for (const name of kinds) {
    test(`kinds: ${name}`, async ({ page }) => {
        await page.goto(address(`kinds-${name}`));
        const events = await page.evaluate(readEvents);
        expect(events.length).toBeGreaterThan(20);
        events.forEach(check);
    });

    test(`kinds: ${name}: the table of totals tells of every counter that is not 0`, async ({ page }) => {
        await page.goto(address(`kinds-${name}`));
        const untold = await page.evaluate(() => {
            const [{ recording, totals }] = window.see.stages;
            const told = new Set();
            const sums = recording.sumsAt(recording.length - 1);
            const watched = new Proxy(sums, { get: (all, counter) => told.add(counter) && all[counter] });
            totals.rows.forEach(({ show }) => show(watched));
            return Object.keys(sums).filter((counter) => sums[counter] > 0 && !told.has(counter));
        });
        expect(untold).toEqual([]);
    });
}

test("kinds: a parent names what it launched", async ({ page }) => {
    await page.goto(address("kinds-parent"));
    await expect(page.getByText(/^child<<<[12], 32>>>, \d launch(es|s)?$/).first()).toBeVisible();
});
