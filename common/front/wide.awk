# wide.awk: widen accesses in clang's LLVM IR as nvcc does: awk -f wide.awk device.ll > wide.ll
#
# 1. If a run of instructions that change no memory reads two or more of the four parts of a
# structure such as float4, read all four in
#    one request. clang drops the parts that nobody reads, and makes two or three requests.
#
#        struct:  x y z w        v = load <4 x float>
#        read:    ^   ^          x = part 0 of v, z = part 2
#
#    The structure must be aligned to its size. The load of its first part has the alignment.
# 2. Copy n times 16 bytes, aligned to 16, by n loads and stores of 16 bytes. clang makes 2n of 8
# bytes.
#
# Pointers are "ptr" or, up to clang 14, "float*"; both may have an address space.

BEGIN {
    bytes["float"] = bytes["i32"] = 4
    bytes["i16"] = 2
    bytes["i8"] = 1
    PARTS = 4
    WIDEST = 16     # bytes of the widest load there is
    MOST_COPY = 128 # bytes; clang makes a loop of larger copies
}


function last_word(text) { sub(/.* /, "", text); return text }
function result(text) { sub(/^ */, "", text); sub(/ = .*/, "", text); return text }
function alignment(text) {
    return match(text, /align [0-9]+/) ? substr(text, RSTART + 6, RLENGTH - 6) + 0 : 0
}
function debug_location(text) {
    return match(text, /, !dbg ![0-9]+/) ? substr(text, RSTART, RLENGTH) : ""
}
function pointer_type(text) {
    match(text, /^[^ ]+( addrspace\([0-9]+\)\*?)?/)
    return substr(text, 1, RLENGTH)
}

# The type of a pointer to TO, from that of a pointer to FROM.
function pointer_to(pointer, from, to) {
    return pointer ~ /^ptr/ ? pointer : to substr(pointer, length(from) + 1)
}


