/* The cluster of a seed: a few small nodes, which pods fill, so that waits, gangs in part and layouts that change are
 * common. */
#include "../share/draws.h"
#include "../share/share.h"

#include "../../../sim/model/policy/registry.h"

#include <string.h>

enum { KINDS = 4, GPUS = 3 };

/* What the cluster has. GPUs are numbers, or devices, which run things and may be split. */
struct choices {
    uint64_t *rng;
    FILE *to;
    bool gpushare, devices, split, free, works, open, paced, whole;
    bool boards; /* some pod takes GPUs, and no instance */
    bool shares; /* some pods may share an instance of a node's layout, or a node has a mode */
    unsigned kinds, gpus[KINDS], table_rows;
};

static unsigned number(struct choices *c, unsigned from, unsigned to) { return (unsigned)within(c->rng, from, to); }

static bool maybe(struct choices *c, unsigned percent) { return chance(c->rng, percent); }

static const char *word(struct choices *c, const char *const *words) { return one_of(c->rng, words); }

/* `, KEY: NUMBER UNIT` in so many of 100 cases. */
static void key(struct choices *c, unsigned percent, const char *name, unsigned from, unsigned to, const char *unit)
{
    if (maybe(c, percent))
        fprintf(c->to, ", %s: %u%s", name, number(c, from, to), unit);
}

static void print_device(struct choices *c, const char *name, unsigned sms)
{
    fprintf(c->to, "device: %s\nclock: 1 GHz\nsms: %u\nmemory: %u MiB\nsm: {threads: 1024, warps: 32, blocks: 4}\n",
            name, sms, 64 * number(c, 1, 2));
    fputs("resources: {a: {class: compute}, b: {class: memory, scope: device}}\n", c->to);
    if (maybe(c, 50))
        fprintf(c->to, "link: {bandwidth: %u MB/s}\n", number(c, 1, 9));
    fprintf(
        c->to,
        "mig:\n  slices: 4\n  profiles:\n    - {name: quarter, sms: %u, memory: 16 MiB, slices: 1, starts: [0, 1, 2, "
        "3]}\n    - {name: half, sms: %u, memory: 32 MiB, slices: 2, starts: [0, 2]}\n"
        "    - {name: whole, sms: %u, memory: 64 MiB, slices: 4, starts: [0]}\n---\n",
        sms / 4, sms / 2, sms);
}

static void print_workload(struct choices *c, unsigned w)
{
    fprintf(c->to, "workload: w%u\n", w);
    if (c->whole)
        fprintf(c->to, "kernels: [{name: k, time: %u us, demand: ", 100 * number(c, 1, 30));
    else {
        fprintf(c->to, "kernels: [{name: k, blocks: %u, threads: 256, ", number(c, 1, 40));
        fprintf(c->to, "block_time: %u us, demand: ", 100 * number(c, 1, 9));
    }
    fprintf(c->to, "{a: %u %%, ", 10 * number(c, 0, 6));
    fprintf(c->to, "b: %u %%}", number(c, 0, 60));
    key(c, 30, "jitter", 1, 20, " %");
    fputs("}]\nsteps: [", c->to);
    if (maybe(c, 40))
        fprintf(c->to, "{allocate: %u MiB}, ", number(c, 1, 24));
    if (maybe(c, 40))
        fprintf(c->to, "{host: %u us}, ", 100 * number(c, 0, 9));
    if (maybe(c, 30))
        fprintf(c->to, "{copy_in: %u KB}, ", number(c, 0, 9));
    fprintf(c->to, "{launch: k, times: %u}]\n---\n", number(c, 1, 3));
}

/* ---- modes ---- */

/* Modes that any pod can have. */
static const struct sms_sharing_mode *draw_mode(struct choices *c)
{
    const struct sms_sharing_mode *mode;
    const unsigned modes = (unsigned)sms__count_known(NULL, SMS__MODE);
    do
        mode = sms__known_at(NULL, SMS__MODE, number(c, 0, modes - 1)).item;
    while (mode->instances || mode->needs);
    return mode;
}

static void print_params(struct choices *c, const struct sms_param *param)
{
    const char *before = "";
    for (fputs("{", c->to); param && param->name; param++) {
        if (maybe(c, 50))
            continue;
        fputs(before, c->to);
        print_param(c->to, c->rng, param);
        before = ", ";
    }
    fputs("}", c->to);
}

