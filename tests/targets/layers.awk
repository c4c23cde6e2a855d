# Which rooms of the simulator use a symbol that a room above them defines?
# Input: README.md of common/simt, whose table has the rooms from the lowest up, then `nm -A` of their objects.
# Output: the room, the room that defines the symbol, the symbol.
FILENAME ~ /README/ {
    if (match($0, /^\| `[.\/a-z]+` /)) {
        split($0, part, "`")
        gsub(/[.\/]/, "", part[2])
        rank[part[2]] = ++n
    }
    next
}
{
    room = $1
    sub(/.*\/common\/(simt\/)?/, "", room)
    sub(/\/.*/, "", room)
    if ($(NF - 1) == "U") uses[room " " $NF]
    else if ($(NF - 1) ~ /[A-Z]/) home[$NF] = room
}
END {
    for (use in uses) {
        split(use, to, " ")
        if (rank[home[to[2]]] > rank[to[1]]) print to[1], home[to[2]], to[2]
    }
}
