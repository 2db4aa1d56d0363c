/* Numbers with units: `12.5 us`, `900 GB/s`, `96 KiB`, `1530 MHz`, `35 %`. */
#ifndef SMS_BASE_QUANTITY_H
#define SMS_BASE_QUANTITY_H

#include <stddef.h>

/* What a number measures, and the unit in which it is stored. */
enum sms__dimension {
    SMS__COUNT,        /* a whole number, no unit */
    SMS__RATIO,        /* 1.0 is 100 % */
    SMS__TIME,         /* ps */
    SMS__CYCLES,       /* like SMS__TIME, but may also be given in cycles (see sms__quantity) */
    SMS__BYTES,        /* B */
    SMS__BANDWIDTH,    /* B/s */
    SMS__FREQUENCY,    /* Hz */
    SMS__ARRIVAL_RATE, /* 1/s */
    SMS__POWER,        /* W */
    SMS__ENERGY,       /* pJ */
    SMS__NUMBER        /* a count with a fraction, such as CPUs; 50 % is half of one */
};

struct sms__quantity {
    double value; /* finite */
    int cycles;   /* nonzero if the unit was cycles: then `value` is a number of cycles */
};

/* Parses all of `text`; 0 needs no unit. Returns NULL on success. Otherwise returns what is wrong with it ("has no
 * unit; units here: ps, ns, ..."), in static storage or in `why`. */
const char *sms__quantity_parse(const char *text, enum sms__dimension dimension, struct sms__quantity *out, char *why,
                                size_t why_size);

/* Prints `value` in a unit of the dimension, as in "2 ms". Picks the shortest text that parses back to the same value,
 * or, if six digits are never enough for that, the shortest text. For TIME, BYTES, BANDWIDTH, FREQUENCY, ARRIVAL_RATE,
 * POWER and ENERGY. */
void sms__quantity_print(char *out, size_t size, double value, enum sms__dimension dimension);

/* Returns the name of the i-th unit of a dimension, or NULL past the last. "" means that no unit is needed. */
const char *sms__dimension_unit(enum sms__dimension dimension, size_t i);

/* Converts cycles to picoseconds. No other code does. */
double sms__cycles_to_ps(double cycles, double clock_hz);

#endif
