/* Numbers of CSV files. */
#ifndef SMS_BASE_DECIMAL_H
#define SMS_BASE_DECIMAL_H

#include <stdio.h>

enum { SMS__DECIMAL_BYTES = 24 };

/* Writes the value with twelve digits, as "%.12g" does: more than any simulated figure means, and no noise of the last
 * bits. Returns the number of bytes, without the terminator. */
size_t sms__decimal(char out[SMS__DECIMAL_BYTES], double value);

/* Prints the same; nothing for NAN, which is a value that there is not. */
void sms__print_number(FILE *to, double value);

#endif
