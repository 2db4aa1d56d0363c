/* Policies against a baseline, replication by replication. The more comparisons there are, the more differ by chance,
 * so a difference counts only if it holds after Holm's correction. A family answers one question: all comparisons of
 * one metric, over subjects and policies. */
#include "output.h"
#include "walk.h"

#include "../base/room.h"
#include "../base/statistics.h"
#include "../results/results.h"
#include "../results/verdict.h"
#include "memory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row under one policy. */
struct cell {
    struct sms_comparison over; /* the baseline */
    double adjusted;            /* p; NAN: not compared, as the baseline with itself */
};

struct comparison {
    const struct sms_results *results;
    size_t baseline, rows, policies;
    struct sms__result *row;
    struct cell *cell;        /* [rows][policies] */
    size_t compared, largest; /* cells that have a p-value; the same of the metric with most */
    bool exact, failed;       /* failed: out of memory */
};

static void add_row(struct comparison *c, enum sms_subject subject, size_t idx, const char *metric)
{
    const struct sms__result row = sms__result_of(c->results, subject, idx, metric);
    /* The metric that the scenario asks for comes first, and not again. */
    const struct sms__result *first = c->row;
    bool again = c->rows && first->subject == subject && first->idx == idx && first->metric == row.metric;
    if (row.metric == SIZE_MAX || again || c->failed)
        return;
    struct sms__result *grown = sms__room(c->row, c->rows, sizeof *grown);
    c->failed = !grown;
    if (!grown)
        return;
    c->row = grown;
    c->row[c->rows++] = row;
}

static void add_list(struct comparison *c, enum sms_subject subject, size_t idx, const char *const *metric)
{
    for (; *metric; metric++)
        add_row(c, subject, idx, *metric);
}

/* Normalized progress, jobs and missed deadlines of a tenant. Processes that end have a turnaround. */
static void add_tenant(struct comparison *c, size_t v)
{
    static const char *const of_jobs[] = {"normalized_progress_ratio", "ntt_ratio",          "jobs_per_s",
                                          "job_latency_p50_ns",        "job_latency_p99_ns", NULL};
    const struct sms_scenario *scenario = sms_results_scenario(c->results);
    if (scenario->shares)
        add_row(c, SMS_PROCESS, v, "turnaround_ns");
    if (!scenario->shares || scenario->vm[v].repeat == 0)
        add_list(c, SMS_VM, v, of_jobs);
    if (scenario->vm[v].deadline_ps > 0)
        add_row(c, SMS_VM, v, "deadline_miss_ratio");
}

/* Processes that fail have no turnaround, so they are told where there are some. */
static void add_failed(struct comparison *c, size_t vms)
{
    const struct sms__result row = sms__result_of(c->results, SMS_PROCESS, vms, "failed_count");
    bool any = false;
    for (size_t p = 0; p < c->policies; p++)
        any |= sms__result_estimate(&row, p).mean > 0;
    if (any)
        add_row(c, SMS_PROCESS, vms, "failed_count");
}

/* Kernels of different tenants are not alike, so their number comes last. */
static void add_rows(struct comparison *c)
{
    static const char *const of_host[] = {"stp_ratio", "antt_ratio", "fairness_ratio", NULL};
    static const char *const of_shares[] = {"makespan_ns", "energy_j", NULL};
    const struct sms_scenario *scenario = sms_results_scenario(c->results);
    struct sms_question asked;
    if (sms_results_question(c->results, &asked))
        add_row(c, asked.subject, asked.idx, sms__metric_name(asked.subject, asked.metric));
    for (size_t i = 0; scenario->cluster && sms__cluster_column(c->results, i); i++)
        add_row(c, SMS_CLUSTER, 0, sms__cluster_column(c->results, i));
    if (!scenario->cluster)
        add_list(c, SMS_HOST, 0, of_host);
    for (size_t v = 0; v < scenario->vms && !scenario->cluster; v++)
        add_tenant(c, v);
    for (size_t i = 0; i < scenario->cls.count; i++)
        add_list(c, SMS_CLASS, i, sms__class_columns);
    if (scenario->cluster)
        return;
    if (scenario->shares) {
        add_row(c, SMS_PROCESS, scenario->vms, "turnaround_ns");
        add_failed(c, scenario->vms);
        add_list(c, SMS_HOST, 0, of_shares);
    }
    add_row(c, SMS_HOST, 0, "kernels_per_s");
}

