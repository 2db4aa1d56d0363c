/* The sheet of a device: what is known of it, from which source, and the rule that stands in for what is not. A row is
 * a value of the device; its knees have one each, `knee_NAME` of a compute resource and of dram. */
#ifndef SMS_MODEL_SHEET_H
#define SMS_MODEL_SHEET_H

#include "device_model.h"

enum { SMS__SHEET_ROWS_MAX = SMS_RESOURCES_MAX + 16, SMS__SHEET_TEXT = 120 };

struct sms__sheet_row {
    char name[SMS__NAME_MAX + 8];
    char value[SMS__SHEET_TEXT];   /* "" if it is not known */
    const char *source;            /* where the value comes from; "" */
    char instead[SMS__SHEET_TEXT]; /* "RULE: what it gives" of a value that is not known, else "" */
};

/* Fills in the rows of a device that was read, and returns their number. Texts live as long as the device. */
size_t sms__sheet(const struct sms__device *device, struct sms__sheet_row row[SMS__SHEET_ROWS_MAX]);

/* The clock of SMs whose fp32 units all work, Hz: as it was measured, or power over the energy of a result, which is
 * about the same for chips of one process; or that of the SMs, whichever is least. */
double sms__compute_clock(const struct sms__device *device);
/* True if neither this clock nor an energy of its process was measured. */
bool sms__compute_clock_unknown(const struct sms__device *device);
/* The share of DRAM's bandwidth that kernels get; 1 if it is not known. */
double sms__reached(const struct sms__resource *resource);

/* True if kernels that were scaled from this device to others, and to it, were held against measurements. */
bool sms__scaling_known(const struct sms__device *device);

/* True if it was measured in which order kernels of different processes get the device under MPS. */
bool sms__queue_known(const struct sms__device *device);

/* Complains of sources of rows that the device does not have. */
void sms__check_sources(struct sms__reader *reader, const struct sms__device *device);

#endif
