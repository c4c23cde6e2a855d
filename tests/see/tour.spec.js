// tour.spec.js: the pictures of the explorer in handouts/teaching.md. make test-browser TOUR=1 puts them there.
import { statSync } from "node:fs";
import { address, expect, test } from "./pages.js";

const MOST_BYTES = 100000;

/** The pictures of handouts/teaching.md: where each begins, the control that it moves, and what it frames. */
const TOUR = [
    {
        name: "lab3-block",
        at: "#step=reduceNeighbored&size=262144&block=64",
        move: ["Threads a block", 3],
        frame: (page) => page.locator(".answer svg").first(),
    },
    {
        name: "lab3-without",
        at: "#step=reduceNeighbored&size=262144&block=512",
        frame: (page) => page.getByRole("row", { name: /^issue/ }),
    },
    {
        name: "lab4-without",
        at: "#step=smem&size=1024",
        frame: (page) => page.getByRole("row", { name: /^conflicts/ }),
    },
    {
        name: "lab8-stride",
        at: "#step=read32&size=16&block=1024&stride=1",
        move: ["stride", 31],
        frame: (page) => page.getByRole("row", { name: /^shared_ld_conflicts/ }).first(),
    },
];

for (const { name, at, move, frame } of TOUR) {
    test(`tour: ${name}`, async ({ page, browserName }) => {
        test.skip(browserName !== "chromium", "one browser's pictures are enough");
        const path = `${process.env.PAGES}/tour-${name}.png`;
        await page.setViewportSize({ width: 780, height: 640 });
        await page.goto(address(`explore-${name.split("-")[0]}`, at));
        await expect(page.getByLabel("conflicts")).toBeVisible();
        if (move) await page.getByLabel(move[0]).first().fill(`${move[1]}`);
        if (move) await expect(page.getByText("Grey: the result before")).toBeVisible();
        await expect(page.getByLabel("conflicts")).toBeVisible();
        await expect(frame(page)).toBeInViewport({ ratio: 1 });
        await frame(page).evaluate((element) => (element.style.outline = "3px solid #d55e00"));
        await page.screenshot({ path });
        expect(statSync(path).size).toBeLessThan(MOST_BYTES);
    });
}
