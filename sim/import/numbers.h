/* Numbers as NVIDIA's profilers print them: with separators of the user's locale, with units attached ("504.88GB/s"),
 * or as levels ("High (7)").
 *
 * A metric keeps the unit that the tool wrote. Times of launches and copies are converted to seconds, sizes to bytes.
 * Prefixes of ncu are powers of 1000 ("Kbyte" is 1000 bytes), those of nvprof powers of 1024 ("KB" is 1024 bytes,
 * "GB/s" is 2^30 bytes per second; size, duration and throughput in its traces agree with that). */
#ifndef SMS_IMPORT_NUMBERS_H
#define SMS_IMPORT_NUMBERS_H

#include "profile.h"

/* The character that a file writes before decimals. */
enum sms__decimal {
    SMS__DECIMAL_POINT,
    SMS__DECIMAL_COMMA,
    SMS__DECIMAL_UNCLEAR /* the file uses both */
};

enum sms__number_kind {
    SMS__NUMBER_NONE,      /* not measured: an empty text, "n/a", "-", "inf", "<OVERFLOW>" and others */
    SMS__NUMBER_TEXT,      /* not a number */
    SMS__NUMBER_AMBIGUOUS, /* "1,234" while the decimal separator is unclear */
    SMS__NUMBER_VALUE,
    SMS__NUMBER_LEVEL /* 0 to 10 */
};

struct sms__number {
    double value;
    double step;        /* what the last printed digit stands for; 0: the text has an exponent */
    const char *unit;   /* in the text, after the number */
    size_t unit_length; /* 0: none */
};

/* Reads all of `text`, ignoring blanks around it. Fills `out` only for SMS__NUMBER_VALUE and SMS__NUMBER_LEVEL. */
enum sms__number_kind sms__number_read(const char *text, enum sms__decimal decimal, struct sms__number *out);

/* Adds 1 to *points or *commas if `text` alone shows which of them separates decimals. */
void sms__number_detect(const char *text, size_t *points, size_t *commas);

/* The decimal separator of a file with these counts. A majority of ten to one decides. */
enum sms__decimal sms__number_decimal(size_t points, size_t commas);

/* Converts a value in `unit` to seconds, bytes ("byte/block" too) or hertz ("cycle/ns" too). NAN if the unit is no unit
 * of that. */
double sms__to_seconds(double value, const char *unit);
double sms__to_bytes(double value, const char *unit);
double sms__to_hertz(double value, const char *unit);

/* The whole number of bytes that was printed with digits of `step` bytes. Sizes are round, so of all that round to the
 * printed number it is the multiple of the largest power of two: 32.77 Kbyte are 32768 bytes. */
double sms__round_bytes(double bytes, double step);

/* Reads one to three whole numbers: "(9, 32, 1)", "640x1x1", "192", "97,152". Missing ones are 1. Returns whether it
 * could. */
bool sms__dimensions_read(const char *text, enum sms__decimal decimal, uint64_t out[3]);

#endif
