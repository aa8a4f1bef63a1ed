#!/bin/bash
# tests/bench/run.sh BINARY [SCENARIO...]   Speed and growth of `raid5sim run`: each scenario for 1, 4 and 16 times BASE seconds of
# simulated time (BASE=10 unless the environment says otherwise).
#
# CPU is user time, memory the peak resident size, both as the kernel accounts them. Growth is against the first line: a run 16
# times as long should take the CPU of 16 runs (cpu/page 1.0) and the memory of one (1.0). Figures of different machines or
# moments say little; the growth columns are ratios within one run.
binary=$1
shift
base=${BASE:-10}
if [ $# = 0 ]; then
    for scenario in scenarios/run/2006-a[45].cfg; do
        [ -f "$scenario" ] && set -- "$@" "$scenario"
    done
fi
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT

figure() { # KEY: its first whole number in the JSON report
    local found
    found=$(grep -oE "\"$1\": *[0-9]+" "$dir/out.json" | head -n 1 | grep -oE '[0-9]+$')
    [ -n "$found" ] || { echo "bench: no \"$1\" in the report" >&2; exit 1; }
    echo "$found"
}

measure() { # SCENARIO JOB SECONDS: sets user, rss, pages, events, end_ns
    /usr/bin/time -o "$dir/time" -f '%U %M' "$binary" run "$1" --set "job.$2.runtime=$3s" --json "$dir/out.json" --quiet \
        >"$dir/out.txt" 2>&1
    # 1: a longer run may miss the figures it was not made for.
    [ $? -le 1 ] || { cat "$dir/out.txt"; exit 1; }
    read -r user rss < <(tail -n 1 "$dir/time")
    pages=$(figure pages) && events=$(figure events) && end_ns=$(figure end_ns) || exit 1
}

echo '# raid5sim run: simulated seconds, CPU seconds, kilo-pages (4 KiB) moved for users and kilo-events a CPU second,'
echo '# simulated seconds a CPU second, peak MiB; growth against the first line: CPU a page, memory'
printf '# %-22s %8s %8s %9s %9s %9s %8s %9s %7s\n' scenario sim_s cpu_s kpages/s kevents/s realtime MiB cpu/page memory
for scenario; do
    job=$(sed -n 's/^\[job \(.*\)\].*/\1/p' "$scenario" | head -n 1)
    first=
    for times in 1 4 16; do
        measure "$scenario" "$job" $((base * times))
        line=$(awk -v user="$user" -v rss="$rss" -v pages="$pages" -v events="$events" -v end="$end_ns" -v first="$first" \
            -v name="$(basename "$scenario" .cfg)" 'BEGIN {
                cpu = user > 0 ? user : 0.005 # half of the clock: too short to be seen
                if (!pages) { print "bench: no pages moved"; exit 1 }
                split(first == "" ? cpu / pages " " rss : first, base, " ")
                printf "  %-22s %8.1f %8.2f %9.1f %9.1f %9.2f %8.1f %9.2f %7.2f|%.12g %d\n", name, end / 1e9, user,
                    pages / cpu / 1e3, events / cpu / 1e3, end / 1e9 / cpu, rss / 1024, cpu / pages / base[1], rss / base[2],
                    cpu / pages, rss
            }') || { echo "$line"; exit 1; }
        echo "${line%|*}"
        [ -n "$first" ] || first=${line#*|}
    done
done
