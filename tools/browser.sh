#!/usr/bin/env bash
# A Chromium for the browser tests: the one of $CHROMIUM, one that is installed, or Debian's.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=browser
source tools/apt.sh

has_chromium() {
  [ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && return
  command -v chromium chromium-browser google-chrome >/dev/null
}

has_chromium || apt_install chromium || true
has_chromium || fail "Chromium is needed and could not be installed here." \
  "  Debian, as root:  apt-get update && apt-get install -y chromium" \
  "  elsewhere:  install Chromium or Chrome, and name it: CHROMIUM=/path/to/chrome make test-browser"
