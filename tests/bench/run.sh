#!/bin/bash
# tests/bench/run.sh BINARY   Speed, growth and memory of `raid5sim run`, in plain lines; docs/BENCH.md says what they mean.
#
# Environment: BASE, simulated seconds of the shortest run of the first table (10); REPEAT, runs of which the fastest counts (2);
# PARTS, which tables ("growth size disksim faults").
#
# CPU is user time, memory the peak resident size, both as the kernel accounts them. Absolute figures belong to one machine and
# moment; the growth columns are ratios within one run. Nothing here passes or fails by its speed.
binary=$1
base=${BASE:-10}
repeat=${REPEAT:-2}
here=$(dirname "$0")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT

figure() { # KEY: its first whole number in the JSON report
    local found
    found=$(grep -oE "\"$1\": *[0-9]+" "$dir/out.json" | head -n 1 | grep -oE '[0-9]+$')
    [ -n "$found" ] || { echo "bench: no \"$1\" in the report" >&2; exit 1; }
    echo "$found"
}

calc() { # EXPRESSION FORMAT: awk's arithmetic
    awk "BEGIN { printf \"$2\", $1 }"
}

measure() { # SCENARIO SECONDS [OPTION...]: sets cpu (least of the runs), rss (KiB), pages, events, moves, end_ns
    local scenario=$1 seconds=$2 run user
    shift 2
    cpu=
    for ((run = 0; run < repeat; run++)); do
        /usr/bin/time -o "$dir/time" -f '%U %M' "$binary" run "$scenario" --set "job.runtime=${seconds}s" \
            "$@" --json "$dir/out.json" --quiet >"$dir/out.txt" 2>&1
        # 1: a longer run may miss the figures it was not made for.
        [ $? -le 1 ] || { cat "$dir/out.txt"; exit 1; }
        read -r user rss < <(tail -n 1 "$dir/time")
        [ "$user" != 0.00 ] || user=0.005 # half of the clock: too short to be seen
        [ -n "$cpu" ] && [ "$(calc "$user < $cpu" %d)" = 0 ] || cpu=$user
    done
    pages=$(figure pages) && events=$(figure events) && moves=$(figure moves) && end_ns=$(figure end_ns) || exit 1
    [ "$pages" -gt 0 ] || { echo "bench: no pages moved"; exit 1; }
}

growth() {
    local scenario times each=$1 memory
    echo '# Growth: simulated seconds; CPU seconds; kilo pages (4 KiB) read, events and moves a CPU second; simulated seconds a CPU'
    echo '# second; peak MiB; against the first line: CPU a page, memory. A run 16 times as long should show 1.00 in both.'
    printf '# %-20s %8s %8s %9s %9s %9s %9s %7s %9s %7s\n' scenario sim_s cpu_s kpages/s kevents/s kmoves/s realtime MiB \
        cpu/page memory
    for scenario in scenarios/run/2006-a4.cfg scenarios/run/2006-a5.cfg; do
        each=
        for times in 1 4 16; do
            measure "$scenario" $((base * times))
            [ -n "$each" ] || { each="$cpu / $pages" && memory=$rss; }
            printf '  %-20s %8.1f %8.2f %9.1f %9.1f %9.1f %9.2f %7.1f %9.2f %7.2f\n' "$(basename "$scenario" .cfg)" \
                "$(calc "$end_ns / 1e9" %f)" "$cpu" "$(calc "$pages / 1e3 / $cpu" %f)" "$(calc "$events / 1e3 / $cpu" %f)" \
                "$(calc "$moves / 1e3 / $cpu" %f)" "$(calc "$end_ns / 1e9 / $cpu" %f)" "$(calc "$rss / 1024" %f)" \
                "$(calc "$cpu / $pages / ($each)" %f)" "$(calc "$rss / $memory" %f)"
        done
    done
}

