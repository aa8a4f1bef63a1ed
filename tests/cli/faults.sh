#!/bin/bash
# tests/cli/faults.sh PROGRAM   A run in which members fail: what the reports and the exit status say.
# Breaks when a failure, a rebuild or a returned error is missing from a report, the two reports contradict each other, or an
# expectation about them cannot be missed.
. "$(dirname "$0")/../lib/claims.sh"
program=${1:-${RAID5SIM:-build/release/raid5sim}}
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
scenario=scenarios/run/6.1-rebuild.cfg

run() { # OUT OPTION...
    local out=$1
    shift
    "$program" run "$scenario" "$@" >"$dir/$out" 2>"$dir/err"
}
line() { # OUT TEXT
    grep -qxF -- "$2" "$dir/$1"
}
value() { # KEY: of its first occurrence in the JSON report
    sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" "$dir/json" | head -n 1
}

run text --json "$dir/json"
report $? 'a failed member is replaced and rebuilt as the scenario claims'
line text '    0.200000s  fault pull: fail sdb' && line text '    0.200000s  sdb failed: 1 of 4 members missing' &&
    grep -qE '^ +[0-9.]+s  sde takes slot 1$' "$dir/text" && grep -qE '^ +[0-9.]+s  recovery finished at 65536 KiB: ' "$dir/text"
report $? 'the timeline tells of it'
line text 'md0 : active raid5 sde[4] sdd[3] sdc[2] sdb[1](F) sda[0]' &&
    line text '      196608 blocks super 1.2 level 5, 64k chunk, algorithm 2 [4/4] [UUUU]'
report $? 'mdstat shows who sits where'
[ "$(grep -cE '^ +[0-9.]+s  \[=*>\.*\]  recovery = *[0-9.]+% \([0-9]+/65536\) finish=[0-9.]+min speed=[0-9]+K/sec$' "$dir/text")" -ge 10 ]
report $? 'and ten lines of progress at least'
line text '       4       8       64        1      active sync   /dev/sde' && line text '       1       8       16        -      faulty   /dev/sdb'
report $? 'mdadm --detail shows it, too'
[ "$(value degraded)" = 0 ] && [ "$(value array_state)" = '"clean"' ] && [ "$(value failed_devices)" = 1 ] && [ "$(value error)" = 0 ]
report $? 'the JSON report agrees'
[ "$(sed -n 's/^stripes written *\([0-9]*\) .*/\1/p' "$dir/text")" = "$(sed -n 's/^user writes *\([0-9]*\) .*/\1/p' "$dir/text")" ]
report $? 'one stripe a write of 4 KiB: the ledger counts both'
run again --json "$dir/json2"
cmp -s "$dir/text" "$dir/again" && cmp -s "$dir/json" "$dir/json2"
report $? 'the same run gives the same bytes'

run text --set fault.pull.at=1900ms
[ $? = 1 ] && grep -q '^expect rebuilds .* MISSED$' "$dir/text" && grep -q '^             State : clean, degraded, recovering$' "$dir/text" &&
    grep -qE '^    Rebuild Status : [0-9]+% complete$' "$dir/text" && line text '       4       8       64        1      spare rebuilding   /dev/sde'
report $? 'a rebuild that is not done in time is missed, and shown as it stands'

run text --set fault.second.what=fail --set fault.second.member=3 --set fault.second.at=300ms --json "$dir/json"
[ $? = 1 ] && grep -q '^expect degraded .*got 2 *MISSED$' "$dir/text" && grep -q '^expect io_errors .*MISSED$' "$dir/text" &&
    grep -q '^expect verdict .*ok$' "$dir/text"
report $? 'two members lost: expectations are missed, the verdict is about wrong data and stays'
errors=$(value total_err)
[ "${errors:-0}" -gt 0 ] && grep -q "^writer: .*: err= 5 (func=io_u error, error=Input/output error)$" "$dir/text" &&
    line text "     errors    : total=$errors, first_error=5/<Input/output error>" && [ "$(value error)" = 5 ] &&
    grep -qE '^left out: .*io_error x[0-9]+' "$dir/text"
report $? 'errors are in the words of fio, and counted'

run text --set fault.more.what=add --set fault.more.at=1500ms
line text '    1.500000s  fault more: add' && line text 'md0 : active raid5 sdf[5](S) sde[4] sdd[3] sdc[2] sdb[1](F) sda[0]'
report $? 'a device that is added to a sound array waits as a spare'

# Each example of the document, on an array that is large enough for it.
cat >"$dir/base.cfg" <<'END'
[host]
preset = emulated
[driver]
preset = md-6.1
[array]
raid_disks = 5
chunk_size = 64k
component_size = 64M
[disk]
preset = emulated
capacity = 128M
[job j]
rw = randrw
bs = 4k
rate_iops = 200
runtime = 12s
time_based
END
awk -v dir="$dir" '/^```ini/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print >(dir "/example" n ".cfg") }' docs/FAULTS.md
examples=0 good=0
for example in "$dir"/example*.cfg; do
    examples=$((examples + 1))
    sed -i '1i include = base.cfg' "$example"
    "$program" run "$example" >"$dir/text" 2>"$dir/err"
    [ $? -le 1 ] && grep -qE '^ +[0-9.]+s  fault [a-z]+: ' "$dir/text" && good=$((good + 1)) || sed 's/^/# /' "$dir/err"
done
[ $examples -ge 4 ] && [ $good = $examples ]
report $? "the examples of docs/FAULTS.md run, and their faults strike ($good of $examples)"
exit $failed
