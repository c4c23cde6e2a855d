#!/usr/bin/env bash
# setup.sh: Gradescope runs it once, as root, when it builds the image; the archive is then in /autograder/source.
set -euo pipefail
exec /autograder/source/common/course/platform.sh setup
