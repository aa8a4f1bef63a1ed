#!/bin/bash
# tests/cli/map.sh PROGRAM   `raid5sim map`: worked examples of every layout, there and back, and what it refuses.
# Breaks when a column shows another figure than its name says, a range loses sectors between its pieces, the way back
# does not come back, or a place outside of the array gets an answer.
. "$(dirname "$0")/../lib/claims.sh"
program=$(realpath "${1:-${RAID5SIM:-build/release/raid5sim}}")
root=$(realpath "$(dirname "$0")/../..")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# Runs map with the array that the first word describes: LEVEL/LAYOUT/DISKS/CHUNK/COMPONENT, layout '-' for none.
map() { # ARRAY WORD...
    local level layout disks chunk component
    IFS=/ read -r level layout disks chunk component <<<"$1"
    shift
    "$program" map --set array.level="$level" --set array.layout="${layout/#-/ls}" --set array.raid_disks="$disks" \
        --set array.chunk_size="$chunk" --set array.component_size="$component" "$@"
}

# The lines without heading, one blank between columns; `/` between lines.
lines() { tail -n +2 "$1" | awk '{ $1 = $1; printf "%s%s", (NR == 1 ? "" : " / "), $0 } END { print "" }'; }

example() { # CLAIM ARRAY LINES WORD...
    local claim=$1 array=$2 wanted=$3
    shift 3
    map "$array" "$@" >out 2>err && [ ! -s err ] && [ "$(lines out)" = "$wanted" ]
    local status=$?
    [ $status = 0 ] || { lines out; cat err; } | sed 's/^/# got: /'
    report $status "$claim"
}

# Four members, chunks of 128 sectors. Array sector 1000 is in chunk 7, 104 sectors into it. With parity a row has three data
# chunks: row 2, its second chunk, so the member sector is 2 * 128 + 104 = 360. The left layouts have the parity of
# row 2 on member 1, the right ones on member 2.
while read -r layout disk parity; do
    example "raid5 $layout: sector 1000 of four members" "raid5/$layout/4/64k/1M" "1000 1000 1 7 2 360 $disk 360 $parity data" 1000
done <<'END'
left-asymmetric 2 1
right-asymmetric 1 2
left-symmetric 3 1
right-symmetric 0 2
parity-first 2 0
parity-last 1 3
END
example 'raid4: the parity is on the last member' raid4/-/4/64k/1M '1000 1000 1 7 2 360 1 360 3 data' 1000
example 'raid0: four data chunks a row, no stripe_head, no parity' raid0/-/4/64k/1M '1000 1000 1 7 1 - 3 232 - data' 1000
example 'raw: members one after another, no chunks' raw/-/4/64k/64k '120+16 120 8 - - - 0 120 - data / 120+16 128 8 - - - 1 0 - data' 120+16
example 'a stripe_head begins at whole pages' raid5/ls/4/64k/1M '1005 1005 1 7 2 360 3 365 1 data' 1005
example 'a range is one line a chunk' raid5/ls/4/64k/1M \
    '100+300 100 28 0 0 96 0 100 3 data / 100+300 128 128 1 0 0 1 0 3 data / 100+300 256 128 2 0 0 2 0 3 data / 100+300 384 16 3 1 128 3 128 2 data' 100+300
example 'with a unit numbers are bytes' raid5/ls/4/64k/1M '500k+0.5k 1000 1 7 2 360 3 360 1 data' 500k+0.5k
example 'the way back' raid5/ls/4/64k/1M '3:360+8 1000 8 7 2 360 3 360 1 data' --member 3:360+8
example "a member's parity is that of its row, in the array's order" raid5/ls/4/64k/1M \
    '1:360 872 1 6 2 360 2 360 1 parity / 1:360 1000 1 7 2 360 3 360 1 parity / 1:360 1128 1 8 2 360 0 360 1 parity' --member 1:360
example 'the answers keep the order of the questions' raid5/ls/4/64k/1M \
    '0:0 0 1 0 0 0 0 0 3 data / 1 1 1 0 0 0 0 1 3 data / 0:2 2 1 0 0 0 0 2 3 data' --member 0:0 1 --member 0:2

