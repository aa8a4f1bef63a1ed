#!/bin/bash
# The command line: help, version, keys, presets, exit statuses, and files written whole or not at all.
# Breaks when a usage error exits with another status than 2, help goes to stderr, or a failed write leaves half a file.
. "$(dirname "$0")/../lib/claims.sh"
program=$(realpath "${1:-${RAID5SIM:-build/release/raid5sim}}")
root=$(realpath "$(dirname "$0")/../..")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# Runs the program and compares exit status, a part of stdout and a part of stderr; '' stands for silence.
check() { # CLAIM STATUS STDOUT STDERR ARGUMENT...
    local claim=$1 wanted=$2 out=$3 err=$4 status
    shift 4
    "$program" "$@" >out 2>err
    status=$?
    [ $status = "$wanted" ] && part out "$out" && part err "$err"
    report $? "$claim"
}
part() { # FILE TEXT
    if [ -z "$2" ]; then [ ! -s "$1" ]; else grep -qF -e "$2" "$1"; fi
}

check 'without a command usage goes to stderr' 2 '' 'Usage: raid5sim COMMAND'
check '--help lists the commands' 0 'presets' '' --help
check 'help does too' 0 'Usage: raid5sim COMMAND' '' help
check 'help run is run --help' 0 'Usage: raid5sim run [OPTION...] FILE.cfg' '' help run
check 'run --help says how it exits' 0 'Exit status: 0 as expected' '' run --help
check 'help map is map --help' 0 'Usage: raid5sim map [OPTION...] [FILE.cfg] [SECTOR[+COUNT]...]' '' help map
check 'keys --help exists' 0 'PATTERN' '' keys --help
check 'presets --help exists' 0 'RAID5SIM_DATA' '' presets --help
check 'version' 0 'raid5sim 0.' '' version
check '--version' 0 'raid5sim 0.' '' --version
check 'an unknown command names the nearest' 2 '' "unknown command 'rnu'; did you mean 'run'?" rnu
check 'a command far from all names none' 2 '' "unknown command 'frobnicate'; raid5sim help lists them" frobnicate
check 'help of an unknown command too' 2 '' "did you mean 'keys'?" help kyes
check 'run without a file' 2 '' 'which scenario?' run
check 'run with two files' 2 '' 'one scenario at a time' run a.cfg b.cfg
check 'an unknown option' 2 '' "unrecognized option '--fast'" run --fast a.cfg
check 'an option without its value' 2 '' 'requires an argument' run a.cfg --json
check 'a seed that is no number' 2 '' "--seed: 'x' is no whole number" run --seed x a.cfg
check 'keys with two patterns' 2 '' 'one pattern at a time' keys a b
check 'keys: names and a pattern' 2 '' 'exclude each other' keys --names bs

check 'keys lists every section' 0 'array.chunk_size' '' keys
check 'keys shows the range' 0 '17..32768' '' keys stripe_cache
check 'keys PATTERN leaves the others out' 0 'job.iodepth' '' keys job.iodepth
[ "$(wc -l <out)" = 2 ]
report $? 'and only a heading stands above what matches'
check 'keys of no match is status 1' 1 '' '' keys no_such_key
check 'keys --names is one name a line' 0 'host.cycles_copy_line' '' keys --names
! grep -qvE '^[a-z]+\.[a-z0-9_]+$' out
report $? 'and nothing else'
check 'keys --man is a page source' 0 '.SS [array]' '' keys --man
check 'presets lists drivers with their source' 0 'md-2.6.15' '' presets
RAID5SIM_DATA=$dir/none check 'presets without a data folder say so' 2 '' 'no such folder' presets