static void print_mode(struct choices *c)
{
    const struct sms_sharing_mode *mode = draw_mode(c);
    fprintf(c->to, "{%s: ", mode->name);
    print_params(c, mode->params);
    fputs("}", c->to);
}

/* Profiles as `half, quarter`; `own`: some with modes of their own. */
static void print_list(struct choices *c, const char *list, bool own)
{
    for (const char *name = list; *name;) {
        const int length = (int)strcspn(name, ",");
        const bool with = own && maybe(c, 40);
        fprintf(c->to, with ? "{%.*s: " : "%.*s", length, name);
        if (with) {
            print_mode(c);
            fputs("}", c->to);
        }
        name += length;
        if (*name)
            fputs(", ", c->to);
        name += strspn(name, ", ");
    }
}

/* ---- nodes ---- */

static void print_layout(struct choices *c)
{
    static const char *const layouts[] = {"half, half", "half, quarter", "quarter, quarter, quarter", "whole",
                                          "quarter",    "quarter, half", "half, quarter, quarter",    NULL};
    static const char *const changes[] = {"free", "empty", "drain", NULL};
    bool fixed = maybe(c, 30);
    if (fixed || maybe(c, 50)) {
        const bool own = fixed && maybe(c, 50);
        c->shares |= own;
        fputs(", layout: [", c->to);
        print_list(c, word(c, layouts), own);
        fputs("]", c->to);
    }
    if (fixed)
        return;
    const char *when = word(c, changes);
    c->free |= !strcmp(when, "free");
    fprintf(c->to, ", changes: %s, change: %u us", when, 100 * number(c, 0, 20));
}

/* Each GPU is split by itself, as another, or not at all. Returns how many are split. */
static unsigned print_splits(struct choices *c, unsigned gpus)
{
    unsigned split = number(c, 1, gpus);
    fputs(", mig: [", c->to);
    for (unsigned g = 0; g < split; g++) {
        fprintf(c->to, "%s{gpus: [%u]", g ? ", " : "", g);
        print_layout(c);
        fputs("}", c->to);
    }
    fputs("]", c->to);
    c->split = true;
    return split;
}

/* What gpushare knows of a node. */
static void print_shared(struct choices *c, unsigned gpus)
{
    key(c, 100, "gpu_memory", 8, 64, " MiB");
    key(c, 20, "used_by_others", 1, 8, " MiB");
    key(c, 20, "added", 0, 20, " ms");
    if (maybe(c, 20))
        fputs(maybe(c, 50) ? ", share: memory" : ", share: cards", c->to);
    if (maybe(c, 20)) {
        fprintf(c->to, ", unhealthy: [{gpu: %u, from: %u ms", gpus - 1, number(c, 0, 9));
        key(c, 50, "to", 10, 40, " ms");
        fputs("}]", c->to);
    }
}

static void print_node(struct choices *c, unsigned n)
{
    unsigned gpus = c->gpus[n] = number(c, n == 0 || c->devices, GPUS);
    fprintf(c->to, "  - {name: n%u", n);
    key(c, 50, "count", 1, 3, "");
    if (c->devices) {
        fprintf(c->to, ", devices: {model: %s, count: %u}", n % 2 ? "large" : "small", gpus);
        const unsigned split = maybe(c, 60) ? print_splits(c, gpus) : 0;
        if (c->works && split < gpus && maybe(c, 40)) {
            const bool each = split == 0 && maybe(c, 40);
            fputs(each ? ", mode: [" : ", mode: ", c->to);
            for (unsigned g = 0; g < (each ? gpus : 1); g++) {
                fputs(g ? ", " : "", c->to);
                print_mode(c);
            }
            fputs(each ? "]" : "", c->to);
            c->shares = true;
        }
    } else {
        fprintf(c->to, ", gpus: %u", gpus);
        if (n == 0 || (gpus && maybe(c, 60))) /* pods name the model of the first */
            fprintf(c->to, ", model: m%u", n ? number(c, 0, 2) : 0);
        if (c->gpushare && gpus)
            print_shared(c, gpus);
        else if (gpus)
            key(c, 60, "gpu_memory", 8, 64, " MiB");
    }
    fprintf(c->to, ", cpu: %u", number(c, 2, 16));
    key(c, 70, "memory", 4, 32, " GiB");
    if (n == 0 || maybe(c, 40))
        fprintf(c->to, ", labels: {zone: %c}", n == 0 || maybe(c, 50) ? 'x' : 'y');
    fputs("}\n", c->to);
}

