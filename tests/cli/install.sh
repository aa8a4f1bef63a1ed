#!/bin/bash
# make install puts a program in place that works without the source tree, and uninstall takes all of it away.
# Breaks when a file is missing from the install list, data are looked up in the source tree, or uninstall forgets something.
. "$(dirname "$0")/../lib/claims.sh"
make=${MAKE:-make}
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT

files() { # below a folder, without the folder's name
    (cd "$1" && find . ! -type d | sort)
}

# Really installed below a prefix of its own: the binary has to find its data there.
"$make" --no-print-directory install PREFIX="$dir/usr" DESTDIR=
report $? 'make install succeeds'
runs() { # PROGRAM: from a folder of its own, with a short run
    mkdir -p "$dir/elsewhere"
    (cd "$dir/elsewhere" && env -u RAID5SIM_DATA "$1" run ../usr/share/raid5sim/run/2006-a4.cfg \
        --set job.aio.runtime=1s >../out.txt 2>../err.txt)
    # 1: so short a run may miss its expected figures.
    [ $? -le 1 ] && [ -s "$dir/out.txt" ] && return 0
    sed 's/^/# /' "$dir/err.txt"
    return 1
}
runs ../usr/bin/raid5sim
report $? 'the installed program runs an installed scenario from another folder'
mkdir "$dir/moved"
cp "$dir/usr/bin/raid5sim" "$dir/moved/raid5sim" && runs ../moved/raid5sim
report $? 'a copy of it still finds the data below the prefix'
! grep -qF "$PWD" "$dir/usr/bin/raid5sim"
report $? 'the installed program does not know where it was built'

"$make" --no-print-directory install PREFIX=/usr DESTDIR="$dir/stage" && diff <(files "$dir/usr") <(files "$dir/stage/usr")
report $? 'DESTDIR gets the same files'
for path in bin/raid5sim share/doc/raid5sim/README.md share/raid5sim/run/2006-a4.cfg; do
    [ -f "$dir/stage/usr/$path" ]
    report $? "$path is installed"
done
for page in docs/man/*.[15]; do
    [ -f "$page" ] || continue
    [ -f "$dir/stage/usr/share/man/man${page##*.}/${page##*/}" ]
    report $? "${page##*/} is installed"
done

"$make" --no-print-directory uninstall PREFIX=/usr DESTDIR="$dir/stage"
"$make" --no-print-directory uninstall PREFIX="$dir/usr" DESTDIR=
left=$(find "$dir/usr" "$dir/stage" ! -type d; find "$dir/usr" "$dir/stage" -type d -name raid5sim)
[ -z "$left" ]
report $? "uninstall leaves nothing${left:+: $left}"
exit $failed
