#!/bin/sh
# weights.sh: measure how many machine instructions each PTX instruction compiles to; write
# sass_weights.def.
#
#   common/dev/weights.sh [ARCH]      ARCH: ptxas's target, 75 by default. Needs ptxas and readelf.
#
# Each row below becomes two kernels with 8 and 72 copies of: load the operands, the instruction,
# store the result. The weight is the difference of their .text sizes (16 bytes an instruction)
# minus that of the same kernels without the instruction. Slow paths that ptxas puts into a
# subroutine (division of subnormal floats) do not count. Operand letters: d result, a b c operands.
# A row's types: r 32 bits, x 64 bits, h 16 bits, p predicate.
set -eu
arch=${1:-75}
here=$(cd "$(dirname "$0")/../simt/decode" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# opcode, type, form (as in isa.h; IMM: last operand an immediate), types of d a b c, instruction
rows() {
    cat <<'ROWS'
MUL U16 PLAIN hhh mul.lo.u16 d, a, b
MUL U32 PLAIN rrr mul.lo.u32 d, a, b
MUL U64 PLAIN xxx mul.lo.u64 d, a, b
MUL U32 HI rrr mul.hi.u32 d, a, b
MUL S32 HI rrr mul.hi.s32 d, a, b
MUL U64 HI xxx mul.hi.u64 d, a, b
MUL S64 HI xxx mul.hi.s64 d, a, b
MUL U32 WIDE xrr mul.wide.u32 d, a, b
MUL S32 WIDE xrr mul.wide.s32 d, a, b
MUL U16 WIDE rhh mul.wide.u16 d, a, b
MAD U32 PLAIN rrrr mad.lo.u32 d, a, b, c
MAD U64 PLAIN xxxx mad.lo.u64 d, a, b, c
MAD U32 HI rrrr mad.hi.u32 d, a, b, c
MAD U32 WIDE xrrx mad.wide.u32 d, a, b, c
MAD S32 WIDE xrrx mad.wide.s32 d, a, b, c
ADD U32 PLAIN rrr add.u32 d, a, b
ADD U64 PLAIN xxx add.u64 d, a, b
SUB U32 PLAIN rrr sub.u32 d, a, b
SUB U64 PLAIN xxx sub.u64 d, a, b
ADD U16 PLAIN hhh add.u16 d, a, b
SUB U16 PLAIN hhh sub.u16 d, a, b
DIV U16 PLAIN hhh div.u16 d, a, b
DIV S16 PLAIN hhh div.s16 d, a, b
DIV U32 PLAIN rrr div.u32 d, a, b
DIV S32 PLAIN rrr div.s32 d, a, b
DIV U64 PLAIN xxx div.u64 d, a, b
DIV S64 PLAIN xxx div.s64 d, a, b
DIV U32 IMM rr div.u32 d, a, 7
DIV S32 IMM rr div.s32 d, a, 7
REM U16 PLAIN hhh rem.u16 d, a, b
REM S16 PLAIN hhh rem.s16 d, a, b
REM U32 PLAIN rrr rem.u32 d, a, b
REM S32 PLAIN rrr rem.s32 d, a, b
REM U64 PLAIN xxx rem.u64 d, a, b
REM S64 PLAIN xxx rem.s64 d, a, b
REM U32 IMM rr rem.u32 d, a, 7
REM S32 IMM rr rem.s32 d, a, 7
ABS S32 PLAIN rr abs.s32 d, a
ABS S64 PLAIN xx abs.s64 d, a
NEG S32 PLAIN rr neg.s32 d, a
NEG S64 PLAIN xx neg.s64 d, a
MIN U32 PLAIN rrr min.u32 d, a, b
MIN S32 PLAIN rrr min.s32 d, a, b
MIN U64 PLAIN xxx min.u64 d, a, b
MIN S64 PLAIN xxx min.s64 d, a, b
MAX U32 PLAIN rrr max.u32 d, a, b
MAX S32 PLAIN rrr max.s32 d, a, b
MAX U64 PLAIN xxx max.u64 d, a, b
MAX S64 PLAIN xxx max.s64 d, a, b
SAD U32 PLAIN rrrr sad.u32 d, a, b, c
SAD S32 PLAIN rrrr sad.s32 d, a, b, c
MUL24 U32 PLAIN rrr mul24.lo.u32 d, a, b
MUL24 S32 PLAIN rrr mul24.lo.s32 d, a, b
MAD24 U32 PLAIN rrrr mad24.lo.u32 d, a, b, c
MAD24 S32 PLAIN rrrr mad24.lo.s32 d, a, b, c
DP4A U32 PLAIN rrrr dp4a.u32.u32 d, a, b, c
DP2A U32 PLAIN rrrr dp2a.lo.u32.u32 d, a, b, c
AND B32 PLAIN rrr and.b32 d, a, b
AND B64 PLAIN xxx and.b64 d, a, b
OR B32 PLAIN rrr or.b32 d, a, b
OR B64 PLAIN xxx or.b64 d, a, b
XOR B32 PLAIN rrr xor.b32 d, a, b
XOR B64 PLAIN xxx xor.b64 d, a, b
NOT B32 PLAIN rr not.b32 d, a
NOT B64 PLAIN xx not.b64 d, a
LOP3 B32 PLAIN rrrr lop3.b32 d, a, b, c, 0x1b
SHL B32 PLAIN rrr shl.b32 d, a, b
SHL B64 PLAIN xxr shl.b64 d, a, b
SHR U32 PLAIN rrr shr.u32 d, a, b
SHR S32 PLAIN rrr shr.s32 d, a, b
SHR U64 PLAIN xxr shr.u64 d, a, b
SHR S64 PLAIN xxr shr.s64 d, a, b
SHL B64 IMM xx shl.b64 d, a, 5
SHR U64 IMM xx shr.u64 d, a, 5
SHR S64 IMM xx shr.s64 d, a, 5
SHF B32 PLAIN rrrr shf.l.wrap.b32 d, a, b, c
PRMT B32 PLAIN rrrr prmt.b32 d, a, b, c
BFE U32 PLAIN rrrr bfe.u32 d, a, b, c
BFE S32 PLAIN rrrr bfe.s32 d, a, b, c
BFE U64 PLAIN xxrr bfe.u64 d, a, b, c
BFI B32 PLAIN rrrr bfi.b32 d, a, b, c, c
BFI B64 PLAIN xxxr bfi.b64 d, a, b, c, c
BREV B32 PLAIN rr brev.b32 d, a
BREV B64 PLAIN xx brev.b64 d, a
POPC B32 PLAIN rr popc.b32 d, a
POPC B64 PLAIN rx popc.b64 d, a
CLZ B32 PLAIN rr clz.b32 d, a
CLZ B64 PLAIN rx clz.b64 d, a
BFIND U32 PLAIN rr bfind.u32 d, a
BFIND U64 PLAIN rx bfind.u64 d, a
FNS B32 PLAIN rrrr fns.b32 d, a, b, c
BMSK B32 PLAIN rrr bmsk.clamp.b32 d, a, b
SZEXT U32 PLAIN rrr szext.clamp.u32 d, a, b
SLCT B32 PLAIN rrrr slct.b32.s32 d, a, b, c
SLCT B64 PLAIN xxxr slct.b64.s32 d, a, b, c
VABSDIFF2 U32 PLAIN rrrr vabsdiff2.u32.u32.u32 d, a, b, c
VABSDIFF4 U32 PLAIN rrrr vabsdiff4.u32.u32.u32 d, a, b, c
SELP B32 PLAIN rrrp selp.b32 d, a, b, c
SELP B64 PLAIN xxxp selp.b64 d, a, b, c
SETP U32 PLAIN prr setp.lt.u32 d, a, b
SETP U64 PLAIN pxx setp.lt.u64 d, a, b
SETP U16 PLAIN phh setp.lt.u16 d, a, b
SETP F32 PLAIN prr setp.lt.f32 d, a, b
SETP F64 PLAIN pxx setp.lt.f64 d, a, b
SET U32 PLAIN rrr set.lt.u32.u32 d, a, b
ADD F32 PLAIN rrr add.rn.f32 d, a, b
SUB F32 PLAIN rrr sub.rn.f32 d, a, b
MUL F32 PLAIN rrr mul.rn.f32 d, a, b
FMA F32 PLAIN rrrr fma.rn.f32 d, a, b, c
ADD F64 PLAIN xxx add.rn.f64 d, a, b
MUL F64 PLAIN xxx mul.rn.f64 d, a, b
FMA F64 PLAIN xxxx fma.rn.f64 d, a, b, c
DIV F32 PLAIN rrr div.rn.f32 d, a, b
DIV F32 APPROX rrr div.approx.f32 d, a, b
DIV F32 FULL rrr div.full.f32 d, a, b
DIV F64 PLAIN xxx div.rn.f64 d, a, b
RCP F32 PLAIN rr rcp.rn.f32 d, a
RCP F32 APPROX rr rcp.approx.f32 d, a
RCP F64 PLAIN xx rcp.rn.f64 d, a
SQRT F32 PLAIN rr sqrt.rn.f32 d, a
SQRT F32 APPROX rr sqrt.approx.f32 d, a
SQRT F64 PLAIN xx sqrt.rn.f64 d, a
RSQRT F32 APPROX rr rsqrt.approx.f32 d, a
RSQRT F64 APPROX xx rsqrt.approx.f64 d, a
SIN F32 APPROX rr sin.approx.f32 d, a
COS F32 APPROX rr cos.approx.f32 d, a
EX2 F32 APPROX rr ex2.approx.f32 d, a
LG2 F32 APPROX rr lg2.approx.f32 d, a
EX2 F32 APPROX_FTZ rr ex2.approx.ftz.f32 d, a
LG2 F32 APPROX_FTZ rr lg2.approx.ftz.f32 d, a
RSQRT F32 APPROX_FTZ rr rsqrt.approx.ftz.f32 d, a
SQRT F32 APPROX_FTZ rr sqrt.approx.ftz.f32 d, a
RCP F32 APPROX_FTZ rr rcp.approx.ftz.f32 d, a
DIV F32 APPROX_FTZ rrr div.approx.ftz.f32 d, a, b
TANH F32 APPROX rr tanh.approx.f32 d, a
MIN F32 PLAIN rrr min.f32 d, a, b
MAX F32 PLAIN rrr max.f32 d, a, b
MIN F64 PLAIN xxx min.f64 d, a, b
MAX F64 PLAIN xxx max.f64 d, a, b
NEG F32 PLAIN rr neg.f32 d, a
ABS F32 PLAIN rr abs.f32 d, a
NEG F64 PLAIN xx neg.f64 d, a
ABS F64 PLAIN xx abs.f64 d, a
COPYSIGN F32 PLAIN rrr copysign.f32 d, a, b
TESTP F32 PLAIN pr testp.infinite.f32 d, a
ADD F16 PLAIN hhh add.f16 d, a, b
MUL F16 PLAIN hhh mul.f16 d, a, b
FMA F16 PLAIN hhhh fma.rn.f16 d, a, b, c
ADD F16X2 PLAIN rrr add.f16x2 d, a, b
MUL F16X2 PLAIN rrr mul.f16x2 d, a, b
FMA F16X2 PLAIN rrrr fma.rn.f16x2 d, a, b, c
CVT F32 S32 rr cvt.rn.f32.s32 d, a
CVT F32 U32 rr cvt.rn.f32.u32 d, a
CVT F32 S64 rx cvt.rn.f32.s64 d, a
CVT F32 U64 rx cvt.rn.f32.u64 d, a
CVT F64 S32 xr cvt.rn.f64.s32 d, a
CVT F64 U32 xr cvt.rn.f64.u32 d, a
CVT F64 S64 xx cvt.rn.f64.s64 d, a
CVT F64 F32 xr cvt.f64.f32 d, a
CVT F32 F64 rx cvt.rn.f32.f64 d, a
CVT F32 F32 rr cvt.rni.f32.f32 d, a
CVT F64 F64 xx cvt.rni.f64.f64 d, a
CVT S32 F32 rr cvt.rzi.s32.f32 d, a
CVT U32 F32 rr cvt.rzi.u32.f32 d, a
CVT S64 F32 xr cvt.rzi.s64.f32 d, a
CVT S32 F64 rx cvt.rzi.s32.f64 d, a
CVT S64 F64 xx cvt.rzi.s64.f64 d, a
CVT F16 F32 hr cvt.rn.f16.f32 d, a
CVT F32 F16 rh cvt.f32.f16 d, a
CVT S64 S32 xr cvt.s64.s32 d, a
CVT U64 U32 xr cvt.u64.u32 d, a
CVT U32 U64 rx cvt.u32.u64 d, a
CVT U32 U16 rh cvt.u32.u16 d, a
CVT S32 S16 rh cvt.s32.s16 d, a
CVT S32 S8 rr cvt.s32.s8 d, a
CVT U32 U8 rr cvt.u32.u8 d, a
VOTE B32 PLAIN rp vote.sync.ballot.b32 d, a, -1
MATCH B32 PLAIN rr match.any.sync.b32 d, a, -1
MATCH B64 PLAIN rx match.any.sync.b64 d, a, -1
ISSPACEP U64 PLAIN px isspacep.shared d, a
ATOM U32 PLAIN rxr atom.global.add.u32 d, [a], b
ATOM U64 PLAIN xxx atom.global.add.u64 d, [a], b
ATOM F32 PLAIN rxr atom.global.add.f32 d, [a], b
MEMBAR TYPE_NONE PLAIN r membar.gl
BAR TYPE_NONE PLAIN r bar.sync 0
ROWS
}

# kernel NAME TYPES COPIES INSTRUCTION: with an empty instruction, what remains is the baseline.
kernel() {
    awk -v name="$1" -v types="$2" -v copies="$3" -v text="$4" 'BEGIN {
        split("r x h p", letters, " ")
        bits["r"] = "b32"; bits["x"] = "b64"; bits["h"] = "b16"; bits["p"] = "b32"
        printf ".visible .entry %s(.param .u64 p)\n{\n.reg .b64 %%base, %%x<999>; .reg .b32 %%r<1999>; .reg .b16 %%h<999>; .reg .pred %%p<999>;\n", name
        print "ld.param.u64 %base, [p];"
        dt = substr(types, 1, 1); n = length(types)
        printf "ld.volatile.global.b64 %%x990, [%%base+8];\nld.volatile.global.b32 %%r1990, [%%base+16];\nld.volatile.global.b16 %%h990, [%%base+20];\n"
        print "setp.ne.s32 %p990, %r1990, 0;"
        for (i = 0; i < copies; i++) {
            line = text
            for (k = 2; k <= n; k++) {
                t = substr(types, k, 1); letter = substr("abc", k - 1, 1); id = i * 4 + k
                reg = "%" t id
                if (t == "p") {
                    printf "ld.volatile.global.b32 %%r%d, [%%base+%d];\nsetp.ne.s32 %%p%d, %%r%d, 0;\n", 1000 + id, 64 + id * 8, id, 1000 + id
                } else
                    printf "ld.volatile.global.%s %s, [%%base+%d];\n", bits[t], reg, 64 + id * 8
                line = replace(line, letter, reg)
            }
            d = "%" dt (i * 4)
            if (line == "") d = "%" dt (dt == "r" ? 1990 : 990)
            else print replace(line, "d", d) ";"
            if (text ~ /membar|bar\.sync/) d = "%r1990"
            if (dt == "p") {
                printf "selp.b32 %%r%d, %%r1990, 7, %s;\nst.volatile.global.b32 [%%base+%d], %%r%d;\n", 1000 + i * 4, d, 8 * i, 1000 + i * 4
            } else
                printf "st.volatile.global.%s [%%base+%d], %s;\n", bits[dt], 8 * i, d
        }
        print "ret;\n}"
    }
    function replace(s, letter, reg,   words, m, i, out, w) {
        m = split(s, words, " "); out = ""
        for (i = 1; i <= m; i++) {
            w = words[i]
            if (i > 1) { if (w == letter || w == letter ",") w = reg substr(w, 2); else if (w == "[" letter "],") w = "[" reg "]," }
            out = out (i > 1 ? " " : "") w
        }
        return out
    }'
}

