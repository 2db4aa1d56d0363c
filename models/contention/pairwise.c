/* Measured slowdowns of pairs of classes. Each block beside a block slows it by the factor measured for their two
 * classes. The factors combine by sum, maximum or product. Neither demands nor usage matter.
 *
 * Three blocks of a class that slows itself by 1.94 take 2.88 times as long by the sum, and 3.76 times by the product,
 * which is longer than one after another. Therefore the sum is the default. */
#include <smsched/contention.h>

enum { COMBINE };
enum combine { ADD, MAX, MUL };

static const char *const combines[] = {"add", "max", "mul", NULL};

static const struct sms_param params[] = {
    {"combine", SMS_UNIT_CHOICE, 0, MUL, ADD,
     "says how the slowdowns by several blocks combine: as sum, maximum or product", combines},
    {0},
};

/* A limit on slowdowns, so that a speed stays above 0 even for a product of thousands of factors. */
static const double SLOWEST = 1e9;

/* Combines `slowdown` with the factor, `times` times. */
static double add_factor(enum combine combine, double slowdown, double factor, size_t times)
{
    if (times == 0)
        return slowdown;
    if (combine == ADD)
        return slowdown + (factor - 1) * (double)times;
    if (combine == MAX)
        return factor > slowdown ? factor : slowdown;
    for (size_t i = 0; i < times && slowdown < SLOWEST && factor > 1; i++)
        slowdown *= factor;
    return slowdown;
}

/* A block is beside the other blocks of its own group and all blocks of the other groups. */
static void rate(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    const struct sms_pairs *pairs = view->pairs;
    enum combine combine = (enum combine)view->params[COMBINE];
    (void)usage;
    for (size_t g = 0; g < count; g++) {
        double slowdown = 1;
        for (size_t o = 0; o < count && groups[g].cls >= 0; o++) {
            if (groups[o].cls < 0)
                continue;
            double factor = pairs->slowdown[(size_t)groups[g].cls * pairs->classes + (size_t)groups[o].cls];
            slowdown = add_factor(combine, slowdown, factor, groups[o].blocks - (o == g));
        }
        *groups[g].speed = 1 / (slowdown < SLOWEST ? slowdown : SLOWEST);
    }
}

const struct sms_contention sms_contention_pairwise = {
    .name = "pairwise",
    .help = "applies measured slowdowns of pairs of workload classes (corun_class), whatever they demand",
    .params = params,
    .pairs = true,
    .free_below_full = true,
    .rate = rate,
};
