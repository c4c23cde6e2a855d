# completion.bash: completes the command lines of simt, labprof and labncu in bash. The programs'
# own --help names the options.
# shellcheck shell=bash

# _simt_values PROGRAM OPTION: the words that may follow the option.
_simt_values() {
    case $2 in
    --gpu) "$1" --list-gpus 2>/dev/null || simt --list-gpus 2>/dev/null ;;
    --trace-format) printf 'kanata\nchrome\n' ;;
    --source-format) printf 'table\ncollapsed\n' ;;
    --backend) printf 'simt\nncu\nnvprof\ncupti\n' ;;
    -m | --metrics) "$1" --query-metrics 2>/dev/null | sed -nE 's/^ +([a-z0-9_]+):.*/\1/p' ;;
    -e | --events) "$1" --query-events 2>/dev/null | sed -nE 's/^ +([a-z0-9_]+):.*/\1/p' ;;
    esac | awk '{ print $1 }'
}

_simt() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} \
        before=${COMP_WORDS[COMP_CWORD - 1]} help takes i
    help=$("$program" --help 2>/dev/null) || return
    # Options that a value follows: in the help a word in capitals is after them.
    takes=" $(grep -oE -e '(^ +|, |: |; )--?[a-z-]+ ([A-Z][A-Z0-9,-]*|[a-z]+\|)' <<<"$help" | grep -oE -e '--?[a-z-]+' | paste -sd ' ') -m -e -u "
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) [[ $takes != *" ${COMP_WORDS[i]} "* ]] || i=$((i + 1)) ;;
        *) compopt -o default && return ;; # the program is named: what follows is the program's
        esac
    done
    if [[ $takes == *" $before "* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_simt_values "$program" "$before")" -- "$word")
        [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -e '--[a-z-]+[a-z]' <<<"$help" | sort -u)" \
            -- "$word")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word")
    fi
}
complete -F _simt simt labprof labncu
