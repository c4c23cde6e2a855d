#!/usr/bin/env bash
# course.sh PLATFORM LAB FOLDER PROGRAM OUT: write into the folder OUT what an instructor uploads to the platform.
#
# The package is this project cut down to the grading of one lab. It holds no solution: of each region only the TODO is left. It
# keeps HINTS_PER_DAY, and DUE as a moment that is the same in every time zone.
#
#   gradescope    OUT/autograder.zip
#   autolab       OUT/lab.tar, an assessment to import, and for its image OUT/Dockerfile with OUT/lab
#   classroom50   OUT/labN/autograder.py with its archive, and OUT/runtime.json
set -euo pipefail
platform=$1 lab=$2 folder=$3 program=$4 out=$5
here=common/course

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=$work/package

# Put the project's part that grades the lab into the package.
make_package() {
    mkdir -p "$package/labs/$folder" "$package/solutions/$folder"
    find Makefile common handouts/rules.mk tests/rules.mk -type f ! -path '*/__pycache__/*' -print0 | xargs -0 cp -p --parents -t "$package"
    cp -p "labs/$folder"/*.cu "$package/labs/$folder/"
    awk -F'\t' -v lab="$lab" 'NR == 1 || $1 == lab' labs/labs.tsv >"$package/labs/labs.tsv"
    cp -p "solutions/$folder"/*.tsv "$package/solutions/$folder/"
    awk '/BEGIN SOLUTION/ { inside = top = 1; print; next } /END SOLUTION/ { inside = 0 }
        !/^ *\/\/ / { top = 0 } !inside || top' \
        "solutions/$folder/$program.cu" >"$package/solutions/$folder/$program.cu"
    printf '%s = %s\n' HINTS_PER_DAY "$HINTS_PER_DAY" DUE "${DUE:+@$(date -d "$DUE" +%s)}" >"$package/labs/course.mk"
    touch -r "solutions/$folder/$program.cu" "$package/solutions/$folder/$program.cu"
}

# archive FILE FOLDER: everything in the folder, as a tar. Times are kept: make compares them with those of an image's build.
archive() {
    tar --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w -C "$2" -cf "$1" .
}

# The assessment's settings: the lab's steps are its problems.
autolab_settings() {
    cat <<YML
---
general:
  name: lab$lab
  display_name: 'Lab $lab: $program'
  description: ''
  handin_filename: $program.cu
  handin_directory: handin
  max_size: 2
  category_name: Lab
problems:
$(awk -F'\t' '!/^#/ && $1 != "step" { if (!($1 in points)) order[++n] = $1; points[$1] += $2 }
    END { for (i = 1; i <= n; i++) printf "- name: %s\n  description: %s\n  max_score: %s\n  optional: false\n", order[i], "\047\047", points[order[i]] }' \
        "solutions/$folder/rubric.tsv")
autograder:
  autograde_timeout: 600
  autograde_image: cuda_labs
  release_score: true
scoreboard:
  banner: ''
  colspec: '{"scoreboard": [{"hdr": "Points"}, {"hdr": "Steps solved"}]}'
YML
}

pack_gradescope() {
    cp -p $here/gradescope/* "$package/"
    (cd "$package" && bsdtar -a -cf "$new/autograder.zip" -- *)
}

pack_autolab() {
    mkdir "$new/lab"
    archive "$new/lab/autograde.tar" "$package"
    sed "s/@PROGRAM@/$program/" $here/autolab/autograde-Makefile >"$new/lab/autograde-Makefile"
    autolab_settings >"$new/lab/lab$lab.yml"
    cp $here/autolab/Dockerfile "$new/"
    cp -r "$new/lab" "$work/lab$lab"
    tar --format=ustar --sort=name --owner=0 --group=0 -C "$work" -cf "$new/lab.tar" "lab$lab"
}

pack_classroom50() {
    mkdir "$new/lab$lab"
    cp -p $here/classroom50/autograder.py "$new/lab$lab/"
    archive "$work/cuda-labs.tar" "$package"
    gzip -n <"$work/cuda-labs.tar" >"$new/lab$lab/cuda-labs.tar.gz"
    awk -F'\t' '$3 ~ /^(build|front|grading)$/ { list = list (list == "" ? "" : ", ") "\"" $1 "\"" }
        END { printf "{ \"runs-on\": \"ubuntu-latest\", \"apt\": [%s] }\n", list }' common/packages.tsv >"$new/runtime.json"
}

new=$(realpath -m "$out").part
rm -rf "$new"
mkdir -p "$new"
make_package
"pack_$platform"
rm -rf "$out"
mv "$new" "$out"
find "$out" -type f -printf '  wrote   %p (%s bytes)\n' | LC_ALL=C sort
echo "What to do with them: handouts/teaching.md"
