// stage.js: puts the stage into the slides that have a place for it: the page of make see-labN with the step's recording. It is
// there only while it is in sight.

const page = document.getElementById("stage").textContent.replaceAll("<\\/script", "</script");
const MARK = '{"recording":"here"}';

function open(place) {
    const recording = document.getElementById(`recording-${place.dataset.step}`).textContent;
    const blob = new Blob([page.replace(MARK, () => recording)], { type: "text/html" });
    const frame = document.createElement("iframe");
    frame.title = `Inside a warp of ${place.dataset.step}`;
    frame.src = `${URL.createObjectURL(blob)}#to=${place.dataset.to}`;
    place.replaceChildren(frame);
}

function close(place) {
    const frame = place.querySelector("iframe");
    if (frame) URL.revokeObjectURL(frame.src.replace(/#.*/, ""));
    place.replaceChildren();
}

const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) (isIntersecting ? open : close)(target);
});
for (const place of document.querySelectorAll(".stage")) observer.observe(place);
