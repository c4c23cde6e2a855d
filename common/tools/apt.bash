# shellcheck shell=bash
# apt.bash: functions to install Debian packages, for other scripts to source.

LOCK_WAIT_S=300 # a system that has just started often installs updates first

# Can this user become root?
may_install() {
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null
}

# Run a command as root.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# apt_install LOG PACKAGE...: install the packages; apt's output goes to LOG. Unreadable package
# lists matter only if a package is then not found.
apt_install() {
    as_root apt-get update >"$1" 2>&1 || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o "DPkg::Lock::Timeout=$LOCK_WAIT_S" \
        install -y --no-install-recommends "${@:2}" >>"$1" 2>&1
}
