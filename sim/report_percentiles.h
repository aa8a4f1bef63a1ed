/* fio's default list of percentiles, in thousandths of a percent, rising. */
#ifndef SIM_REPORT_PERCENTILES_H
#define SIM_REPORT_PERCENTILES_H
#include <stdint.h>

enum { REPORT_PERCENTILES = 17 };

static const uint32_t report_percentiles[REPORT_PERCENTILES] = {
    1000,  5000,  10000, 20000, 30000, 40000, 50000, 60000, 70000,
    80000, 90000, 95000, 99000, 99500, 99900, 99950, 99990,
};

#endif