static struct cell compare(const struct comparison *c, size_t i, bool *failed)
{
    return (struct cell){sms__compare(&c->row[i / c->policies], i % c->policies, c->baseline, failed), NAN};
}

/* Corrects the metric of a row, unless a row before it has the same metric. */
static void correct_metric(struct comparison *c, size_t row, double *p)
{
    const size_t n = c->rows * c->policies;
    const char *metric = sms__result_metric(&c->row[row]);
    size_t compared = 0;
    for (size_t r = 0; r < row; r++)
        if (!strcmp(sms__result_metric(&c->row[r]), metric))
            return;
    for (size_t i = 0; i < n; i++) {
        p[i] = strcmp(sms__result_metric(&c->row[i / c->policies]), metric) != 0 ? NAN : c->cell[i].over.p;
        compared += !isnan(p[i]);
    }
    c->failed |= !sms_holm(p, p + n, n);
    for (size_t i = 0; i < n; i++)
        c->cell[i].adjusted = isnan(p[i]) ? c->cell[i].adjusted : p[n + i];
    c->compared += compared;
    c->largest = compared > c->largest ? compared : c->largest;
}

/* The answer's verdict on a change over the baseline holds here, too. It is about the first row, and the change is one
 * of the best policy, or, if the baseline is the best, of any. */
static void follow_answer(struct comparison *c, double *adjusted, bool *in_group)
{
    struct sms_question asked;
    struct sms__best best;
    if (!sms_results_question(c->results, &asked) || c->failed)
        return;
    const bool judged = sms__allows_verdict(c->results, &asked);
    c->failed = !sms__results_best(c->results, &asked, c->baseline, &best, in_group, adjusted);
    for (size_t p = 0; p < c->policies && !c->failed; p++) {
        const size_t other = best.best == c->baseline ? p : c->baseline;
        c->cell[p].over.judged &= judged;
        if (p != c->baseline && (p == best.best || other == p))
            c->cell[p].adjusted = isnan(adjusted[other]) ? c->cell[p].over.p : adjusted[other];
    }
}

static void end(struct comparison *c)
{
    free(c->row);
    free(c->cell);
}

/* Returns false when out of memory. `end` frees it in any case. */
static bool begin(struct comparison *c, const struct sms_results *results, size_t baseline)
{
    *c = (struct comparison){.results = results, .baseline = baseline, .policies = sms_results_policies(results)};
    c->exact = sms_results_exact(results);
    add_rows(c);
    const size_t n = c->rows * c->policies;
    double *p = calloc(2 * n + c->policies + 1, sizeof *p);
    bool failed = false, *in_group = calloc(c->policies + 1, sizeof *in_group);
    c->cell = calloc(n + 1, sizeof *c->cell);
    c->failed |= !c->cell || !p;
    for (size_t i = 0; i < n && !c->failed; i++)
        c->cell[i] = compare(c, i, &failed);
    c->failed |= failed || !in_group;
    for (size_t r = 0; r < c->rows && !c->failed; r++)
        correct_metric(c, r, p);
    follow_answer(c, p, in_group);
    free(in_group);
    free(p);
    if (c->failed)
        sms__note_memory(NULL);
    return !c->failed;
}

/* Whether the interval of the change excludes 0. One that covers two regimes is wider than the test's. */
static bool excludes_0(const struct cell *cell)
{
    const struct sms_estimate *ratio = &cell->over.ratio;
    return cell->over.p < SMS__SIGNIFICANT && !(fabs(ratio->mean - 1) <= ratio->ci95);
}

