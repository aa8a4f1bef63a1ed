#!/bin/bash
# tests/cli/mutations.sh BINARY   Every fault that can be put back is found in its scenario, and the scenario is right without it.
. "$(dirname "$0")/../lib/claims.sh"
binary=$1
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT

"$binary" check --all-mutations >"$dir/all" 2>&1
report $? 'every fault that can be found is'
sed 's/^/# /' "$dir/all"
[ "$(tail -1 "$dir/all")" = "mutations: $(($(grep -c "^MUTATION(B" model/mutations.def))) of $(grep -cE '^ *(MUTATION|UNFOUND)\(B' model/mutations.def) found" ]
report $? 'the last line counts them'

# B07 alone takes as long as all others.
for scenario in scenarios/check/mutations/*.cfg; do
    [ "$(basename "$scenario")" = B07.cfg ] && continue
    "$binary" check --quiet "$scenario"
    report $? "$(basename "$scenario" .cfg): right without the fault"
done

"$binary" run --mutate B99 scenarios/run/6.1-small-writes.cfg >"$dir/out" 2>&1
[ $? = 2 ] && grep -q "'B99' is none of those" "$dir/out"
report $? 'an unknown fault is refused'
"$binary" run --mutate B16 scenarios/run/6.1-small-writes.cfg >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'cannot be put back: raid6' "$dir/out"
report $? 'a fault of what is not modelled is refused, with the reason'
"$binary" mutations >"$dir/out" 2>&1 && [ "$(grep -c '^B[0-9]' "$dir/out")" = "$(grep -cE '^[A-Z]+\(B' model/mutations.def)" ]
report $? 'all of the catalogue are listed'
exit $failed
