#!/bin/bash
# tests/cli/fio_json.sh PROGRAM   `run --json -` prints fio's JSON: plotters written for fio find their keys.
# Breaks when a key of fio's is missing or moved, a sum in the file contradicts another, or two runs differ.
. "$(dirname "$0")/../lib/claims.sh"
program=${1:-${RAID5SIM:-build/release/raid5sim}}
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
scenario=scenarios/run/2006-a4.cfg

run() { # OUT OPTION...
    local out=$1
    shift
    "$program" run "$scenario" --set job.aio.runtime=1s --json - "$@" >"$out" 2>"$dir/err"
    [ $? -le 1 ] || sed 's/^/# /' "$dir/err" # 1: so short a run may miss its expected figures
}

# The file is indented by two, one key a line: print "path value" for every key. Members of arrays have no name of their own.
paths() {
    awk '
        match($0, /^ *"[^"]*": /) {
            indent = index($0, "\"") - 1
            key = substr($0, indent + 2, RLENGTH - indent - 4)
            path = ""
            for (i = 2; i < indent; i += 2) if (name[i] != "") path = path name[i] "/"
            for (i in name) if (i + 0 > indent) delete name[i]
            name[indent] = key
            value = substr($0, RLENGTH + 1)
            sub(/,$/, "", value)
            print path key "\t" value
            next
        }
        { indent = match($0, /[^ ]/) - 1; for (i in name) if (i + 0 >= indent) delete name[i] }
    ' "$1"
}

value() { # PATH: of its first occurrence
    awk -F '\t' -v path="$1" '$1 == path { print $2; exit }' "$dir/paths"
}

has() { # CLAIM PREFIX KEY...
    local claim=$1 prefix=$2 missing='' key
    shift 2
    for key; do
        cut -f 1 "$dir/paths" | grep -qxF -- "$prefix$key" || missing+=" $key"
    done
    [ -z "$missing" ]
    report $? "$claim${missing:+ (missing:$missing)}"
}

run "$dir/one.json"
paths "$dir/one.json" >"$dir/paths"

IFS=, read -ra top <<<'fio version,timestamp,timestamp_ms,time,global options,jobs,disk_util,raid5sim'
has "the top level is fio's" '' "${top[@]}"
IFS=, read -ra job <<<'jobname,groupid,job_start,error,eta,elapsed,job options,read,write,trim,sync,job_runtime,usr_cpu,sys_cpu'
has 'jobs are described as by fio' jobs/ "${job[@]}" ctx majf minf iodepth_level iodepth_submit iodepth_complete \
    latency_ns latency_us latency_ms latency_depth latency_target latency_percentile latency_window steadystate
for direction in read write trim; do
    has "direction $direction is fio's" "jobs/$direction/" io_bytes io_kbytes bw_bytes bw iops runtime total_ios short_ios \
        drop_ios slat_ns clat_ns lat_ns bw_min bw_max bw_agg bw_mean bw_dev bw_samples iops_min iops_max iops_mean \
        iops_stddev iops_samples
done
has "latencies are fio's" jobs/read/clat_ns/ min max mean stddev N percentile percentile/1.000000 percentile/50.000000 \
    percentile/99.000000 percentile/99.990000
has "disks are fio's" disk_util/ name read_ios write_ios read_sectors write_sectors read_merges write_merges read_ticks \
    write_ticks in_queue util aggr_read_ios aggr_util
has 'what fio does not know stands under raid5sim' raid5sim/ scenario seed moves events verdict bottleneck cpu/load_percent \
    cpu/per_cpu cpu/threads profile/symbol profile/cycles profile/percent profile/cycles_per_4k work/kind work/count \
    work/per_4k work/cycles stripe_cache/lookups stripe_cache/waits locks members array expect

bytes=$(value jobs/read/io_bytes) ios=$(value jobs/read/total_ios)
[ "${ios:-0}" -gt 0 ] && [ "$bytes" = $((ios * 8 * 1024 * 1024)) ]
report $? "every read moved its 8 MiB ($ios reads, $bytes bytes)"
[ "$(value jobs/read/clat_ns/N)" = "$ios" ]
report $? 'every read has its completion latency'
low=$(value jobs/read/slat_ns/max) high=$(value jobs/read/lat_ns/max)
[ "${low:-1}" -le "${high:-0}" ]
report $? "no submission takes longer than the longest I/O ($low and $high ns)"
[ "$(value time | cut -c 2-19)" = 'Thu Jan  1 00:00:0' ]
report $? 'time stamps are simulated time'
run "$dir/two.json"
cmp -s "$dir/one.json" "$dir/two.json" && [ -s "$dir/one.json" ]
report $? 'the same run gives the same bytes'
run "$dir/three.json" --seed 12345
! cmp -s "$dir/one.json" "$dir/three.json"
report $? 'another seed gives other figures'
exit $failed
