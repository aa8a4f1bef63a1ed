#!/usr/bin/env bash
# Draws docs/2006/profile.svg: cycles per 4 KiB page by symbol, published and simulated, for the runs A4 and A5; leaves the
# numbers beside it. Needs gnuplot. Usage: docs/2006/figures.sh   (from the project's root, after make)
set -euo pipefail
bin=${RAID5SIM:-build/release/raid5sim}
dir=docs/2006
cycles() { # row symbol
    { "$bin" run "scenarios/run/2006-$1.cfg" || [ $? = 1 ]; } 2>/dev/null | awk -v s="$2" '$4 == s && NF == 4 {print $3; exit}'
}
{
    echo "# cycles per 4 KiB page: symbol, A4 published, A4 simulated, A5 published, A5 simulated"
    while read -r symbol a4 a5; do
        echo "$symbol $a4 $(cycles a4 "$symbol") $a5 $(cycles a5 "$symbol")"
    done <<'T'
memcpy 18300 17200
handle_stripe 5200 15600
get_active_stripe 3500 22000
raid5_compute_sector 900 2600
make_request 900 1700
raid5_end_read_request 700 1100
T
} >$dir/profile.dat
gnuplot <<G
set terminal svg size 860,380 font "sans,12" background rgb "white"
set output "$dir/profile.svg"
set style data histogram
set style histogram cluster gap 1
set style fill solid 0.9 border rgb "white"
set ylabel "kilocycles per 4 KiB page"
set xtics rotate by -18 noenhanced
set grid ytics
set key top right
plot "$dir/profile.dat" using (\$2/1000):xtic(1) title "A4 published" lc rgb "#9ecae1", \
     "" using (\$3/1000) title "A4 simulated" lc rgb "#3182bd", \
     "" using (\$4/1000) title "A5 published" lc rgb "#fdae6b", \
     "" using (\$5/1000) title "A5 simulated" lc rgb "#e6550d"
G
