#!/usr/bin/env bash
# install.sh install|uninstall: put simt, labprof, labncu and cudac into DESTDIR/PREFIX, or remove them.
#
#   BUILD=build          what make built
#   PREFIX=/usr/local    where the programs will be used
#   DESTDIR=             put before PREFIX
#
# All files are in PREFIX/lib/cuda-labs, laid out as in the build folder. The programs, man pages
# and completions where the system looks for them are links to those. New files are complete before
# they take the place of old ones; an error leaves all as it was.
set -euo pipefail
umask 022

fail() {
    echo "$verb: $1" >&2
    exit 1
}

verb=$1
build=${BUILD:-build}
top=$(realpath -m -- "${DESTDIR:-}${PREFIX:-/usr/local}")
files=$top/lib/cuda-labs
made=$files/folders # the folders that install made, the outermost first

# Each link and what it points at.
links=(
    bin/simt ../lib/cuda-labs/bin/simt
    bin/labprof ../lib/cuda-labs/bin/labprof
    bin/labncu ../lib/cuda-labs/bin/labncu
    bin/cudac ../lib/cuda-labs/front/cudac
)
for name in simt labprof labncu cudac; do
    links+=("share/man/man1/$name.1" "../../../lib/cuda-labs/share/$name.1")
done
for name in simt labprof labncu; do
    links+=("share/bash-completion/completions/$name" ../../../lib/cuda-labs/share/completion.bash)
done

# Our links, and nothing else of these names.
remove_links() {
    local i
    for ((i = 0; i < ${#links[@]}; i += 2)); do
        [ "$(readlink -- "$top/${links[i]}")" != "${links[i + 1]}" ] || rm -- "$top/${links[i]}"
    done
}

# remove_folders FILE: the folders that it lists, the innermost first, unless something else is in
# them now.
remove_folders() {
    tac -- "$1" | while IFS= read -r folder; do rmdir -- "$folder" 2>/dev/null || true; done
}

if [ "$verb" = uninstall ]; then
    [ -d "$files" ] || fail "nothing is installed in $top; PREFIX= names another folder"
    [ -w "$top/lib" ] || fail "cannot write $top/lib: run it as the user who installed"
    list=$(mktemp)
    cp -- "$made" "$list"
    remove_links
    rm -rf -- "$files"
    remove_folders "$list"
    rm -- "$list"
    echo "  removed $files, and its links in $top/bin and $top/share"
    exit
fi

# ---- Install ----------------------------------------------------------------------------------

for ((i = 0; i < ${#links[@]}; i += 2)); do
    link=$top/${links[i]}
    { [ ! -e "$link" ] && [ ! -L "$link" ]; } || [ "$(readlink -- "$link")" = "${links[i + 1]}" ] ||
        fail "$link is there already, and is not this project's: remove it, or install elsewhere \
with PREFIX="
done

work=$(mktemp -d)
stage=$files.part
new=yes
[ ! -e "$files" ] || new=''

# Runs at the end. What is not complete goes again.
clean_up() {
    rm -rf -- "$stage"
    [ -z "$new" ] || [ -n "${complete:-}" ] ||
        { remove_links && rm -rf -- "$files" && remove_folders "$work/folders"; }
    rm -rf -- "$work"
}
: >"$work/folders"
trap clean_up EXIT

# try COMMAND...: an error ends the installation with the command's message.
try() {
    "$@" 2>"$work/message" || fail "nothing was installed in $top: $(tail -n 1 "$work/message")"
}

# make_folder FOLDER: with those around it; notes which are new.
make_folder() {
    [ ! -d "$1" ] || return 0
    make_folder "$(dirname "$1")"
    try mkdir -- "$1"
    echo "$1" >>"$work/folders"
}

make_folder "$top/lib"
for ((i = 0; i < ${#links[@]}; i += 2)); do make_folder "$(dirname "$top/${links[i]}")"; done
rm -rf -- "$stage"
try mkdir -- "$stage" "$stage"/{bin,simt,labprof,front,share}
try cp -- "$build"/bin/{simt,labprof,labncu,launches} "$stage/bin"
try cp -- "$build"/simt/libcudart.so.* "$build"/simt/{static_runtime.so,gpus.tsv,see.html} "$stage/simt"
try cp -Pr -- "$build"/simt/{libcuda.so.1,driver*} common/simt/include "$stage/simt"
try cp -- "$build"/labprof/{metrics,sections}.tsv "$stage/labprof"
[ ! -e "$build/labprof/librecorder.so" ] ||
    try cp -- "$build/labprof/librecorder.so" "$stage/labprof"
try cp -- common/front/{cudac,*.awk,lacking.tsv,parts.c} "$stage/front"
try cp -- "$build"/man/*.1 common/tools/completion.bash LICENSE "$stage/share"
try chmod -R u=rwX,go=rX -- "$stage"
try cp -- "$([ -n "$new" ] && echo "$work/folders" || echo "$made")" "$stage/folders"

[ -n "$new" ] || mv -T -- "$files" "$files.old"
mv -T -- "$stage" "$files"
rm -rf -- "$files.old"
for ((i = 0; i < ${#links[@]}; i += 2)); do
    try ln -sfn -- "${links[i + 1]}" "$top/${links[i]}"
done
complete=yes
echo "  wrote   $files, and links to it in $top/bin and $top/share"
[[ -n ${DESTDIR:-} || :$PATH: == *":$top/bin:"* ]] || echo "  now     put $top/bin into PATH"
