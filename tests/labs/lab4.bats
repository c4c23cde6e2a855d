# Lab 4, the transpose: matrices of every shape, and mistakes that only some shapes show.

load ../helpers

setup_file() {
    use_lab 4
}

@test "every shape is right: one word, ragged, tall, flat, empty" {
    for shape in "1 1" "31 33" "77 131" "1024 1024" "513 1000" "65535 3" "3 65535" "32 32" "0 5"; do
        solution -0 --rows "${shape% *}" --cols "${shape#* }"
        # the last step takes multiples of four
        local ok=10
        ((${shape% *} % 4 || ${shape#* } % 4)) || ok=11
        assert_lines $ok ' ok$'
    done
}

@test "every block is right" {
    for block in 32 96 512 1024; do
        solution -0 --rows 77 --cols 131 --block $block
        assert_lines 10 ' ok$'
    done
}

@test "rows and columns that were not given are as --size says" {
    solution -0 --size 40 --cols 7 --step copyRow
    assert_output --partial "transpose of 40 x 7 floats"
}

@test "shapes and blocks that are none" {
    refuses "--size 16385: too large; the limit is 16384" --size 16385
    refuses "--rows 65536: too large; the limit is 65535" --rows 65536
    refuses "--rows 60000 --cols 60000: too large; the limit is 268435456 elements" --rows 60000 \
        --cols 60000
    refuses "--cols -1: negative" --cols -1
    refuses "--rows needs a value" --rows
    refuses "--block 48: a row of a block is one warp" --block 48
}

@test "make takes SIZE=ROWSxCOLS, and checks awkward shapes by itself" {
    run -0 user_make lab4 DEVICE=sim FROM=solutions SIZE=31x33
    assert_output --partial "transpose of 31 x 33 floats"
    run -0 user_make check-lab4 DEVICE=sim FROM=solutions
    assert_output --partial "clean   simt --check, size 77x131"
}

@test "the handed-out lab: the copies are ok, the others to do" {
    is_given 3 8 naiveRow SIZE=80x132
}

@test "a transpose that is right for squares only, one that only copies, and one that writes nothing are wrong" {
    local \
        place='unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;'
    solve naiveRow "$place" 'if (x < cols && y < rows) out[x * cols + y] = in[y * cols + x];'
    solve_step "$student" naiveCol "$place" \
        'if (x < cols && y < rows) out[y * cols + x] = in[y * cols + x];'
    solve_step "$student" smem '(void)out, (void)in, (void)rows, (void)cols;'
    run -2 user_make lab4 DEVICE=sim SIZE=64
    assert_line --regexp "naiveRow .* ok(,|$)"
    assert_line --regexp "naiveCol .* WRONG \(row "
    assert_line --regexp "smem .* WRONG \(row 0, column 0: nothing was written here, want "
    run -2 user_make lab4 DEVICE=sim SIZE=96x64
    assert_output --partial "naiveRow: wrong result"
    run -0 user_make diff-lab4
    assert_output --partial "0 same, 3 changed, 5 todo, 0 missing"
}

@test "31 conflicts a load without padding, none with, in whole tiles" {
    user_make profile-lab4 DEVICE=sim FROM=solutions SIZE=256
    conflicts() {
        awk -F, -v kernel="$1" '$3 == kernel { value[$6] = $7 }
            END { printf "%g", value["shared_ld_bank_conflict"] / (256 * 256 / 32) }' "$tree/build/solutions/lab4/metrics.csv"
    }
    for kernel in smem smemUnroll; do assert_equal "$kernel $(conflicts $kernel)" "$kernel 31"; done
    for kernel in smemPad smemUnrollPad diagonal patches; do assert_equal "$kernel $(conflicts $kernel)" \
        "$kernel 0"; done
    for picture in time metrics; do assert [ -s "$tree/build/solutions/plots/lab4-$picture.svg" ]; \
        done
}

@test "the plot draws a line for each copy" {
    user_make lab4 DEVICE=sim FROM=solutions SIZE=256
    plots/draw.sh --lab 4 --run "$tree/build/solutions/lab4/run.csv" --recorded '' --out \
        "$BATS_TEST_TMPDIR/lab4"
    assert_grep 'Dashes: the two copies' <"$BATS_TEST_TMPDIR/lab4-time.svg"
}

@test "demo-lab4 walks through all kernels" {
    run -0 user_make demo-lab4 DEVICE=sim SIZE=128 </dev/null
    assert_output --partial "=== 10 of 10: patches ==="
    assert_output --partial "shared_load_transactions_per_request = 32.00"
}

@test "the mistakes that the handout names are found" {
    finds_planted 4
}
