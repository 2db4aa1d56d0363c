/* Results as CSV: tidy, with a line for each row, or wide, with a line for each subject. */
#include "output.h"
#include "walk.h"

#include "../base/decimal.h"
#include "../base/escape.h"

void sms__print_tidy_header(FILE *to)
{
    fputs("scenario,policy,subject,name,metric,mean,sd,ci95,replications,interval\n", to);
}

/* What kind of interval `ci95` is, or why there is none. */
static const char *interval_word(struct sms_estimate e, bool exact)
{
    if (isnan(e.mean))
        return "";
    if (exact)
        return "exact";
    return e.n < 2 ? "" : isnan(e.ci95) ? (e.sd > 0 ? "" : "same") : "student";
}

static void print_estimate(struct sms_estimate e, bool exact, FILE *to)
{
    sms__print_number(to, e.mean);
    fputc(',', to);
    sms__print_number(to, e.sd);
    fputc(',', to);
    sms__print_number(to, e.ci95);
    fprintf(to, ",%zu,%s\n", e.n, interval_word(e, exact));
}

void sms__print_tidy_value(const struct sms_results *results, const char *policy, const char *metric,
                           struct sms_estimate e, bool exact, FILE *to)
{
    SMS__PRINT_CSV(to, sms_scenario_name(sms_results_scenario(results)), policy, "host", "host", metric);
    print_estimate(e, exact, to);
}

void sms__print_tidy_rows(const struct sms_results *results, long baseline, FILE *to)
{
    const bool exact = sms_results_exact(results);
    for (struct sms__result row = sms__walk(results); sms__next_result(&row);) {
        if (sms__subject_kind(row.subject) == SMS__AS_FILE)
            continue;
        SMS__PRINT_CSV(to, sms_scenario_name(sms_results_scenario(results)), sms__result_policy(&row),
                       sms__result_word(&row), sms__result_subject(&row), sms__result_metric(&row));
        print_estimate(sms__result_shown(&row, baseline), exact, to);
    }
}

/* The VM whose kernel this is. */
static const char *vm_of(const struct sms_scenario *scenario, size_t kernel)
{
    size_t v = 0;
    for (; kernel >= scenario->vm[v].workload->kernels; v++)
        kernel -= scenario->vm[v].workload->kernels;
    return scenario->vm[v].name;
}

/* Kernels of two VMs may have the same name, so their last column is the VM. */
static void end_line(const struct sms__result *row, FILE *to)
{
    if (row->subject == SMS_KERNEL) {
        fputc(',', to);
        sms__print_csv(to, vm_of(sms_results_scenario(row->results), row->idx));
    }
    fputc('\n', to);
}

static void print_wide(const struct sms_results *results, enum sms_subject subject, FILE *to)
{
    for (struct sms__result row = sms__walk(results); sms__next_result(&row);) {
        if (row.subject != subject)
            continue;
        if (row.metric == 0) {
            SMS__PRINT_CSV(to, sms_scenario_name(sms_results_scenario(results)), sms__result_policy(&row));
            sms__print_csv(to, sms__result_subject(&row));
        }
        struct sms_estimate e = sms__result_shown(&row, -1);
        fputc(',', to);
        sms__print_number(to, e.mean);
        fputc(',', to);
        sms__print_number(to, e.ci95);
        if (row.metric + 1 == sms__metric_count(subject))
            end_line(&row, to);
    }
}

void sms__print_wide(const struct sms__set *set, enum sms_subject subject, FILE *to)
{
    fprintf(to, "scenario,policy,%s", sms__subject_word(subject));
    for (size_t m = 0; m < sms__metric_count(subject); m++)
        fprintf(to, ",%s,ci95_%s", sms__metric_name(subject, m), sms__metric_name(subject, m));
    fputs(subject == SMS_KERNEL ? ",vm\n" : "\n", to);
    for (size_t s = 0; s < set->count; s++)
        print_wide(set->results[s], subject, to);
}
