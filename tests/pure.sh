#!/bin/bash
# tests/pure.sh OBJECT... -- OBJECT...   The model keeps no state of its own and calls nobody; the rest keeps no state either.
#
# The release objects of model/ are linked relocatably, so that what they give each other is settled. What is left undefined
# may only be assert_failed(), and what compilers call on their own account: the memory functions of the C library and the integer
# arithmetic of libgcc (__popcountdi2). Writable sections must be empty (.data.rel.ro holds constant tables of addresses:
# it is read-only once loaded).
# The objects behind `--` may call whom they like, but what they remember must live in the blocks they are handed.
# Breaks when a step calls a clock, dice, I/O or an allocator, or when anything keeps a static variable.
. "$(dirname "$0")/lib/claims.sh"
allowed='mem(cpy|move|set|cmp)|__[a-z]+[sdt]i[0-9]|assert_failed|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail'
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT

# Prints what an object remembers by itself.
state_of() {
    nm "$1" | awk '$(NF - 1) == "C" { print "keeps " $NF }'
    objdump -h "$1" | awk '$2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ {
        print "has a writable section " $2 " of 0x" $3 " bytes" }'
}

# True if the objects are pure together; what is wrong stands in $dir/faults.
is_pure() {
    ld -r -o "$dir/all.o" "$@" || return 1
    {
        nm -u "$dir/all.o" | awk '{ print $NF }' | grep -vxE "$allowed" | sed 's/^/calls /'
        state_of "$dir/all.o"
    } >"$dir/faults"
    [ ! -s "$dir/faults" ]
}

model=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    model+=("$1")
    shift
done
is_pure "${model[@]}"
status=$?
sed 's/^/# the model /' "$dir/faults"
report $status 'the model keeps no state and calls nobody'

for object in "${@:2}"; do
    state_of "$object" | sed "s|^|# $object |"
done >"$dir/faults"
cat "$dir/faults"
[ ! -s "$dir/faults" ]
report $? 'disks, faults and simulator keep no state between calls'

# The check itself: it must refuse each of these.
refuses() { # CLAIM CODE
    echo "$2" | "${CC:-gcc}" -O2 -x c -c -o "$dir/bad.o" - || { report 1 "$1"; return; }
    ! is_pure "$dir/bad.o"
    report $? "$1"
}
refuses 'a counter kept between calls is refused' 'int f(void) { static int n; return ++n; }'
refuses 'an initialised variable is refused' 'int n = 1;'
refuses 'a variable of each thread is refused' '__thread int n;'
refuses 'a call of a clock is refused' 'long time(long *); long f(void) { return time(0); }'
refuses 'a call of an allocator is refused' 'void *f(unsigned long n) { return __builtin_malloc(n); }'
exit $failed
