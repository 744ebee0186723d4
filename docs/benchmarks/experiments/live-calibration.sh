#!/usr/bin/env bash
# How often `orbitkv ab` names a winner on the live daemon: COUNT short experiments in which both variants are equal, and as many in
# which the reads of B take 20 % longer. Of 20 each, at most 2 of the first may have a winner, and at least 18 of the second must be A.
#
#   ORBITKV=path/to/bin/orbitkv PLUGIN=fault-points.zip OUT=folder [COUNT=20] [PARALLEL=8] ./live-calibration.sh
#
# Needs bash and an installation; builds nothing. OUT should lie on a disk: stores are made there, and removed. The plugin is the test
# plugin fault-points, whose tier fault-ssd is the SSD store with reads that are as slow as wanted. To pack it, in a checkout after
# mvn test-compile:
#   java -cp manager/target/test-classes io.orbitkv.manager.fixture.PluginFolders fault-points.zip .
#
# An experiment: six pairs after one that is thrown away; each run plays 64 requests, three of four of which repeat one of twelve
# prompts that were written before, untimed, on a Manager of its own. Host memory holds three of the prompts, so that what returns is read
# from the store, at 20 MiB a second (RATE): so the wait is that of reads. The engine computes 100,000 tokens a second, so that the disk
# keeps up with what is published; one request comes after the other, so that runs read the same.
set -euo pipefail
orbitkv=${ORBITKV:-orbitkv}
plugin=${PLUGIN:?names the zip of the plugin fault-points}
out=${OUT:?names a folder for stores and results}
count=${COUNT:-20}
parallel=${PARALLEL:-8}
rate=${RATE:-20971520}
mkdir -p "$out"

configuration() { # FILE STORE RATE
  cat > "$1" <<YAML
memory: {pool-size: 8mb}
backing: {tier: fault-ssd}
policies: {cutoff: none, admission: {dram: none, ssd: none, promote: none}, retention: {dram: none, ssd: none}}
plugin-settings:
  fault-points:
    fault-store: {directory: $out/points}
    fault-copy: {directory: $out/points}
    fault-ssd: {directory: $out/points, path: $2, capacity: 256mb, fresh: true, read-rate: ${3}b}
YAML
}

experiment() { # KIND NUMBER
  local folder=$out/$1-$2 slower=$rate
  [ "$1" = equal ] || slower=$((rate * 5 / 6))
  mkdir -p "$folder" "$out/points"
  configuration "$folder/A.yaml" "$folder/store" "$rate"
  configuration "$folder/B.yaml" "$folder/store" "$slower"
  "$orbitkv" trace reuse --prefixes 12 --requests "${REQUESTS:-64}" --reuse 75% --lengths 2048 --output-tokens 16 \
    --seed "$2" --out "$folder/reuse.jsonl" > /dev/null
  # The status says whether an experiment could be made; what it found is in the file.
  "$orbitkv" ab --a "$folder/A.yaml" --b "$folder/B.yaml" --allow plugin-settings --plugin "$plugin" \
    --trace "$folder/reuse.jsonl" --requests "$((${REQUESTS:-64} + 12))" --start warm --warm-requests 12 --seed "$2" \
    --pairs 6 --bytes-per-token 1024 --hbm-size 4mb --concurrency 1 --compute-rate 100000 \
    --primary wait.mean --margin 2% --quiet --json > "$folder/result.json" 2> "$folder/log" || echo "experiment $1-$2 failed: $folder/log" >&2
  rm -f "$folder/store"
}

export orbitkv plugin out rate
export -f experiment configuration
began=$(date +%s)
for kind in equal slower; do
  seq 1 "$count" | xargs -P "$parallel" -I{} bash -c "set -euo pipefail; experiment $kind {}"
done

verdicts() { # KIND VERDICT
  local found=0 file
  for file in "$out/$1"-*/result.json; do
    if grep -Eq "\"verdict\" ?: ?\"$2\"" "$file"; then
      found=$((found + 1))
    fi
  done
  echo "$found"
}
winners=$(($(verdicts equal A) + $(verdicts equal B)))
named=$(verdicts slower A)
echo "equal variants: $winners of $count have a winner (at most a tenth may)"
echo "reads of B 20 % slower: $named of $count name A (at least nine of ten must)"
echo "$(($(date +%s) - began)) s"
[ $((winners * 10)) -le "$count" ] && [ $((named * 10)) -ge $((count * 9)) ]
