#!/bin/bash
# Every header compiles alone: whoever includes it need not know what it needs. Both compilers if both are there.
# Breaks when a header leans on an include of whoever came first.
failed=0 count=0
for header in {model,model/check,disks,faults,sim,tests/lib}/*.h; do
    [ -f "$header" ] || continue
    for cc in "${CC:-gcc}" clang; do
        command -v "$cc" >/dev/null || continue
        # Twice, so that a missing include guard shows as well.
        printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
            "$cc" -std=gnu11 -I. -Wall -Wextra -Wno-unused-function -Werror -fsyntax-only -x c - || failed=1
    done
    count=$((count + 1))
done
[ $failed = 0 ] && [ $count -gt 0 ] || printf 'not '
printf 'ok - each of the %d headers compiles alone\n' $count
