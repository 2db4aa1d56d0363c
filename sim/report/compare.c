/* Policies against a baseline, replication by replication. The more comparisons there are, the more differ by chance,
 * so a difference counts that holds after Holm's correction. A family is what answers one question: all comparisons of
 * one metric, over subjects and policies. */
#include "output.h"

#include "../base/statistics.h"
#include "memory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGNIFICANT 0.05

struct row {
    enum sms_subject subject;
    size_t idx, metric;
};

struct family {
    const struct sms_results *results;
    size_t baseline, rows, policies;
    struct row *row;
    double *p, *adjusted; /* [rows][policies]; NAN: none, as of the baseline */
    size_t compared;      /* that have a p; the same of the metric with most */
    size_t largest;
    bool exact;
};

/* NULL: all are counted, none is kept. */
static void add_row(struct family *family, enum sms_subject subject, size_t idx, const char *metric)
{
    long m = sms_metric_index(subject, metric);
    if (m < 0)
        return;
    if (family->row)
        family->row[family->rows] = (struct row){subject, idx, (size_t)m};
    family->rows++;
}

static void add_list(struct family *family, enum sms_subject subject, size_t idx, const char *const *metric,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_row(family, subject, idx, metric[i]);
}

/* How a tenant fared beside what it has alone, and how its jobs did. Processes that end have a turnaround. */
static void add_tenant(struct family *family, size_t v)
{
    static const char *const of_jobs[] = {"normalized_progress_ratio", "ntt_ratio",          "jobs_per_s",
                                          "job_latency_p50_ns",        "job_latency_p99_ns", "kernels_per_s"};
    const struct sms_scenario *scenario = sms_results_scenario(family->results);
    if (scenario->shares)
        add_row(family, SMS_PROCESS, v, "turnaround_ns");
    if (!scenario->shares || scenario->vm[v].repeat == 0)
        add_list(family, SMS_VM, v, of_jobs, sizeof of_jobs / sizeof *of_jobs);
}

static void add_asked(struct family *family)
{
    struct sms_question asked;
    size_t count;
    if (sms_results_question(family->results, &asked))
        add_row(family, asked.subject, asked.idx, sms_metrics(asked.subject, &count)[asked.metric].name);
}

/* What is asked comes first. Kernels of different tenants are not alike, so their number comes last. */
static void list_rows(struct family *family)
{
    static const char *const of_host[] = {"stp_ratio", "antt_ratio", "fairness_ratio"};
    const struct sms_results *results = family->results;
    bool shares = sms_results_scenario(results)->shares, cluster = sms_results_scenario(results)->cluster != NULL;
    family->rows = 0;
    add_asked(family);
    for (size_t i = 0; cluster && sms__cluster_column(results, i); i++)
        add_row(family, SMS_CLUSTER, 0, sms__cluster_column(results, i));
    if (cluster)
        return;
    add_list(family, SMS_HOST, 0, of_host, sizeof of_host / sizeof *of_host);
    for (size_t v = 0; v < sms_results_subjects(results, SMS_VM); v++)
        add_tenant(family, v);
    if (shares) {
        add_row(family, SMS_PROCESS, sms_results_subjects(results, SMS_VM), "turnaround_ns");
        add_row(family, SMS_HOST, 0, "makespan_ns");
        add_row(family, SMS_HOST, 0, "energy_j");
    }
    add_row(family, SMS_HOST, 0, "kernels_per_s");
}

static bool is_same_row(const struct row *a, const struct row *b)
{
    return a->subject == b->subject && a->idx == b->idx && a->metric == b->metric;
}

/* The row that answers is listed where it belongs, too. */
static void drop_second(struct family *family)
{
    size_t kept = 1;
    for (size_t r = 1; family->row && r < family->rows; r++)
        if (!is_same_row(&family->row[r], &family->row[0]))
            family->row[kept++] = family->row[r];
    family->rows = family->row && family->rows ? kept : family->rows;
}

static void add_rows(struct family *family)
{
    list_rows(family);
    drop_second(family);
}

static struct sms_estimate ratio_of(const struct family *family, size_t row, size_t policy)
{
    const struct row *r = &family->row[row];
    return sms_results_ratio(family->results, policy, family->baseline, r->subject, r->idx, r->metric);
}

static struct sms_estimate difference_of(const struct family *family, size_t row, size_t policy)
{
    const struct row *r = &family->row[row];
    return sms_results_difference(family->results, policy, family->baseline, r->subject, r->idx, r->metric);
}

/* Nothing ever happens under either: there is nothing to compare. */
static bool is_nothing(const struct family *family, size_t row, struct sms_estimate difference)
{
    const struct row *r = &family->row[row];
    struct sms_estimate base = sms_results_estimate(family->results, family->baseline, r->subject, r->idx, r->metric);
    return base.mean == 0 && !(base.sd > 0) && difference.mean == 0 && !(difference.sd > 0);
}

