#!/bin/bash
# tests/mutants/mutants.sh [COUNT [SEED]]   Changes the model in one place at a time and asks whether tests and checks notice.
#
# COUNT changes (300) are drawn from all that candidates.awk finds in model/*.c; SEED (1) chooses which. Each is compiled in a copy of
# the tree (build/mutants/) and tried: small checks, unit tests, recordings, law tests, until something fails or a minute is over. What
# does not compile does not count. JOBS copies work side by side (2). The survivors are listed at the end, and kept in
# build/mutants/survivors with the changed line.
count=${1:-300} seed=${2:-1} jobs=${JOBS:-2}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/mutants
cd "$root" || exit 1
mkdir -p "$work" && rm -f "$work"/results.* "$work/survivors"

# Sorted by a hash of place and seed: the same sample everywhere.
awk -f "$here/candidates.awk" $(ls model/*.c | grep -vE 'invariants|catalogue|properties') >"$work/all"
while IFS= read -r line; do printf '%s %s\n' "$(printf '%s %s' "$seed" "$line" | cksum | cut -d' ' -f1)" "$line"; done <"$work/all" |
    sort -n | cut -d' ' -f2- | head -n "$count" >"$work/sample"

try() { # in a copy, built: 0 if something noticed
    local t
    for t in 6.1-read-error 6.1-tiny-cache 6.1-workers 6.1-power-cut-bitmap 6.1-rebuild 6.1-batch-write-error 6.1-flush 3.12-resync 2.6.15-degraded; do
        timeout 60 build/release/raid5sim check -q "scenarios/check/$t.cfg" >/dev/null 2>&1 || { echo "check $t"; return 0; }
    done
    for t in build/release/tests/unit/test_{cache,client,handle,handle_writes,make_request,md_3_12,md_3_12_stripes,members,media,flaws,fill,flush,grow,io,oracle,raid5d,request,table,task_plug,waits,workers,worker_threads,geometry,world}; do
        [ -x "$t" ] || continue
        timeout 60 "$t" >/dev/null 2>&1 || { echo "$(basename "$t")"; return 0; }
    done
    timeout 120 build/release/tests/conformance/conformance --tap tests/golden/md-6.1 >/dev/null 2>&1 || { echo recordings; return 0; }
    for t in test_canonical test_replay test_trouble test_faults test_writes test_logs test_invariants; do
        timeout 60 build/release/tests/laws/$t >/dev/null 2>&1 || { echo "$t"; return 0; }
    done
    return 1
}

apply() { # CHANGE: in the copy; prints the new line
    IFS=: read -r file line column length text <<<"$1"
    awk -v n="$line" -v c="$column" -v l="$length" -v t="$text" 'NR == n { $0 = substr($0, 1, c - 1) t substr($0, c + l); print >"/dev/stderr" } { print }' \
        "$root/$file" 2>changed >mutated && mv mutated "$file"
}

worker() { # NUMBER: every jobs-th change of the sample
    local copy=$work/copy.$1 n=0 change by
    rm -rf "$copy" && mkdir -p "$copy" && git archive HEAD | tar -x -C "$copy" && cd "$copy" || return
    make -s programs build/release/tests/conformance/conformance >/dev/null 2>&1
    while IFS= read -r change; do
        n=$((n + 1))
        [ $((n % jobs)) = "$1" ] || continue
        apply "$change"
        if ! make -s programs build/release/tests/conformance/conformance >/dev/null 2>&1; then
            echo "unbuilt $change" >>"$work/results.$1"
        elif by=$(try); then
            echo "caught $change | $by" >>"$work/results.$1"
        else
            echo "survived $change | $(cat changed)" >>"$work/results.$1"
        fi
        cp "$root/${change%%:*}" "${change%%:*}"
    done <"$work/sample"
}

for ((j = 0; j < jobs; j++)); do worker $j & done
wait
caught=$(cat "$work"/results.* | grep -c '^caught') survived=$(cat "$work"/results.* | grep -c '^survived')
cat "$work"/results.* | sed -n 's/^survived //p' | sort >"$work/survivors"
cat "$work/survivors"
echo "mutants: $caught of $((caught + survived)) caught ($(wc -l <"$work/all") possible, seed $seed)"
