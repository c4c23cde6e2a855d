# text.gp: the times as text on standard output: `width` columns, colour if `color`, plain ASCII if
# `ascii`. Bars are times. Needs style.gp, read.gp, rows.gp, page_title.

set print "-"

# The terminal's colours nearest to the pictures'; none if colour is off.
paint(code, s) = color ? "\033[" . code . "m" . s . "\033[0m" : s
tint(r, s) = s == REFERENCE ? "38;5;172" : bad(r) ? "38;5;166" : todo(r) || absent(r) ? "38;5;245" : "38;5;32"

# A bar of x eighths of a letter; ASCII has whole letters only.
eighths = "▏▎▍▌▋▊▉"
solid(s) = ascii ? (s == REFERENCE ? "=" : "#") : (s == REFERENCE ? "▆" : "█")
pale = ascii ? "." : "░"
rest(x) = ascii || x < 1 ? "" : eighths[x:x]
letters(x, s, r) = s == RUN && todo(r) ? repeat(pale, int(x / 8.0 + 0.5)) : \
    s == REFERENCE || ascii ? repeat(solid(s), int(x / 8.0 + 0.5)) : repeat(solid(s), x / 8) . rest(x % 8)

# "µ" and "×" are not ASCII.
plain_unit = ascii && unit eq "µs" ? "us" : unit
say_time(r, s) = s == RUN && (bad(r) || absent(r)) ? time_text(r, s) : have(shown_time(r, s)) ? \
    (figure(shown_time(r, s) * scale) . " " . plain_unit) : s == RUN && todo(r) ? "to do" : state[cell(s, r)] eq "" ? "" : "n/a"
say_gain(r, s) = have(gain[cell(s, r)]) ? sprintf("%.2f", gain[cell(s, r)]) . (ascii ? "x" : "×") : s == RUN && todo(r) ? "to do" : ""
say_rate(r, s) = have(shown_rate(r, s)) ? figure(shown_rate(r, s)) : ""

# Columns: name, bar, time, GB/s, speed-up. The bar takes the remaining width.
NAME_WIDTH = 29
NUMBERS_WIDTH = 28
bar_width = width - NAME_WIDTH - NUMBERS_WIDTH > 8 ? width - NAME_WIDTH - NUMBERS_WIDTH : 8
bar(r, s) = have(shown_time(r, s)) ? letters(int(8 * bar_width * shown_time(r, s) * scale / (slowest * scale) + 0.5), s, r) : ""
line(r, s, head) = left(head, NAME_WIDTH) . paint(tint(r, s), left(bar(r, s), bar_width)) . \
    paint(tint(r, s), right(say_time(r, s), 10) . right(say_rate(r, s), 8) . right(say_gain(r, s), 9))

print ""
print paint("1", page_title) . "   (bars: time, shorter is better)"
if (device[RUN + 1] ne "") { print "  " . paint("38;5;32", solid(RUN) . " " . legend(RUN)) }
if (device[REFERENCE + 1] ne "") { print "  " . paint("38;5;172", solid(REFERENCE) . " " . legend(REFERENCE)) }
if (waiting > 0) { print "  " . paint("38;5;245", pale . (device[GOAL + 1] ne "" ? " to do: what the solution reaches" : " to do")) }
if (reference_note ne "") { print "  " . reference_note }
print left("", NAME_WIDTH + bar_width) . right("time", 10) . right(rate_unit, 8) . right("speed-up", 9)
do for [r = 1:steps] {
    if (device[RUN + 1] ne "") { print line(r, RUN, sprintf("%2d %s", r, label[r])) }
    if (device[REFERENCE + 1] ne "") { print line(r, REFERENCE, two ? "" : sprintf("%2d %s", r, label[r])) }
}
do for [s = RUN:REFERENCE] {
    if (have(peak[s + 1]) && (s == RUN || product(device[1]) ne product(device[2]))) {
        print sprintf("   peak %s of the %s: %s %s", rate_unit eq "GB/s" ? "memory bandwidth" : "arithmetic", product(device[s + 1]), \
            figure(peak[s + 1]), rate_unit)
    }
}
set print
