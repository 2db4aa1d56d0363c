/* Parses numbers in any of the notations that profilers print, and converts their units. */
#include "numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Size of the buffer for a number without separators; no profiler prints longer ones. */
enum { DIGITS_MAX = 64, WHOLE_BITS = 53 };

/* A size that is printed to this many bytes is the nearest whole number. */
enum { NEARLY_EXACT = 2 };

#define DIGITS "0123456789"

struct digits {
    const char *from, *end; /* of the text, from the first digit or separator to the byte after the last */
    size_t points, commas, others;
    const char *last; /* the last point or comma */
};

/* Bytes of the separator of thousands at `c` (blank, apostrophe, no-break space, narrow no-break space), or 0. */
static size_t separator(const char *c)
{
    size_t length = *c == ' ' || *c == '\''                                            ? 1
                    : !strncmp(c, "\xc2\xa0", 2)                                       ? 2
                    : !strncmp(c, "\xe2\x80\xaf", 3) || !strncmp(c, "\xe2\x80\x99", 3) ? 3
                                                                                       : 0;
    return length && isdigit((unsigned char)c[length]) && isdigit((unsigned char)c[length + 1]) &&
                   isdigit((unsigned char)c[length + 2])
               ? length
               : 0;
}

static struct digits scan(const char *text)
{
    struct digits d = {.from = text};
    const char *c = text;
    for (size_t length = 1; length; c += length) {
        bool mark = *c == '.' || *c == ',';
        d.points += *c == '.';
        d.commas += *c == ',';
        d.last = mark ? c : d.last;
        length = mark || isdigit((unsigned char)*c) ? 1 : c > text ? separator(c) : 0;
        d.others += !mark && length && !isdigit((unsigned char)*c);
    }
    d.end = c;
    return d;
}

/* Whether a single point or comma could separate thousands. */
static bool may_group(const struct digits *d)
{
    size_t before = strspn(d->from, DIGITS), after = (size_t)(d->end - d->last) - 1;
    return !d->others && after == 3 && before >= 1 && before <= 3 && *d->from != '0';
}

/* The decimal separator that the digits imply; 0: they have no decimals; '?': it is ambiguous. */
static char decimal_shown(const struct digits *d)
{
    if (!d->last)
        return 0;
    if (d->points && d->commas)
        return *d->last;
    if (d->points + d->commas > 1)
        return 0; /* all of them separate thousands */
    return may_group(d) ? '?' : *d->last;
}

/* Whether digits are grouped correctly: 1 to 3 in the first group, 3 in the last before the decimals, 2 (as in India)
 * or 3 in between. */
static bool are_groups_valid(const struct digits *d, char decimal)
{
    size_t run = 0, groups = 0, shortest = 3;
    for (const char *c = d->from; c <= d->end; c++) {
        if (c < d->end && isdigit((unsigned char)*c)) {
            run++;
            continue;
        }
        bool is_last = c == d->end || *c == decimal;
        if (groups && (run > 3 || run < (is_last ? 3u : 2u)))
            return false;
        if (!is_last && (run < 1 || run > 3))
            return false;
        shortest = run < shortest ? run : shortest;
        if (is_last)
            return c == d->end || strspn(c + 1, DIGITS) >= (size_t)(d->end - c - 1);
        groups++;
        run = 0;
        while ((unsigned char)c[1] >= 0x80)
            c++;
    }
    return true;
}

/* Converts the digits up to `end`, without separators of thousands, and sets what the last digit stands for. Returns
 * false if they are no finite number. */
static bool convert(const struct digits *d, char decimal, const char *end, double *value, double *step)
{
    char text[DIGITS_MAX];
    size_t used = 0, digits = 0;
    for (const char *c = d->from; c < end && used < sizeof text - 1; c++) {
        bool keep = isdigit((unsigned char)*c) || c >= d->end;
        if (keep || (*c == decimal && *c))
            text[used++] = keep ? *c : '.';
        digits += c < d->end && keep;
    }
    text[used] = '\0';
    *value = strtod(text, NULL);
    const char *point = strchr(text, '.');
    *step = end > d->end ? 0 : point ? pow(10, -(double)strlen(point + 1)) : 1;
    return digits > 0 && used < sizeof text - 1 && isfinite(*value);
}

static const char *exponent_end(const char *c)
{
    if (*c != 'e' && *c != 'E')
        return c;
    const char *at = c + 1 + (c[1] == '+' || c[1] == '-');
    return isdigit((unsigned char)*at) ? at + strspn(at, DIGITS) : c;
}

