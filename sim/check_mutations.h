/* `raid5sim check --all-mutations`. */
#ifndef SIM_CHECK_MUTATIONS_H
#define SIM_CHECK_MUTATIONS_H
#include "sim/scenario.h"

/* Checks check/mutations/BNN.cfg of the data folder for each fault that can be put back, with it.
 * Prints a line each, and how many were found. Exit status: 1 if one that can be found was not. */
int check_all_mutations(const struct overrides *);

#endif
