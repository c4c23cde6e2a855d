// totals.spec.js: what a page adds up to is what the profile of the same launch has, for each kernel of one block.
import { address, expect, profile, profiled, test } from "./pages.js";

// Counted when a block begins, or when the launch is over: no instruction counts them.
const ELSEWHERE = /^(warps_launched|blocks_launched|threads_launched|load_partitions|store_partitions|footprint)/;

for (const name of profiled) {
    test(`totals: ${name}`, async ({ page }) => {
        await page.goto(address(name));
        const [kernel, sums] = await page.evaluate(() => {
            const { recording } = window.see.stages[0];
            return [recording.kernel, recording.sumsAt(recording.length - 1)];
        });
        const bare = kernel.replace(/[<(].*/s, "").replace(/.* /s, "");
        const launches = profile(name).filter((row) => row.mangled.includes(bare));
        expect(launches.length).toBeGreaterThan(0);
        expect(launches[0].grid).toBe("(1 1 1)");
        const counted = Object.keys(sums).filter((counter) => !ELSEWHERE.test(counter));
        const expected = Object.fromEntries(counted.map((counter) => [counter, Number(launches[0][counter])]));
        expect(Object.fromEntries(counted.map((counter) => [counter, sums[counter]]))).toEqual(expected);
        expect(sums.inst_executed).toBeGreaterThan(0);
    });
}
