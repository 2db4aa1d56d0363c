#include "output.h"
#include "plot.h"
#include "results.h"

#include "../base/read.h"
#include "../model/scenario.h"

#include <csv.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Of a file of values at most. */
enum { BASELINE_MIB = 1024 };

static struct sms__check *new_check(struct sms__checks *checks)
{
    const size_t count = checks->count;
    if ((count & (count - 1)) == 0) { /* capacities are powers of two */
        struct sms__check *grown = realloc(checks->item, (count ? 2 * count : 1) * sizeof *grown);
        if (!grown)
            return NULL;
        checks->item = grown;
    }
    checks->item[checks->count] = (struct sms__check){.scenario = ""};
    return &checks->item[checks->count++];
}

void sms__checks_free(struct sms__checks *checks) { free(checks->item); }

static long policy_index(const struct sms_results *results, const char *label)
{
    for (size_t p = 0; p < sms_results_policies(results); p++)
        if (!strcmp(sms_results_policy(results, p), label))
            return (long)p;
    return -1;
}

/* Ratios and gains are shown as percentages, and their tolerance is in points. */
static bool is_ratio(const struct sms__expect *expect)
{
    size_t length = strlen(expect->metric);
    bool named = length > 6 && !strcmp(expect->metric + length - 6, "_ratio");
    return named || expect->over || !strcmp(expect->metric, "gain");
}

/* Of what a metric is expected. */
struct subject {
    enum sms_subject kind;
    size_t idx;
};

static double actual_value(const struct sms_results *results, const struct sms__expect *expect, struct subject of,
                           double *ci95)
{
    bool gain = !strcmp(expect->metric, "gain");
    long number = sms_metric_index(of.kind, gain ? "kernels_per_s" : expect->metric);
    if (number < 0) /* a gain of what launches no kernels */
        return NAN;
    size_t metric = (size_t)number;
    size_t policy = (size_t)policy_index(results, expect->policy);
    struct sms_estimate e =
        expect->over
            ? sms_results_ratio(results, policy, (size_t)policy_index(results, expect->over), of.kind, of.idx, metric)
            : sms_results_estimate(results, policy, of.kind, of.idx, metric);
    *ci95 = e.ci95;
    return gain ? e.mean - 1 : e.mean;
}

static bool within(const struct sms__expect *expect, double actual)
{
    if (isnan(actual))
        return false;
    double room = is_ratio(expect) ? expect->tolerance.value : expect->tolerance.value * fabs(expect->value.value);
    bool fine = !expect->has_value || fabs(actual - expect->value.value) <= room * (1 + 1e-12);
    fine &= !expect->has_min || actual >= expect->min.value;
    return fine && (!expect->has_max || actual <= expect->max.value);
}

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static void describe(struct sms__check *check, const struct sms__expect *expect, const char *subject, double actual,
                     double ci95)
{
    bool percent = is_ratio(expect);
    double scale = percent ? 100 : 1;
    const char *unit = percent ? " %" : "";
    snprintf(check->name, sizeof check->name, "%s of %s under %s%s%s", expect->metric, subject, expect->policy,
             expect->over ? " over " : "", expect->over ? expect->over : "");
    snprintf(check->message, sizeof check->message, "%.5g%s", actual * scale, unit);
    if (ci95 > 0)
        append(check->message, sizeof check->message, " (± %.2g)", ci95 * scale);
    if (expect->has_value)
        append(check->message, sizeof check->message, ", expected %.5g%s within %.4g%s", expect->value.value * scale,
               unit, expect->tolerance.value * 100, percent ? " points" : " %");
    if (expect->has_min)
        append(check->message, sizeof check->message, ", at least %.5g%s", expect->min.value * scale, unit);
    if (expect->has_max)
        append(check->message, sizeof check->message, ", at most %.5g%s", expect->max.value * scale, unit);
}

int sms__check_expectations(const struct sms_results *results, struct sms__checks *checks)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    for (size_t i = 0; i < scenario->expects; i++) {
        struct subject of;
        sms__results_find(results, &scenario->expect[i], &of.kind, &of.idx);
        double ci95 = 0, actual = actual_value(results, &scenario->expect[i], of, &ci95);
        struct sms__check *check = new_check(checks);
        if (!check)
            return -1;
        check->scenario = scenario->name;
        check->passed = within(&scenario->expect[i], actual);
        describe(check, &scenario->expect[i], sms_results_subject(results, of.kind, of.idx), actual, ci95);
        checks->failed += !check->passed;
    }
    return 0;
}

