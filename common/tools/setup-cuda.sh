#!/usr/bin/env bash
# setup-cuda.sh: install NVIDIA's toolkit from Debian's non-free packages (or Ubuntu's multiverse).
# First print its size. If apt does not know the packages, add the file
# /etc/apt/sources.list.d/cuda-labs.list; other files stay unchanged. With NO_INSTALL=1, only print.
#
#   SOURCES=/etc/apt/sources.list.d/cuda-labs.list    the file that is added
#   KERNEL=$(uname -r)                                the kernel's release, which names WSL2
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
. "$(dirname "$0")/apt.bash"

SOURCES=${SOURCES:-/etc/apt/sources.list.d/cuda-labs.list}
PACKAGES=(nvidia-cuda-toolkit nvidia-profiler g++-11) # nvcc 11.8 takes no newer g++
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

fail() {
    echo "setup: $1" >&2
    exit 1
}

command -v apt-get >/dev/null ||
    fail "this system has no apt: get the toolkit from NVIDIA \
(developer.nvidia.com/cuda-downloads) or from your distribution, then NVCC=/path/to/nvcc"
if command -v nvcc >/dev/null; then
    echo "setup: there is an nvcc already: $(command -v nvcc)"
    exit 0
fi

# Debian's packages bring a driver's libraries, which would hide those of Windows' driver.
case ${KERNEL:-$(uname -r)} in
*[Mm]icrosoft*)
    fail "WSL2 takes the GPU's driver from Windows: get NVIDIA's toolkit for WSL-Ubuntu, which has \
no driver (developer.nvidia.com/cuda-downloads), then NVCC=/path/to/nvcc"
    ;;
esac

# The key that apt's sources name for this address, if any. Every entry of an address must name the
# same key.
key_of() {
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
        awk -v RS='' -v uri="${1%/}" 'index($0, uri) && match($0, /Signed-By: *[^ \n]+/) {
            key = substr($0, RSTART, RLENGTH); sub(/^Signed-By: */, "", key); print key; exit }'
    grep -hF "${1%/}" /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb .*signed-by=\([^] ]*\).*/\1/p' | head -n 1
}

# A "deb" line for this system's package server, with the components that the system's lines lack.
sources() {
    local release components=(contrib non-free) uri key
    # shellcheck disable=SC1091
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    if grep -qi '^ID=ubuntu' /etc/os-release; then components=(multiverse); fi
    # shellcheck disable=SC2016 # apt's own placeholders
    uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' |
        awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }')
    [ -n "$uri" ] || return 0
    key=$(key_of "$uri" | head -n 1) || true
    echo "deb ${key:+[signed-by=$key] }$uri $release main ${components[*]}"
}

# Separate package lists: the system's lists stay unchanged until the installation.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
apt=(apt-get)
known=yes
if ! apt-cache policy nvidia-cuda-toolkit 2>/dev/null | grep -q 'Candidate: [0-9]'; then
    known=no
    sources >"$work/cuda-labs.list"
    [ -s "$work/cuda-labs.list" ] || fail "cannot find out where this system's packages come from"
    apt+=(-o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
    apt+=(-o "Dir::Etc::sourcelist=$work/cuda-labs.list" -o Dir::Etc::sourceparts=-)
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    "${apt[@]}" update >"$work/log" 2>&1 ||
        { tail -n 5 "$work/log" >&2; fail "cannot read the list of packages"; }
fi
"${apt[@]}" install --assume-no --no-install-recommends "${PACKAGES[@]}" >"$work/plan" 2>&1 || true
size=$(grep -E '^(Need to get|After this operation)' "$work/plan" || true)
[ -n "$size" ] || { tail -n 5 "$work/plan" >&2; fail "${PACKAGES[*]} cannot be installed here"; }

echo "setup: NVIDIA's toolkit: ${PACKAGES[*]} and what they need"
printf '%s\n' "$size"
[ "$known" = yes ] || echo "setup: adds $SOURCES: $(cat "$work/cuda-labs.list")"
if [ "${NO_INSTALL:-0}" != 0 ]; then
    echo "setup: not installed because of NO_INSTALL"
    exit 0
fi
may_install || fail "not root, and there is no sudo; ask an administrator to run: make setup CUDA=1"
[ "$known" = yes ] || as_root install -m 644 "$work/cuda-labs.list" "$SOURCES"
if ! apt_install "$work/log" "${PACKAGES[@]}"; then
    [ "$known" = yes ] || as_root rm -f "$SOURCES"
    tail -n 15 "$work/log" >&2
    fail "could not install it; labs go on with clang"
fi
echo "setup: done: $(nvcc --version | grep -o 'release [0-9.]*')"