{
    printf '.version 8.4\n.target sm_%s\n.address_size 64\n' "$arch"
    n=0
    rows | while read -r _ _ _ types text; do
        kernel "few_$n" "$types" 8 "$text"
        kernel "many_$n" "$types" 72 "$text"
        kernel "basefew_$n" "$types" 8 ""
        kernel "basemany_$n" "$types" 72 ""
        n=$((n + 1))
    done
} >"$work/probe.ptx"
ptxas -arch="sm_$arch" "$work/probe.ptx" -o "$work/probe.cubin"
readelf -SW "$work/probe.cubin" 2>/dev/null |
    sed -n 's/^ *\[ *[0-9]*\] \.text\.\([a-z]*_[0-9]*\) *PROGBITS *[0-9a-f]* *[0-9a-f]* *\([0-9a-f]*\) .*/\1 \2/p' >"$work/sizes"

{
    echo "/*"
    echo " * sass_weights.def: machine instructions that a PTX instruction compiles to, SASS_WEIGHT(opcode, type, form, instructions)."
    echo " * Written by weights.sh from what ptxas makes for sm_$arch; run it again to renew it. Measured one instruction at a time, so what"
    echo " * ptxas does across instructions is not in here: cost.c knows the commonest such cases."
    echo " */"
    rows | awk -v sizes="$work/sizes" 'BEGIN {
            while ((getline line < sizes) > 0) { split(line, f, " "); size[f[1]] = hex(f[2]) }
        }
        {
            n = NR - 1
            grown = (size["many_" n] - size["few_" n] - size["basemany_" n] + size["basefew_" n]) / 16 / 64
            called = (size["few_" n] - size["basefew_" n]) / 16 - 8 * grown
            if ($1 ~ /DIV|REM/ && $2 ~ /^[US](16|64)$/) grown += called # the division itself is a subroutine
            if ($4 ~ /p/) grown--                               # the setp or selp beside it
            w = int(grown + 0.5); if (w < 0) w = 0
            printf "SASS_WEIGHT(%s, %s, %s, %d)\n", $1, $2, $3, w
        }
        function hex(digits,   i, value) {
            for (i = 1; i <= length(digits); i++) value = value * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
            return value
        }'
} >"$work/def"
mv "$work/def" "$here/sass_weights.def"
