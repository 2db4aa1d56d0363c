#include "draws.h"

#include "../../../sim/model/policy/registry.h"

uint64_t draw(uint64_t *rng)
{
    uint64_t x = *rng += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t within(uint64_t *rng, uint64_t from, uint64_t to) { return from + draw(rng) % (to - from + 1); }

bool chance(uint64_t *rng, uint64_t percent) { return draw(rng) % 100 < percent; }

const char *one_of(uint64_t *rng, const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    return words[draw(rng) % count];
}

void print_param(FILE *to, uint64_t *rng, const struct sms_param *param)
{
    const double usual = param->fallback < 8e12 ? param->fallback : 8e12; /* of a time; some are for ever */
    unsigned least = (unsigned)param->min, most = param->max < param->min + 7 ? (unsigned)param->max : least + 7;
    fprintf(to, "%s: ", param->name);
    if (param->unit == SMS_UNIT_CHOICE)
        fputs(one_of(rng, param->choices), to);
    else if (param->unit == SMS_UNIT_COUNT)
        fprintf(to, "%u", (unsigned)within(rng, least, most));
    else if (param->unit == SMS_UNIT_TIME && param->fallback > 0)
        fprintf(to, "%u us", (unsigned)(usual / 8e6) * (unsigned)within(rng, 1, 16));
    else if (param->unit == SMS_UNIT_TIME)
        fprintf(to, "%u us", (unsigned)within(rng, 0, 20));
    else
        fprintf(to, "%.17g", param->fallback);
}

const char *draw_share(uint64_t *rng)
{
    unsigned shares = (unsigned)sms__count_known(NULL, SMS__SHARE);
    unsigned drawn = (unsigned)within(rng, 0, shares + 1);
    return drawn < shares ? sms__known_at(NULL, SMS__SHARE, drawn).name : "chaos";
}
