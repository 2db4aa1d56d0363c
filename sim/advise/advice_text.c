/* Prints advice: first what is not known, then the answer, then one table of all ways, the best first. */
#include "advise.h"

#include "../base/statistics.h"

#include <math.h>
#include <string.h>

/* "train, serve" */
static void put_names(const struct sms__programs *programs, FILE *to)
{
    for (size_t p = 0; p < programs->count; p++)
        fprintf(to, "%s%s", p ? ", " : "", programs->program[p].name);
}

static void put_range_reason(const struct sms__programs *programs, FILE *to)
{
    fputs("contention is a range, from none to taking turns, because kernels have no counters:", to);
    for (size_t p = 0, said = 0; p < programs->count; p++)
        if (programs->program[p].unknown > 0)
            fprintf(to, "%s %.0f %% of the kernel time of %s", said++ ? "," : "", 100 * programs->program[p].unknown,
                    programs->program[p].name);
    if (programs->with)
        fprintf(to, " (%s has none of them)\n", programs->with);
    else
        fputs(" (--with adds counters from a report of ncu)\n", to);
}

/* "41.2 ± 1.3", or "41.23" where it varies by less than is shown; "41.23 to 50.1" if the worst is shown as other. */
static const char *latency_text(struct sms_estimate latency, double worst_ns, double divisor, char *text, size_t size)
{
    const double mean = latency.mean / divisor, half = latency.ci95 / divisor;
    const int decimals = half > 0 ? (int)fmax(1 - floor(log10(half)), 0) : 0;
    const double most = worst_ns / divisor;
    if (most > 1.005 * mean)
        snprintf(text, size, "%.*g to %.*g", sms__digits(mean, 4), mean, sms__digits(most, 4), most);
    else if (half >= 0.005 * mean)
        snprintf(text, size, "%.*f ± %.*f", decimals, mean, decimals, half);
    else
        snprintf(text, size, "%.*g", sms__digits(mean, 4), mean);
    return text;
}

/* "p99 of serve 41.2 ± 1.3 ms, target below 50 ms" */
static void put_targets(const struct sms__advice *advice, const struct sms__outlook *outlook, FILE *to)
{
    char text[80];
    for (size_t p = 0; p < advice->programs->count; p++) {
        const struct sms__program *program = &advice->programs->program[p];
        if (program->target.metric)
            fprintf(to, "; %s of %s %s ms, target below %.*g ms", program->target.word, program->name,
                    latency_text(outlook->share[p].target_ns, outlook->share[p].worst_ns, 1e6, text, sizeof text),
                    sms__digits(program->target.ns / 1e6, 4), program->target.ns / 1e6);
    }
}

static void put_work(const struct sms__advice *advice, const struct sms__outlook *outlook, FILE *to)
{
    if (advice->ranged && lround(100 * outlook->worst_gain) < lround(100 * outlook->gain.mean))
        fprintf(to, "%.2f to %.2f", outlook->worst_gain, outlook->gain.mean);
    else
        fprintf(to, "%.2f", outlook->gain.mean);
    if (!isnan(outlook->gain.ci95) && outlook->gain.ci95 >= 0.005)
        fprintf(to, " ± %.2f", outlook->gain.ci95);
}

/* Whether a GPU for each program misses a target, so that not to share is no way to meet it. */
static void put_alone(const struct sms__advice *advice, FILE *to)
{
    const struct sms__outlook *alone = sms__advice_alone(advice);
    if (!alone->meets)
        fprintf(to, "; a GPU for each program %s the target", alone->may_meet ? "may miss" : "misses");
    fputs("\n", to);
}

static void put_refusal(const struct sms__advice *advice, const struct sms__outlook *best, FILE *to)
{
    const struct sms__programs *programs = advice->programs;
    const struct sms__program *exclusive = sms__find_exclusive(programs);
    fputs("do not share: ", to);
    if (exclusive)
        fprintf(to, "%s needs a GPU to itself, because its workload is exclusive", exclusive->name);
    else if (programs->count == 1 && programs->program[0].most == 1)
        fputs("there is only one program; name another, or try --copies 1..4", to);
    else if (!best)
        fputs("no way of sharing works on this device", to);
    else if (!best->meets) {
        fprintf(to, "no way of sharing meets the target; the closest is %s", best->way->label);
        put_targets(advice, best, to);
    } else {
        fprintf(to, "under the best way, %s, one GPU replaces ", best->way->label);
        put_work(advice, best, to);
        fputs(" dedicated GPUs, which may be no more than 1", to);
    }
    put_alone(advice, to);
}

