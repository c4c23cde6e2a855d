// names.js: the variables that registers stand for. What is not certain has no name: a register has
// one where all that is known of its writers gives the same.

const SPECIAL = { tid: "threadIdx", ntid: "blockDim", ctaid: "blockIdx", nctaid: "gridDim" };

/** The last name of a mangled variable, such as tile of _ZZ6kernelPiE4tile. */
function unmangled(symbol) {
    for (const found of symbol.matchAll(/\d+/g)) {
        const rest = symbol.slice(found.index + found[0].length);
        if (rest.length === Number(found[0])) return rest;
    }
    return symbol;
}

/** The variables that a line of source assigns; elements of arrays and members are none. */
function assignedIn(text) {
    const code = text.replace(/\/\/.*|\/\*.*?(\*\/|$)|"(\\.|[^"])*"/g, "");
    const found = code.matchAll(/(?<![\w.>\])])([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)/g);
    return [...new Set([...found].map((match) => match[1]))];
}

/** What a copy's source is by itself: a parameter, a special register, a variable's address. */
function ofSource(recording, instruction, nameOf) {
    const { ptx, kind, reads } = instruction;
    const parameter = kind === "parameter" && /_param_(\d+)\]/.exec(ptx);
    if (parameter) return recording.names[Number(parameter[1])] ?? "";
    if (!/^(mov|cvta)\S* /.test(ptx)) return "";
    if (reads.length) return nameOf(reads[0]);
    const special = /%(n?tid|n?ctaid)\.([xyz]);$/.exec(ptx);
    if (special) return `${SPECIAL[special[1]]}.${special[2]}`;
    const symbol = /, ([A-Za-z_]\w*);$/.exec(ptx);
    return symbol ? unmangled(symbol[1]) : "";
}

/**
 * Of a line that assigns one variable, the one register that it computes and does not use itself.
 * Map from instruction to name.
 */
function assignments(recording) {
    const names = new Map();
    const lines = new Map();
    for (const instruction of recording.instructions) {
        const key = [instruction.source, instruction.line, instruction.function].join();
        lines.set(key, [...(lines.get(key) ?? []), instruction]);
    }
    for (const instructions of lines.values()) {
        const [{ source, line }] = instructions;
        const text = recording.sources[source]?.text.split("\n")[line - 1] ?? "";
        const variables = assignedIn(text);
        const used = new Set(instructions.flatMap(({ reads }) => reads));
        const results = instructions.filter(({ writes: [result, ...others], reads, ptx }) => {
            const isConstant = ptx.startsWith("mov") && !reads.length && !ptx.includes(", %");
            return result && !others.length && !result.startsWith("%p") && !used.has(result) && !isConstant;
        });
        if (variables.length === 1 && new Set(results.map(({ writes }) => writes[0])).size === 1)
            for (const result of results) names.set(result, variables[0]);
    }
    return names;
}

/** A function from a register, of the kernel or of a function, to its variable's name or "". */
export function namesOf(recording) {
    const assigned = assignments(recording);
    const names = new Map();
    function nameOf(register, code) {
        const key = `${register} ${code}`;
        if (names.has(key)) return names.get(key);
        names.set(key, ""); // while it is looked for: a loop's register is copied to itself
        const writers = recording.instructions.filter((one) => one.function === code && one.writes.includes(register));
        const ofLines = new Set(writers.map((writer) => assigned.get(writer)).filter(Boolean));
        const of = (writer) => ofSource(recording, writer, (source) => nameOf(source, code));
        const found = ofLines.size ? ofLines : new Set(writers.map(of).filter(Boolean));
        if (found.size === 1) names.set(key, [...found][0]);
        return names.get(key);
    }
    return nameOf;
}

const TYPES = ["bool", "char", "double", "float", "int", "long", "short", "size_t", "unsigned"];

/** The names of the kernel's parameters, as the source spells them; [] where they are not found. */
export function parameterNames(sources, kernel) {
    const name = kernel.replace(/[<(].*/s, "").replace(/.*[ :]/s, "");
    for (const { text } of sources) {
        const found = new RegExp(`__global__[^;{]*\\b${name.replace(/\W/g, "")}\\s*\\(([^)]*)\\)`).exec(text);
        const names = found?.[1].split(",").map((part) => /(\w+)\s*(\[.*)?$/.exec(part.trim())?.[1] ?? "");
        if (names) return names.map((word) => (TYPES.includes(word) ? "" : word));
    }
    return [];
}
