#!/bin/sh
# Sets the SSD tier beside fio on one file: the same block size, depth, direct access and shares, in turns, at
# least five rounds, medians and ratios. Writes the JSON report to OUT and prints the table of its rows.
#
#   docs/benchmarks/ssd-fio.sh FILE [SIZE] [OUT] [further options of `orbitkv bench ssd`]
#
# FILE must not exist; it is removed at the end. Needs fio (the distribution's package of that name) and about
# 20 minutes for all sizes of pages. Quiet the machine first: what else uses the disk is measured too.
set -eu

usage='usage: ssd-fio.sh FILE [SIZE] [OUT] [further options of orbitkv bench ssd]'
file=${1:?$usage}
size=${2:-4gb}
out=${3:-ssd.json}
shift "$(($# < 3 ? $# : 3))"

folder=$(cd -P "$(dirname "$0")/../.." && pwd)
if [ -n "${ORBITKV:-}" ]; then
  orbitkv=$ORBITKV
elif [ -x "$folder/bin/orbitkv" ]; then
  orbitkv=$folder/bin/orbitkv
else
  orbitkv=$folder/orbitkv
fi
if ! command -v fio >/dev/null; then
  echo 'ssd-fio.sh: fio not found: install the package fio (apt-get install fio, dnf install fio)' >&2
  exit 2
fi

"$orbitkv" bench ssd --file "$file" --size "$size" --fio --rounds 5 --json "$@" >"$out"

# One line a row: the report is one field a line.
awk '
  BEGIN {
    print "| engine | page | load | writes beside | read GB/s | read p50 / p99 ms | write GB/s | read / fio | write / fio | p99 / fio | p99 with / without writes |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
  }
  function value(line) { sub(/^[^:]*: */, "", line); gsub(/[",{}]/, "", line); gsub(/ *\]? *$/, "", line); return line }
  /"rows"/ { rows = 1 }
  rows && /"[a-z0-9_]+" :/ {
    name = $0; sub(/^[^"]*"/, "", name)
    if (name ~ /^rows"/) { next }
    sub(/".*/, "", name); field[name] = value($0)
  }
  rows && /}/ {
    printf "| %s | %d KiB | %s | %s | %s | %.2f / %.2f | %s | %s | %s | %s | %s |\n", field["engine"],
      field["page_bytes"] / 1024, field["load"], field["competing_writes"] == "true" ? "yes" : "no",
      field["read_gb_s"], field["read_p50_us"] / 1000, field["read_p99_us"] / 1000, field["write_gb_s"],
      field["ratio_read"], field["ratio_write"], field["p99_ratio"], field["p99_with_writes_ratio"]
    split("", field)
    if (/\]/) { exit }
  }
' "$out"
