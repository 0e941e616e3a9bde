#!/usr/bin/env bash
# Make this checkout runnable: Python >= 3.11, .venv under the lock, and of the extras of
# pyproject.toml those that are named. Quick when nothing changed; a clone that was moved or copied
# gets a new .venv.
#   tools/setup.sh [EXTRA ...]
# The extra lme4 brings R where that is allowed. WITHOUT_R=1 leaves R out, and so does
# ENGINE=laplace where nothing is set up yet; the choice is kept until WITHOUT_R=0.
set -euo pipefail
cd "$(dirname "$0")/.."
clone=$(pwd -P)

venv=.venv
state=$venv/setup # home, extras, fingerprint, r-version; without-r where R was left out
oldest=3.11
tool=setup
source tools/apt.sh
# what rpy2 needs to be compiled and R to be loaded, on Debian and Ubuntu
apt_r=(r-base-core r-cran-lme4 gcc libc6-dev python3-dev libblas-dev libpcre2-dev liblzma-dev
  libbz2-dev libicu-dev libdeflate-dev libzstd-dev libtirpc-dev zlib1g-dev)
without="Or leave R out; our own engine fits without it:  make glmm WITHOUT_R=1"

# ---- Python

is_at_least() { # PYTHON VERSION
  "$1" -c "import sys; sys.exit(sys.version_info < (${2/./, }))" 2>/dev/null
}

search_python() { # one with the version of the templates' package before an older one
  local version candidate
  for version in 3.12 "$oldest"; do
    for candidate in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.14 python3.11 python3 \
      python "$HOME"/.pyenv/versions/3.1[1-9]*/bin/python; do
      if is_at_least "$candidate" "$version"; then
        "$candidate" -c 'import sys; print(sys.executable)'
        return
      fi
    done
  done
  return 1
}

offers_python() { # whether the distribution's own is new enough; the lists may be empty at first
  local version
  may_apt && apt_update || return 1
  version=$(apt-cache policy python3 2>/dev/null | sed -n 's/^ *Candidate: *//p')
  [[ $version =~ ^3\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge "${oldest#3.}" ]
}

find_python() {
  search_python && return
  offers_python && apt_install python3 python3-venv >&2 && search_python && return
  local found=none ways
  if command -v python3 >/dev/null; then
    found=$(python3 -c 'import sys
print(".".join(map(str, sys.version_info[:3])), "at", sys.executable)')
  fi
  mapfile -t ways < <(ways_to_python)
  fail "Python $oldest or later is needed. This is $(system_name); its Python: $found. Ways on:" \
    "${ways[@]}"
}

ways_to_python() { # of this machine
  local new=(  # without an administrator
    "  uv, which needs no administrator:  uv python install 3.13"
    "      then  make setup PYTHON=\"\$(uv python find 3.13)\""
    "  pyenv:  pyenv install 3.13, then  make setup"
    "  conda:  conda create -n transfer python=3.13, then activate it and  make setup"
  )
  case $(system_id) in
    debian-1[2-9] | debian- | ubuntu-2[4-9]*)
      printf '%s\n' "  as root:  apt-get update && apt-get install -y python3 python3-venv" ;;
    ubuntu-*)
      printf '%s\n' "  as root, from the deadsnakes archive (no Ubuntu before 24.04 has it):" \
        "      apt-get update && apt-get install -y software-properties-common" \
        "      add-apt-repository -y ppa:deadsnakes/ppa" \
        "      apt-get install -y python3.13 python3.13-venv python3.13-dev" ;;
    fedora-* | rhel-* | rocky-* | almalinux-* | centos-*)
      printf '%s\n' "  as root:  dnf install -y python3.12 python3.12-devel" ;;
    darwin-*)
      printf '%s\n' "  Homebrew:  brew install python@3.13" ;;
  esac
  printf '%s\n' "${new[@]}"
}

make_venv() { # PYTHON; keeps what was chosen
  local python=$1
  if ! { rm -rf "$venv" && "$python" -m venv "$venv" >/dev/null 2>&1; }; then
    case $python in
      /usr/bin/python3*) apt_install "$(basename "$python")-venv" || apt_install python3-venv ;;
      *) false ;;
    esac && rm -rf "$venv" && "$python" -m venv "$venv" >/dev/null || {
      rm -rf "$venv"
      fail "$python cannot make virtual environments." \
        "  Debian/Ubuntu, as root:  apt-get update && apt-get install -y python3-venv" \
        "  or take another Python, which needs no administrator:  uv python install 3.13" \
        "      then  make setup PYTHON=\"\$(uv python find 3.13)\""
    }
  fi
  mkdir -p "$state"
  printf '%s\n' "$clone" > "$state/home"
}

is_asked_python() { # whether .venv has the Python that PYTHON names, if it names one
  local version='import sys; print(*sys.version_info[:2])'
  [ -z "${PYTHON:-}" ] || [ "$("$PYTHON" -c "$version")" = "$("$venv/bin/python" -c "$version")" ]
}

is_at_home() { # whether .venv was made where it lies: its scripts hold its path
  if [ -f "$state/home" ]; then [ "$(cat "$state/home")" = "$clone" ]
  else grep -qsF "$clone/$venv" "$venv/bin/activate"
  fi
}

