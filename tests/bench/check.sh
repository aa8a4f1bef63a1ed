#!/bin/bash
# tests/bench/check.sh BINARY   Speed and memory of `raid5sim check`, beside peers that search a much smaller model; docs/BENCH.md.
#
# Ours is the real stripe machine; a state is a whole world, every property and liveness are looked at. The peers' models
# (tests/bench/peers/, ours too) are toys of one row with a few handlers: spin and rumur run if they are installed.
binary=$1
here=$(dirname "$0")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT

calc() { awk "BEGIN { printf \"$2\", $1 }"; }

ours() { # NAME SCENARIO THREADS [OPTION...]
    local name=$1 scenario=$2 threads=$3 states moves seconds
    shift 3
    /usr/bin/time -o "$dir/time" -f %M "$binary" check "$scenario" --set "check.threads=$threads" "$@" --json "$dir/json" --quiet 2>"$dir/err"
    "$binary" check "$scenario" --set "check.threads=$threads" "$@" >/dev/null 2>"$dir/err"
    seconds=$(tail -1 "$dir/err" | cut -d' ' -f1)
    states=$(sed -n 's/^  "states": \([0-9]*\),/\1/p' "$dir/json")
    moves=$(sed -n 's/^  "moves": \([0-9]*\),/\1/p' "$dir/json")
    printf '  %-34s %7d %10d %10d %8.2f %9.0f %9.0f\n' "$name" "$threads" "$states" "$moves" "$seconds" \
        "$(calc "$states / 1e3 / ($seconds + 0.005)" %f)" "$(calc "$moves / 1e3 / ($seconds + 0.005)" %f)"
}

echo '# Check: threads; states; moves; seconds; kilo states and moves a second. All properties, structure and liveness.'
printf '# %-33s %7s %10s %10s %8s %9s %9s\n' shape threads states moves seconds kstates/s kmoves/s
for threads in 1 2; do
    ours '2.6.15, 3 members, 3 rows' scenarios/check/2.6.15-tiny-cache.cfg $threads
    ours '6.1, 3 members, a failure, a spare' scenarios/check/6.1-power-cut-rebuild.cfg $threads
    ours '6.1, 2 rows, 2 workers' scenarios/check/6.1-workers.cfg $threads
    ours '2.6.15, without structure, liveness' scenarios/check/2.6.15-tiny-cache.cfg $threads --set check.structure=0 --set check.liveness=0
done
echo '# Bytes a stored state: 14 in the table, which is given up at 63/64 of a region: 15.2 with its locks, when it is full.'

echo '# Peers: kilo states a second on one thread'
cc=${CC:-gcc}
if "$cc" -O2 -o "$dir/r5check" "$here/peers/r5check.c" 2>/dev/null; then
    "$dir/r5check" 2>&1 | grep -E 'states' | tail -1 | sed 's/^/  r5check.c: /'
fi
if command -v spin >/dev/null; then
    cp "$here/peers/raid5.pml" "$dir" && (cd "$dir" && spin -DNS=2 -DNW=2 -DNH=2 -a raid5.pml >/dev/null 2>&1 && "$cc" -O2 -DSAFETY -o pan pan.c 2>/dev/null &&
        ./pan -m100000 2>&1 | grep -E 'states, stored|states/second' | sed 's/^ */  spin: /')
fi
if command -v rumur >/dev/null; then
    rumur "$here/peers/raid5.m" --threads 1 --deadlock-detection off --output "$dir/rumur.c" >/dev/null 2>&1 && "$cc" -O2 -march=native -o "$dir/rumur" "$dir/rumur.c" -lpthread 2>/dev/null &&
        "$dir/rumur" 2>&1 | grep -E 'states' | tail -1 | sed 's/^\s*/  rumur: /'
fi
exit 0