# The law, for every layout: the pieces of the whole array follow each other without a gap, the way back from each is
# the piece itself, and all members together hold every piece once as data and once for each row as parity.
law() { # LEVEL LAYOUT DISKS
    local data=$3 array="$1/$2/$3/4k/64k" members=() sectors
    case $1 in raid4 | raid5) data=$(($3 - 1)) ;; esac
    sectors=$((data * 128))
    map "$array" "0+$sectors" >there || return 1
    awk -v end=$sectors 'NR > 1 { if ($2 != at) exit 1; at += $3 } END { exit at != end }' there || return 1
    mapfile -t members < <(awk 'NR > 1 { print "--member=" $7 ":" $8 "+" $3 }' there)
    map "$array" "${members[@]}" >back || return 1
    cmp -s <(awk 'NR > 1 { $1 = ""; print }' there) <(awk 'NR > 1 { $1 = ""; print }' back) || return 1
    members=()
    for ((disk = 0; disk < $3; disk++)); do members+=(--member "$disk:0+128"); done
    map "$array" "${members[@]}" >all || return 1
    for role in data parity; do
        [ $role = data ] || [ $data != "$3" ] || continue
        cmp -s <(awk 'NR > 1 { $1 = $NF = ""; print }' there | sort) \
            <(awk -v role=$role 'NR > 1 && $NF == role { $1 = $NF = ""; print }' all | sort) || return 1
    done
    [ $data != "$3" ] || ! grep -q parity$ all
}
for shape in raid5/{left,right}-{asymmetric,symmetric} raid5/parity-{first,last} raid4/- raid0/- raw/-; do
    status=0
    for disks in 3 4 7; do law "${shape%/*}" "${shape#*/}" $disks || status=1; done
    report $status "$shape: there and back is where it began, and every sector is held once"
done

# Scenarios: with a file, with a part of one, with none.
cat >small.cfg <<'END'
[array]
raid_disks = 3
component_size = 1M
END
cp small.cfg 3.cfg
said() { # CLAIM STATUS STDOUT STDERR WORD...: parts of what is said; '' for silence
    local claim=$1 wanted=$2 out=$3 err=$4 status
    shift 4
    "$program" map "$@" >out 2>err
    status=$?
    [ $status = "$wanted" ] && part out "$out" && part err "$err"
    status=$?
    [ $status = 0 ] || sed 's/^/# said: /' err
    report $status "$claim"
}
part() { # FILE TEXT
    if [ -z "$2" ]; then [ ! -s "$1" ]; else grep -qF -e "$2" "$1"; fi
}
refused() { # CLAIM STDERR WORD...: in one line, and nothing is printed before
    local claim=$1 err=$2
    shift 2
    said "$claim" 2 '' "$err" "$@"
    [ "$(wc -l <err)" = 1 ] || report 1 "$claim: in one line"
}
said 'a shipped scenario' 0 '0                0        1        0        0            0     0             0      7 data' '' \
    "$root/scenarios/run/2006-a4.cfg" 0
said 'a scenario needs no load' 0 'member_sector' '' small.cfg 0
said 'a file may begin with a digit' 0 'member_sector' '' 3.cfg 0
said '--set overrides it' 0 '512' '' small.cfg 512 --set array.raid_disks=5
[ "$(lines out)" = '512 512 1 4 1 128 4 128 3 data' ]
report $? 'and its array is the one asked'
said 'without a file or a size members are as large as can be' 0 '123456789' '' --set array.raid_disks=5 123456789 64T+8
said '--help tells of units' 0 'bytes, which must make whole sectors' '' --help

