#!/bin/bash
# tests/cli/check.sh BINARY   What `check` writes, and what `replay` makes of it.
. "$(dirname "$0")/../lib/claims.sh"
binary=$(realpath "$1")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
hole=scenarios/check/6.1-write-hole.cfg

"$binary" check "$hole" >"$dir/out" 2>"$dir/err"
report $? 'a finding that is expected is as expected'
grep -q '^broken: D4' "$dir/out" && grep -q 'the power is cut, and comes back' "$dir/out"
report $? 'the write hole is told as a story'
grep -q 'states/s' "$dir/err" && ! grep -q ' s, ' "$dir/out"
report $? 'how long it took is not part of the result'
"$binary" check --set expect.verdict=ok "$hole" >/dev/null 2>&1
[ $? = 1 ]
report $? 'a finding that is not expected is exit 1'
"$binary" check --set check.depth=5 scenarios/check/6.1-read-error.cfg >"$dir/out" 2>&1
[ $? = 1 ] && grep -q 'verdict: unfinished: no finding up to the bound (depth)' "$dir/out"
report $? 'a bound that is reached is no answer'
"$binary" check --set check.memory=1m scenarios/check/2.6.15-overlapping-writes.cfg >"$dir/out" 2>&1
[ $? != 0 ] && ! grep -q '^verdict: ok' "$dir/out"
report $? 'too little memory is no answer'

"$binary" check -q --json "$dir/json" --junit "$dir/xml" --trace "$dir/trace" --chart "$dir/chart" --svg "$dir/svg" "$hole"
report $? 'all files at once'
moves=$(sed -n 's/^ *"trace_length": \([0-9]*\),$/\1/p' "$dir/json")
grep -q '"verdict": "D4"' "$dir/json" && [ "$(grep -c '"number":' "$dir/json")" = "$moves" ] &&
    [ "${moves:-0}" -gt 10 ] && grep -q 'failures="0"' "$dir/xml" && [ "$(tail -1 "$dir/xml")" = '</testsuite>' ] &&
    [ "$(grep -c '<circle' "$dir/svg")" = "$moves" ] && [ "$(tail -1 "$dir/svg")" = '</svg>' ] && [ "$(grep -c . "$dir/chart")" = $((moves + 1)) ]
report $? 'JSON, JUnit, chart and picture are whole and agree'

"$binary" replay "$dir/trace" >"$dir/out"
[ $? = 0 ] && [ "$(grep -c '^ *[0-9]* ' "$dir/out")" -gt 10 ] && grep -q 'the trace ends in D4' "$dir/out"
report $? 'a trace is replayed to its end'
"$binary" replay --until 28 "$dir/trace" >"$dir/out" && grep -q '^stripe 0: count' "$dir/out" && grep -q '^28 of ' "$dir/out"
report $? 'and stopped where asked, with the stripes'
"$binary" replay --timed "$dir/trace" | awk '$2 == "us" { if ($1 < last) exit 1; last = $1; n++ } END { exit n < 10 }'
report $? 'and timed: times go forward'
refused() { # CLAIM TEXT
    "$binary" replay "$dir/bad" >"$dir/out" 2>&1
    [ $? = 2 ] && grep -q "$2" "$dir/out" && [ "$(grep -c "^$dir/bad\|cfg:" "$dir/out")" = 1 ]
    report $? "$1"
}
head -20 "$dir/trace" >"$dir/bad"
refused 'a trace that is cut off is refused' 'the trace is cut off'
sed 's/^move 1 9 0/move 1 9 7/' "$dir/trace" >"$dir/bad"
refused 'a move that cannot be made is refused' 'cannot be made'
echo hello >"$dir/bad"
refused 'what is no trace is refused' 'no line of a trace'
sed 's/^scenario.*/scenario nowhere.cfg/' "$dir/trace" >"$dir/bad"
"$binary" replay "$dir/bad" >"$dir/out" 2>&1
[ $? = 2 ]
report $? 'a trace of a scenario that is gone is refused'
echo old >"$dir/kept"
"$binary" check -q --json /dev/full "$hole" 2>"$dir/err"
[ $? = 2 ] && [ "$(wc -l <"$dir/err")" = 1 ]
report $? 'a full disk is one line'

"$binary" check --tap scenarios/check/6.1-write-hole.cfg scenarios/check/6.1-write-hole-allowed.cfg >"$dir/out" 2>/dev/null
[ $? = 0 ] && [ "$(head -1 "$dir/out")" = 1..2 ] && [ "$(grep -c '^ok ' "$dir/out")" = 2 ]
report $? 'several scenarios as TAP'
"$binary" check --mutate B20 --set expect.verdict=L5 scenarios/check/mutations/B20.cfg >"$dir/out" 2>/dev/null
[ $? = 0 ] && grep -q 'and again from [0-9]* on' "$dir/out"
report $? 'a livelock is told as a circle'
wrong() { # CLAIM TEXT ARGUMENT...
    local claim=$1 text=$2
    shift 2
    "$binary" check "$@" >"$dir/out" 2>&1
    [ $? = 2 ] && grep -qe "$text" "$dir/out"
    report $? "$claim"
}
wrong 'no scenario' 'which scenario'
wrong 'a file with --all-mutations' 'scenarios of its own' --all-mutations "$hole"
wrong 'files of several scenarios' 'one scenario at a time' --json x "$hole" "$hole"
wrong 'two files on standard output' 'only one' --json - --trace - "$hole"
wrong 'exact walks' 'only with order = breadth' --set check.mode=exact --set check.order=walk "$hole"
wrong 'bitstate by breadth' 'only with order = depth' --set check.mode=bitstate "$hole"
wrong 'budgets where there is no fate' 'needs raid4 or raid5 and driver' --set driver.preset=md-2.6.15 --set check.power_cuts=0 --set check.rot=1 "$hole"
wrong 'a fault of a timed run' 'give fate a budget' --set fault.x.what=fail "$hole"
wrong 'an expectation of a timed run' 'knows only the expectation' --set expect.iops=3 "$hole"
wrong 'a word that is none' "is none of" --set check.allow=everything "$hole"
wrong 'power cuts with a partial parity log' 'is not modelled' --set check.power_cuts=1 scenarios/check/6.1-ppl.cfg
wrong 'more I/Os than a program holds' '64 I/Os of each instance' --set job.writer.loops=99 "$hole"
exit $failed
