// draw.js: small helpers that make elements.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

/** An HTML element. Children are elements or texts. */
export function html(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

/** An element of a picture. */
export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

/** "0-3, 7" of a list of ascending numbers. */
export function ranges(numbers) {
    const parts = [];
    for (let i = 0; i < numbers.length; i++) {
        let end = i;
        while (end + 1 < numbers.length && numbers[end + 1] === numbers[end] + 1) end++;
        parts.push(end > i ? `${numbers[i]}-${numbers[end]}` : `${numbers[i]}`);
        i = end;
    }
    return parts.join(", ");
}

/** "1 lane", "2 lanes". */
export function plural(n, word) {
    return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}