static bool is_doubtful(const struct cell *cell)
{
    return cell->over.judged && excludes_0(cell) && !(cell->adjusted < SMS__SIGNIFICANT);
}

static const char *const same = "same in all replications";

/* The verdict on a change that has a value; NULL for others. */
static const char *verdict(const struct comparison *c, const struct cell *cell)
{
    const struct sms_estimate *change = isnan(cell->over.ratio.mean) ? &cell->over.difference : &cell->over.ratio;
    if (isnan(change->mean))
        return NULL;
    if (c->exact)
        return "exact";
    if (!cell->over.judged)
        return "no verdict";
    if (isnan(cell->over.p))
        return change->n > 1 ? same : NULL;
    if (is_doubtful(cell))
        return "excludes 0, not after correction";
    return cell->adjusted < SMS__SIGNIFICANT ? "differs" : "includes 0";
}

/* ---- for people ---- */

/* Whether the metric is the same in all replications. */
static bool is_same(const struct cell *cell)
{
    return cell->over.difference.mean == 0 && !(cell->over.difference.sd > 0);
}

/* Whether the difference is shown, because there is no ratio. */
static bool is_difference(const struct cell *cell)
{
    return isnan(cell->over.ratio.mean) && !isnan(cell->over.difference.mean) && !is_same(cell);
}

/* Whether all of several replications have the same change, so that there is no p-value. */
static bool is_constant(const struct cell *cell) { return isnan(cell->over.p) && cell->over.difference.n > 1; }

/* A change that is no chance is better or worse, or only different if neither is known of its metric. */
static enum sms__mark_kind mark_of(const struct comparison *c, const struct sms__result *row, const struct cell *cell)
{
    const double change = isnan(cell->over.ratio.mean) ? cell->over.difference.mean : cell->over.ratio.mean - 1;
    const int better = sms_metrics(row->subject, NULL)[row->metric].better;
    if (!cell->over.judged)
        return SMS__PLAIN;
    if (!(cell->adjusted < SMS__SIGNIFICANT) && !((c->exact || is_constant(cell)) && change != 0 && !isnan(change)))
        return SMS__PLAIN;
    return better == 0 ? SMS__DIFFERENT : better * change > 0 ? SMS__BETTER : SMS__WORSE;
}

/* Whether the policy has a value where the baseline has none. */
static bool is_new(const struct comparison *c, size_t row, size_t policy)
{
    return isnan(sms__result_estimate(&c->row[row], c->baseline).mean) &&
           !isnan(sms__result_estimate(&c->row[row], policy).mean);
}

/* Adds the value itself if the baseline has none to compare it with. */
static void add_value(struct sms__table_out *table, const struct sms__result *row, size_t policy)
{
    const double value = sms__result_estimate(row, policy).mean;
    sms__table_add(table, "= %s", sms__value(sms__result_metric(row), value, NAN).text);
}

static void add_change(struct sms__table_out *table, const struct sms__result *row, const struct cell *cell)
{
    const struct sms_estimate *by = &cell->over.difference;
    if (is_same(cell))
        sms__table_add(table, "same");
    else if (is_difference(cell))
        sms__table_add(table, "%s%s", by->mean > 0 ? "+" : "",
                       sms__value(sms__result_metric(row), by->mean, by->ci95).text);
    else if (isnan(cell->over.ratio.mean))
        sms__table_add(table, "-");
    else
        sms__table_add(table, "%s",
                       sms__percent(true, 100 * (cell->over.ratio.mean - 1), 100 * cell->over.ratio.ci95).text);
}

