// look.spec.js: nothing is cut on a telephone, a projector or a wide screen; what axe-core finds, by light and by dark.
import AxeBuilder from "@axe-core/playwright";
import { address, colour, expect, test } from "./pages.js";

const SCREENS = {
    narrow: { width: 390, height: 800 },
    projector: { width: 1280, height: 800 },
    wide: { width: 1920, height: 1080 },
};

const ATS = { memory: "#to=load", banks: "#to=banks", nested: "#to=divergence" };

/** Elements that stick out of the screen, or hide a part of their text; those inside a pane that scrolls may. */
function cutElements() {
    const isPane = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
    const inPane = (element) => element && (isPane(element) || inPane(element.parentElement));
    const isHidden = (element) => element.closest(".spoken, [aria-hidden=true]");
    const hides = (element) =>
        getComputedStyle(element).overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1;
    return [...document.body.querySelectorAll("*")]
        .filter((element) => !isHidden(element) && !inPane(element))
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 || hides(element))
        .map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 60)}`);
}

for (const [screen, viewport] of Object.entries(SCREENS)) {
    for (const name of ["default", "pair", "gpus", "memory", "banks", "nested", "hostile"]) {
        for (const colorScheme of ["light", "dark"]) {
            test(`look: ${name}, ${screen}, ${colorScheme}`, async ({ page }) => {
                await page.setViewportSize(viewport);
                await colour(page, colorScheme);
                await page.goto(address(name, ATS[name] ?? "#at=500&by=instruction"));
                await page.locator("summary").first().click();
                await page.screenshot({ path: `${process.env.PAGES}/${name}-${screen}-${colorScheme}.png` });
                expect(await page.evaluate(cutElements)).toEqual([]);
                expect(
                    await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
                ).toBeLessThanOrEqual(0);
                const { violations } = await new AxeBuilder({ page }).analyze();
                const faults = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
                expect(faults.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html).slice(0, 3)}`)).toEqual([]);
            });
        }
    }
}
