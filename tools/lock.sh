#!/usr/bin/env bash
# Write the locks from what is installed in .venv: names and versions only, no index addresses.
# requirements-r.lock holds what must be built or run with R.
set -euo pipefail
cd "$(dirname "$0")/.."
with_r='^(rpy2|pymer4)=='
frozen=$(.venv/bin/python -m pip --disable-pip-version-check freeze --all --exclude-editable |
  grep -Ev '^(pip|capability-transfer)\b' | grep -E '^[A-Za-z0-9_.-]+==[^ ]+$')
printf '%s\n' "$frozen" | grep -Ev "$with_r" > requirements.lock
printf '%s\n' "$frozen" | grep -E "$with_r" > requirements-r.lock
wc -l requirements.lock requirements-r.lock