/* Whether no policy changes the metric, so that its row would say nothing. Not if some policy has no value. */
static bool is_unchanged(const struct comparison *c, size_t row)
{
    const bool has_base = !isnan(sms__result_estimate(&c->row[row], c->baseline).mean);
    bool any = false, changed = false;
    for (size_t p = 0; p < c->policies; p++) {
        const struct cell *cell = &c->cell[row * c->policies + p];
        any |= !isnan(cell->over.difference.mean);
        changed |= cell->over.difference.mean != 0 && !isnan(cell->over.difference.mean);
        changed |= cell->over.difference.sd > 0;
        any |= is_new(c, row, p);
        changed |= isnan(sms__result_estimate(&c->row[row], p).mean) == has_base;
    }
    return c->policies > 1 && (!any || !changed);
}

/* Names the rows that are left out. */
static void print_unchanged(const struct comparison *c, FILE *to)
{
    const char *between = "  the same under all policies: ";
    for (size_t r = 0; r < c->rows; r++) {
        const struct sms__result *row = &c->row[r];
        const double value = sms__result_estimate(row, c->baseline).mean;
        if (!is_unchanged(c, r) || isnan(value))
            continue;
        fprintf(to, "%s%s %.*s %s", between, SMS__SHOWN_RESULT(row),
                sms__value(sms__result_metric(row), value, NAN).text);
        between = ", ";
    }
    if (*between == ',')
        fputc('\n', to);
}

/* The first column, or row, has the values that the changes are changes of. */
static void print_table(const struct comparison *c, const struct sms__screen *screen)
{
    struct sms__table_out *table = sms__table_new(1 + c->policies);
    if (c->policies > 1)
        sms__table_add(table, "change over %s", sms_results_policy(c->results, c->baseline));
    else
        sms__table_add(table, "one policy, no change");
    sms__table_add(table, "%s", sms_results_policy(c->results, c->baseline));
    for (size_t p = 0; p < c->policies; p++)
        if (p != c->baseline)
            sms__table_add(table, "%s", sms_results_policy(c->results, p));
    for (size_t i = 0; i < c->rows * c->policies; i++) {
        const struct sms__result *row = &c->row[i / c->policies];
        if (is_unchanged(c, i / c->policies))
            continue;
        if (i % c->policies == 0) {
            sms__table_add(table, "%s %.*s", SMS__SHOWN_RESULT(row));
            sms__table_value(table, sms__result_metric(row), sms__result_estimate(row, c->baseline).mean, NAN);
        }
        if (i % c->policies == c->baseline)
            continue;
        if (is_new(c, i / c->policies, i % c->policies))
            add_value(table, row, i % c->policies);
        else
            add_change(table, row, &c->cell[i]);
        sms__table_mark(table, mark_of(c, row, &c->cell[i]));
    }
    sms__add_alone_rows(table, c->results, c->baseline);
    if (c->policies > SMS__POLICY_COLUMNS)
        sms__table_transpose(table);
    sms__table_print(table, screen);
    print_unchanged(c, screen->to);
}

enum { NAMED = 3 };

/* Prints the changes whose own interval excludes 0. Among many changes some do so by chance. */
static void print_doubtful(const struct comparison *c, FILE *to)
{
    size_t count = 0;
    for (size_t i = 0; i < c->rows * c->policies; i++) {
        const struct sms__result *row = &c->row[i / c->policies];
        if (!is_doubtful(&c->cell[i]) || ++count > NAMED)
            continue;
        fprintf(to, "%s %s %.*s of %s",
                count > 1 ? "," : "  significant before Holm's correction, but not after it:", SMS__SHOWN_RESULT(row),
                sms_results_policy(c->results, i % c->policies));
    }
    if (count > NAMED)
        fprintf(to, " and %zu more", count - NAMED);
    if (count)
        fputc('\n', to);
}

/* The terms of the field, in words. */
static void print_terms(const struct comparison *c, FILE *to)
{
    if (!sms_results_scenario(c->results)->cluster)
        fputs("  normalized progress: speed / speed alone; stp: its sum over tenants; ntt: slowdown; antt: its mean; "
              "fairness: smallest / largest progress\n",
              to);
}

