#include "../base/escape.h"
#include "output.h"

#include <math.h>

/* Twelve digits: more than any simulated figure means, and no noise of the last bits. */
static void print_number(double value, FILE *to)
{
    if (!isnan(value))
        fprintf(to, "%.12g", value);
}

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
    return e.n < 2 ? "" : isnan(e.ci95) ? "same" : "student";
}

static void print_row(const struct sms_results *results, const char *policy, const char *subject, const char *name,
                      const char *metric, struct sms_estimate e, bool exact, FILE *to)
{
    SMS__PRINT_CSV(to, sms_scenario_name(sms_results_scenario(results)), policy, subject, name, metric);
    print_number(e.mean, to);
    fputc(',', to);
    print_number(e.sd, to);
    fputc(',', to);
    print_number(e.ci95, to);
    fprintf(to, ",%zu,%s\n", e.n, interval_word(e, exact));
}

void sms__print_tidy_value(const struct sms_results *results, const char *policy, const char *metric,
                           struct sms_estimate e, bool exact, FILE *to)
{
    print_row(results, policy, "host", "host", metric, e, exact, to);
}

/* baseline < 0: values; else ratios. */
static void print_subject(const struct sms_results *results, long baseline, size_t policy, enum sms_subject subject,
                          bool exact, FILE *to)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t i = 0; i < sms_results_subjects(results, subject); i++)
        for (size_t m = 0; m < count; m++) {
            struct sms_estimate e = baseline < 0 ? sms_results_estimate(results, policy, subject, i, m)
                                                 : sms_results_ratio(results, policy, (size_t)baseline, subject, i, m);
            print_row(results, sms_results_policy(results, policy), sms__subject_word(subject),
                      sms_results_subject(results, subject, i), metric[m].name, e, exact, to);
        }
}

/* All but nodes, which may be thousands: these are in results folders. */
static void print_all(const struct sms_results *results, long baseline, FILE *to)
{
    bool exact = sms_results_exact(results);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        for (int s = 0; s < SMS_SUBJECTS; s++)
            if (s != SMS_NODE)
                print_subject(results, baseline, p, (enum sms_subject)s, exact, to);
}

void sms__print_tidy(const struct sms_results *results, FILE *to) { print_all(results, -1, to); }

void sms__print_tidy_ratios(const struct sms_results *results, size_t baseline, FILE *to)
{
    print_all(results, (long)baseline, to);
    if (!sms_results_scenario(results)->cluster)
        sms__print_gap_rows(results, to);
}

/* The VM, from `*vm` on, of which the kernel is; `*first` is the number of its first kernel. */
static const char *vm_of(const struct sms_scenario *scenario, size_t kernel, size_t *vm, size_t *first)
{
    while (kernel >= *first + scenario->vm[*vm].workload->kernels)
        *first += scenario->vm[(*vm)++].workload->kernels;
    return scenario->vm[*vm].name;
}

static void print_wide_row(const struct sms_results *results, size_t policy, enum sms_subject subject, size_t idx,
                           FILE *to)
{
    size_t count;
    sms_metrics(subject, &count);
    SMS__PRINT_CSV(to, sms_scenario_name(sms_results_scenario(results)), sms_results_policy(results, policy));
    sms__print_csv(to, sms_results_subject(results, subject, idx));
    for (size_t m = 0; m < count; m++) {
        struct sms_estimate e = sms_results_estimate(results, policy, subject, idx, m);
        fputc(',', to);
        print_number(e.mean, to);
        fputc(',', to);
        print_number(e.ci95, to);
    }
}

/* Of kernels, which may be called the same in two VMs, the last column is the VM. */
static void print_wide_rows(const struct sms_results *results, size_t policy, enum sms_subject subject, FILE *to)
{
    size_t vm = 0, first = 0;
    for (size_t i = 0; i < sms_results_subjects(results, subject); i++) {
        print_wide_row(results, policy, subject, i, to);
        if (subject == SMS_KERNEL) {
            fputc(',', to);
            sms__print_csv(to, vm_of(sms_results_scenario(results), i, &vm, &first));
        }
        fputc('\n', to);
    }
}

void sms__print_wide(const struct sms__set *set, enum sms_subject subject, FILE *to)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    fprintf(to, "scenario,policy,%s", sms__subject_word(subject));
    for (size_t m = 0; m < count; m++)
        fprintf(to, ",%s,ci95_%s", metric[m].name, metric[m].name);
    fputs(subject == SMS_KERNEL ? ",vm\n" : "\n", to);
    for (size_t s = 0; s < set->count; s++)
        for (size_t p = 0; p < sms_results_policies(set->results[s]); p++)
            print_wide_rows(set->results[s], p, subject, to);
}
