/* Text of a trace on its way to the file; whether it got there is asked of the stream. */
#ifndef SMS_REPORT_TRACE_TEXT_H
#define SMS_REPORT_TRACE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sms__text {
    FILE *to;
    size_t used;
    char buffer[1 << 15];
};

void sms__text_flush(struct sms__text *out);
void sms__put_char(struct sms__text *out, char c);
void sms__put(struct sms__text *out, const char *text);
/* With so many digits behind a point. */
void sms__put_fixed(struct sms__text *out, uint64_t value, int decimals);
void sms__put_number(struct sms__text *out, uint64_t value);
/* In microseconds, the unit of the format. */
void sms__put_us(struct sms__text *out, uint64_t ps);
/* As it stands between quotes in JSON. */
void sms__put_escaped(struct sms__text *out, const char *text);
/* `key` with its colon and what stands before it, then the value. */
void sms__put_string(struct sms__text *out, const char *key, const char *text);
void sms__put_field(struct sms__text *out, const char *key, uint64_t value);

#endif
