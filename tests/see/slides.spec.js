// slides.spec.js: the stage in a slide shows the step's moment, and its keys are not those of the slides.
import { test as base, expect } from "@playwright/test";
import { address } from "./pages.js";

/** A page of slides: it may make its stages (blob:) and pictures (data:), and ask for nothing else. */
const test = base.extend({
    page: async ({ page }, use) => {
        const faults = [];
        page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || faults.push(request.url()));
        page.on("pageerror", (error) => faults.push(String(error)));
        page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
        await page.goto(address("slides"));
        await page.evaluate(() => {
            const all = [...document.querySelectorAll("section")];
            window.Reveal.slide(all.findIndex((section) => section.matches(".inside")));
        });
        await use(page);
        expect(faults).toEqual([]);
    },
});

/** A click into the frame: the driver misses elements of a scaled one. */
async function clickStage(page) {
    const { x, y, width, height } = await page.locator(".stage iframe").boundingBox();
    await page.mouse.click(x + 0.8 * width, y + 0.9 * height);
}

const slide = (page) => page.evaluate(() => window.Reveal.getIndices().h);

test("slides: one has the stage at its moment, and no other one does", async ({ page }) => {
    const stage = page.frameLocator(".stage iframe");
    await expect(stage.getByRole("combobox", { name: "go to" })).toHaveValue("divergence");
    await expect(stage.locator(".figure p")).toHaveText(/The branch divides the warp/);
    await page.keyboard.press("ArrowRight");
    await expect(page.locator(".stage iframe")).toHaveCount(0);
});

test("slides: a click gives the keys to the stage, Escape gives them back, page down turns the slide", async ({
    page,
}) => {
    const here = await slide(page);
    const stage = page.frameLocator(".stage iframe");
    await page.waitForTimeout(1000); // the slide moves in
    const before = await stage.locator("output").first().textContent();
    await clickStage(page);
    await page.keyboard.press("ArrowRight");
    await expect(stage.locator("output").first()).not.toHaveText(before);
    expect(await slide(page)).toBe(here);
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => slide(page)).toBe(here + 1);
    await page.keyboard.press("ArrowLeft");
    await page.waitForTimeout(1000); // the slide moves in
    await clickStage(page);
    await page.keyboard.press("PageDown");
    await expect.poll(() => slide(page)).toBe(here + 1);
});
