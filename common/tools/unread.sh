#!/usr/bin/env bash
# unread.sh NAME...: which of these settings nothing in the project reads, as a variable of make, of a shell script or of the
# environment. One a line.
cd "$(dirname "$0")/../.." || exit
export LC_ALL=C # faster by far
for name; do
    grep -rqsE --include=Makefile --include='*.mk' --include='*.sh' --include='*.[ch]' \
        "[\$][({]?${name}\\>|^${name} *[?:]?=|env[a-z_]*\\(\"${name}\"|call [a-z-]+,${name}\\)" Makefile common tests/rules.mk tests/bare || echo "$name"
done