void sms__advice_print_answer(const struct sms__advice *advice, FILE *to)
{
    const struct sms__outlook *best = sms__advice_best(advice, 0);
    put_names(advice->programs, to);
    fprintf(to, " on %s: ", advice->device->name);
    if (!sms__advice_shares(advice)) {
        put_refusal(advice, best, to);
        return;
    }
    fprintf(to, "share by %s: one GPU replaces ", best->way->label);
    put_work(advice, best, to);
    fputs(" dedicated GPUs", to);
    put_targets(advice, best, to);
    fputs("\n", to);
}

/* ---- the table ---- */

void sms__columns_widen(struct sms__columns *columns, const struct sms__advice *advice,
                        const struct sms__outlook *outlook)
{
    for (size_t p = 0; p < advice->programs->count; p++) {
        columns->targets |= advice->programs->program[p].target.metric != NULL;
        if (outlook->why)
            continue;
        columns->memory |= outlook->share[p].memory > 0;
        columns->intervals |= outlook->share[p].slowdown.ci95 >= 0.005;
        const double p50_ns = outlook->share[p].p50_ns.mean;
        columns->largest_ns = fmax(columns->largest_ns, p50_ns);
        columns->least_ns = columns->least_ns > 0 ? fmin(columns->least_ns, p50_ns) : p50_ns;
    }
}

/* That of the largest; or, where others are a thousandth of it, one between. */
static struct sms__scale scale_of(const struct sms__columns *columns)
{
    const bool far = columns->least_ns > 0 && columns->largest_ns > 1e3 * columns->least_ns;
    return sms__scale_of("job_latency_p50_ns",
                         far ? sqrt(columns->largest_ns * columns->least_ns) : columns->largest_ns);
}

static void add_number(struct sms__table_out *table, double value)
{
    sms__table_add(table, "%.*g", sms__digits(value, 4), value);
}

static void add_range(struct sms__table_out *table, double one, double other, double half)
{
    if (fabs(other - one) > 0.005)
        sms__table_add(table, "%.2f to %.2f", fmin(one, other), fmax(one, other));
    else if (half >= 0.005)
        sms__table_add(table, "%.2f ± %.2f", one, half);
    else
        sms__table_add(table, "%.2f", one);
}

static void add_share(struct sms__table_out *table, const struct sms__advice *advice,
                      const struct sms__outlook *outlook, size_t p, const struct sms__columns *columns)
{
    const struct sms__tenancy *share = &outlook->share[p];
    const double divisor = scale_of(columns).divisor;
    const char *metric = advice->programs->program[p].target.metric;
    const bool is_p99 = metric && !strcmp(metric, "job_latency_p99_ns");
    char text[80];
    sms__table_add(table, "   %s", advice->programs->program[p].name);
    sms__table_add(table, "%s", "");
    add_range(table, share->slowdown.mean, outlook->worst_slowdown[p], share->slowdown.ci95);
    add_number(table, share->per_s.mean);
    add_number(table, share->p50_ns.mean / divisor);
    if (is_p99)
        sms__table_add(table, "%s", latency_text(share->p99_ns, share->worst_ns, divisor, text, sizeof text));
    else
        add_number(table, share->p99_ns.mean / divisor);
    if (columns->targets && isnan(share->missed))
        sms__table_add(table, "%s", "");
    else if (columns->targets && share->worst_missed >= share->missed + 5e-4)
        sms__table_add(table, "%.1f to %.1f %%", 100 * share->missed, 100 * share->worst_missed);
    else if (columns->targets)
        sms__table_add(table, "%.1f %%", 100 * share->missed);
    if (columns->memory)
        sms__table_add(table, "%.1f", share->memory / (1 << 30));
}

static size_t count_columns(const struct sms__columns *columns) { return 6U + columns->targets + columns->memory; }

void sms__columns_add(const struct sms__columns *columns, struct sms__table_out *table,
                      const struct sms__advice *advice, const struct sms__outlook *outlook, const char *label)
{
    sms__table_add(table, "%s", label);
    add_range(table, outlook->gain.mean, outlook->worst_gain, outlook->gain.ci95);
    for (size_t c = 2; c < count_columns(columns); c++)
        sms__table_add(table, "%s", "");
    for (size_t p = 0; p < advice->programs->count; p++)
        add_share(table, advice, outlook, p, columns);
}

struct sms__table_out *sms__columns_begin(const struct sms__columns *columns, const char *first)
{
    struct sms__table_out *table = sms__table_new(count_columns(columns));
    const char *unit = scale_of(columns).name;
    sms__table_add(table, "%s", first);
    sms__table_add(table, "%s", "work");
    sms__table_add(table, "%s", "slowdown");
    sms__table_add(table, "%s", "jobs/s");
    sms__table_add(table, "p50%s", unit);
    sms__table_add(table, "p99%s", unit);
    if (columns->targets)
        sms__table_add(table, "%s", "missed");
    if (columns->memory)
        sms__table_add(table, "%s", "GiB");
    return table;
}