# What there is not.
five=(--set array.raid_disks=5 --set array.component_size=1M)
said 'without an array' 2 '' 'which array?' 0
said 'without a sector' 2 '' 'which sector?' small.cfg
said 'two scenarios' 2 '' 'one scenario at a time' small.cfg 3.cfg 0
said 'an option of run' 2 '' "unrecognized option '--seed=1'" small.cfg 0 --seed=1
said 'the last sector' 0 '8191' '' "${five[@]}" 8191
refused 'the first sector behind the end' "raid5sim map: '8192': beyond the 8192 sectors of the array" "${five[@]}" 8192
refused 'a range over the end' "raid5sim map: '8000+193': beyond the 8192 sectors of the array" "${five[@]}" 0 8000+193
refused 'a range that would wrap round' "beyond the 8192 sectors" "${five[@]}" 8+18446744073709551615
refused 'a number of more than 64 bits' 'not SECTOR[+COUNT]' "${five[@]}" 18446744073709551616
refused 'a unit nobody knows' "raid5sim map: '12x': not SECTOR[+COUNT], in sectors or bytes such as 64k" "${five[@]}" 12x
refused 'a broken number' 'not SECTOR[+COUNT]' "${five[@]}" 1.5
refused 'half a sector' "'0.25k': no whole sectors of 512 bytes" "${five[@]}" 0.25k
refused 'a range of nothing' "'5+0': a range of no sectors" "${five[@]}" 5+0
refused 'a range without its count' "'5+': not SECTOR[+COUNT]" "${five[@]}" 5+
refused 'two counts' "'5+1+1': not SECTOR[+COUNT]" "${five[@]}" 5+1+1
refused 'a number longer than any' 'not SECTOR[+COUNT]' "${five[@]}" "$(printf '1%.0s' {1..200})"
refused 'a range in too many pieces' 'more than 65536 pieces in all' --set array.raid_disks=5 0+1T
refused 'no such member' "--member: '5:0': the array has members 0 to 4" "${five[@]}" --member 5:0
refused 'a member of 64 bits' "the array has members 0 to 4" "${five[@]}" --member 4294967296:0
refused "a sector behind a member's end" "--member: '4:2048': beyond the 2048 sectors of a member" "${five[@]}" --member 4:2048
refused 'a member without a sector' "--member: '4': not DISK:SECTOR[+COUNT]" "${five[@]}" --member 4
refused 'a sector of no member' "--member: ':4': not DISK:SECTOR[+COUNT]" "${five[@]}" --member :4
refused 'a member that is no number' "--member: 'sda:4': not DISK:SECTOR[+COUNT]" "${five[@]}" --member sda:4
refused 'a file that is not there' 'absent.cfg:1: cannot be opened' absent.cfg 0
refused 'a bad key' "--set: unknown key 'raid_discs' in [array]" --set array.raid_discs=5 0
refused 'no number of members' '--set: [array] does not say raid_disks' --set array.chunk_size=64k 0
refused 'too few members' '--set: raid5 needs at least 2 disks, not 1' --set array.raid_disks=1 0
refused 'a member smaller than a chunk' '--set: no such array' "${five[@]}" --set array.chunk_size=2M 0
refused 'raw disks of no size' '--set: member 0: neither a preset nor a capacity is given' --set array.level=raw --set array.raid_disks=2 0
: >empty.cfg
refused 'a scenario without an array' 'empty.cfg:1: there is no section [array]' empty.cfg 0
if [ -w /dev/full ]; then
    "$program" map small.cfg 0 >/dev/full 2>err
    [ $? = 2 ] && grep -q 'standard output: cannot be written' err
    report $? 'a full standard output is told'
fi

# JSON: the table's figures, under the names of its columns.
"$program" map small.cfg 100+300 --member 2:0 --json map.json >out && [ -s out ]
report $? '--json FILE writes beside the table'
awk '/"pieces"/ { on = 1; next } on && /": / {
        gsub(/[",]/, ""); sub(/:$/, "", $1); line = line " " $2; if ($1 == "role") { print line; line = "" } }' map.json >pieces
cmp -s pieces <(awk 'NR > 1 { $1 = $1; print " " $0 }' out)
report $? 'with the same figures'
"$program" map small.cfg 100+300 --member 2:0 --json - | cmp -s - map.json
report $? '--json - is JSON alone'
said 'a level without parity leaves parity out' 0 '"member_sector": 0' '' --set array.level=raid0 --set array.raid_disks=2 0 --json -
! grep -qE 'parity|stripe_head' out
report $? 'and stripe_head'
refused 'a JSON file in a folder that is not there' 'none/x.json: cannot be written' small.cfg 0 --json none/x.json
exit $failed