static void print_nodes(struct choices *c)
{
    c->kinds = number(c, 1, KINDS);
    fputs("nodes:\n", c->to);
    for (unsigned n = 0; n < c->kinds; n++)
        print_node(c, n);
    if (!c->devices && maybe(c, 30))
        fputs("  - {table: {columns: [name, gpus, model, cpu, memory], rows: [[t0, 2, m0, 8, 16 GiB], [t1, 0, ~, 4, 8 "
              "GiB]]}}\n",
              c->to);
}

/* ---- pods ---- */

static void print_arrivals(struct choices *c)
{
    if (maybe(c, 40)) {
        fprintf(c->to, ", arrivals: {every: %u us", 500 * number(c, 0, 9) + 1);
    } else {
        fprintf(c->to, ", arrivals: {poisson: %u us", 500 * number(c, 1, 20));
    }
    key(c, 30, "batch", 1, 3, "");
    fputs("}", c->to);
}

/* How many come, and when. */
static void print_coming(struct choices *c, unsigned count)
{
    if (count > 1)
        fprintf(c->to, ", count: %u", count);
    key(c, 40, "start", 0, 20, " ms");
    if (count > 1 && maybe(c, 60))
        print_arrivals(c);
}

/* Takes none or some of one or several GPUs. */
static void print_gpus(struct choices *c, bool gang)
{
    if (c->gpushare) {
        if (maybe(c, 20))
            fprintf(c->to, ", gpu: %u %%", 5 * number(c, 1, 20));
        else if (maybe(c, 30))
            fprintf(c->to, ", gpu_memory: [4 MiB, %u MiB]", number(c, 1, 20));
        else
            fprintf(c->to, ", gpu_memory: %u MiB", number(c, 1, 40));
        return;
    }
    bool some = c->works || maybe(c, 80);
    c->boards |= some;
    if (some && maybe(c, 50))
        fprintf(c->to, ", gpu: %u %%", 5 * number(c, 1, 20));
    if (some)
        fprintf(c->to, ", gpus: %u", maybe(c, 60) ? 1 : number(c, 1, GPUS));
    if (some)
        key(c, 20, "gpu_memory", 1, 40, " MiB");
    if (some && maybe(c, 15))
        fputs(c->devices ? ", models: [small]" : ", models: [m0]", c->to);
    if (gang)
        fprintf(c->to, ", replicas: %u", number(c, 2, 4));
}

static void print_lasting(struct choices *c)
{
    bool lasts = maybe(c, 90);
    if (lasts)
        fprintf(c->to, ", duration: %u us", 500 * number(c, 1, 60));
    if (lasts && maybe(c, 30))
        fputs(", spread: exponential", c->to);
    if (lasts)
        key(c, 30, "deadline", 1, 90, " ms");
}

static void print_profiles(struct choices *c)
{
    static const char *const names[] = {"quarter", "half", "whole"};
    unsigned first = number(c, 0, 2);
    c->open = true;
    fputs(", profiles: {", c->to);
    for (unsigned p = first; p < 3; p++)
        fprintf(c->to, "%s%s: %u ms", p > first ? ", " : "", names[p], number(c, 1, 9) + 3 * (3 - p));
    fputs("}", c->to);
}

static void print_work(struct choices *c)
{
    fprintf(c->to, ", workload: w%u", number(c, 0, 1));
    key(c, 60, "repeat", 1, 4, "");
    key(c, 20, "period", 1, 9, " ms");
    key(c, 30, "weight", 1, 300, " %");
    key(c, 30, "active_threads", 1, 100, " %");
    key(c, 30, "deadline", 1, 90, " ms");
    key(c, 20, "job_deadline", 1, 20, " ms");
    if (maybe(c, 30))
        fprintf(c->to, ", class: c%u", number(c, 0, 1));
}

