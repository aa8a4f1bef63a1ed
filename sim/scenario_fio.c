/*
 * Options that fio has and the model has not. They are named in one line of warnings, so that a pasted job
 * runs and its owner knows what was left out. Being listed here also keeps such an option from being taken
 * for a slip of the pen: `rate` is no misspelt `rw`.
 *
 * Source: fio's documentation of job file parameters; names only.
 */
#include "sim/scenario_internal.h"

#include <stdio.h>
#include <string.h>

static const char *const options[] = {
    "allow_file_create", "allow_mounted_write", "allrandrepeat", "atomic", "bandwidth_log",
    "blocksize_range", "blocksize_unaligned", "bs_is_seq_rand", "bs_unaligned", "bsrange",
    "bssplit_seed", "buffer_compress_chunk", "buffer_compress_percentage", "buffer_pattern",
    "buffered", "bwavgtime", "cgroup", "clat_percentiles", "clocksource", "continue_on_error",
    "cpuchunks", "cpuload", "cpumask", "cpus_allowed", "cpus_allowed_policy", "create_fsync",
    "create_on_open", "create_only", "create_serialize", "dedupe_percentage", "description",
    "directory", "disable_bw", "disable_clat", "disable_lat", "disable_slat", "disk_util",
    "do_verify", "end_fsync", "error_dump", "eta", "eta_newline", "exec_postrun", "exec_prerun",
    "exitall", "exitall_on_error", "experimental_verify", "fadvise_hint", "fallocate", "fdatasync",
    "file_append", "file_service_type", "filename", "filename_format", "filesize", "fill_device",
    "fill_fs", "fixedbufs", "flow", "fsync", "fsync_on_close", "group_reporting", "gtod_cpu",
    "gtod_reduce", "hipri", "hugepage-size", "ignore_error", "io_submit_mode", "iodepth_batch",
    "iodepth_batch_complete", "iodepth_batch_complete_max", "iodepth_batch_complete_min",
    "iodepth_batch_submit", "iodepth_low", "iolog", "iomem", "iomem_align", "ioscheduler",
    "iosched", "invalidate", "job_max_bw", "kb_base", "lat_percentiles", "latency_percentile",
    "latency_run", "latency_target", "latency_window", "lfsr", "lockfile", "lockmem", "log_avg_msec",
    "log_compression", "log_entries", "log_hist_msec", "log_max_value", "log_offset",
    "log_unix_epoch", "max_latency", "mem", "mem_align", "name", "new_group", "nice",
    "nonvectored", "nowait", "nrfiles", "number_ios", "numa_cpu_nodes", "numa_mem_policy",
    "offset_align", "offset_increment", "openfiles", "opendir", "overwrite", "percentage_random",
    "percentile_list", "per_job_logs", "pre_read", "prio", "prioclass", "priority", "profile",
    "random_generator", "randrepeat", "randseed", "rate", "rate_cycle", "rate_iops_min",
    "rate_min", "rate_process", "rate_ignore_thinktime", "read_beyond_wp", "read_iolog",
    "readonly", "registerfiles", "replay_no_stall", "replay_redirect", "replay_scale",
    "replay_skip", "replay_time_scale", "refill_buffers", "runs", "rw_sequencer", "scramble_buffers",
    "serialize_overlap", "significant_figures", "size_log", "slat_percentiles", "softrandommap",
    "sqthread_poll", "ss", "ss_dur", "ss_ramp", "start_delay", "status_interval", "steadystate",
    "steadystate_duration", "steadystate_ramp_time", "stats", "stonewall", "sync",
    "sync_file_range", "thread", "thinkcycles", "thinktime_blocks", "thinktime_blocks_type",
    "thinktime_iotime", "thinktime_spin", "time", "timeout", "trim_percentage", "trim_backlog",
    "uid", "gid", "unique_filename", "unified_rw_reporting", "unit_base", "unlink",
    "unlink_each_loop", "use_os_rand", "userspace_reap", "verify", "verify_async",
    "verify_backlog", "verify_dump", "verify_fatal", "verify_interval", "verify_offset",
    "verify_only", "verify_pattern", "verify_state_save", "wait_for", "wait_for_previous",
    "write_barrier", "write_bw_log", "write_hint", "write_hist_log", "write_iolog",
    "write_iops_log", "write_lat_log", "zero_buffers", "zonemode", "zonerange", "zonesize",
    "zoneskip",
};

bool fio_knows_option(const char *name)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!strcmp(options[i], name))
            return true;
    }
    return false;
}

void scenario_warn(struct scenario *scenario, const char *text)
{
    for (unsigned i = 0; i < scenario->warning_count; i++) {
        if (!strncmp(scenario->warning[i], text, sizeof scenario->warning[i] - 1))
            return;
    }
    if (scenario->warning_count == WARNINGS_MAX)
        return;
    snprintf(scenario->warning[scenario->warning_count++], sizeof scenario->warning[0], "%s", text);
}