# ---- R

r_version() { if command -v R >/dev/null; then R --version 2>/dev/null | sed -n '1s/ (.*//p'; fi; }

has_lme4() { command -v R >/dev/null && Rscript -e 'library(lme4)' >/dev/null 2>&1; }

can_build_rpy2() { # a compiler, and the headers and libraries of R and of Python
  local flags libraries include
  [ -e "$state/r-version" ] && [ "$(cat "$state/r-version")" = "$(r_version)" ] && return
  command -v gcc >/dev/null || command -v cc >/dev/null || return 1
  read -ra flags <<<"$(R CMD config --cppflags 2>/dev/null)"
  read -ra libraries <<<"$(R CMD config --ldflags 2>/dev/null) $(R CMD config BLAS_LIBS 2>/dev/null)"
  include=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  printf '%s\n' '#include <Python.h>' '#include <Rinternals.h>' 'int main(void) { return 0; }' |
    "$(command -v gcc || command -v cc)" -xc - -o /dev/null "-I$include" "${flags[@]}" \
      "${libraries[@]}" 2>/dev/null
}

need_r() {
  has_lme4 && can_build_rpy2 && return
  apt_install "${apt_r[@]}" || true
  local lacks
  if ! command -v R >/dev/null; then lacks="R is needed and is not here"
  elif ! has_lme4; then lacks="$(r_version) is here, but not its package lme4"
  elif ! can_build_rpy2; then
    lacks="$(r_version) is here, but rpy2, the bridge to it, cannot be compiled: there is no C \
compiler, or the headers of R or Python are lacking"
  else return 0
  fi
  fail "$lacks; and it could not be installed here." \
    "  Debian/Ubuntu, as root:  apt-get update && apt-get install -y ${apt_r[*]}" \
    "  conda:  conda install -c conda-forge r-base r-lme4 c-compiler" \
    "  elsewhere:  install R and a C compiler, then in R: install.packages('lme4')" \
    "$without"
}

# ---- what is asked for, and what was chosen before

if command -v flock >/dev/null; then # targets side by side (make -j) set up one after the other
  exec 9< tools/setup.sh
  flock 9
fi

extras=$(cat "$state/extras" 2>/dev/null || true)
[ ! -e "$state/without-r" ] && left_out= || left_out=1
case ${WITHOUT_R:-} in
  '') [ "${ENGINE:-}" != laplace ] || [ -d "$venv" ] || left_out=1 ;;
  0 | no | false) left_out= ;;
  *) left_out=1 ;;
esac
wanted=$(printf '%s\n' $extras "$@" | sed '/^$/d' | sort -u)
if [ -n "$left_out" ]; then
  [[ " $* " != *" lme4 "* ]] || [ -n "${ENGINE:-}" ] ||
    say "without R, as chosen: nothing is compared with lme4 (make setup WITHOUT_R=0 takes R in)"
  wanted=$(sed '/^lme4$/d' <<<"$wanted")
fi

fingerprint() {
  { cat requirements.lock pyproject.toml setup.py tools/setup.sh
    printf '%s\n' "$wanted"
    [[ $wanted != *lme4* ]] || r_version
  } | sha256sum | cut -c1-16
}

remember() {
  mkdir -p "$state"
  printf '%s\n' "$clone" > "$state/home"
  if [ -n "$left_out" ]; then touch "$state/without-r"; else rm -f "$state/without-r"; fi
}

if [ -n "${PYTHON:-}" ] && ! is_at_least "$PYTHON" "$oldest"; then
  fail "PYTHON=$PYTHON is no Python $oldest or later"
fi

if [ -x "$venv/bin/transfer" ] && is_at_home && is_asked_python; then
  remember
  [ "$(cat "$state/fingerprint" 2>/dev/null)" != "$(fingerprint)" ] || exit 0
fi

# ---- the environment

if [ -d "$venv" ] && ! is_at_home; then
  say "this clone was moved here, or copied; $venv is made anew"
  rm -rf "$venv"
fi
if ! { is_at_least "$venv/bin/python" "$oldest" && "$venv/bin/python" -c 'import pip' &&
  is_asked_python; } 2>/dev/null; then
  python=$(find_python)
  say "creating $venv with $python ..."
  make_venv "$python"
fi
remember
[[ $wanted != *lme4* ]] || need_r

asked=$(paste -sd, <<<"$wanted")
say "installing pinned packages${asked:+ with the extras $asked} (a minute or more) ..."
pip=("$venv/bin/python" -m pip --disable-pip-version-check)
if [[ $wanted == *lme4* ]] && [ "$(cat "$state/r-version" 2>/dev/null)" != "$(r_version)" ]; then
  # built with the R that is here: neither another R's nor one out of pip's cache
  quietly "${pip[@]}" install --constraint requirements.lock --force-reinstall --no-deps \
    --no-cache-dir rpy2
fi
quietly "${pip[@]}" install --constraint requirements.lock --editable ".${asked:+[$asked]}"
[[ $wanted != *lme4* ]] || r_version > "$state/r-version"
printf '%s\n' "$wanted" > "$state/extras"
fingerprint > "$state/fingerprint"
say "done: $("$venv/bin/python" --version)$([[ $wanted != *lme4* ]] || r_version | sed 's/^/, /')"
