#!/bin/bash
# tests/determinism.sh BINARY...   The same scenario gives the same bytes, whatever compiler or optimisation made the program.
#
# Takes the binaries of several builds (release, gcc -O0, clang -O2). Breaks when a result depends on uninitialised memory,
# an address, hash order, floating-point contraction, order of evaluation, the folder the program was built in, or the clock.
. "$(dirname "$0")/lib/claims.sh"
scenario=scenarios/run/2006-a4.cfg
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
first=$1

# Text and JSON of one run in $dir/NAME.txt and .json. The status is the program's own: a missed expectation (1) still
# has results, and a shortened run may well miss its figures.
run() { # NAME BINARY [ARGUMENT...]
    local name=$1 binary=$2
    shift 2
    "$binary" run "$scenario" --set job.aio.runtime=2s --json "$dir/$name.json" "$@" >"$dir/$name.txt" 2>"$dir/$name.err"
    [ $? -le 1 ] && [ -s "$dir/$name.json" ] && [ -s "$dir/$name.txt" ] && return 0
    sed 's/^/# /' "$dir/$name.err"
    return 1
}

same() { # NAME NAME
    cmp "$dir/$1.txt" "$dir/$2.txt" && cmp "$dir/$1.json" "$dir/$2.json"
}

run first "$first"
report $? "$scenario gives a text and a JSON report"
[ $failed = 0 ] || exit 1

run again "$first" && same first again
report $? 'a second run gives the same bytes'
for binary in "${@:2}"; do
    run other "$binary" && same first other
    report $? "$binary gives the same bytes as $first"
done
run seeded "$first" --seed 20061231 && ! same first seeded >/dev/null
report $? 'another seed gives other bytes'
! grep -F -e "$PWD" "$dir/first.txt" "$dir/first.json"
report $? 'no result names the folder the program was built in'
exit $failed