/* A baseline is a CSV file as sms__print_tidy writes it; libcsv takes it apart. */
/* Of a baseline that are compared: a few for each value, so that names that are gone are told. */
enum { ROWS_LEAST = 100000, ROWS_A_VALUE = 4 };

enum { COLUMNS = 9, COLUMNS_MOST = 10, FIELD = SMS__FIELD_BYTES }; /* `interval` came later */

/* A list's names; of equal ones the first counts. Names that are only in the file come behind. */
struct lookup {
    struct sms__names names;
    size_t *idx; /* [known]: in the list */
    size_t known;
};

struct baseline {
    const struct sms__set *set;
    struct sms__checks *checks;
    struct sms_errors *errors;
    const char *path;
    double tolerance;
    char field[COLUMNS][FIELD];
    size_t fields, line;
    size_t left; /* rows that may follow */
    bool failed;
    struct sms__arena arena;
    struct lookup scenario, *subject; /* subject: [scenarios][SMS_SUBJECTS] */
    const char *bytes;
    size_t size;
    struct csv_parser parser;
};

static void take_field(void *text, size_t length, void *user)
{
    struct baseline *baseline = user;
    size_t keep = length < FIELD - 1 ? length : FIELD - 1;
    if (baseline->fields < COLUMNS) {
        memcpy(baseline->field[baseline->fields], text, keep);
        baseline->field[baseline->fields][keep] = '\0';
    }
    baseline->fields++;
}

static void add_name(struct sms__arena *arena, struct lookup *lookup, const char *name, size_t idx)
{
    if (sms__name_index(arena, &lookup->names, name) == lookup->known)
        lookup->idx[lookup->known++] = idx;
}

static long find_name(struct sms__arena *arena, struct lookup *lookup, const char *name)
{
    size_t number = sms__name_index(arena, &lookup->names, name);
    return number < lookup->known ? (long)lookup->idx[number] : -1;
}

static long find_scenario(struct baseline *baseline)
{
    const struct sms__set *set = baseline->set;
    if (!baseline->scenario.idx) {
        baseline->scenario.idx = SMS__NEW(&baseline->arena, size_t, set->count + 1);
        for (size_t i = 0; i < set->count; i++)
            add_name(&baseline->arena, &baseline->scenario, sms_scenario_name(sms_results_scenario(set->results[i])),
                     i);
    }
    return find_name(&baseline->arena, &baseline->scenario, baseline->field[0]);
}

static long find_subject(struct baseline *baseline, size_t scenario, enum sms_subject kind)
{
    const struct sms_results *results = baseline->set->results[scenario];
    struct lookup *lookup = &baseline->subject[scenario * SMS_SUBJECTS + kind];
    if (!lookup->idx) {
        size_t count = sms_results_subjects(results, kind);
        lookup->idx = SMS__NEW(&baseline->arena, size_t, count + 1);
        for (size_t i = 0; i < count; i++)
            add_name(&baseline->arena, lookup, sms_results_subject(results, kind, i), i);
    }
    return find_name(&baseline->arena, lookup, baseline->field[3]);
}

/* Each row takes memory, and few more rows than there are values can say anything: of names that are gone. */
static size_t count_values(const struct sms__set *set)
{
    size_t values = 0, metrics;
    for (size_t i = 0; i < set->count; i++)
        for (int s = 0; s < SMS_SUBJECTS; s++) {
            sms_metrics((enum sms_subject)s, &metrics);
            values += sms_results_policies(set->results[i]) *
                      sms_results_subjects(set->results[i], (enum sms_subject)s) * metrics;
        }
    return values;
}

static double baseline_actual(struct baseline *baseline, size_t scenario)
{
    const struct sms_results *results = baseline->set->results[scenario];
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        if (strcmp(sms__subject_word((enum sms_subject)s), baseline->field[2]))
            continue;
        long policy = policy_index(results, baseline->field[1]);
        long idx = find_subject(baseline, scenario, (enum sms_subject)s);
        long metric = sms_metric_index((enum sms_subject)s, baseline->field[4]);
        if (policy >= 0 && idx >= 0 && metric >= 0)
            return sms_results_estimate(results, (size_t)policy, (enum sms_subject)s, (size_t)idx, (size_t)metric).mean;
    }
    return NAN;
}

