/* Names of flags: see flag_names.h. */
#include "sim/flag_names.h"

#include <stddef.h>

const char *flag_of_stripe(unsigned bit)
{
    static const char *const names[] = { "HANDLE",          "SYNCING",        "INSYNC",
                                         "PREREAD_ACTIVE",  "DELAYED",        "DEGRADED",
                                         "BIT_DELAY",       "HASHED",         "ON_UNPLUG_LIST",
                                         "ON_RELEASE_LIST", "BATCH_READY",    "FULL_WRITE",
                                         "IO_STARTED",      "SYNC_REQUESTED", "BATCH_ERR" };

    return bit < sizeof names / sizeof names[0] ? names[bit] : NULL;
}

const char *flag_of_slot(unsigned bit)
{
    static const char *const names[] = { "UPTODATE", "LOCKED",      "OVERWRITE",  "Insync",
                                         "Wantread", "Wantwrite",   "Overlap",    "ReadError",
                                         "ReWrite",  "Wantfill",    "Wantdrain",  "Wantcompute",
                                         "SkipCopy", "ReadNoMerge", "WriteError", "MadeGood" };

    return bit < sizeof names / sizeof names[0] ? names[bit] : NULL;
}
