# What the set-up scripts share: sourced, not run. A script that sources it names itself in $tool.

say() { printf '%s: %s\n' "$tool" "$*"; }
fail() { printf "$tool: %s\n" "$@" >&2; exit 1; }

quietly() { # the end of a command's output, and only if it fails
  local log
  log=$(mktemp)
  "$@" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    printf '%s: that was the end of %s\n' "$tool" "$log" >&2
    return 1
  }
  rm -f "$log"
}

privileged() {
  if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"
  elif sudo -n true 2>/dev/null; then sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else return 1
  fi
}

may_apt() { command -v apt-get >/dev/null && privileged true; }

apt_update() { # once a run: a container's lists are empty
  [ -z "${apt_updated:-}" ] || return 0
  quietly privileged apt-get update && apt_updated=1
}

apt_install() { # where apt-get is there and allowed; quiet unless it fails
  may_apt || return 1
  say "apt-get install $* (some minutes) ..."
  # a new machine that updates itself holds dpkg's lock for its first minutes
  apt_update && quietly privileged apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "$@"
}

os_release() { # NAME of /etc/os-release, empty where it says none
  sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" "${OS_RELEASE:-/etc/os-release}" 2>/dev/null || true
}

system_id() { # such as debian-12, ubuntu-22.04, darwin-
  if [ "$(uname -s)" = Darwin ]; then echo darwin-
  else printf '%s-%s\n' "$(os_release ID)" "$(os_release VERSION_ID)"
  fi
}

system_name() {
  local name
  name=$(os_release PRETTY_NAME)
  printf '%s\n' "${name:-$(uname -sr)}"
}
