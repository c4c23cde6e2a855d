#!/bin/bash
# page.sh: make web pages of the handouts. A page needs no other file.
#
#     page.sh page NAME TEXT.md OUT.html NAMES...    one text's page, with links to its neighbours among NAMES
#                                                    and from each claim's mark to its row in the page of claims
#     page.sh index OUT.html FOLDER NAMES...         a list of the texts FOLDER/NAME.md: title and first sentence
#     page.sh report TITLE OUT.html                  a page of the Markdown on standard input, without links to others
#
# Run it in the project's folder. Each table is in a box that scrolls if the screen is narrower.
set -euo pipefail

[ $# -ge 3 ] || { echo "usage: page.sh page NAME TEXT.md OUT.html NAMES... | page.sh index OUT.html FOLDER NAMES... | page.sh report TITLE OUT.html" >&2; exit 2; }
mode=$1
shift

title() {
    sed -n 's/^# //p;T;q' "$1"
}

# to_html TITLE OUT PANDOC-OPTION...: from standard input. Links to texts become links to their pages.
to_html() {
    local title=$1 out=$2
    shift 2
    # Paths of the truth table, which lies in plots/reference.
    # Blocks of code stay as they are.
    # With room for all that pandoc makes, it need not collect garbage: a fifth of its time.
    sed -E -e '/^\x60{3}/,/^\x60{3}/b' -e 's#\]\(\.\./plots/reference/truth\.md#](truth.md#g' -e 's#\]\(\.\./\.\./handouts/#](#g' \
        -e 's/(\]\([a-z0-9]+)\.md([)#])/\1.html\2/g' |
        pandoc +RTS -A64m -RTS --from gfm --to html5 --self-contained --wrap none --resource-path handouts:. --template handouts/page.html --css handouts/page.css \
            --metadata "pagetitle=$title" "$@" |
        sed -e 's|<table|<div class="wide" tabindex="0"><table|' -e 's|</table>|</table></div>|' >"$out.tmp"
    mv "$out.tmp" "$out"
}

# neighbour STEP NAME NAMES...: the name STEP places after NAME; nothing beyond the ends.
neighbour() {
    local step=$1 name=$2 at
    shift 2
    local names=("$@")
    for at in "${!names[@]}"; do
        if [ "${names[at]}" = "$name" ] && [ $((at + step)) -ge 0 ]; then echo "${names[at + step]:-}"; fi
    done
}

# The marks of claims: links to what tests them. Other marks are for maintainers.
claims_linked() {
    sed -E -e '/^\x60{3}/,/^\x60{3}/b' -e "s#<!--claim: ([^ >]*)[^>]*--> ?#<sup>[✓](claims.md\#$1-\1)</sup> #g" -e 's#<!--(tested|cited):[^>]*--> ?##g'
}

# explorers NAME: a mark <!--explore: ADDRESS: WHAT TO DO--> becomes the lab's explorer at that address, in a frame that
# opens on request. make explore-labN writes the explorer, beside the pages' folder.
explorers() {
    awk -v name="$1" '
        !/^<!--explore: / || !match($0, /: [^:]*-->$/) { print; next }
        {
            address = "../explore/" name ".html#" substr($0, 14, RSTART - 14)
            gsub(/&/, "\\&amp;", address)
            print "<details class=\"explore\" ontoggle=\"const frame = this.querySelector(\x27iframe\x27); frame.src ||= frame.dataset.page\"><summary>Try it</summary>\n\n" substr($0, RSTART + 2, RLENGTH - 5)
            print "\n<iframe title=\"The explorer\" data-page=\"" address "\"></iframe>\n"
            print "Nothing here? `make explore-" name "` makes the page, of the kernels that you have written. Load this page again"
            print "after it, or open [the explorer alone](" address ").\n\n</details>"
        }'
}

page() {
    local name=$1 text=$2 out=$3 before after title options=()
    shift 3
    before=$(neighbour -1 "$name" "$@")
    after=$(neighbour 1 "$name" "$@")
    [ -z "$before" ] || options+=(--variable "before=$before.html" --variable "before-title=$(title "handouts/$before.md")")
    [ -z "$after" ] || options+=(--variable "after=$after.html" --variable "after-title=$(title "handouts/$after.md")")
    title=$(title "$text")
    claims_linked "$name" <"$text" | explorers "$name" | to_html "$title" "$out" --toc --toc-depth 2 "${options[@]}"
}

index() {
    local out=$1 folder=$2 name
    shift 2
    {
        printf '# CUDA labs\n\nLearn how a GPU runs your program: make one program faster step by step, and measure why it got faster.\n\n'
        for name in "$@"; do
            # The first sentence of the text's first paragraph.
            printf -- '- **[%s](%s.md)**\\\n  %s\n' "$(title "$folder/$name.md")" "$name" \
                "$(awk 'NR > 1 && NF { found = 1 } found && !NF { exit } found' "$folder/$name.md" | tr '\n' ' ' | sed -E 's/([.?!])( .*|$)/\1/')"
        done
    } | to_html "CUDA labs" "$out"
}

case $mode in
    page | index) "$mode" "$@" ;;
    report) to_html "$@" ;;
    *) echo "page.sh: $mode: give page, index or report" >&2; exit 2 ;;
esac
