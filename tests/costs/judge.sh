#!/bin/bash
# tests/costs/judge.sh COSTS   Can it say no? A profile with one count changed, bands too narrow, a workload that was not recorded.
. "$(dirname "$0")/../lib/claims.sh"
costs=$1
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
golden=tests/golden/md-6.1/insns.csv
: >"$dir/none"

"$costs" --only=randw-q1 --bands="$dir/none" >"$dir/out"
report $? 'randw-q1 keeps 5 % everywhere'
sed '/^cpu-randw-q1,.*,handle_stripe,/s/,1013,/,1100,/' $golden >"$dir/insns.csv"
cmp -s $golden "$dir/insns.csv"
report $((! $?)) 'a count was changed for the next claim'
"$costs" --only=randw-q1 --bands="$dir/none" --insns="$dir/insns.csv" >"$dir/out"
[ $? = 1 ] && grep -q '^not ok 1 - randw-q1' "$dir/out" && grep -q '^# randw-q1 handle_stripe: .* -7\.[0-9] %' "$dir/out"
report $? 'a function 8 % off is named and fails'
sed 's/^cpu-randw-q1,\(.*\),find_get_stripe,[0-9]*,/cpu-randw-q1,\1,find_get_stripe,0,/' $golden >"$dir/insns.csv"
"$costs" --only=randw-q1 --bands="$dir/none" --insns="$dir/insns.csv" >"$dir/out"
[ $? = 1 ] && grep -q '^# randw-q1 find_get_stripe: .* +inf %' "$dir/out"
report $? 'calls that were never recorded fail'
echo 'randw-q1 find_get_stripe 5 # and' >"$dir/bands"
echo 'randw-q1 no_such_function 5' >>"$dir/bands"
"$costs" --only=randw-q1 --bands="$dir/bands" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q 'no_such_function' "$dir/err"
report $? 'a band for a function that does not exist is a mistake'
sed '/^cpu-randw-q1,/d' $golden >"$dir/insns.csv"
"$costs" --only=randw-q1 --insns="$dir/insns.csv" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q 'nothing recorded of randw-q1' "$dir/err"
report $? 'a workload without a recording is a mistake'
exit $failed