/* Of the ratio, and of the difference where there is none, as over a base of 0. */
static double p_of(const struct family *family, size_t row, size_t policy)
{
    struct sms_estimate ratio = ratio_of(family, row, policy), difference = difference_of(family, row, policy);
    if (policy == family->baseline)
        return NAN;
    if (!isnan(ratio.mean))
        return sms_p_value(ratio, 1);
    return is_nothing(family, row, difference) ? NAN : sms_p_value(difference, 0);
}

static void end(struct family *family)
{
    free(family->row);
    free(family->p);
    free(family->adjusted);
}

static const char *metric_of(const struct row *row)
{
    size_t count;
    return sms_metrics(row->subject, &count)[row->metric].name;
}

/* Corrects the metric of row `first`, which has no row before that. Returns false without memory. */
static bool correct_metric(struct family *family, size_t first)
{
    size_t n = family->rows * family->policies, compared = 0;
    double *p = calloc(2 * n + 1, sizeof *p);
    if (!p)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool own = !strcmp(metric_of(&family->row[i / family->policies]), metric_of(&family->row[first]));
        p[i] = own ? family->p[i] : NAN;
        compared += !isnan(p[i]);
    }
    bool done = sms__holm(p, p + n, n);
    for (size_t i = 0; i < n && done; i++)
        family->adjusted[i] = isnan(p[i]) ? family->adjusted[i] : p[n + i];
    free(p);
    family->compared += compared;
    family->largest = compared > family->largest ? compared : family->largest;
    return done;
}

static bool correct(struct family *family)
{
    bool done = true;
    for (size_t i = 0; i < family->rows * family->policies; i++)
        family->adjusted[i] = NAN;
    for (size_t r = 0; r < family->rows && done; r++) {
        size_t first = 0;
        while (strcmp(metric_of(&family->row[first]), metric_of(&family->row[r])) != 0)
            first++;
        done = first < r || correct_metric(family, r);
    }
    return done;
}

/* Returns false without memory. `end` frees it in any case. */
static bool begin(struct family *family, const struct sms_results *results, size_t baseline)
{
    *family = (struct family){.results = results, .baseline = baseline, .policies = sms_results_policies(results)};
    add_rows(family);
    family->row = calloc(family->rows + 1, sizeof *family->row);
    family->p = calloc(family->rows * family->policies + 1, sizeof *family->p);
    family->adjusted = calloc(family->rows * family->policies + 1, sizeof *family->adjusted);
    if (!family->row || !family->p || !family->adjusted) {
        sms__note_memory(NULL);
        return false;
    }
    add_rows(family);
    family->exact = sms_results_exact(results);
    for (size_t i = 0; i < family->rows * family->policies; i++)
        family->p[i] = p_of(family, i / family->policies, i % family->policies);
    if (correct(family))
        return true;
    sms__note_memory(NULL);
    return false;
}

static bool is_doubtful(const struct family *family, size_t at)
{
    return family->p[at] < SIGNIFICANT && !(family->adjusted[at] < SIGNIFICANT);
}

/* What the replications say of a change that has a value: the ratio, or the difference where there is no ratio. */
static const char *verdict(const struct family *family, size_t row, size_t policy)
{
    size_t at = row * family->policies + policy;
    struct sms_estimate change = ratio_of(family, row, policy);
    change = isnan(change.mean) ? difference_of(family, row, policy) : change;
    if (isnan(change.mean))
        return NULL;
    if (family->exact)
        return "exact";
    if (isnan(family->p[at]))
        return change.n > 1 ? "same in all replications" : NULL;
    if (is_doubtful(family, at))
        return "excludes 0, not after correction";
    return family->p[at] < SIGNIFICANT ? "differs" : "includes 0";
}

/* ---- for people ---- */

static bool is_difference(const struct family *family, size_t row, size_t policy)
{
    struct sms_estimate difference = difference_of(family, row, policy);
    return policy != family->baseline && isnan(ratio_of(family, row, policy).mean) && !isnan(difference.mean) &&
           !is_nothing(family, row, difference);
}

static void add_difference(struct sms__table_out *table, struct sms_estimate e, const char *mark)
{
    if (!isnan(e.ci95))
        sms__table_add(table, "%s%+.3g ± %.2g", mark, e.mean, e.ci95);
    else
        sms__table_add(table, "%+.3g", e.mean);
}

static void add_ratio(struct sms__table_out *table, struct sms_estimate e, const char *mark)
{
    char text[64];
    if (isnan(e.mean))
        sms__table_add(table, "-");
    else
        sms__table_add(table, "%s%s", mark, sms__percent(text, sizeof text, true, 100 * (e.mean - 1), 100 * e.ci95));
}