/* `gangs`: whether pods may be of gangs, and leave their profiles open. */
static void print_pod(struct choices *c, unsigned p, bool gangs)
{
    static const char *const profiles[] = {"quarter", "half", "whole", NULL};
    bool works = c->works && (p == 0 || maybe(c, 60)), split = c->split && maybe(c, 60);
    fprintf(c->to, "  - {name: p%u", p);
    print_coming(c, number(c, 1, 8));
    if (split && !works && gangs && maybe(c, 40)) {
        print_profiles(c);
    } else {
        if (split)
            fprintf(c->to, ", profile: %s", word(c, profiles));
        else if (works)
            c->boards = fprintf(c->to, ", gpus: %u", number(c, 1, 2)) > 0;
        else
            print_gpus(c, gangs && !c->gpushare && maybe(c, 25));
        if (works)
            print_work(c);
        else
            print_lasting(c);
    }
    if (works && !split)
        key(c, 40, "gpu", 10, 100, " %");
    key(c, 60, "cpu", 0, 6, "");
    key(c, 40, "memory", 0, 6, " GiB");
    key(c, 30, "priority", 0, 3, "");
    if (maybe(c, 15))
        fputs(", selector: {zone: x}", c->to);
    if (c->gpushare) {
        key(c, 20, "start_delay", 0, 9, " ms");
        key(c, 20, "allocate_delay", 0, 40, " ms");
    }
    fputs("}\n", c->to);
}

/* Pods of a table as they stand there, or drawn from it. */
static void print_table(struct choices *c)
{
    bool drawn = maybe(c, 60), has_gpus = false;
    fputs("  - {name: rows, table: {columns: [name, duration, gpus, cpu, priority], rows: [", c->to);
    for (unsigned r = 0, rows = number(c, 1, 4); r < rows; r++) {
        fprintf(c->to, "%s[r%u, %u ms, ", r ? ", " : "", r, number(c, 1, 20));
        unsigned gpus = number(c, 0, 2);
        c->boards |= has_gpus |= gpus > 0;
        fprintf(c->to, "%u, %u, ", gpus, number(c, 0, 4));
        fprintf(c->to, "%u]", number(c, 0, 2));
    }
    fputs("]}}\n", c->to);
    if (!drawn)
        return;
    fputs("  - {sample: rows", c->to);
    if (has_gpus && maybe(c, 40)) {
        print_coming(c, 1);
        fprintf(c->to, ", until: %u %%", number(c, 1, 300));
    } else {
        print_coming(c, number(c, 2, 20));
    }
    key(c, 30, "duration", 1, 20, " ms");
    fputs("}\n", c->to);
}

static void print_pods(struct choices *c)
{
    bool gangs = maybe(c, 60);
    c->paced = !gangs;
    fputs("pods:\n", c->to);
    for (unsigned p = 0, pods = number(c, 1, 5); p < pods; p++)
        print_pod(c, p, gangs);
    if (!c->gpushare && maybe(c, 30))
        print_table(c);
}

/* ---- the rest of the scenario ---- */

/* Instances of all GPUs that no node splits. */
static void print_instances(struct choices *c)
{
    fputs("{mig: {instances: [", c->to);
    print_list(c, maybe(c, 50) ? "half, quarter" : "quarter", true);
    fputs("], inside: ", c->to);
    print_mode(c);
    fputs("}}", c->to);
}

/* Whether the policy refuses instances that pods share. */
static bool knows_one_pod(const struct choices *c, const struct sms_place_policy *place)
{
    return place->asks || (place->arrange && c->open);
}

/* Whether the policy can place these pods. */
static bool is_able(const struct choices *c, const struct sms_place_policy *place)
{
    return !(place->pace && (c->gpushare || !c->paced)) &&
           !(place->arrange && (c->gpushare || (c->open && !c->free))) && !(c->shares && knows_one_pod(c, place));
}

/* The next that is able, from a number on, so that no two policies are the same. */
static const struct sms_place_policy *next_place(const struct choices *c, unsigned *idx)
{
    const struct sms_place_policy *place;
    do {
        place = sms__known_at(NULL, SMS__PLACE, (*idx)++).item;
        *idx = place ? *idx : 0;
    } while (!place || !is_able(c, place));
    return place;
}

