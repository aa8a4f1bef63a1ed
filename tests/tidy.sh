#!/bin/bash
# tests/tidy.sh   What the tree has promised (docs/HACKING.md) and a machine can check: who may include whom, how long a file
# or function may be, words and paths that must not stay, and that every scenario says why it exists and what it expects.
#
# A function starts at a `{` in the first column and ends at the `}` there: clang-format has made it so.
shopt -s nullglob
failed=0
code=()
for file in {model,model/check,disks,faults,sim,tests/*}/*.[ch]; do # but the recording scripts as they were
    case $file in tests/oracle/*) ;; *) code+=("$file") ;; esac
done
scripts=(setup .ci/run tests/*.sh tests/*/*.sh)
papers=(README.md Makefile docs/*.md docs/*/* scenarios/*/*.cfg scenarios/presets/*/*.cfg */*.def)

# Reads complaints, one a line: none is a pass.
claim() {
    local complaints line
    complaints=$(cat)
    if [ -n "$complaints" ]; then
        echo "not ok - $1"
        while read -r line; do echo "#   $line"; done <<<"$complaints"
        failed=1
    else
        echo "ok - $1"
    fi
}

# Our includes of some files that do not match a pattern: FOLDER PATTERN
strangers() {
    local files=("$1"/*.[ch] "$1"/*.def)
    [ ${#files[@]} = 0 ] || grep -nE '^#include "' "${files[@]}" /dev/null | grep -vE "^[^:]+:[0-9]+:#include \"($2)\""
}
strangers model 'model/[^/]+' | claim 'model/ includes nothing of ours but model/'
strangers model/check 'model/(check/.+|(ids|assert|tag|world|step|system|effect|effects|move|moves|property|properties|finding)\.h)' |
    claim 'model/check/ knows worlds and moves, not RAID5'
strangers disks '(model|disks)/[^/]+|sim/dice\.h' | claim 'disks/ includes only model/, disks/ and the dice'
strangers faults '(model|disks|faults)/[^/]+' | claim 'faults/ includes only model/, disks/ and faults/'
strangers sim '(model|model/check|disks|faults|sim)/[^/]+' | claim 'sim/ includes nothing of the tests'
grep -nE '^#include <' model/*.[ch] model/check/*.[ch] /dev/null |
    grep -vE '^model/check/|<(stdint|stdbool|stddef|string|limits|inttypes|xxhash)\.h>' |
    claim 'model/ uses no library but memory functions and fixed-width types'
grep -nE '^#include "' "${code[@]}" | grep -vE '#include "[a-z]+/' | claim 'includes are by path from the root'

wc -l "${code[@]}" "${scripts[@]}" | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }' |
    claim 'no file is longer than 600 lines'
awk '
    FNR == 1 { open = 0; excused = 0 }
    /\/\* long: a state machine \*\// { excused = 1 }
    /^{/ { open = FNR }
    /^}/ {
        if (open && FNR - open - 1 > 70 && !excused) print FILENAME ":" open ": " FNR - open - 1 " lines"
        open = 0
        excused = 0
    }' "${code[@]}" | claim 'no function is longer than 70 lines'
grep -nP '\t' "${code[@]}" | claim 'no tab in C'
grep -nwE "TO[D]O|FIX[M]E|X[X]X" "${code[@]}" "${scripts[@]}" "${papers[@]}" | claim 'no reminder is left in the tree'
grep -nE "(^|[^A-Za-z0-9_.}])/(h[o]me|r[o]ot|w[o]rk|U[s]ers|m[n]t|t[m]p)/" "${code[@]}" "${scripts[@]}" "${papers[@]}" |
    claim 'no path of one particular machine is in the tree'

for scenario in scenarios/{run,check,sweep}/*.cfg; do
    grep -qE '^\[expect\]' "$scenario" || echo "$scenario: no [expect]"
    grep -qE '^[[:space:]]*why[[:space:]]*=[[:space:]]*[^[:space:]]' "$scenario" || echo "$scenario: does not say why"
done | claim 'every scenario says why it exists and what it expects'
for script in "${scripts[@]}"; do
    [ -x "$script" ] || echo "$script: not executable"
    bash -n "$script" 2>&1
done | claim 'every script has its run bit and parses'
exit $failed
