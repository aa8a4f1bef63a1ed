#!/bin/bash
# For test scripts, to be read at their beginning: one TAP line a claim. They end with `exit $failed`.
failed=0

report() { # STATUS CLAIM
    [ "$1" = 0 ] || { printf 'not '; failed=1; }
    printf 'ok - %s\n' "$2"
}