static const char *skip_blanks(const char *c)
{
    while (*c == ' ' || *c == '\t' || *c == '\r' || *c == '\n')
        c++;
    return c;
}

/* Reads what follows a number: nothing, a unit, or the values of the metric's instances in parentheses. */
static bool read_unit(const char *c, struct sms__number *out)
{
    c = skip_blanks(c);
    out->unit = c;
    out->unit_length = 0;
    if (*c == '(')
        return strchr(c, ')') != NULL;
    while (isalpha((unsigned char)*c) || *c == '%' || *c == '/')
        c++;
    out->unit_length = (size_t)(c - out->unit);
    c = skip_blanks(c);
    return *c == '\0';
}

static const struct level {
    const char *word;
    double value;
} levels[] = {{"Idle", 0}, {"Low", 2}, {"Mid", 5}, {"High", 8}, {"Max", 10}};

static enum sms__number_kind read_level(const char *text, struct sms__number *out)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        size_t length = strlen(levels[i].word);
        if (strncmp(text, levels[i].word, length))
            continue;
        *out = (struct sms__number){levels[i].value, 0, "", 0};
        const char *c = skip_blanks(text + length);
        if (*c == '\0')
            return SMS__NUMBER_LEVEL;
        char *end;
        long level = *c == '(' && isdigit((unsigned char)c[1]) ? strtol(c + 1, &end, 10) : -1;
        if (level < 0 || level > 10 || *end != ')' || *skip_blanks(end + 1))
            return SMS__NUMBER_TEXT;
        out->value = (double)level;
        return SMS__NUMBER_LEVEL;
    }
    return SMS__NUMBER_TEXT;
}

static bool is_missing(const char *text)
{
    static const char *const words[] = {"",     "-",    "n/a",  "na",         "nan",      "-nan",    "inf",
                                        "-inf", "none", "null", "<overflow>", "overflow", "(!) n/a", "!"};
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && !strncasecmp(text, words[i], length))
            return true;
    return false;
}

enum sms__number_kind sms__number_read(const char *text, enum sms__decimal decimal, struct sms__number *out)
{
    text = skip_blanks(text);
    if (is_missing(text))
        return SMS__NUMBER_NONE;
    bool negative = *text == '-';
    const char *from = text + (negative || *text == '+');
    if (!isdigit((unsigned char)*from) && !(*from == '.' && isdigit((unsigned char)from[1])))
        return read_level(text, out);
    struct digits d = scan(from);
    char shown = decimal_shown(&d);
    if (shown == '?' && decimal == SMS__DECIMAL_UNCLEAR)
        return SMS__NUMBER_AMBIGUOUS;
    if (shown == '?')
        shown = (*d.last == '.') == (decimal == SMS__DECIMAL_POINT) ? *d.last : 0;
    const char *end = exponent_end(d.end);
    if (!are_groups_valid(&d, shown) || !convert(&d, shown, end, &out->value, &out->step) || !read_unit(end, out))
        return SMS__NUMBER_TEXT;
    out->value = negative ? -out->value : out->value;
    return SMS__NUMBER_VALUE;
}

void sms__number_detect(const char *text, size_t *points, size_t *commas)
{
    struct sms__number number;
    text = skip_blanks(text);
    if (sms__number_read(text, SMS__DECIMAL_POINT, &number) != SMS__NUMBER_VALUE)
        return;
    struct digits d = scan(text + (*text == '-' || *text == '+'));
    char shown = decimal_shown(&d);
    bool thousands = shown == 0 && d.last && d.points + d.commas > 1; /* the other separator is the decimal one */
    *points += shown == '.' || (thousands && *d.last == ',');
    *commas += shown == ',' || (thousands && *d.last == '.');
}

enum sms__decimal sms__number_decimal(size_t points, size_t commas)
{
    if (commas == 0 || points / 10 >= commas)
        return SMS__DECIMAL_POINT;
    return points == 0 || commas / 10 >= points ? SMS__DECIMAL_COMMA : SMS__DECIMAL_UNCLEAR;
}

/* The factor of a text made of one of the prefixes and one of the bases; NAN if it is none. Case is ignored. */
struct multiple {
    const char *text;
    double factor;
};

static double factor_of(const struct multiple *prefixes, const struct multiple *bases, const char *text, size_t length)
{
    for (const struct multiple *base = bases; base->text; base++)
        for (const struct multiple *prefix = prefixes; prefix->text; prefix++) {
            size_t before = strlen(prefix->text), after = strlen(base->text);
            if (before + after == length && !strncasecmp(prefix->text, text, before) &&
                !strncasecmp(base->text, text + before, after))
                return prefix->factor * base->factor;
        }
    return NAN;
}

