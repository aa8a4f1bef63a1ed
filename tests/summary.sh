#!/bin/bash
# tests/summary.sh LOG...   Adds up the logs that tests/tap.sh left; shows what failed; the last line is "N passed, N failed".
# Exit status 1 if anything failed, or if there was nothing to count.
awk '
    FNR == 1        { files++ }
    /^not ok/ && !/# SKIP/ { print FILENAME ": " $0 }
    /^# passed [0-9]+ failed [0-9]+ skipped/ { passed += $3; failed += $5; skipped += $7; closed++ }
    END {
        if (closed < ARGC - 1) failed += ARGC - 1 - closed # a log that nobody finished
        if (skipped) printf "%d skipped\n", skipped
        printf "%d passed, %d failed\n", passed, failed
        exit failed || !passed
    }' "$@"
