#!/usr/bin/env bash
# The six rows of 2006 over several seeds: mean, spread and range of throughput and CPU load, beside the published figures.
# Usage: docs/2006/rows.sh [SEEDS]     (from the project's root, after make)
set -euo pipefail
seeds=${1:-8}
bin=${RAID5SIM:-build/release/raid5sim}
published() { case $1 in a1) echo "300 3";; a2) echo "200 5";; a3) echo "60 12";; a4) echo "205 40";; a5) echo "207 80";; a6) echo "200 80";; esac; }
printf '%-4s %9s %7s %5s %5s %5s %6s   %9s %6s %5s %5s\n' row published mean sd min max off 'published' mean min max
for row in a1 a2 a3 a4 a5 a6; do
    for seed in $(seq "$seeds"); do
        # Status 1 only says that this seed misses an expectation: the table shows by how much.
        { "$bin" run "scenarios/run/2006-$row.cfg" --seed "$seed" --quiet --json - 2>/dev/null || [ $? = 1 ]; } | awk '
            /"bw_bytes"/ && !bw { gsub(/[^0-9]/, ""); if ($0 + 0 > 0) bw = $0 }
            /"load_percent"/ && !load { gsub(/[^0-9.]/, ""); load = $0 }
            END { print bw / 1e6, load }'
    done | awk -v row="${row^^}" -v want="$(published $row)" '
        { n++; s += $1; q += $1 * $1; c += $2
          if (n == 1 || $1 < lo) lo = $1; if ($1 > hi) hi = $1
          if (n == 1 || $2 < clo) clo = $2; if ($2 > chi) chi = $2 }
        END { split(want, w, " "); m = s / n; sd = n > 1 ? sqrt((q - n * m * m) / (n - 1)) : 0
          printf "%-4s %4d MB/s %7.1f %5.1f %5.0f %5.0f %+5.1f%%   %7d %% %6.1f %5.1f %5.1f\n", row, w[1], m, sd, lo, hi, 100 * (m / w[1] - 1), w[2], c / n, clo, chi }'
done
