#!/usr/bin/env bash
# The experiments of this folder, or those that are named: run.sh FOLDER-FOR-STORE-AND-RESULTS [NAME...]
# 12 prompts of 1,024 and 4,096 tokens are written once, untimed; then 64 requests, three of four of which repeat one, four at a
# time, 16 tokens of output, on an engine with room for 16,384 tokens that computes 40,000 tokens a second.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
orbitkv=${ORBITKV:-orbitkv}
out=$1
shift
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(preparation warming deadline one-batch reuse)
"$orbitkv" trace reuse --prefixes 12 --requests 64 --reuse 75% --lengths 1024,4096 --output-tokens 16 --out "$out/reuse.jsonl"
for name in "${names[@]}"; do
  "$orbitkv" ab --config "$here/$name.yaml" --trace "$out/reuse.jsonl" --requests 76 --start warm --warm-requests 12 \
    --ssd-path "$out/experiment.store" --pairs "${PAIRS:-6}" --bytes-per-token "${BYTES:-147456}" --layers 36 --concurrency 4 \
    --hbm-size "${HBM:-2304mb}" --compute-rate 40000 --output-rate 400 --report-queue \
    --out "$out/$name.json" --csv "$out/$name.csv" --html "$out/$name.html"
done
