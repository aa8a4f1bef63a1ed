#!/bin/bash
# Every failure point of faults/points.def, made to fail: one line, exit status 2, no half-written file, nothing leaked.
# Breaks when a refusal by the machine is passed over, told twice, or leaves a file that is neither the old one nor a whole new one.
. "$(dirname "$0")/../lib/claims.sh"
root=$(realpath "$(dirname "$0")/../..")
make -s -C "$root" VARIANT=fiu >/dev/null 2>&1 || { report 1 'the program builds with FIU=1'; exit 1; }
program=$root/build/fiu/raid5sim
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
cat >tiny.cfg <<'END'
[array]
level = raw
raid_disks = 1
[disk]
model = null
capacity = 1M
[job a]
rw = read
bs = 4k
size = 64k
END

# An old report must be there as it was, or a whole new one; a log whole or not at all; nothing else.
files_are_whole() {
    [ "$(cat report.json)" = old ] || is_whole_json report.json || return 1
    [ ! -e log.txt ] || [ "$(wc -l <log.txt)" = 17 ] || return 1
    [ -z "$(find . -type f ! -name tiny.cfg ! -name report.json ! -name log.txt ! -name out ! -name err)" ]
}
# A whole report ends with the brace that closes it.
is_whole_json() { [ "$(tail -n 1 "$1")" = '}' ]; }

names=$(sed -n 's/^POINT([A-Z_]*, *"\([^"]*\)".*/\1/p' "$root/faults/points.def")
[ "$(echo "$names" | wc -l)" -ge 10 ]
report $? 'the list of points can be read'
for name in $names; do
    rm -f log.txt
    echo old >report.json
    fiu-run -x -c "enable name=$name" valgrind -q --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite --error-exitcode=99 --suppressions="$root/tests/cli/fiu.supp" "$program" run tiny.cfg \
        --json report.json --io-log log.txt >out 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && files_are_whole
    report $? "$name fails: one line, exit status 2, whole files"
done
fiu-run -x -c 'enable name=no/point' "$program" run tiny.cfg --json report.json --io-log log.txt >out 2>err
[ $? = 0 ] && [ ! -s err ] && files_are_whole && [ -e log.txt ]
report $? 'without a failure all is well'
exit $failed
