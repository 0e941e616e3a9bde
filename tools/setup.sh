#!/usr/bin/env bash
# Make this checkout runnable: Python >= 3.12, .venv from the locks, R with lme4. Idempotent, and
# quick when nothing changed. WITHOUT_R=1 leaves R out (ENGINE=laplace needs none).
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
stamp=results/cache/setup.stamp
without_r=${WITHOUT_R:-}
# what rpy2 and the R packages need to be compiled or loaded, on Debian 12/13 and Ubuntu
apt_r=(r-base-core r-base-dev r-cran-lme4 r-cran-lmertest python3-dev libpcre2-dev liblzma-dev
  libbz2-dev libicu-dev libdeflate-dev libzstd-dev libtirpc-dev zlib1g-dev)

tool=setup
source tools/apt.sh

search_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.14 python3 python \
    "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do
    if is_new_enough "$candidate"; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  return 1
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; }

find_python() {
  search_python && return
  # the distribution's own, where it is new enough
  apt-cache show python3 2>/dev/null | grep -qE '^Version: 3\.(1[2-9]|[2-9][0-9])\.' &&
    apt_install python3 python3-venv python3-dev >&2 && search_python && return
  fail "Python 3.12 or later is needed and was not found. Ways to get it:" \
    "  Debian 13, Ubuntu 24.04 and later:  apt-get install python3 python3-venv python3-dev" \
    "  pyenv:  pyenv install 3.12" \
    "  uv:     uv python install 3.12" \
    "  conda:  conda create -n transfer python=3.12" \
    "then run: make setup PYTHON=/path/to/python3.12"
}

make_venv() {
  local python=$1
  rm -rf "$venv"
  "$python" -m venv "$venv" >/dev/null 2>&1 && return
  [ "$python" = /usr/bin/python3 ] || [[ "$python" = /usr/bin/python3.* ]] &&
    apt_install python3-venv && "$python" -m venv "$venv" >/dev/null && return
  fail "$python cannot create virtual environments." "  Debian/Ubuntu:  apt-get install python3-venv"
}

has_r() { command -v R >/dev/null && Rscript -e 'library(lme4); library(lmerTest)' >/dev/null 2>&1; }

install_r() {
  apt_install "${apt_r[@]}" || true
  has_r || fail "R with the packages lme4 and lmerTest is needed and could not be installed here." \
    "  Debian/Ubuntu, as root:  apt-get update && apt-get install -y ${apt_r[*]}" \
    "  conda:  conda install -c conda-forge r-base r-lme4 r-lmertest" \
    "  elsewhere:  install R, then in R: install.packages(c('lme4', 'lmerTest'))" \
    "Or leave lme4 out: make setup WITHOUT_R=1; make glmm ENGINE=laplace"
}

if [ -n "${PYTHON:-}" ] && ! is_new_enough "$PYTHON"; then
  fail "PYTHON=$PYTHON is no Python 3.12 or later"
fi

fingerprint() {
  { cat requirements.lock requirements-r.lock pyproject.toml tools/setup.sh tools/apt.sh
    echo "$without_r"
    [ -n "$without_r" ] || R --version 2>/dev/null | head -n 1 || true
  } | sha256sum | cut -c1-16
}

if [ -x "$venv/bin/transfer" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(fingerprint)" ]; then
  exit 0
fi

if ! "$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
  python=$(find_python)
  say "creating $venv with $python ..."
  make_venv "$python"
fi

[ -n "$without_r" ] || has_r || install_r

say "installing the pinned dependencies (some minutes) ..."
pip=("$venv/bin/python" -m pip --disable-pip-version-check)
quietly "${pip[@]}" install -r requirements.lock
[ -n "$without_r" ] || quietly "${pip[@]}" install --no-build-isolation -r requirements-r.lock
quietly "${pip[@]}" install --no-deps --no-build-isolation -e .
mkdir -p "$(dirname "$stamp")"
fingerprint > "$stamp"
say "done: $("$venv/bin/python" --version)$([ -n "$without_r" ] || R --version | sed -n '1s/^/, /p')"
