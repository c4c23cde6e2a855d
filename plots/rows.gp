# rows.gp: the words and numbers of a row, the same in pictures and in the terminal. Needs read.gp.

slowest = NaN
fastest_rate = NaN
do for [i = 1:SERIES * LIMIT] {
    slowest = larger(slowest, larger(time[i], most[i]))
    fastest_rate = larger(fastest_rate, rate[i])
}
if (!have(slowest) || slowest <= 0) { slowest = 1 }
unit = slowest < 0.001 ? "ns" : slowest < 1 ? "µs" : slowest < 1000 ? "ms" : "s"
scale = unit eq "ns" ? 1e6 : unit eq "µs" ? 1e3 : unit eq "ms" ? 1 : 1e-3

todo(r) = state[cell(RUN, r)] eq "todo"
bad(r) = state[cell(RUN, r)] ne "" && state[cell(RUN, r)] ne "ok" && !todo(r)
absent(r) = device[RUN + 1] ne "" && state[cell(RUN, r)] eq ""

# A step still to do shows in grey the solution's time on the same device, if recorded.
shown_time(r, s) = s == RUN && todo(r) ? time[cell(GOAL, r)] : time[cell(s, r)]
shown_rate(r, s) = s == RUN && todo(r) ? rate[cell(GOAL, r)] : rate[cell(s, r)]
# A status can be long: show its first words. (gnuplot ends a quoted cell at its comma.)
complaint(s) = strstrt(s, " (") > 1 ? s[1:strstrt(s, " (") - 1] : short(s, 40)
time_text(r, s) = s == RUN && bad(r) ? complaint(state[cell(RUN, r)]) : \
    s == RUN && absent(r) ? "not run" : \
    s == RUN && todo(r) ? ("to do" . (have(time[cell(GOAL, r)]) ? ": " . figure(time[cell(GOAL, r)] * scale) . " " . unit : "")) : \
    state[cell(s, r)] eq "" ? "" : figure(time[cell(s, r)] * scale) . (have(time[cell(s, r)]) ? " " . unit : "")
rate_text(r, s) = s == RUN && todo(r) ? (have(rate[cell(GOAL, r)]) ? figure(rate[cell(GOAL, r)]) . " " . rate_unit : "") : \
    state[cell(s, r)] ne "ok" || (no_rate ne "" && !have(rate[cell(s, r)])) ? "" : figure(rate[cell(s, r)]) . (have(rate[cell(s, r)]) ? " " . rate_unit : "")
gain_text(r, s) = state[cell(s, r)] eq "ok" && have(gain[cell(s, r)]) ? sprintf(gain[cell(s, r)] < 0.0995 ? "%.3f×" : gain[cell(s, r)] < 9.995 ? "%.2f×" : "%.1f×", gain[cell(s, r)]) : ""
waiting = sum [r = 1:steps] (todo(r) ? 1 : 0)

run_words = variant eq "" ? "this run" : "build '" . variant . "'"
reference_words = variant eq "" ? "recorded" : "main build"
legend(s) = s == RUN ? sprintf("%s: %s, %s", run_words, device[1], clock[1]) . of_problem : \
    sprintf("%s: %s, %s", reference_words, device[2], clock[2])

# Rows with a time or a word instead; an empty problem has none.
rows_to_show = sum [r = 1:steps] (have(shown_time(r, RUN)) || have(time[cell(REFERENCE, r)]) || todo(r) || bad(r) ? 1 : 0)

# The last row that the plots draw, at least 2: gnuplot 5.4 can crash on a sampled range of one. An
# extra row is off the page.
rows = steps < 2 ? 2 : steps

# One series of bars, or two: the run's above the recorded one.
two = device[RUN + 1] ne "" && device[REFERENCE + 1] ne ""