bool sms__has_loads(const struct sms__programs *programs)
{
    bool loads = false;
    for (size_t p = 0; p < programs->count; p++)
        loads |= programs->program[p].per_s > 0;
    return loads;
}

void sms__print_slowdown(const struct sms__programs *programs, FILE *to)
{
    bool copies = false, ranged = false;
    for (size_t p = 0; p < programs->count; p++) {
        copies |= programs->program[p].most > 1;
        ranged |= programs->program[p].unknown > 0;
    }
    fprintf(to, "  slowdown: mean job time / mean job time alone%s\n",
            copies ? "; with copies, jobs/s is their total, and latencies are from the slowest copy" : "");
    if (ranged)
        fputs("  A to B: from no contention to taking turns, where the worse end decides; what has no range is without "
              "contention, or does not depend on it\n",
              to);
}

/* The table, and what its words mean. */
static void print_table(const struct sms__advice *advice, const struct sms__screen *screen)
{
    struct sms__columns columns = {0};
    bool misses = false, may_miss = false;
    size_t sharing = 0;
    char label[400];
    for (size_t i = 0; i < advice->count; i++)
        sms__columns_widen(&columns, advice, &advice->outlook[i]);
    struct sms__table_out *table = sms__columns_begin(&columns, "way");
    for (size_t i = 0; i < advice->count; i++) {
        const struct sms__outlook *outlook = &advice->outlook[i];
        if (outlook->why)
            continue;
        const char *verdict = outlook->meets ? "" : outlook->may_meet ? " (may miss)" : " (misses)";
        sharing += !outlook->way->alone;
        misses |= !outlook->may_meet;
        may_miss |= outlook->may_meet && !outlook->meets;
        snprintf(label, sizeof label, "%zu %s%s", i + 1, outlook->way->label, verdict);
        sms__columns_add(&columns, table, advice, outlook, label);
    }
    sms__table_print(table, screen);
    fprintf(screen->to,
            "\n  work: how many dedicated GPUs, each running one program, would do the same work as one GPU here%s\n",
            sms__has_loads(advice->programs) ? "; a program that keeps up with its requests counts as one" : "");
    sms__print_slowdown(advice->programs, screen->to);
    sms__print_loads(advice->programs, screen->to);
    if (columns.intervals && sharing > 1)
        fprintf(screen->to, "  ±: 95 %% interval of a way by itself; the best of %zu tends to look better than it is\n",
                sharing);
    if (may_miss)
        fputs("  may miss: the runs do not show whether a target is met: it lies in the 95 % interval of the latency, "
              "and chance may explain how many jobs miss it\n",
              screen->to);
    if (misses)
        fputs("  misses: a target is not met\n", screen->to);
}

/* ---- below it ---- */

const char *sms__advice_metric(const struct sms__advice *advice)
{
    for (size_t p = 0; p < advice->programs->count; p++)
        if (advice->programs->program[p].target.metric)
            return advice->programs->program[p].target.metric;
    return "jobs_per_s";
}

/* What of the scenario no measurement covers. */
static void print_outside(const struct sms__advice *advice, struct sms__trust *trust, const struct sms__outlook *best,
                          FILE *to)
{
    struct sms__trust_names lines;
    if (!trust || !best || sms__trust_say(trust, best->file->scenario[0], sms__advice_metric(advice), &lines))
        return;
    for (size_t i = 0; i < lines.count; i++)
        if (strstr(lines.name[i], "do not cover: ") || !strncmp(lines.name[i], "no measurement covers: ", 23))
            fprintf(to, "  %s\n", lines.name[i]);
}

static void print_limits(const struct sms__advice *advice, struct sms__trust *trust, FILE *to)
{
    const struct sms__outlook *best = sms__advice_best(advice, 0);
    struct sms__trust_line line = {"", NAN};
    if (best && trust && !sms__trust_line(trust, best->file->scenario[0], sms__advice_metric(advice), 0, &line))
        fprintf(to, "  evidence: %s\n", line.text);
    if (best && trust && isnan(line.within) && !sms__trust_nearest(trust, best->file->scenario[0], &line) && *line.text)
        fprintf(to, "  closest measurement: %s\n", line.text);
    print_outside(advice, trust, best, to);
    if (advice->draws)
        fprintf(to, "  uncertain: %s; the answer holds in %zu of %zu random draws%s%s\n",
                best && best->way->paired ? "times" : "demands, times, and the knee of contention", advice->held,
                advice->draws, advice->decides ? ", and depends most on " : "", advice->decides ? advice->decides : "");
}

