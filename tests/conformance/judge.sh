#!/bin/bash
# tests/conformance/judge.sh CONFORMANCE   Can the judge say no? Small recordings made up here, right and wrong ones, of every class.
# Breaks when a missing, foreign or misplaced I/O counts as equal, or a harmless difference does not.
. "$(dirname "$0")/../lib/claims.sh"
judge=$(realpath "$1")
base=$(realpath "$(dirname "$0")")
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# The reads r:0:4K, then r:60K:8K over a chunk's border, of an array of four: m0 0+8, m0 120+8, m1 0+8.
check() { # VERDICT STATUS STABILITY BIOS [EXTRA]
    cat >x.json <<END
{"x": {"stability": "$3", "component_sectors": 16384, "bios": [$4], ${5:+$5,}
 "params": {"n": "4", "layout": "left-symmetric", "bitmap": "none", "prime": "1", "ops": "r:0:4K r:60K:8K"}}}
END
    : >floor
    "$judge" --strict --base "$base" --floor floor . >out 2>err
    [ $? = "$2" ] && grep -qE "^x +$3 .* $1" out && ! [ -s err ]
    report $? "$3 $4: $1"
}

a='["m0","R",0,8]' b='["m0","R",120,8]' c='["m1","R",0,8]'
check 'equal\*' 0 exact "$a,$b,$c"
check differs 1 exact "$a,$c,$b"
check differs 1 exact "$a,$b"
check differs 1 exact "$a,$b,$c,$c"
check differs 1 exact "$a,$b,[\"m1\",\"W\",0,8]"
check differs 1 exact "$a,$b,[\"m2\",\"R\",0,8]"
check differs 1 exact "$a,$b,[\"m1\",\"R\",0,7]"
check differs 1 exact ''
check equal 0 permember "$a,$c,$b"
check differs 1 permember "$b,$a,$c"
check equal 0 set "$c,$b,$a"
check differs 1 set "$c,$b,$b"
check differs 1 set "$c,$b"
check equal 0 sectors '["m0","R",0,16],["m1","R",8,8]'
check differs 1 sectors '["m0","R",0,8],["m1","R",8,16]'
two='"m0": {"r_bios": [1, 2], "r_sectors": [16, 16]}' one='"m1": {"r_bios": [1, 1], "r_sectors": [8, 9]}'
check equal 0 ranges '' "\"range\": {$two, $one}"
check differs 1 ranges '' "\"range\": {$two}"
check differs 1 ranges '' "\"range\": {$one, ${two/16, 16/8, 15}}"

# An experiment that cannot be done counts apart; one below the floor fails without --strict.
sed 's/"bitmap": "none"/"level": "6"/' x.json >y && mv y x.json
"$judge" --strict --base "$base" --floor floor . >out && grep -q '^conformance: 0 of 0 equal (1 not yet)' out
report $? 'an experiment with raid6 is counted apart'
check differs 1 exact "$c"
echo x >floor
"$judge" --base "$base" --floor floor . >out
[ $? = 1 ] && grep -q '^below the floor: x' out
report $? 'what falls below the floor fails'
"$judge" --tap --base "$base" --floor floor . >out
[ $? = 1 ] && grep -q '^not ok 1 - x' out && grep -q '^1\.\.1$' out
report $? 'and is a failed check'
"$judge" --base "$base" --floor floor nowhere >out 2>err
[ $? = 2 ] && grep -q 'nowhere: no recordings here' err
report $? 'a folder without recordings is a mistake'
exit $failed