static void add_cell(struct sms__table_out *table, const struct family *family, size_t row, size_t policy)
{
    const char *mark = family->adjusted[row * family->policies + policy] < SIGNIFICANT ? "* " : "";
    if (is_difference(family, row, policy))
        add_difference(table, difference_of(family, row, policy), mark);
    else
        add_ratio(table, ratio_of(family, row, policy), mark);
}

static void print_table(const struct family *family, FILE *to)
{
    struct sms__table_out *table = sms__table_new(family->policies);
    sms__table_add(table, "change over %s", sms_results_policy(family->results, family->baseline));
    for (size_t p = 0; p < family->policies; p++)
        if (p != family->baseline)
            sms__table_add(table, "%s", sms_results_policy(family->results, p));
    for (size_t r = 0; r < family->rows; r++) {
        const struct row *row = &family->row[r];
        sms__table_add(table, "%s %s", sms_results_subject(family->results, row->subject, row->idx), metric_of(row));
        for (size_t p = 0; p < family->policies; p++)
            if (p != family->baseline)
                add_cell(table, family, r, p);
    }
    sms__table_print(table, to);
}

enum { NAMED = 3 };

/* Changes whose own interval excludes 0, which one of so many does by chance. */
static void print_doubtful(const struct family *family, FILE *to)
{
    size_t count = 0;
    for (size_t i = 0; i < family->rows * family->policies; i++) {
        const struct row *row = &family->row[i / family->policies];
        if (!is_doubtful(family, i) || ++count > NAMED)
            continue;
        fprintf(to, "%s %s %s of %s", count > 1 ? "," : "  excludes 0, not after correction:",
                sms_results_subject(family->results, row->subject, row->idx), metric_of(row),
                sms_results_policy(family->results, i % family->policies));
    }
    if (count > NAMED)
        fprintf(to, " and %zu more", count - NAMED);
    if (count)
        fputc('\n', to);
}

static void print_same(const struct family *family, FILE *to)
{
    size_t same = 0;
    for (size_t i = 0; i < family->rows * family->policies; i++) {
        const char *word = verdict(family, i / family->policies, i % family->policies);
        same += i % family->policies != family->baseline && word && !strcmp(word, "same in all replications");
    }
    if (same)
        fprintf(to, "  without ±: the same in all %zu replications, which does not say how far it is off\n",
                sms_results_replications(family->results));
}

static void print_differences(const struct family *family, FILE *to)
{
    bool any = false;
    for (size_t i = 0; i < family->rows * family->policies; i++)
        any |= is_difference(family, i / family->policies, i % family->policies);
    if (any)
        fputs("  without %: the difference, where the base is not above 0 in every replication\n", to);
}

static void print_family(const struct family *family, FILE *to)
{
    print_table(family, to);
    if (family->compared) {
        fprintf(to, "  * differs: p < %g", SIGNIFICANT);
        if (family->largest > 1)
            fprintf(to, " after Holm's correction for the changes of its metric, at most %zu", family->largest);
        fputc('\n', to);
    }
    print_differences(family, to);
    print_doubtful(family, to);
    print_same(family, to);
    fputc('\n', to);
}

void sms__print_comparison(const struct sms_results *results, size_t baseline, FILE *to)
{
    struct family family;
    sms__print_heading(results, to);
    sms__print_answer(results, baseline, to);
    if (begin(&family, results, baseline))
        print_family(&family, to);
    end(&family);
    if (!sms_results_scenario(results)->cluster)
        sms__print_gaps(results, to);
    sms__print_notes(results, to);
}

/* ---- JSON ---- */

static json_t *json_comparison(const struct family *family, size_t r, size_t policy)
{
    const struct row *row = &family->row[r];
    struct sms_estimate ratio = ratio_of(family, r, policy);
    struct sms_estimate difference = difference_of(family, r, policy);
    size_t at = r * family->policies + policy;
    return json_pack("{ss ss ss ss so so so so sI so so ss*}", "policy", sms_results_policy(family->results, policy),
                     "subject", sms__subject_word(row->subject), "name",
                     sms_results_subject(family->results, row->subject, row->idx), "metric", metric_of(row), "ratio",
                     sms__json_number(ratio.mean), "ratio_ci95", sms__json_number(ratio.ci95), "difference",
                     sms__json_number(difference.mean), "difference_ci95", sms__json_number(difference.ci95),
                     "replications", (json_int_t)difference.n, "p", sms__json_number(family->p[at]), "p_holm",
                     sms__json_number(family->adjusted[at]), "verdict", verdict(family, r, policy));
}

struct json_t *sms__json_comparisons(const struct sms_results *results, size_t baseline)
{
    struct family family;
    json_t *list = begin(&family, results, baseline) ? json_array() : NULL;
    for (size_t r = 0; list && r < family.rows; r++)
        for (size_t p = 0; p < family.policies; p++)
            if (p != baseline)
                json_array_append_new(list, json_comparison(&family, r, p));
    end(&family);
    return list;
}
