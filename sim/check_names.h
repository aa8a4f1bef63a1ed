/* Names of what fate may spend, as in [check]. */
#ifndef SIM_CHECK_NAMES_H
#define SIM_CHECK_NAMES_H
/* The key of that enum check_budget; a constant. */
const char *check_budget_name(unsigned budget);

#endif