static void print_policies(struct choices *c)
{
    const unsigned blocks = (unsigned)sms__count_known(NULL, SMS__BLOCK), policies = number(c, 1, 3);
    unsigned places = number(c, 0, (unsigned)sms__count_known(NULL, SMS__PLACE) - 1);
    fputs("policies:\n", c->to);
    for (unsigned p = 0; p < policies; p++) {
        const struct sms_place_policy *place = next_place(c, &places);
        fprintf(c->to, c->works ? "  - {place: {%s: " : "  - {%s: ", place->name);
        print_params(c, place->params);
        if (c->works) {
            fprintf(c->to, "}, share: %s, mode: ", draw_share(c->rng));
            if (knows_one_pod(c, place))
                fputs(draw_mode(c)->name, c->to);
            else if (!c->boards && maybe(c, 60))
                print_instances(c);
            else
                print_mode(c);
            fprintf(c->to, ", block: %s", sms__known_at(NULL, SMS__BLOCK, number(c, 0, blocks - 1)).name);
        }
        fputs("}\n", c->to);
    }
}

static void print_gpushare(struct choices *c)
{
    static const char *const quirks[] = {"whole_pod", "any_pod", "others_blind", "unhealthy", "single_gpu", NULL};
    fputs("scheduler: {kind: gpushare, round_trip: 500 us, retry: 2 ms, retry_most: 8 ms, assume_timeout: 30 ms",
          c->to);
    key(c, 50, "allocate_delay", 0, 20, " ms");
    key(c, 90, "start_delay", 0, 3, " ms");
    key(c, 30, "cards_per_pod", 1, 3, "");
    if (maybe(c, 15))
        fputs(", unit: MiB", c->to);
    if (maybe(c, 30))
        fputs(maybe(c, 50) ? ", bind_failure: silent" : ", on_failure: hold", c->to);
    if (maybe(c, 30))
        fputs(", default_filter: false", c->to);
    if (maybe(c, 50))
        fprintf(c->to, ", quirks: {%s: false}", word(c, quirks));
    fputs("}\n", c->to);
}

static void print_schedulers(struct choices *c)
{
    if (c->gpushare) {
        print_gpushare(c);
    } else if (maybe(c, 40)) {
        fprintf(c->to, "scheduler: {start_delay: %u ms}\n", number(c, 0, 4));
    }
    if (c->gpushare || maybe(c, 70))
        return;
    fputs(maybe(c, 50) ? "monitor: {model: cycle, query: 1 ms, list: 500 us, top: 100 us, eager_miss: on"
                       : "monitor: {start_least: 1 ms, start_most: 2 ms, end_least: 1 ms, end_most: 3 ms",
          c->to);
    key(c, 40, "full", 50, 100, " %");
    fputs("}\n", c->to);
}

static void print_works(struct choices *c)
{
    static const char *const fidelities[] = {"blocks", "processes", "duration", NULL};
    static const char *const contentions[] = {"none", "proportional", "maxmin", "knee", "pipes", NULL};
    fprintf(c->to, "fidelity: %s\n", word(c, fidelities));
    fprintf(c->to, "contention: %s\n", word(c, contentions));
    fprintf(c->to, "queue: %s\n", word(c, sms__queue_names));
    if (maybe(c, 40)) {
        fprintf(c->to, "host: {context: %u MiB", number(c, 0, 6));
        key(c, 60, "context_time", 0, 900, " us");
        fputs("}\n", c->to);
    }
}

void generate(FILE *to, uint64_t seed)
{
    static const char *const ties[] = {"lowest", "shuffled", "random", NULL};
    uint64_t rng = seed * 0x2545f4914f6cdd1du;
    struct choices c = {.rng = &rng, .to = to};
    c.gpushare = maybe(&c, 25);
    c.devices = !c.gpushare && maybe(&c, 65);
    c.works = c.devices && maybe(&c, 60);
    c.whole = maybe(&c, 40);
    print_device(&c, "small", 4);
    print_device(&c, "large", 8);
    for (unsigned w = 0; w < 2; w++)
        print_workload(&c, w);
    fputs("scenario: s\n", to);
    print_nodes(&c);
    print_pods(&c);
    print_policies(&c);
    if (c.works)
        print_works(&c);
    print_schedulers(&c);
    fprintf(to, "ties: %s\n", word(&c, ties));
    fprintf(to, "run: {seed: %u", number(&c, 1, 1000));
    key(&c, 80, "duration", 40, 120, " ms");
    fputs("}\n", to);
}
