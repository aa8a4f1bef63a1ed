/*
 * Other forms of the table of keys: `raid5sim keys --names` (completion) and `raid5sim keys --man`
 * (the part of raid5sim-scenario(5) that lists them). scenario_print_keys() and
 * scenario_print_presets() are in sim/scenario.h.
 */
#ifndef SIM_SCENARIO_PRINT_H
#define SIM_SCENARIO_PRINT_H

/* One section.key a line. */
void scenario_print_key_names(void);
/* man(7) source. */
void scenario_print_keys_man(void);

#endif
