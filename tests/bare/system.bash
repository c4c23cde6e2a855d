# shellcheck shell=bash
# system.bash: bare systems to try the project on, each a minimal Debian made with debootstrap in a
# temporary folder. For scripts to source. Needs root, debootstrap and a Debian mirror; a system
# knows no other host than that mirror. For another processor than this machine's it also needs
# qemu-user-static. Nothing is left mounted, registered or running afterwards, and the folder is
# removed, whatever happens.
#
#   SUITE=bookworm    Debian's release; MIRROR=http://deb.debian.org/debian

SUITE=${SUITE:-bookworm}
MIRROR=${MIRROR:-http://deb.debian.org/debian}

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=$(basename "$0" .sh)
fail() {
    echo "$name: $1" >&2
    exit 1
}
say() {
    printf '==== %d:%02d  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

[ "$(id -u)" = 0 ] || fail "must be root: debootstrap and chroot ask for it"
command -v debootstrap >/dev/null || fail "there is no debootstrap: common/tools/setup.sh bare"

# Run the script once more, in namespaces of its own: what is mounted there is nobody else's, and
# ends with its last process.
if [ "${1:-}" != --inside ]; then
    base=$(mktemp -d "${TMPDIR:-/tmp}/bare.XXXXXX")
    chmod 755 "$base" # an ordinary user must be able to enter it
    trap 'rm -rf --one-file-system "$base"' EXIT
    unshare --mount --pid --fork --kill-child "$0" --inside "$base"
    exit
fi
base=$2
trap 'exit 130' INT
trap 'exit 143' TERM

# make_system FOLDER PACKAGES [ARCHITECTURE]: a system in this folder of $base, with these packages,
# separated by commas. From here on the commands below work in it. The architecture is Debian's name
# of it.
make_system() {
    root=$base/$1
    debootstrap --variant=minbase --include="$2" --arch="${3:-$(dpkg --print-architecture)}" \
        "$SUITE" "$root" "$MIRROR" >"$base/log" 2>&1 ||
        { tail -n 5 "$base/log" >&2; fail "debootstrap failed"; }
    only_the_mirror
}

# The only names that the system can look up are its own and the mirror's. Where apt here goes
# through a proxy, it does there.
only_the_mirror() {
    local host
    host=$(sed -E 's|^[a-z]+://([^/:]+).*|\1|' <<<"$MIRROR")
    : >"$root/etc/resolv.conf"
    printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$root/etc/hosts"
    getent ahostsv4 "$host" | awk -v host="$host" 'NR == 1 { print $1, host }' >>"$root/etc/hosts"
    cat /etc/apt/apt.conf.d/*proxy* >"$root/etc/apt/apt.conf.d/99proxy" 2>/dev/null || true
    inside getent hosts localhost >/dev/null || fail "the system inside cannot look up its own name"
    ! inside getent hosts example.org >/dev/null || fail "the system inside can look up other hosts"
}

# The project as git has it, in this folder of the system: committed files, in an index of their
# own.
copy_project() {
    git -C "$project" rev-parse --quiet --verify HEAD >/dev/null || fail \
        "$project is no git repository; its last commit is what is tried: git init, add, commit"
    mkdir -p "$root/$1"
    git -C "$project" archive HEAD | tar -x -C "$root/$1"
    inside git -C "$1" init -q
    inside git -C "$1" add -A
}

# What a running system has mounted.
mount_system() {
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
}

# A command in the system with nothing of this one's environment. The system is the root of a mount
# namespace, because no sandbox can be made in a chroot. There umount asks /proc, which a system
# that is only being made does not have yet.
inside() {
    # shellcheck disable=SC2016 # the inner shell's
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
        unshare --mount sh -c 'mount --rbind "$0" "$0" && cd "$0" && { [ -e proc/self ] || mount -t proc proc proc; } &&
            pivot_root . mnt && cd / && umount -l /mnt && exec "$@"' "$root" "$@"
}