/* What stands for the kernels as they are. */
static void print_simplified(const struct sms__programs *programs, const struct sms__way *best, FILE *to)
{
    if (best->paired)
        fprintf(to,
                "  under mps: slowdowns were simulated block by block, with one dispatch queue%s, as measured on an "
                "H100 and assumed for other GPUs\n",
                best->above ? " in order of priority" : "");
    for (size_t p = 0; p < programs->count; p++)
        if (programs->program[p].fold >= 1.5)
            fprintf(to, "  many launches: one simulated launch of %s stands for %.0f\n", programs->program[p].name,
                    programs->program[p].fold);
}

static void print_failed(const struct sms__advice *advice, FILE *to)
{
    for (size_t i = 0; i < advice->count; i++)
        if (advice->outlook[i].why)
            fprintf(to, "  does not work: %s: %s\n", advice->outlook[i].way->label, advice->outlook[i].why);
}

/* The best way to share or, where there is none, that of each program alone. */
static const struct sms__outlook *first_shown(const struct sms__advice *advice)
{
    const struct sms__outlook *best = sms__advice_best(advice, 0);
    return best ? best : sms__advice_alone(advice);
}

/* Programs that cannot keep up, whose queue grows without end: their latencies tell how long the run was. */
static void print_overload(const struct sms__advice *advice, FILE *to)
{
    const struct sms__outlook *first = first_shown(advice);
    for (size_t p = 0; p < advice->programs->count; p++) {
        const struct sms__program *program = &advice->programs->program[p];
        const double done = first->share[p].per_s.mean;
        if (sms__falls_behind(first->results, program->per_s, done, (double)first->way->copies[p]))
            fprintf(to,
                    "  overload: under \"%s\" %s does only %.*g of the %.*g jobs/s that arrive, so its queue and its "
                    "latencies keep growing\n",
                    first->way->label, program->name, sms__digits(done, 4), done, sms__digits(program->per_s, 4),
                    program->per_s);
    }
}

static void print_few(const struct sms__advice *advice, FILE *to)
{
    const char *before = "  too few jobs for a p99, so the maximum is shown:";
    const struct sms__outlook *first = first_shown(advice);
    for (size_t p = 0; p < advice->programs->count; p++)
        if (first->share[p].maximum_of) {
            fprintf(to, "%s %s (of %zu jobs)", before, advice->programs->program[p].name, first->share[p].maximum_of);
            before = ",";
        }
    fputs(*before == ',' ? "\n" : "", to);
}

void sms__print_loads(const struct sms__programs *programs, FILE *to)
{
    const char *before = "  arrivals: ";
    for (size_t p = 0; p < programs->count; p++)
        if (programs->program[p].per_s > 0) {
            fprintf(to, "%s%.6g jobs/s of %s", before, programs->program[p].per_s, programs->program[p].name);
            before = ", ";
        }
    fputs(before[0] == ',' ? "; arrivals are random, so a run may have a few more or fewer\n" : "", to);
}

void sms__advice_print_notes(const struct sms__advice *advice, struct sms__trust *trust, FILE *to)
{
    const struct sms__outlook *best = sms__advice_best(advice, 0);
    print_overload(advice, to);
    if (best && best->binds)
        fprintf(to, "  limits: under \"%s\" %s\n", best->way->label, best->binds);
    if (best)
        print_simplified(advice->programs, best->way, to);
    print_limits(advice, trust, to);
}

void sms__advice_print_head(const struct sms__advice *advice, struct sms__trust *trust, FILE *to)
{
    if (advice->ranged)
        put_range_reason(advice->programs, to);
    sms__advice_print_answer(advice, to);
    sms__print_ignored(advice->programs, to);
    sms__advice_print_notes(advice, trust, to);
}

void sms__advice_print(const struct sms__advice *advice, struct sms__trust *trust, const struct sms__screen *screen)
{
    FILE *to = screen->to;
    sms__advice_print_head(advice, trust, to);
    fputs("\n", to);
    print_table(advice, screen);
    print_failed(advice, to);
    print_few(advice, to);
    if (advice->drops_priorities)
        fputs("  not tried: mps with priorities, because some kernels have no blocks or end too late to show how soon "
              "they make way\n",
              to);
    if (advice->left_out)
        fprintf(to, "  not tried: %zu more layout%s of MIG\n", advice->left_out, advice->left_out == 1 ? "" : "s");
}
