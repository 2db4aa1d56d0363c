/* Numbers as NVIDIA's profilers print them: with separators of the user's
 * locale, with units attached ("504.88GB/s"), as levels ("High (7)").
 *
 * Units. A metric keeps the unit that the tool wrote. Times of launches and
 * copies become seconds, sizes become bytes: ncu counts in thousands ("Kbyte"
 * is 1000 bytes), nvprof in 1024s ("KB" is 1024 bytes, "GB/s" is 2^30 bytes a
 * second; with its Size and Duration its Throughput comes out so). */
#ifndef SMS_IMPORT_NUMBERS_H
#define SMS_IMPORT_NUMBERS_H

#include "profile.h"

/* Which character a file writes before the decimals. */
enum sms__decimal {
    SMS__DECIMAL_POINT,
    SMS__DECIMAL_COMMA,
    SMS__DECIMAL_UNCLEAR /* it writes some numbers so and some so */
};

enum sms__number_kind {
    SMS__NUMBER_NONE,      /* "", "n/a", "nan", "inf", "-", "<OVERFLOW>": nothing was measured */
    SMS__NUMBER_TEXT,      /* no number */
    SMS__NUMBER_AMBIGUOUS, /* "1,234" where decimals are unclear */
    SMS__NUMBER_VALUE,
    SMS__NUMBER_LEVEL /* 0 to 10 */
};

struct sms__number {
    double value;
    double low, high;   /* of a level in words alone, as "High": 7 and 9; else both are `value` */
    const char *unit;   /* behind the number, in the text */
    size_t unit_length; /* 0: none */
};

/* Reads all of `text`, blanks around it aside. Only SMS__NUMBER_VALUE and SMS__NUMBER_LEVEL fill `out`. */
enum sms__number_kind sms__number_read(const char *text, enum sms__decimal decimal, struct sms__number *out);

/* What `text` alone tells of decimals: adds 1 to *points or *commas, or nothing. */
void sms__number_sniff(const char *text, size_t *points, size_t *commas);

/* From these counts: what the file does. Ten to one is clear. */
enum sms__decimal sms__number_decimal(size_t points, size_t commas);

/* A value in `unit` as seconds or bytes ("byte/block" too); NAN if it is no unit of that. */
double sms__to_seconds(double value, const char *unit);
double sms__to_bytes(double value, const char *unit);

/* What a value in unit `from` must be multiplied with to be in `to`, of nvprof's bytes and bytes a second; 1 if they
 * are equal, NAN if nothing is known. */
double sms__nvprof_scale(const char *from, const char *to);

/* "(9, 32, 1)", "640x1x1", "192", "97,152": one to three whole numbers, of what is not given 1. Whether it is. */
bool sms__dimensions_read(const char *text, enum sms__decimal decimal, uint64_t out[3]);

#endif
