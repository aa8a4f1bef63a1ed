/* Names of the flags of stripes and slots, as the kernel has them. */
#ifndef SIM_FLAG_NAMES_H
#define SIM_FLAG_NAMES_H
/* Of that bit of stripe.state (below 16), of slot.flags (below 16); NULL: there is no such flag. */
const char *flag_of_stripe(unsigned bit);
const char *flag_of_slot(unsigned bit);

#endif
