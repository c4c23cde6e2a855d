// playwright.config.js: each test in Chromium and in Firefox, as Debian has them. Firefox takes its colours when it
// starts. Times and the tour's pictures are Chromium's.
import { defineConfig } from "@playwright/test";

const chromium = {
    browserName: "chromium",
    launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
};

function firefox(scheme) {
    const prefs = { "layout.css.prefers-color-scheme.content-override": scheme === "dark" ? 0 : 1 };
    return {
        browserName: "firefox",
        channel: "moz-firefox",
        launchOptions: { executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", firefoxUserPrefs: prefs },
    };
}

export default defineConfig({
    testDir: ".",
    outputDir: "results",
    reporter: "list",
    workers: 2,
    fullyParallel: true,
    timeout: 120000,
    expect: { timeout: 20000 }, // on a machine that does other things, too
    projects: [
        { name: "fast", use: chromium, grep: /\bfast: / },
        { name: "chromium", use: chromium, grepInvert: /\bfast: / },
        { name: "firefox", use: firefox("light"), grepInvert: /\bfast: |\btour: |, dark$/ },
        { name: "firefox, dark", use: firefox("dark"), grep: /, dark$/ },
    ],
});
