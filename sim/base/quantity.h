/* Numbers with units: `12.5 us`, `900 GB/s`, `96 KiB`, `1530 MHz`, `35 %`. */
#ifndef SMS_BASE_QUANTITY_H
#define SMS_BASE_QUANTITY_H

#include <stddef.h>

/* What a number measures, and the unit it is kept in. */
enum sms__dimension {
    SMS__COUNT,     /* a whole number, no unit */
    SMS__RATIO,     /* 1.0 is 100 % */
    SMS__TIME,      /* ps */
    SMS__CYCLES,    /* SMS__TIME that may also be given in cycles (see sms__quantity) */
    SMS__BYTES,     /* B */
    SMS__BANDWIDTH, /* B/s */
    SMS__FREQUENCY, /* Hz */
    SMS__POWER,     /* W */
    SMS__NUMBER     /* a count with a fraction, as of CPUs; 50 % is half of one */
};

struct sms__quantity {
    double value; /* finite */
    int cycles;   /* the unit was cycles: value is a number of cycles */
};

/* Parses all of `text`. Returns NULL, or what is wrong with it ("has no unit;
 * write it with one of ps, ns, ..."), in static storage or in `why`. */
const char *sms__quantity_parse(const char *text, enum sms__dimension dimension, struct sms__quantity *out, char *why,
                                size_t why_size);

/* The shortest text of `value` in a unit of the dimension, "2 ms", that is read back as the same value if there is one;
 * six digits otherwise. Of TIME, BYTES, BANDWIDTH, FREQUENCY, POWER. */
void sms__quantity_print(char *out, size_t size, double value, enum sms__dimension dimension);

/* The units of a dimension, as a list in words: "ps, ns, us, ms, s". */
const char *sms__dimension_units(enum sms__dimension dimension);

/* The name of the i-th unit of a dimension, "" where a number may stand alone; NULL beyond. */
const char *sms__dimension_unit(enum sms__dimension dimension, size_t i);

/* Picoseconds of a number of cycles; the only place that converts. */
double sms__cycles_to_ps(double cycles, double clock_hz);

#endif
