# heatmap.gp: one kernel's figure over the shapes of its launch, a box for each; the recorded figure
# is below in small type. Draws from LEFT_X, TOP_Y on, in boxes of BOX_W by BOX_H. Needs sweep.gp
# and
#   map_title
#   MAP_X, MAP_Y      arrays: the values across and up, such as block.x and block.y
#   map_find(s, x, y) the launch of series s with these values; 0: none
#   map_has(s, l)     does launch l of series s count for the shades? Maps to compare share shades.
#   map_value(s, l)   the figure of launch l of series s; NaN if there is none
#   map_dark_is_low   1: small figures are dark. They are times, which differ by factors: shades go by their logarithms.
#   map_across, map_up   what MAP_X and MAP_Y are

map_least = NaN
map_most = NaN
smaller(a, b) = !have(b) ? a : (!have(a) || b < a) ? b : a
do for [l = 1:launches[shown + 1]] {
    if (map_has(shown, l)) {
        map_least = smaller(map_least, map_value(shown, l))
        map_most = larger(map_most, map_value(shown, l))
    }
}
# From pale to darker blue, 0 to 1, light enough for dark letters.
ruled(v) = map_dark_is_low ? log(v) : v
depth(v) = (map_most > map_least ? (ruled(v) - ruled(map_least)) / (ruled(map_most) - ruled(map_least)) : 0.5)
ink_depth(v) = map_dark_is_low ? 1 - depth(v) : depth(v)
mix(pale, dark, d) = int(pale + (dark - pale) * d + 0.5)
shade(d) = mix(0xF1, 0x3F, d) * 65536 + mix(0xF7, 0x9B, d) * 256 + mix(0xFB, 0xD8, d)
# The word in a box without a figure: n/a after a right result, else the launch's status.
todo_box(status) = status eq "todo"
box_word(status) = status eq "ok" ? "n/a" : todo_box(status) ? "to do" : starts(status, "WRONG") ? "wrong" : "refused"

set label label_n map_title at screen LEFT_X, screen TOP_Y + 0.022 left font bold(22) textcolor rgb C_INK
label_n = label_n + 1
set label label_n map_across . " →" at screen LEFT_X + |MAP_X| * BOX_W, screen TOP_Y - (|MAP_Y| + 0.35) * BOX_H - 0.032 right font plain(20) textcolor rgb C_QUIET
set label label_n + 1 map_up . " →" at screen LEFT_X - 0.03, screen TOP_Y - |MAP_Y| * BOX_H left rotate by 90 font plain(20) textcolor rgb C_QUIET
label_n = label_n + 2
do for [x = 1:|MAP_X|] {
    set label label_n sprintf("%d", MAP_X[x]) at screen LEFT_X + (x - 0.5) * BOX_W, screen TOP_Y - (|MAP_Y| + 0.35) * BOX_H center font plain(20) textcolor rgb C_QUIET
    label_n = label_n + 1
}
do for [y = 1:|MAP_Y|] {
    set label label_n sprintf("%d", MAP_Y[y]) at screen LEFT_X - 0.006, screen TOP_Y - (|MAP_Y| + 0.5 - y) * BOX_H right font plain(20) textcolor rgb C_QUIET
    label_n = label_n + 1
    do for [x = 1:|MAP_X|] {
        l = map_find(shown, MAP_X[x], MAP_Y[y])
        r = shown == RUN ? map_find(REFERENCE, MAP_X[x], MAP_Y[y]) : 0
        if (l > 0) {
            v = map_value(shown, l)
            box_x = LEFT_X + (x - 1) * BOX_W
            box_y = TOP_Y - (|MAP_Y| - y) * BOX_H
            status = state[at(shown, l)]
            set object object_n rectangle from screen box_x, screen box_y - BOX_H + 0.004 to screen box_x + BOX_W - 0.0015, screen box_y \
                fillcolor rgb (have(v) ? shade(ink_depth(v)) : todo_box(status) || status eq "ok" ? 0xEEF0F2 : 0xF4E3D9) fillstyle solid noborder
            object_n = object_n + 1
            two_lines = r > 0 && have(map_value(REFERENCE, r))
            set label label_n have(v) ? figure(v) : box_word(status) at screen box_x + BOX_W / 2 - 0.001, screen box_y - BOX_H * (two_lines ? 0.36 : 0.5) \
                center font plain(have(v) ? 19 : 16) textcolor rgb (have(v) ? C_INK : todo_box(status) || status eq "ok" ? 0x50575E : 0xA84300)
            label_n = label_n + 1
            if (two_lines) {
                set label label_n figure(map_value(REFERENCE, r)) at screen box_x + BOX_W / 2 - 0.001, screen box_y - BOX_H * 0.74 center \
                    font plain(17) textcolor rgb C_INK
                label_n = label_n + 1
            }
        }
    }
}