double sms__to_seconds(double value, const char *unit)
{
    static const struct multiple parts[] = {
        {"", 1},    {"m", 1e3},    {"milli", 1e3}, {"u", 1e6}, {"micro", 1e6}, {"\xc2\xb5", 1e6}, {"\xce\xbc", 1e6},
        {"n", 1e9}, {"nano", 1e9}, {"p", 1e12},    {0}};
    static const struct multiple bases[] = {{"s", 1}, {"sec", 1}, {"secs", 1}, {"second", 1}, {"seconds", 1}, {0}};
    static const struct multiple none[] = {{"", 1}, {0}};
    static const struct multiple longer[] = {{"m", 60},    {"min", 60},  {"minute", 60}, {"minutes", 60},
                                             {"h", 3600},  {"hr", 3600}, {"hour", 3600}, {"hours", 3600},
                                             {"d", 86400}, {0}};
    double divisor = factor_of(parts, bases, unit, strlen(unit)); /* 9 / 1e9 is 9e-9, and 9 * 1e-9 is not */
    return isnan(divisor) ? value * factor_of(none, longer, unit, strlen(unit)) : value / divisor;
}

double sms__to_bytes(double value, const char *unit)
{
    static const struct multiple decimal[] = {{"", 1},     {"k", 1e3},  {"m", 1e6}, {"g", 1e9},
                                              {"t", 1e12}, {"p", 1e15}, {0}};
    static const struct multiple binary[] = {{"k", 0x1p10},  {"m", 0x1p20},  {"g", 0x1p30},
                                             {"t", 0x1p40},  {"ki", 0x1p10}, {"mi", 0x1p20},
                                             {"gi", 0x1p30}, {"ti", 0x1p40}, {0}};
    static const struct multiple words[] = {{"byte", 1}, {"bytes", 1}, {0}}, letter[] = {{"b", 1}, {0}};
    size_t length = strcspn(unit, "/");
    double factor = length == 1 ? factor_of(decimal, letter, unit, length) : factor_of(decimal, words, unit, length);
    if (isnan(factor))
        factor = factor_of(binary, letter, unit, length);
    return value * (isnan(factor) ? factor_of(binary + 4, words, unit, length) : factor);
}

double sms__to_hertz(double value, const char *unit)
{
    static const struct multiple prefixes[] = {{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {0}};
    static const struct multiple hertz[] = {{"hz", 1}, {0}}, cycle[] = {{"cycle", 1}, {"cycles", 1}, {0}};
    const char *slash = strchr(unit, '/');
    if (!slash)
        return value * factor_of(prefixes, hertz, unit, strlen(unit));
    return value * factor_of(prefixes, cycle, unit, (size_t)(slash - unit)) / sms__to_seconds(1, slash + 1);
}

double sms__round_bytes(double bytes, double step)
{
    double low = ceil(bytes - step / 2), high = floor(bytes + step / 2), nearest = floor(bytes + 0.5);
    if (!(step > NEARLY_EXACT) || !(low > 0))
        return nearest;
    for (double unit = 0x1p50; unit > 1; unit /= 2)
        if (ceil(low / unit) * unit <= high)
            return ceil(low / unit) * unit;
    return nearest;
}

static bool to_whole(double value, uint64_t *out)
{
    if (!(value >= 0 && value <= (double)(UINT64_C(1) << WHOLE_BITS)) || value != floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

/* Reads "(9, 32, 1)" or "640x1x1": one to three numbers with separators. */
static bool read_list(const char *c, uint64_t out[3])
{
    size_t count = 0;
    while (count < 3) {
        char *end;
        c += strspn(c, " (,x\t");
        if (!isdigit((unsigned char)*c))
            break;
        double value = strtod(c, &end);
        if (!to_whole(value, &out[count++]))
            return false;
        c = end;
    }
    c += strspn(c, " )\t\r\n");
    return count > 0 && *c == '\0';
}

bool sms__dimensions_read(const char *text, enum sms__decimal decimal, uint64_t out[3])
{
    struct sms__number number;
    text = skip_blanks(text);
    out[0] = out[1] = out[2] = 1;
    if (*text == '(' || strchr(text, 'x'))
        return read_list(text, out);
    return sms__number_read(text, decimal, &number) == SMS__NUMBER_VALUE && number.unit_length == 0 &&
           to_whole(number.value, &out[0]);
}
