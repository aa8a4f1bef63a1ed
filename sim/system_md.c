/* The system under study. */
#include "sim/system_md.h"

#include "disks/disk.h"
#include "faults/fate.h"
#include "model/array.h"
#include "model/bitmap.h"
#include "model/superblock.h"
#include "model/workers.h"

const struct system system_md = {
    .kinds = { [KIND_CLIENT] = &client_kind,
               [KIND_RAID5D] = &raid5d_kind,
               [KIND_TIMER] = &timer_kind,
               [KIND_COMPLETION] = &completion_kind,
               [KIND_DISK] = &disk_kind,
               [KIND_RESYNC] = &resync_kind,
               [KIND_SAFEMODE] = &safemode_kind,
               [KIND_FATE] = &fate_kind,
               [KIND_DAEMON] = &daemon_kind,
               [KIND_WORKER] = &worker_kind },
};
