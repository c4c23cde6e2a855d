// main.js: reads the recordings in the page, makes a stage of each, and steps them together.

import { html } from "./draw.js";
import { MOMENTS } from "./moments.js";
import { HEATS } from "./source.js";
import { Stage } from "./stage.js";
import { UNITS } from "./walk.js";
import { legend } from "./warps.js";

const FORMAT = 4;
const SPEEDS = { slow: 1200, normal: 500, fast: 120 };

const data = JSON.parse(document.getElementById("recording").textContent);
if (data.format !== FORMAT) throw new Error(`the recording has format ${data.format}, the page reads ${FORMAT}`);

const stages = data.recordings.map((recording) => new Stage(recording, data, show));
const spoken = html("p", { class: "spoken", role: "status", "aria-live": "polite" });
const slider = html("input", { type: "range", min: "0", value: "0", "aria-label": "Position" });
const where = html("output", {});
const unit = choice("step by", UNITS, "line");
const heat = choice("count by line", HEATS, "instructions");
const moments = choice("go to", { "": { label: "a moment" }, ...momentsHere() }, "");
const speed = choice("speed", Object.fromEntries(Object.keys(SPEEDS).map((s) => [s, { label: s }])), "normal");
const predict = html("input", { type: "checkbox" });
const play = button("play", "Play or stop (space)", togglePlay);
const isFramed = window.parent !== window;
let timer = 0;

function choice(label, items, chosen) {
    const select = html("select", { "aria-label": label });
    for (const [value, item] of Object.entries(items)) select.append(html("option", { value }, item.label));
    select.value = chosen;
    return { select, element: html("label", {}, `${label} `, select) };
}

/** The moments that a recording of the page has. */
function momentsHere() {
    const has = (name) => stages.some((stage) => stage.hasMoment(name));
    return Object.fromEntries(Object.entries(MOMENTS).filter(([name]) => has(name)));
}

function button(text, title, action) {
    const element = html("button", { type: "button", title, "aria-label": title }, text);
    element.addEventListener("click", action);
    return element;
}

function longest() {
    return stages.reduce((a, b) => (b.recording.length > a.recording.length ? b : a));
}

/** The address names the position, so that a link shows it. */
function writeAddress() {
    const at = stages.map((stage) => stage.position).join(",");
    const warps = stages.map((stage) => stage.warp).join(",");
    if (location.protocol === "about:") return; // the text of a frame has none
    history.replaceState(null, "", `#at=${at}&warp=${warps}&by=${unit.select.value}`);
}

/** Goes to what the address names: a position, or a moment by its name. */
function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.get("to") in MOMENTS) return goTo(given.get("to"));
    if (given.get("by") in UNITS) unit.select.value = given.get("by");
    const at = (given.get("at") ?? "").split(",").map(Number);
    const warps = (given.get("warp") ?? "").split(",").map(Number);
    stages.forEach((stage, i) => {
        const [from, to] = stage.recording.warps;
        if (Number.isInteger(warps[i]) && given.has("warp") && warps[i] >= from && warps[i] <= to)
            stage.warp = warps[i];
        if (Number.isInteger(at[i])) stage.moveTo(at[i]);
    });
    show();
}

function goTo(moment) {
    unit.select.value = "instruction";
    for (const stage of stages) stage.goTo(moment);
    show(moment);
}

/** moment: its name, if the position is that of one. */
function show(moment = "") {
    moments.select.value = moment;
    spoken.textContent = stages.map((stage) => stage.show(unit.select.value)).join(" ");
    slider.max = String(longest().recording.length - 1);
    slider.value = String(longest().position);
    where.textContent = stages
        .map((s) => `${s.position + 1} of ${s.recording.length.toLocaleString("en")}`)
        .join(" | ");
    writeAddress();
}

function stepAll(direction) {
    for (const stage of stages) stage.step(unit.select.value, direction);
    show();
}

function moveAll(share) {
    for (const stage of stages) stage.moveTo(Math.round(share * (stage.recording.length - 1)));
    show();
}

function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "play";
}

function togglePlay() {
    if (timer) return stop();
    play.textContent = "stop";
    timer = setInterval(() => {
        if (stages.every((stage) => stage.isAtEnd())) stop();
        else stepAll(1);
    }, SPEEDS[speed.select.value]);
}

function changeWarp(by) {
    for (const stage of stages) {
        const [from, to] = stage.recording.warps;
        stage.warp = Math.max(from, Math.min(to, stage.warp + by));
    }
    show();
}

const KEYS = {
    ArrowRight: () => stepAll(1),
    ArrowLeft: () => stepAll(-1),
    ArrowDown: () => changeWarp(1),
    ArrowUp: () => changeWarp(-1),
    Home: () => moveAll(0),
    End: () => moveAll(1),
    " ": togglePlay,
};

/**
 * Keys that the page around a frame wants, such as that of slides: Escape gives it the keys, and
 * those of a presenter's remote control turn its slides (reveal.js takes such messages).
 */
const OUTWARD = { Escape: null, PageDown: "next", PageUp: "prev" };

function leaveFrame(key) {
    window.parent.focus();
    if (OUTWARD[key]) window.parent.postMessage(JSON.stringify({ method: OUTWARD[key] }), "*");
}

function onKey(event) {
    if (isFramed && event.key in OUTWARD) return leaveFrame(event.key);
    const inControl =
        event.target.closest("select, input, summary") || (event.key === " " && event.target.closest("button"));
    if (inControl || event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
}

function controls() {
    return html(
        "nav",
        { class: "controls", "aria-label": "Steps" },
        button("first", "To the beginning (home)", () => moveAll(0)),
        button("back", "Back (left arrow)", () => stepAll(-1)),
        play,
        button("next", "On (right arrow)", () => stepAll(1)),
        button("last", "To the end (end)", () => moveAll(1)),
        slider,
        where,
        moments.element,
        unit.element,
        speed.element,
        heat.element,
        html("label", {}, predict, " predict first"),
    );
}

slider.addEventListener("input", () => moveAll(Number(slider.value) / Math.max(1, Number(slider.max))));
heat.select.addEventListener("change", () => stages.forEach((stage) => stage.source.showHeat(heat.select.value)));
unit.select.addEventListener("change", () => show());
moments.select.addEventListener("change", () => moments.select.value && goTo(moments.select.value));
predict.addEventListener("change", () => {
    for (const stage of stages) stage.predictions.wanted = predict.checked;
    show();
});
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", readAddress);
window.addEventListener("resize", () => show(moments.select.value));

const main = html("main", { class: stages.length > 1 ? "pair" : "" }, ...stages.map((stage) => stage.element));
const notes = html(
    "footer",
    {},
    legend(),
    html(
        "p",
        { class: "quiet" },
        "Lanes, addresses and values are those of the simulated run; counts are exact, and machine instructions estimated from " +
            "PTX. Between barriers the warps of the page take turns; a GPU's scheduler chooses.",
    ),
);
document.body.classList.toggle("framed", isFramed);
document.body.append(controls(), main, notes, spoken);
document.title = `${stages.map((stage) => stage.recording.kernel.replace(/\(.*/s, "")).join(" and ")}: inside a warp`;
readAddress();

// For tests and for the curious: the stages of the page.
window.see = { stages };
