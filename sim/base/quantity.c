/* Numbers with units. Invariant: parsing and printing use a decimal point, whatever the locale. */
#define _GNU_SOURCE
#include "quantity.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit ratios[] = {{"%", 0.01}, {"", 1}, {0}};
static const struct unit counts[] = {{"", 1}, {0}};
static const struct unit times[] = {{"ps", 1},   {"ns", 1e3},   {"us", 1e6},   {"ms", 1e9},
                                    {"s", 1e12}, {"min", 6e13}, {"h", 3.6e15}, {0}};
static const struct unit byte_units[] = {{"B", 1},
                                         {"KB", 1e3},
                                         {"MB", 1e6},
                                         {"GB", 1e9},
                                         {"TB", 1e12},
                                         {"KiB", 1024.0},
                                         {"MiB", 1048576.0},
                                         {"GiB", 1073741824.0},
                                         {"TiB", 1099511627776.0},
                                         {0}};
static const struct unit bandwidths[] = {{"B/s", 1},     {"KB/s", 1e3},        {"MB/s", 1e6},           {"GB/s", 1e9},
                                         {"TB/s", 1e12}, {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0}, {0}};
static const struct unit frequencies[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}, {0}};
static const struct unit rates[] = {{"/h", 1.0 / 3600}, {"/min", 1.0 / 60}, {"/s", 1}, {0}};
static const struct unit powers[] = {{"mW", 1e-3}, {"W", 1}, {"kW", 1e3}, {0}};
static const struct unit energies[] = {{"pJ", 1}, {"nJ", 1e3}, {"J", 1e12}, {0}};

static const struct {
    const struct unit *units;
    const char *list;
} dimensions[] = {
    [SMS__COUNT] = {counts, "none, it is a count"},
    [SMS__RATIO] = {ratios, "% or none"},
    [SMS__TIME] = {times, "ps, ns, us, ms, s, min, h"},
    [SMS__CYCLES] = {times, "ps, ns, us, ms, s, min, h, cycles"},
    [SMS__BYTES] = {byte_units, "B, KB, MB, GB, TB, KiB, MiB, GiB, TiB"},
    [SMS__BANDWIDTH] = {bandwidths, "B/s, KB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s"},
    [SMS__FREQUENCY] = {frequencies, "Hz, kHz, MHz, GHz"},
    [SMS__ARRIVAL_RATE] = {rates, "/h, /min, /s"},
    [SMS__POWER] = {powers, "mW, W, kW"},
    [SMS__ENERGY] = {energies, "pJ, nJ, J"},
    [SMS__NUMBER] = {ratios, "% or none"},
};

const char *sms__dimension_unit(enum sms__dimension dimension, size_t i)
{
    size_t count = 0;
    while (dimensions[dimension].units[count].name)
        count++;
    if (i == count && dimension == SMS__CYCLES)
        return "cycles";
    return i < count ? dimensions[dimension].units[i].name : NULL;
}

double sms__cycles_to_ps(double cycles, double clock_hz) { return cycles * (1e12 / clock_hz); }

static const struct unit *find_unit(enum sms__dimension dimension, const char *name)
{
    for (const struct unit *unit = dimensions[dimension].units; unit->name; unit++)
        if (!strcmp(unit->name, name))
            return unit;
    return NULL;
}

/* Parses the number at the start of `text` in the C locale. */
static double leading_number(const char *text, char **rest)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c_locale ? strtod_l(text, rest, c_locale) : strtod(text, rest);
    if (c_locale)
        freelocale(c_locale);
    return value;
}

static int is_decimal(const char *text)
{
    text += *text == '-' || *text == '+';
    return isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]));
}

const char *sms__quantity_parse(const char *text, enum sms__dimension dimension, struct sms__quantity *out, char *why,
                                size_t why_size)
{
    char *rest;
    if (!is_decimal(text) || !strncasecmp(text + strspn(text, "+-"), "0x", 2))
        return "is not a number";
    double value = leading_number(text, &rest);
    rest += strspn(rest, " ");
    out->cycles = dimension == SMS__CYCLES && !strcmp(rest, "cycles");
    const struct unit *unit = find_unit(dimension, rest);
    if (!unit && !out->cycles && (*rest || value != 0)) { /* 0 is the same in all units */
        snprintf(why, why_size,
                 *rest ? "has the unknown unit '%.20s'; units here: %s" : "has no unit%.0s; units here: %s", rest,
                 dimensions[dimension].list);
        return why;
    }
    out->value = unit ? value * unit->factor : value;
    if (unit && nearbyint(out->value) / unit->factor == value)
        out->value = nearbyint(out->value); /* 0.519646 us are 519646 ps; the product is a little more */
    if (unit && unit->factor == 0.01)
        out->value = value / 100; /* 35 / 100 is the nearest double to 0.35; 35 * 0.01 is not */
    if (!isfinite(out->value))
        return "is too large";
    if (dimension == SMS__COUNT && out->value != floor(out->value))
        return "is not a whole number";
    return NULL;
}

void sms__quantity_print(char *out, size_t size, double value, enum sms__dimension dimension)
{
    char text[64];
    struct sms__quantity again = {0};
    bool exact = false;
    snprintf(out, size, "%.6g %s", value, dimensions[dimension].units->name);
    for (const struct unit *unit = dimensions[dimension].units; unit->name; unit++) {
        if (value < unit->factor)
            continue;
        snprintf(text, sizeof text, "%.6g %s", value / unit->factor, unit->name);
        bool same = !sms__quantity_parse(text, dimension, &again, NULL, 0) && again.value == value;
        if (same != exact ? same : strlen(text) < strlen(out))
            snprintf(out, size, "%s", text);
        exact |= same;
    }
}
