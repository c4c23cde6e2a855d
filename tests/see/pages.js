// pages.js: the pages that browser.sh has recorded, and how a test opens one.
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test as base } from "@playwright/test";

const FOLDER = process.env.PAGES;

/** Names of the pages whose profile was recorded with them. */
export const profiled = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".csv"))
    .map((name) => name.replace(/\.csv$/, ""));

/** The kernels of kinds.cu. */
export const kinds = readdirSync(FOLDER)
    .map((name) => /^kinds-(\w+)\.html$/.exec(name)?.[1])
    .filter(Boolean);

/** Rows of a page's profile: objects by column. No cell that is read here has a comma. */
export function profile(name) {
    const [head, ...rows] = readFileSync(`${FOLDER}/${name}.csv`, "utf8").trim().split("\n");
    const columns = head.split(",");
    return rows.map((row) => Object.fromEntries(row.split(",").map((cell, i) => [columns[i], cell])));
}

export function address(name, fragment = "") {
    return `${pathToFileURL(`${FOLDER}/${name}.html`)}${fragment}`;
}

/** A page that fails its test if it asks for anything but its file, or logs an error. */
export const test = base.extend({
    page: async ({ page }, use) => {
        const faults = [];
        const requests = [];
        page.on("request", (request) => requests.push(request.url().replace(/#.*/, "")));
        page.on("pageerror", (error) => faults.push(String(error)));
        page.on("dialog", (dialog) => faults.push(dialog.message()) && dialog.dismiss());
        page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
        await use(page);
        expect(faults).toEqual([]);
        expect(requests.filter((url) => !/^(file:.*\.html|blob:.*)$/.test(url))).toEqual([]);
    },
});

/** The colours that the test's name asks for. Firefox has had them since it started (playwright.config.js). */
export async function colour(page, colorScheme) {
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate((s) => matchMedia(`(prefers-color-scheme: ${s})`).matches, colorScheme)).toBe(true);
}

export { expect };