# Writing: a tiny array of disks without latency.
cat >tiny.cfg <<'END'
[array]
raid_disks = 3
component_size = 1M
[disk]
preset = none
model = null
capacity = 1M
latency_ns = 100us
[job a]
rw = read
bs = 64k
END
(cat tiny.cfg; printf 'filename = /dev/md0\nverify = md5\n') >pasted.cfg
check 'a run reports and is as expected' 0 'READ' '' run tiny.cfg
check 'options left out are named in one line' 0 'READ' 'pasted.cfg: warning: not modelled, left out: filename, verify' run pasted.cfg
[ "$(wc -l <err)" = 1 ]
report $? 'and in one only'
check '--quiet is quiet' 0 '' '' run --quiet pasted.cfg
check 'a missed expectation is status 1' 1 'MISSED' '' run tiny.cfg --set expect.iops=1
check 'quietly too' 1 '' '' run --quiet tiny.cfg --set expect.iops=1
check 'a met expectation is status 0' 0 'verdict' '' run tiny.cfg --set expect.verdict=ok
check '--json - is JSON alone' 0 '"raid5sim"' '' run --quiet tiny.cfg --json -
[ "$(head -c 1 out)" = '{' ]
report $? 'from its first byte'
check '--json FILE writes beside the report' 0 'READ' '' run tiny.cfg --json result.json
cmp -s <("$program" run --quiet tiny.cfg --json -) result.json
report $? 'the same as to standard output'
[ "$(ls -A | grep -c 'result.json')" = 1 ]
report $? 'and leaves no temporary file'
echo old >old.json
check 'a JSON file in a folder that is not there' 2 '' 'none/x.json: cannot be written' run --quiet tiny.cfg --json none/x.json
check 'a JSON file that is a folder' 2 '' 'cannot be written' run --quiet tiny.cfg --json .
if [ -w /dev/full ]; then
    check 'a full device is told' 2 '' '/dev/full: ' run --quiet tiny.cfg --json /dev/full
    "$program" run tiny.cfg >/dev/full 2>err
    [ $? = 2 ] && grep -q 'standard output: cannot be written' err
    report $? 'so is a full standard output'
fi
(ulimit -f 0; trap '' XFSZ; "$program" run --quiet tiny.cfg --json old.json 2>/dev/null)
[ $? = 2 ] && [ "$(cat old.json)" = old ] && [ "$(ls -A | grep -c 'old.json')" = 1 ]
report $? 'a file that cannot be finished leaves the old one, and nothing else'
"$program" run --quiet --seed 7 tiny.cfg --json a.json && "$program" run --quiet tiny.cfg --set scenario.seed=7 --json b.json
cmp -s a.json b.json
report $? '--seed is scenario.seed'

# The log of member I/O.
check '--io-log - is the log alone' 0 '# time_ns member kind sector sectors submitter' '' run tiny.cfg --io-log -
[ "$(grep -vcE '^#|^[0-9]+ [012] R [0-9]+ 8 ' out)" = 0 ] && [ "$(wc -l <out)" = 513 ] # 512 pages of the array, each read once
report $? 'with a line for every page read'
check '--io-log FILE writes beside the report' 0 'READ' '' run tiny.cfg --io-log io.log
cmp -s out io.log || "$program" run tiny.cfg --io-log - | cmp -s - io.log
report $? 'the same as to standard output'
check '--io-log-format=blkparse looks like blkparse' 0 ' Q   R ' '' run tiny.cfg --io-log - --io-log-format=blkparse
! grep -qvE '^  8,(0|16|32) +0 +[0-9]+ +[0-9]+\.[0-9]{9} +[0-9]+  Q   R [0-9]+ \+ 8 \[[a-z0-9]+\]$' out
report $? 'in every line'
check 'an unknown format' 2 '' "--io-log-format: 'x' is neither plain nor blkparse" run tiny.cfg --io-log - --io-log-format x
check 'a format without a log' 2 '' 'nothing without --io-log' run tiny.cfg --io-log-format plain
check 'log and JSON both to standard output' 2 '' 'cannot both go to standard output' run tiny.cfg --io-log - --json -
check 'a log in a folder that is not there' 2 '' 'none/x: cannot be written' run tiny.cfg --io-log none/x

# Completion offers what the program knows.
if [ -f "$root/sim/completion/raid5sim.bash" ]; then
    complete_words() { # WORD...: what is offered for the last one
        PATH="$(dirname "$program"):$PATH" bash -c '
            . "$0"; shift 0
            COMP_WORDS=(raid5sim "$@"); COMP_CWORD=$#; COMPREPLY=()
            _raid5sim; printf "%s\n" "${COMPREPLY[@]}"' "$root/sim/completion/raid5sim.bash" "$@"
    }
    [ "$(complete_words pre)" = presets ]
    report $? 'completion knows the commands'
    complete_words run --js | grep -qx -e --json
    report $? 'completion knows the options'
    [ "$(complete_words map --me)" = --member ] && ! complete_words map --q | grep -q .
    report $? 'and those of map, not those of run'
    complete_words run --set array.chu | grep -qx 'array.chunk_size='
    report $? 'completion knows the keys'
    complete_words run ti | grep -qx tiny.cfg
    report $? 'completion knows the scenarios here'
fi
exit $failed
