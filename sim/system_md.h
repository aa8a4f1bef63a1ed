/* The model's parts put together: the only place that knows both the array and the disks. */
#ifndef SIM_SYSTEM_MD_H
#define SIM_SYSTEM_MD_H
#include "model/step.h"

extern const struct system system_md;

#endif
