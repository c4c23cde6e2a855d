// predict.js: predict first. The page hides what an access moves until the reader has named it.

import { html } from "./draw.js";

/** What there is to predict of an event: a number and of what; null: nothing. */
function amountOf(recording, event) {
    const sectors = recording.raised(
        event,
        ...["gld", "gst", "atom", "red", "local_ld", "local_st", "tex", "surf_ld", "surf_st"].map(
            (n) => `${n}_sectors`,
        ),
    );
    if (sectors) return { number: sectors, of: "sectors of 32 bytes" };
    const passes = recording.raised(event, ...["ld", "st", "atom"].map((n) => `shared_${n}_wavefronts`));
    return passes ? { number: passes, of: "passes over the banks" } : null;
}

/** The predictions of one stage's reader. */
export class Predictions {
    constructor(recording, onAnswer) {
        this.recording = recording;
        this.onAnswer = onAnswer;
        this.wanted = false;
        this.answers = new Map();
    }

    /** Is what the event at a position moves hidden? */
    hides(at) {
        return this.wanted && !this.answers.has(at) && amountOf(this.recording, this.recording.events[at]) !== null;
    }

    /** What asks for a number, in the place of the figure. */
    question(at) {
        const { of } = amountOf(this.recording, this.recording.events[at]);
        const text = `How many ${of} does it take?`;
        const input = html("input", { type: "number", min: "0", required: "", "aria-label": text });
        const form = html(
            "form",
            { class: "predict" },
            html("label", {}, `${text} `, input),
            " ",
            html("button", {}, "show"),
        );
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.answers.set(at, Number(input.value));
            this.onAnswer();
        });
        return { element: form, text };
    }

    /** What became of the prediction; "": there was none. */
    verdict(at) {
        if (!this.wanted || !this.answers.has(at)) return "";
        const { number, of } = amountOf(this.recording, this.recording.events[at]);
        const said = this.answers.get(at);
        return said === number ? `You said ${said}: right. ` : `You said ${said}; it takes ${number} ${of}. `;
    }
}
