#!/usr/bin/env bash
# The wheel as a user has it: one top-level name, everything inside, in a new environment and in an
# empty folder that has an analysis/ of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=wheel
source tools/apt.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

git archive --format=tar HEAD | tar -x -C "$folder" --one-top-level=source
python=$PWD/.venv/bin/python
quietly "$python" -m pip --disable-pip-version-check wheel --no-deps -w "$folder" "$folder/source"
wheel=$(echo "$folder"/*.whl)
names=$("$python" -m zipfile -l "$wheel" | sed -n 's/^\([^ /]*\)\/.*/\1/p' | grep -v '\.dist-info$' | sort -u)
[ "$names" = capability_transfer ] || fail "the wheel has these top-level names:" "$names"

"$python" -m venv "$folder/env"
quietly "$folder/env/bin/python" -m pip --disable-pip-version-check install "$wheel"
mkdir -p "$folder/project/analysis"
echo 'raise RuntimeError("the analysis of the user")' > "$folder/project/analysis/__init__.py"
cd "$folder/project"
"$folder/env/bin/python" - <<'END'
import capability_transfer as ct

model = ct.fit()
estimate = model.fit.coefficients["resource"]
assert abs(estimate - 0.77269) < 2e-4, estimate
print(ct.predict("swh", "Qwen/Qwen3-8B", reasoning=True))
END
"$folder/env/bin/transfer" glmm --engine laplace --out results >/dev/null
[ -s results/glmm/fixed_effects.csv ] || fail "transfer glmm wrote nothing"
say "one name, $(du -k "$wheel" | cut -f1) KB; fits, predicts and runs from an empty folder"
