#!/usr/bin/env bash
# The whole evaluation offline: 4 languages, 10 templates, 3 instances, 6 variants of scripted
# models -> OUT/instances.jsonl and OUT/logs/*.eval. Usage: tools/evaluate_scripted.sh [OUT]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-results/cache/evaluation}
mkdir -p "$out"
out=$(cd "$out" && pwd)
file=$out/instances.jsonl
rm -rf "$out/logs" "$out/running"
.venv/bin/transfer instances eng dan hin swh --templates :10 --n-instances 3 --out "$file"

evaluate() { # model, further task arguments
  local model=$1
  shift
  .venv/bin/inspect eval evaluation/task.py --model "scripted/$model" -M file="$file" \
    -T file="$file" "$@" --log-dir "$out/running" --display none
}
for model in Qwen/Qwen3-0.6B Qwen/Qwen3-8B; do
  for mode in on off; do
    evaluate "$model" -T reasoning="$mode" -T switch=chat_template
  done
done
evaluate Qwen/Qwen2.5-1.5B-Instruct -T reasoning=off
evaluate google/gemma-3-27b-it -T reasoning=off
mv "$out/running" "$out/logs" # whole or not at all
ls "$out/logs"