static void print_legend(const struct comparison *c, FILE *to)
{
    bool any_difference = false, any_same = false, any_new = false;
    for (size_t row = 0; row < c->rows; row++)
        for (size_t p = 0; p < c->policies && !is_unchanged(c, row); p++) {
            any_new |= is_new(c, row, p);
            const struct cell *cell = &c->cell[row * c->policies + p];
            any_difference |= p != c->baseline && is_difference(cell);
            any_same |= p != c->baseline && verdict(c, cell) == same;
        }
    if (c->compared) {
        fprintf(to, "  ✓ better, ✗ worse, * different: significant, p < %g", SMS__SIGNIFICANT);
        if (c->largest > 1)
            fprintf(to, " after Holm's correction for all changes of the same metric (%zu at most)", c->largest);
        fputc('\n', to);
    }
    if (c->exact && c->policies > 1)
        fputs("  ✓ better, ✗ worse, * different; nothing is drawn, so no change is chance\n", to);
    if (any_difference)
        fputs("  no %: the difference is shown, because the baseline is not above 0 in every replication\n", to);
    if (any_new)
        fprintf(to, "  =: the value itself is shown, because %s has none to compare with\n",
                sms_results_policy(c->results, c->baseline));
    print_doubtful(c, to);
    sms__print_few(c->results, to);
    if (any_same)
        fprintf(to, "  no ±: all %zu replications agree, which does not mean that the value is accurate\n",
                sms_results_replications(c->results));
    sms__print_alone_legend(c->results, to);
    print_terms(c, to);
    fputc('\n', to);
}

void sms__print_comparison(const struct sms_results *results, size_t baseline, struct sms__trust *trust,
                           const struct sms__screen *screen)
{
    struct comparison c;
    bool answered = sms__print_answer(results, baseline, trust, "", screen->to);
    sms__print_unknowns(results, baseline, screen->to);
    sms__print_heading(results, !answered, screen->to);
    if (!answered)
        sms__print_no_answer(results, screen->to);
    if (begin(&c, results, baseline)) {
        print_table(&c, screen);
        print_legend(&c, screen->to);
    }
    end(&c);
    if (!sms_results_scenario(results)->cluster)
        sms__print_gaps(results, screen);
    sms__print_notes(results, screen);
}

void sms__print_tidy_ratios(const struct sms_results *results, size_t baseline, FILE *to)
{
    sms__print_tidy_rows(results, (long)baseline, to);
    if (!sms_results_scenario(results)->cluster)
        sms__print_gap_rows(results, to);
}

/* ---- JSON ---- */

static json_t *json_cell(const struct comparison *c, const struct sms__result *row, size_t policy,
                         const struct cell *cell)
{
    /* jansson aborts if memory runs out while it reads a number longer than all words before; so a long key is first.
     */
    return json_pack("{ss ss ss ss so so so so sI so so ss* so*}", "policy", sms_results_policy(c->results, policy),
                     "subject", sms__result_word(row), "name", sms__result_subject(row), "metric",
                     sms__result_metric(row), "difference_ci95", sms__json_number(cell->over.difference.ci95),
                     "difference", sms__json_number(cell->over.difference.mean), "ratio",
                     sms__json_number(cell->over.ratio.mean), "ratio_ci95", sms__json_number(cell->over.ratio.ci95),
                     "replications", (json_int_t)cell->over.difference.n, "p", sms__json_number(cell->over.p), "p_holm",
                     sms__json_number(cell->adjusted), "verdict", verdict(c, cell), "maximum_of",
                     cell->over.maximum_of ? json_integer((json_int_t)cell->over.maximum_of) : NULL);
}

struct json_t *sms__json_comparisons(const struct sms_results *results, size_t baseline)
{
    struct comparison c;
    json_t *list = begin(&c, results, baseline) ? json_array() : NULL;
    for (size_t i = 0; list && i < c.rows * c.policies; i++)
        if (i % c.policies != baseline)
            json_array_append_new(list, json_cell(&c, &c.row[i / c.policies], i % c.policies, &c.cell[i]));
    end(&c);
    return list;
}