# "%struct.float4 = type { float, float, float, float }"
/^%[^ ]* = type \{/ {
    text = $0
    sub(/.*\{ /, "", text)
    sub(/ \}.*/, "", text)
    one = text
    sub(/,.*/, "", one)
    if (one in bytes && text == one ", " one ", " one ", " one) part_type[result($0)] = one
}

# An address in a structure: note the structure (type, pointer, index) and the offset in bytes.
function note_address(text,    field, fields, type, name, base) {
    name = result(text)
    sub(/, !.*/, "", text)
    fields = split(text, field, ", ")
    type = last_word(field[1])
    base = last_word(field[2])
    if (type in part_type && (fields == 3 || fields == 4)) {
        whole[name] = type "|" field[2] "|" field[3]
        offset[name] = fields == 4 ? last_word(field[4]) * bytes[part_type[type]] : 0
    } else if (type == "i8" && fields == 3 && base in whole && field[3] ~ /^i64 [0-9]+$/) {
        whole[name] = whole[base]
        offset[name] = offset[base] + last_word(field[3])
    }
}

# The load of a part, line AT of the run. The address may lie in a later structure of an array.
function note_load(text, at,    field, address, key, type, size) {
    split(text, field, ", ")
    type = last_word(field[1])
    address = last_word(field[2])
    if (!(address in whole)) return
    key = whole[address]
    size = PARTS * bytes[type]
    if (part_type[substr(key, 1, index(key, "|") - 1)] != type ||
        offset[address] % bytes[type])
        return
    key = key "|" offset[address] - offset[address] % size
    structure[at] = key
    part[at] = offset[address] % size / bytes[type]
    if (!(key in first)) first[key] = at
    if (!((key, part[at]) in seen)) parts_read[key]++
    seen[key, part[at]] = 1
    if (part[at] == 0 && alignment(text) >= size) aligned[key] = 1
}


# Print a cast of VALUE, a pointer to FROM, to NAME, a pointer to TO. Returns the type of NAME.
function cast(name, pointer, value, from, to,    type) {
    type = pointer_to(pointer, from, to)
    printf "  %s = bitcast %s %s to %s\n", name, pointer, value, type
    return type
}

# One load of a whole structure, as %wide.NUMBER.
function write_wide(key, number, dbg,    field, vector, pointer, base) {
    split(key, field, "|")
    vector = "<" PARTS " x " part_type[field[1]] ">"
    base = "%wide." number
    printf "  %s.at = getelementptr inbounds %s, %s, %s%s\n", base, field[1], field[2], field[3],
        dbg
    pointer = cast(base ".first", pointer_type(field[2]), base ".at", field[1], "i8")
    printf "  %s.bytes = getelementptr inbounds i8, %s %s.first, i64 %d\n", base, pointer, base,
        field[4]
    pointer = cast(base ".to", pointer, base ".bytes", "i8", vector)
    printf "  %s = load %s, %s %s.to, align %d%s\n", base, vector, pointer, base,
        PARTS * bytes[part_type[field[1]]], dbg
}

function write_load(at,    key, dbg, type) {
    key = structure[at]
    dbg = debug_location(line[at])
    type = part_type[substr(key, 1, index(key, "|") - 1)]
    if (first[key] == at) write_wide(key, number[key] = ++numbers, dbg)
    printf "  %s = extractelement <%d x %s> %%wide.%d, i64 %d%s\n", result(line[at]), PARTS, type,
        number[key], part[at], dbg
}

# The lines of a run.
function write_run(    at) {
    for (at = 1; at <= lines; at++) {
        if (at in structure && aligned[structure[at]] &&
            parts_read[structure[at]] > 1)
            write_load(at)
        else print line[at]
    }
    lines = 0
    split("", structure); split("", first); split("", seen); split("", parts_read)
    split("", aligned)
}

# Print the address of 16 bytes of one side of a copy, AT bytes from its start, as NAME. Returns its
# type.
function write_address(name, operand, at,    pointer) {
    pointer = pointer_type(operand)
    printf "  %s.at = getelementptr inbounds i8, %s %s, i64 %d\n", name, pointer,
        last_word(operand), at
    return cast(name, pointer, name ".at", "i8", "<4 x i32>")
}

function write_copy(to, from, size, dbg,    at, name, pointer) {
    numbers++
    for (at = 0; at < size; at += WIDEST) {
        name = "%copy." numbers "." at
        pointer = write_address(name ".from", from, at)
        printf "  %s = load <4 x i32>, %s %s.from, align 16%s\n", name, pointer, name, dbg
    }
    for (at = 0; at < size; at += WIDEST) {
        name = "%copy." numbers "." at
        pointer = write_address(name ".to", to, at)
        printf "  store <4 x i32> %s, %s %s.to, align 16%s\n", name, pointer, name, dbg
    }
}

# Is this a memcpy that loads and stores of 16 bytes can do? field then has its operands.
function is_wide_copy(text) {
    if (!sub(/^.*call void @llvm\.memcpy\.[a-z0-9.]*\(/, "", text)) return 0
    if (split(text, field, ", ") < 4 || field[3] !~ /^i64 [0-9]+$/ ||
        field[4] !~ /^i1 false/)
        return 0
    if (field[1] !~ / [%@][^ ()]+$/ || field[2] !~ / [%@][^ ()]+$/) return 0
    size = last_word(field[3]) + 0
    return size > 0 && size % WIDEST == 0 && size <= MOST_COPY && alignment(field[1]) >= WIDEST &&
        alignment(field[2]) >= WIDEST
}


function changes_memory(text) {
    if (text ~ /@llvm\.(nvvm\.read|dbg|fma|fmuladd|lifetime)/) return 0
    return text ~ /^ *(store|fence|%[^ ]+ = (atomicrmw|cmpxchg|load (atomic|volatile)))|call|^[^ ]/
}

changes_memory($0) {
    write_run()
    if (is_wide_copy($0)) write_copy(field[1], field[2], size, debug_location($0))
    else print
    if (/^}/) { split("", whole); split("", offset) }
    next
}
{ line[++lines] = $0 }
/ = getelementptr / { note_address($0) }
/ = load / { note_load($0, lines) }
END { write_run() }
