#!/usr/bin/env bash
# Write requirements.lock: everything that pyproject.toml asks for with all its extras, resolved
# afresh for every Python it allows (environment markers tell them apart), as names and versions
# only, no index addresses. tools/setup.sh installs under it as constraints.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.venv/bin/python -m venv "$folder"
"$folder/bin/python" -m pip --disable-pip-version-check --quiet install uv
oldest=$(sed -n 's/^requires-python = ">=\(.*\)"/\1/p' pyproject.toml)
"$folder/bin/uv" pip compile --quiet --universal --python-version "$oldest" --all-extras \
  --strip-extras --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
  --output-file "$folder/requirements.lock" pyproject.toml
{
  echo "# By tools/lock.sh (make lock): constraints, not a list to install from"
  cat "$folder/requirements.lock"
} > requirements.lock
wc -l requirements.lock
