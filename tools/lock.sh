#!/usr/bin/env bash
# Write the locks: everything that pyproject.toml asks for, resolved afresh in a throw-away
# environment, as names and versions only, no index addresses. requirements-r.lock holds what must
# be built or run with R.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.venv/bin/python -m venv "$folder"
pip=("$folder/bin/python" -m pip --disable-pip-version-check --quiet)
"${pip[@]}" install setuptools wheel
extras=$(sed -n '/optional-dependencies/,/^\[project.scripts/s/^\([a-z0-9]*\) = \[.*/\1/p' pyproject.toml |
  grep -v '^bench$' | paste -sd,)
"${pip[@]}" install ".[$extras]"
with_r='^(rpy2|rpy2-.*)=='
frozen=$("${pip[@]}" freeze --all | grep -Ev '^(pip|capability-transfer)\b' |
  grep -E '^[A-Za-z0-9_.-]+==[^ ]+$')
printf '%s\n' "$frozen" | grep -Ev "$with_r" > requirements.lock
printf '%s\n' "$frozen" | grep -E "$with_r" > requirements-r.lock
wc -l requirements.lock requirements-r.lock
