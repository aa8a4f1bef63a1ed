#!/bin/bash
# Every bad scenario gets one line FILE:LINE: text, exit status 2, and leaves everything as it was.
# Breaks when a mistake is not noticed, is told on the wrong line or in several, or when a file is touched before the
# scenario is known to be good.
#
# A case is a file of tests/cli/bad/ whose first line says `# want LINE: part of the text`. Files that cannot stand in a
# source tree (binary, empty, unreadable) are made here.
. "$(dirname "$0")/../lib/claims.sh"
program=${1:-${RAID5SIM:-build/release/raid5sim}}
program=$(realpath "$program")
bad=$(realpath "$(dirname "$0")/bad")
dir=$(mktemp -d) && trap 'chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT

# One run: its complaint, its exit status, its silence, and the file it was to write.
check() { # FILE WHERE TEXT CLAIM [OPTION...]
    local file=$1 where=$2 text=$3 claim=$4 status before after said
    shift 4
    printf 'old report\n' >"$dir/target/report.json"
    before=$(cd "$dir/target" && stat -c '%n %i %s %y' . ./* && cat ./*)
    "$program" run "$file" --json "$dir/target/report.json" "$@" >"$dir/out" 2>"$dir/err"
    status=$?
    after=$(cd "$dir/target" && stat -c '%n %i %s %y' . ./* && cat ./*)
    said=$(cat "$dir/err")
    [ $status = 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] && [ "$before" = "$after" ] &&
        [[ $said == "$where: "*"$text"* ]]
    status=$?
    [ $status = 0 ] || sed 's/^/# said: /' "$dir/err"
    report $status "$claim"
}

mkdir "$dir/target"
cd "$bad" || exit 1
for file in *.cfg; do
    read -r _ _ where text <"$file"
    where=${where%:}
    [[ $where == *:* ]] || where=$file:$where
    check "$file" "$where" "$text" "$file: $text"
done

cd "$dir" || exit 1
good=$'[array]\nraid_disks = 3\n[disk]\ncapacity = 2G\n[job a]\nrw = read\n'
: >empty.cfg
check empty.cfg empty.cfg:1 'there is no section [array]' 'an empty file'
printf '# nothing\n\n' >comment.cfg
check comment.cfg comment.cfg:1 'there is no section [array]' 'a file of comments'
head -c 4096 "$program" >binary.cfg
check binary.cfg binary.cfg:1 'this is not a text file' 'a binary file'
printf '%s' "$good" >nul.cfg && printf 'bs = 4\0k\n' >>nul.cfg
check nul.cfg nul.cfg:7 'byte 0x00: this is not a text file' 'a zero byte in a text'
printf '%s\033[2Jbs = 4k\n' "$good" >escape.cfg
check escape.cfg escape.cfg:7 'byte 0x1b' 'a byte that would move the cursor'
printf '%s' "${good%$'\n'}" | sed '$s/ = read/ =/' >torn.cfg
check torn.cfg torn.cfg:6 "'rw' has no value" 'a file cut off behind the last key'
yes '# a comment' | head -c 1100000 >huge.cfg
check huge.cfg huge.cfg:1 'too long for a scenario file' 'a file of more than a megabyte'
mkdir folder.cfg
check folder.cfg folder.cfg:1 'is a directory, not a scenario file' 'a directory'
check absent.cfg absent.cfg:1 'cannot be opened' 'a file that is not there'
check good.cfg/x good.cfg/x:1 'cannot be opened' 'a path through a file'
ln -s loop.cfg loop.cfg
check loop.cfg loop.cfg:1 'cannot be opened' 'a symbolic link to itself'
printf '%s' "$good" >unreadable.cfg
chmod 000 unreadable.cfg
if [ -r unreadable.cfg ]; then
    echo 'ok - an unreadable file # SKIP everything is readable for this user'
else
    check unreadable.cfg 1 'cannot be opened' 'an unreadable file'
fi
for depth in $(seq 1 20); do
    printf 'include = deep%d.cfg\n' $((depth + 1)) >"deep$depth.cfg"
done
printf '%s' "$good" >deep21.cfg
check deep1.cfg deep17.cfg:1 'included more than 16 files deep' 'includes deeper than sixteen'

printf '%s' "$good" >good.cfg
while read -r set text; do
    check good.cfg --set "$text" "--set $set: $text" --set "$set"
done <<'END'
x 'x' is not section.key=value
x=1 'x=1' is not section.key=value
array.raid_disks= 'array.raid_disks=' is not section.key=value
array.=1 'array.=1' is not section.key=value
aray.raid_disks=3 unknown section [aray]; did you mean [array]?
array.raid_discs=3 unknown key 'raid_discs' in [array]; did you mean 'raid_disks'?
array.raid_disks=three raid_disks: 'three' is no whole number
md/stripe_cache_size=16 stripe_cache_size: 16 is outside 17..32768
disk.9.capacity=1G [disk 9]: the array has members 0 to 2
job.b.bs=4k there is no [job b]
job.a.iodepht=4 unknown key 'iodepht' in [job]; did you mean 'iodepth'?
array.rmw_level=2 rmw_level: needs driver md-6.1
array.recovery_start=64k recovery_start: needs driver md-6.1 or a resync
array.sync_max=64k sync_max: needs driver md-6.1
global.bs=8k job.bs sets a key of all jobs
expect.throughput=fast throughput: 'fast' is no value
host.preset=vax no host preset 'vax'
END
exit $failed
