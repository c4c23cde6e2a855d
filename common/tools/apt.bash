# shellcheck shell=bash
# apt.bash: for scripts that install Debian packages; to be sourced.

LOCK_WAIT_S=300 # a system that has just been started often installs its own updates first

# Is this root, or one who may ask for it?
may_install() {
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null
}

# As root directly, else through sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# apt_install LOG PACKAGE...: what apt says goes into LOG. A list of packages that cannot be read, of whatever source, matters only if
# it is needed.
apt_install() {
    as_root apt-get update >"$1" 2>&1 || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o "DPkg::Lock::Timeout=$LOCK_WAIT_S" install -y --no-install-recommends "${@:2}" >>"$1" 2>&1
}
