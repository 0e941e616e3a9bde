# What the set-up scripts share: sourced, not run. A script that sources it names itself in $tool.

say() { printf '%s: %s\n' "$tool" "$*"; }
fail() { printf "$tool: %s\n" "$@" >&2; exit 1; }

quietly() { # a command's output only if it fails
  local log
  log=$(mktemp)
  "$@" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; return 1; }
  rm -f "$log"
}

privileged() {
  if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"
  elif sudo -n true 2>/dev/null; then sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else return 1
  fi
}

apt_install() { # where apt-get is there and allowed; quiet unless it fails
  command -v apt-get >/dev/null && privileged true || return 1
  say "apt-get install $* (some minutes) ..."
  quietly privileged apt-get update && quietly privileged apt-get install -y \
    --no-install-recommends "$@"
}