size() {
    local scenario=scenarios/run/2006-a4.cfg first
    echo '# Size: the same load on larger members; peak MiB, memory against the first line'
    printf '# %-42s %7s %7s\n' 'members of 2006-a4' MiB memory
    first=
    for member in '400 GB, 10 GiB used' '16 TB, 10 GiB used' '16 TB, all used' '16 TB, all used, load over all'; do
        case $member in
        400*) set -- ;;
        *10*) set -- --set disk.preset=exos-x16-16t ;;
        *load*) set -- --set disk.preset=exos-x16-16t --set array.component_size=0 --set job.aio.size=0 ;;
        *) set -- --set disk.preset=exos-x16-16t --set array.component_size=0 ;;
        esac
        measure "$scenario" "$base" "$@"
        first=${first:-$rss}
        printf '  %-42s %7.1f %7.2f\n' "$member" "$(calc "$rss / 1024" %f)" "$(calc "$rss / $first" %f)"
    done
}

# One load at 10^5 and 10^6 requests: SCENARIO SECONDS PEER; seconds are those of 10^5 requests, PEER what DiskSim does.
against() {
    local times each=
    for times in 1 10; do
        measure "$here/$1.cfg" $(($2 * times))
        each=${each:-$cpu / $pages}
        printf '  %-26s %8d %8.2f %9.1f %9.1f %8.2f %9.1f %7.1f %9.2f\n' "$1" "$pages" "$cpu" "$(calc "$pages / 1e3 / $cpu" %f)" \
            "$3" "$(calc "$pages / 1e3 / $cpu / $3" %f)" "$(calc "$events / $pages" %f)" "$(calc "$rss / 1024" %f)" \
            "$(calc "$cpu / $pages / ($each)" %f)"
    done
}

disksim() {
    echo "# DiskSim's loads: kilo requests a CPU second here and, once measured on another machine, by DiskSim 4; their ratio;"
    echo '# events a request; peak MiB; CPU a request against 10^5 requests (1.00: linear). raid0: the map from array to member'
    echo '# alone, as DiskSim does it; the others go through stripe cache, threads and interrupts.'
    printf '# %-26s %8s %8s %9s %9s %8s %9s %7s %9s\n' load requests cpu_s kreq/s disksim ratio events MiB cpu/req
    against disksim-r-hdd 500 22.6
    against disksim-r-hdd-raid0 500 22.6
    against disksim-r-constant 500 240
    against disksim-r-constant-raid0 500 240
    against disksim-w-hdd 1000 24.1
    against disksim-w-constant 1000 90
    against disksim-m-hdd 500 28.2
    against disksim-m-constant 500 148
    against disksim-c-hdd 320 44.3
    against disksim-c-constant 320 139
}

# A member missing, its rebuild, errors to correct: each beside the same load without.
faults() {
    local times each healthy state
    echo '# Faults: four members of Linux 6.1, random 4 KiB, two thirds reads: kilo pages, events and moves a CPU second; peak MiB;'
    echo '# CPU a page against the healthy array, and against the short run of the same kind (1.00: linear)'
    printf '# %-12s %8s %9s %9s %9s %7s %9s %9s\n' state cpu_s kpages/s kevents/s kmoves/s MiB healthy linear
    healthy=
    for state in healthy degraded rebuild errors; do
        each=
        for times in 1 4; do
            measure "$here/faults-$state.cfg" $times
            each=${each:-$cpu / $pages} && healthy=${healthy:-$each}
            printf '  %-12s %8.2f %9.1f %9.1f %9.1f %7.1f %9.2f %9.2f\n' $state "$cpu" "$(calc "$pages / 1e3 / $cpu" %f)" \
                "$(calc "$events / 1e3 / $cpu" %f)" "$(calc "$moves / 1e3 / $cpu" %f)" "$(calc "$rss / 1024" %f)" \
                "$(calc "$cpu / $pages / ($healthy)" %f)" "$(calc "$cpu / $pages / ($each)" %f)"
        done
    done
}

for part in ${PARTS:-growth size disksim faults}; do
    case $part in
    growth | size | disksim | faults) "$part" ;;
    *) echo "bench: no table $part" >&2 && exit 2 ;;
    esac
done
