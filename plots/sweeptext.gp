# sweeptext.gp: the launches of a sweep as text on standard output, if requested: their times as
# bars. Needs sweep.gp and sweep_title.

if (term eq "dumb") {
    set print "-"
    print sweep_title . (modelled ? " (modelled)" : "")
    longest = 0
    do for [l = 1:launches[shown + 1]] { longest = larger(longest, time[at(shown, l)]) }
    do for [l = 1:launches[shown + 1]] {
        i = at(shown, l)
        text = have(time[i]) ? sprintf("%9.4f ms ", time[i]) . repeat(ascii ? "#" : "█", int((width - 61) * time[i] / longest + 0.5)) : "  " . short(state[i], 40)
        print left(sprintf("  %-18s %-12s %-14s", kernel[i], block_text[i], grid_text[i]), 47) . text
    }
    set print
}