static void complain(struct baseline *baseline, const char *what)
{
    struct sms__mark mark = {baseline->path, NULL, (unsigned)baseline->line, 1};
    sms__error(baseline->errors, SMS_EINPUT, mark, "%s", what);
}

static void check_row(struct baseline *baseline)
{
    const long scenario = find_scenario(baseline);
    if (scenario < 0 || !baseline->field[5][0])
        return; /* a scenario that was not run, or a metric without a value */
    if (baseline->left-- == 0) {
        complain(baseline, "there are far more rows than the results have values: some stand twice");
        return;
    }
    char *rest;
    double expected = strtod(baseline->field[5], &rest), actual = baseline_actual(baseline, (size_t)scenario);
    if (*rest || !isfinite(expected)) {
        complain(baseline, "the mean is not a number");
        return;
    }
    struct sms__check *check = new_check(baseline->checks);
    if (!check) {
        baseline->failed = true;
        return;
    }
    check->scenario = sms_scenario_name(sms_results_scenario(baseline->set->results[scenario]));
    check->passed = fabs(actual - expected) <= baseline->tolerance * fabs(expected) + 1e-12;
    snprintf(check->name, sizeof check->name, "%s of %s %s under %s", baseline->field[4], baseline->field[2],
             baseline->field[3], baseline->field[1]);
    snprintf(check->message, sizeof check->message, "%.6g, baseline %.6g (%+.3g %%)", actual, expected,
             expected != 0 ? 100 * (actual / expected - 1) : 0);
    baseline->checks->failed += !check->passed;
}

static void take_row(int end, void *user)
{
    static const char *const header[] = {"scenario", "policy", "subject", "name",        "metric",
                                         "mean",     "sd",     "ci95",    "replications"};
    struct baseline *baseline = user;
    (void)end;
    baseline->line++;
    if ((baseline->fields < COLUMNS || baseline->fields > COLUMNS_MOST) && !baseline->errors->count)
        complain(baseline, "is not a baseline: rows have the columns that 'smsched run --format csv' writes");
    for (size_t i = 0; baseline->line == 1 && i < COLUMNS && !baseline->errors->count; i++)
        if (strcmp(baseline->field[i], header[i]))
            complain(baseline, "is not a baseline: its columns are not those of 'smsched run --format csv'");
    if (baseline->line > 1 && !baseline->errors->count)
        check_row(baseline);
    baseline->fields = 0;
}

static int read_rows(void *user)
{
    struct baseline *baseline = user;
    baseline->subject = SMS__NEW(&baseline->arena, struct lookup, baseline->set->count * SMS_SUBJECTS + 1);
    if (csv_parse(&baseline->parser, baseline->bytes, baseline->size, take_field, take_row, baseline) != baseline->size)
        complain(baseline, "is not a CSV file");
    csv_fini(&baseline->parser, take_field, take_row, baseline);
    return SMS_OK;
}

static int read_baseline(struct baseline *baseline)
{
    char *bytes;
    int code = sms__file_bytes(&baseline->arena, baseline->path, (uint64_t)BASELINE_MIB << 20, &bytes, &baseline->size,
                               baseline->errors);
    if (code)
        return code;
    baseline->bytes = bytes;
    csv_init(&baseline->parser, CSV_STRICT | CSV_APPEND_NULL);
    csv_set_blk_size(&baseline->parser, 65536);
    code = sms__guard(&baseline->arena, read_rows, baseline);
    csv_free(&baseline->parser);
    return code;
}

int sms__check_baseline(const struct sms__set *set, const char *path, double tolerance, struct sms__checks *checks,
                        struct sms_errors *errors)
{
    struct baseline baseline = {.set = set,
                                .checks = checks,
                                .errors = errors,
                                .path = path,
                                .tolerance = tolerance,
                                .left = ROWS_LEAST + ROWS_A_VALUE * count_values(set)};
    size_t before = checks->count;
    int code = read_baseline(&baseline);
    if (code == SMS_ENOMEM)
        sms__fail(errors, SMS_ENOMEM, path, "no memory");
    sms__arena_release(&baseline.arena);
    if (!errors->count && baseline.line < 2)
        sms__fail(errors, SMS_EINPUT, path, "holds no values");
    else if (!errors->count && !baseline.failed && checks->count == before)
        sms__fail(errors, SMS_EINPUT, path, "holds no value of a scenario that ran");
    return errors->count || baseline.failed ? -1 : 0;
}
