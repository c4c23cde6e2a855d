import { defineConfig } from "@playwright/test";

export default defineConfig({
    testDir: ".",
    outputDir: "results",
    reporter: "list",
    workers: 2,
    fullyParallel: true,
    timeout: 120000,
    use: {
        launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    },
});
