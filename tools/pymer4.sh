#!/usr/bin/env bash
# The environment in which lme4 is fitted through pymer4, for one test: results/cache/pymer4, from
# tools/pymer4.lock, with R's lmerTest. Quick when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=pymer4
source tools/apt.sh

venv=results/cache/pymer4
if [ -e .venv/setup/without-r ]; then
  say "without R, as chosen: nothing to compare with"
  exit 0
fi
state=$(sha256sum tools/pymer4.lock | cut -c1-16)
[ "$(cat "$venv/state" 2>/dev/null)" != "$state" ] || exit 0

has_lmertest() { Rscript -e 'library(lmerTest)' >/dev/null 2>&1; }
has_lmertest || apt_install r-cran-lmertest || true
has_lmertest || fail "R with the package lmerTest is needed and could not be installed here." \
  "  Debian/Ubuntu, as root:  apt-get update && apt-get install -y r-cran-lmertest" \
  "  elsewhere:  in R, install.packages('lmerTest')"

say "installing pymer4 (a minute or more) ..."
rm -rf "$venv"
.venv/bin/python -m venv "$venv"
pip=("$venv/bin/python" -m pip --disable-pip-version-check)
# rpy2 builds its bridge to R with cffi, and quietly builds none without
quietly "${pip[@]}" install --constraint tools/pymer4.lock setuptools wheel cffi
quietly "${pip[@]}" install --no-build-isolation -r tools/pymer4.lock
printf '%s\n' "$state" > "$venv/state"
