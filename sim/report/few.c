/* Says below a table which of its values are of few jobs, and so mean less than they seem to. */
#include "output.h"
#include "walk.h"

#include "../results/verdict.h"

#include <string.h>

enum { NAMED = 3 };

/* A line: its beginning, and how many values it has named so far. */
struct line {
    const char *words;
    size_t count;
};

/* Returns whether the value is to be named, and begins it. */
static bool name_next(struct line *line, FILE *to)
{
    if (++line->count > NAMED)
        return false;
    if (line->count == 1)
        fprintf(to, "  %s: ", line->words);
    else
        fputs(", ", to);
    return true;
}

static void end_line(const struct line *line, FILE *to)
{
    if (line->count > NAMED)
        fprintf(to, " and %zu more", line->count - NAMED);
    if (line->count)
        fputc('\n', to);
}

/* A percentile of a tenant that is a maximum under some policy is named once, with the least number. */
static void say_maximum(const struct sms__result *row, struct line *line, FILE *to)
{
    const size_t least = sms__result_least_maximum(row);
    if (least && !sms__is_greatest(row) && name_next(line, to))
        fprintf(to, "%s %.*s (max of %zu %s)", SMS__SHOWN_RESULT(row), least, sms__result_counts(row, (double)least));
}

static void say_missed(const struct sms__result *row, struct line *line, FILE *to)
{
    for (size_t p = 0; p < sms_results_policies(row->results); p++) {
        const double most = sms__most_missed(row, p);
        const double counted = sms__counted(row, p);
        if (!isnan(most) && name_next(line, to))
            fprintf(to, "%s under %s at most %.*g %% (0 of %.0f %s)", sms__result_subject(row),
                    sms_results_policy(row->results, p), sms__digits(100 * most, 2), 100 * most, counted,
                    sms__result_counts(row, counted));
    }
}

static void say_same(const struct sms__result *row, struct line *line, FILE *to)
{
    for (size_t p = 0; p < sms_results_policies(row->results); p++)
        if (sms__mostly_same(row, p) && !sms__maximum_of(row, p) && name_next(line, to))
            fprintf(to, "%s %.*s under %s", SMS__SHOWN_RESULT(row), sms_results_policy(row->results, p));
}

bool sms__shows_jobs(const struct sms_scenario *scenario)
{
    bool shows = !scenario->shares;
    for (size_t v = 0; v < scenario->vms; v++)
        shows |= scenario->vm[v].repeat != 1 || scenario->vm[v].deadline_ps > 0;
    return shows;
}

typedef void say(const struct sms__result *row, struct line *line, FILE *to);

/* Calls `each` for what tables show of tenants and classes, or of the cluster, and for what is asked for. */
static void say_all(const struct sms_results *results, say *each, struct line *line, FILE *to)
{
    static const char *const of_tenant[] = {"job_latency_p99_ns", "deadline_miss_ratio"};
    const struct sms_scenario *scenario = sms_results_scenario(results);
    struct sms_question asked;
    const bool known = sms_results_question(results, &asked);
    struct sms__result row = {results, 0, asked.subject, asked.idx, asked.metric};
    const char *metric = known ? sms__result_metric(&row) : "";
    const size_t vms = !scenario->cluster && sms__shows_jobs(scenario) ? scenario->vms : 0;
    bool again = false;
    for (size_t i = 0; scenario->cluster && sms__cluster_column(results, i); i++) {
        const char *column = sms__cluster_column(results, i);
        const struct sms__result shown = sms__result_of(results, SMS_CLUSTER, 0, column);
        again |= !strcmp(column, metric);
        each(&shown, line, to);
    }
    for (size_t i = 0; i < 2 * (vms + scenario->cls.count); i++) {
        const enum sms_subject subject = i / 2 < vms ? SMS_VM : SMS_CLASS;
        const size_t idx = i / 2 - (subject == SMS_CLASS ? vms : 0);
        const struct sms__result shown = sms__result_of(results, subject, idx, of_tenant[i % 2]);
        again |= row.subject == subject && row.idx == idx && !strcmp(of_tenant[i % 2], metric);
        each(&shown, line, to);
    }
    if (known && !again)
        each(&row, line, to);
    end_line(line, to);
}

bool sms__print_few(const struct sms_results *results, FILE *to)
{
    const bool exact = sms_results_exact(results); /* asked once, because it may look at all values */
    struct line
        maximum =
            {exact ? "too few values for this percentile, so the maximum is shown"
                   : "too few values for this percentile, so the maximum is shown, without an interval or a verdict",
             0},
        missed = {"no deadline was missed; the rate, with 95 % confidence", 0},
        same = {"the same in most replications, so no interval is shown", 0};
    say_all(results, say_maximum, &maximum, to);
    if (!exact)
        say_all(results, say_missed, &missed, to);
    say_all(results, say_same, &same, to);
    return maximum.count || missed.count || same.count;
}
