/* Numbers go by their digits, so that every picosecond is exact. */
#include "trace_text.h"

#include "../base/escape.h"

void sms__text_flush(struct sms__text *out)
{
    fwrite(out->buffer, 1, out->used, out->to);
    out->used = 0;
}

void sms__put_char(struct sms__text *out, char c)
{
    if (out->used == sizeof out->buffer)
        sms__text_flush(out);
    out->buffer[out->used++] = c;
}

void sms__put(struct sms__text *out, const char *text)
{
    while (*text)
        sms__put_char(out, *text++);
}

/* With so many digits behind a point. */
void sms__put_fixed(struct sms__text *out, uint64_t value, int decimals)
{
    char digits[24];
    int n = 0;
    do {
        if (n == decimals && n > 0)
            digits[n++] = '.', decimals = -1;
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value || n <= decimals);
    while (n > 0)
        sms__put_char(out, digits[--n]);
}

void sms__put_number(struct sms__text *out, uint64_t value) { sms__put_fixed(out, value, 0); }

/* Microseconds, the unit of the format. */
void sms__put_us(struct sms__text *out, uint64_t ps) { sms__put_fixed(out, ps, 6); }

void sms__put_escaped(struct sms__text *out, const char *text)
{
    char piece[8];
    while (*text)
        sms__put(out, sms__json_piece(&text, piece));
}

void sms__put_string(struct sms__text *out, const char *key, const char *text)
{
    sms__put(out, key);
    sms__put_char(out, '"');
    sms__put_escaped(out, text);
    sms__put_char(out, '"');
}

void sms__put_field(struct sms__text *out, const char *key, uint64_t value)
{
    sms__put(out, key);
    sms__put_number(out, value);
}
