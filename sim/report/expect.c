/* Checks of results: what a scenario expects of its own, and what a baseline does. A baseline is a CSV file as
 * sms__print_tidy_rows writes it. */
#include "output.h"
#include "walk.h"

#include "../base/buffer.h"
#include "../base/room.h"
#include "../results/results.h"
#include "../results/verdict.h"

#include <stdlib.h>
#include <string.h>

static struct sms__check *new_check(struct sms__checks *checks, const char *scenario, bool passed)
{
    const size_t count = checks->count;
    struct sms__check *grown = sms__room(checks->item, count, sizeof *grown);
    if (!grown)
        return NULL;
    checks->item = grown;
    checks->item[count] = (struct sms__check){.scenario = scenario, .passed = passed};
    checks->failed += !passed;
    return &checks->item[checks->count++];
}

void sms__checks_free(struct sms__checks *checks) { free(checks->item); }

/* Of the policy and the subject that the scenario names; they have been checked. A gain of what launches no kernels is
 * NAN. */
static struct sms_estimate actual_value(const struct sms_results *results, const struct sms__expect *expect,
                                        enum sms_subject subject, size_t idx)
{
    const bool gain = !strcmp(expect->metric, "gain");
    const struct sms__result result = sms__result_of(results, subject, idx, gain ? "kernels_per_s" : expect->metric);
    const size_t policy = sms__find_policy(results, expect->policy);
    struct sms_estimate e = expect->over ? sms__result_ratio(&result, policy, sms__find_policy(results, expect->over))
                                         : sms__result_estimate(&result, policy);
    e.mean -= gain ? 1 : 0;
    return e;
}

static bool within(const struct sms__expect *expect, double actual)
{
    if (isnan(actual))
        return false;
    double room = sms__expects_ratio(expect) ? expect->tolerance : expect->tolerance * fabs(expect->value.value);
    bool fine = !expect->has_value || fabs(actual - expect->value.value) <= room * (1 + 1e-12);
    fine &= !expect->has_min || actual >= expect->min.value;
    return fine && (!expect->has_max || actual <= expect->max.value);
}

/* Ratios that are no share of a whole, such as the throughput of several tenants, are printed as everywhere else. */
static void describe(struct sms__check *check, const struct sms__expect *expect, const char *subject, double actual,
                     double ci95)
{
    const bool ratio = sms__expects_ratio(expect);
    const bool percent = ratio && (expect->over || !strcmp(expect->metric, "gain") ||
                                   sms_metric_is_share(sms__expect_subject(expect), expect->metric));
    double scale = percent ? 100 : 1;
    const char *unit = percent ? " %" : "";
    snprintf(check->name, sizeof check->name, "%s of %s under %s%s%s", expect->metric, subject, expect->policy,
             expect->over ? " over " : "", expect->over ? expect->over : "");
    const double value = expect->value.value * scale, min = expect->min.value * scale, max = expect->max.value * scale;
    if (isnan(actual))
        snprintf(check->message, sizeof check->message, "no value");
    else
        snprintf(check->message, sizeof check->message, "%.*g%s", sms__digits(actual * scale, 5), actual * scale, unit);
    if (ci95 > 0)
        sms__append(check->message, sizeof check->message, " (± %.*g)", sms__digits(ci95 * scale, 2), ci95 * scale);
    if (expect->has_value)
        sms__append(check->message, sizeof check->message, ", expected %.*g%s within %.4g%s", sms__digits(value, 5),
                    value, unit, expect->tolerance * (ratio && !percent ? 1 : 100),
                    percent ? " points"
                    : ratio ? ""
                            : " %");
    if (expect->has_min)
        sms__append(check->message, sizeof check->message, ", at least %.*g%s", sms__digits(min, 5), min, unit);
    if (expect->has_max)
        sms__append(check->message, sizeof check->message, ", at most %.*g%s", sms__digits(max, 5), max, unit);
}

/* A wait may be as short as expected because some pods still wait. */
static void add_left_out(struct sms__check *check, const struct sms_results *results, const struct sms__expect *expect,
                         enum sms_subject subject, size_t idx)
{
    const struct sms__result of = sms__result_of(results, subject, idx, expect->metric);
    const double left = sms__left_waiting(&of, sms__find_policy(results, expect->policy));
    check->reserved = left > 0;
    if (check->reserved)
        sms__append(check->message, sizeof check->message, "; without pods that still wait at the end: %.*g",
                    sms__digits(left, 4), left);
}

int sms__check_expectations(const struct sms_results *results, struct sms__checks *checks)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    for (size_t i = 0; i < scenario->expect.count; i++) {
        const struct sms__expect *expect = &scenario->expect.item[i];
        enum sms_subject subject;
        size_t idx;
        sms__results_find(results, expect, &subject, &idx);
        struct sms_estimate actual = actual_value(results, expect, subject, idx);
        struct sms__check *check = new_check(checks, scenario->name, within(expect, actual.mean));
        if (!check)
            return -1;
        describe(check, expect, sms_results_subject(results, subject, idx), actual.mean, actual.ci95);
        add_left_out(check, results, expect, subject, idx);
    }
    return 0;
}

/* ---- a baseline ---- */

enum { FIELD_BYTES = 4096 }; /* fewer are allowed */

/* How many rows are compared: a few for each value, so that names that are gone are reported, too. */
enum { ROWS_LEAST = 100000, ROWS_A_VALUE = 4 };

static const char *const columns[] = {"scenario", "policy", "subject", "name",        "metric",
                                      "mean",     "sd",     "ci95",    "replications"};
enum { COLUMNS = sizeof columns / sizeof *columns, COLUMNS_MOST = COLUMNS + 1 }; /* `interval` came later */
enum { SCENARIO, POLICY, WORD, SUBJECT, METRIC, MEAN, REPLICATIONS = COLUMNS - 1 };

/* A value of the results, with the words by which a row names it. */
struct value {
    const char *word[METRIC + 1];
    struct sms__result result;
    size_t number; /* in the order of the walk */
    bool listed;   /* the baseline has a row of it */
};

struct baseline {
    const struct sms__set *set;
    struct sms__checks *checks;
    struct sms__csv csv;
    double tolerance;
    char field[COLUMNS][SMS__FIELD_BYTES];
    size_t left; /* rows that may follow */
    bool failed;
    struct sms__arena arena;
    struct value *value; /* [values], sorted by their words */
    size_t values;
};

static int compare_words(const struct value *a, const struct value *b, int words)
{
    int order = 0;
    for (int i = 0; i < words && order == 0; i++)
        order = strcmp(a->word[i], b->word[i]);
    return order;
}

/* Of values with the same words the first counts. */
static int by_words(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    int order = compare_words(x, y, METRIC + 1);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void list_values(struct baseline *baseline, bool keep)
{
    baseline->values = 0;
    for (size_t i = 0; i < baseline->set->count; i++)
        for (struct sms__result r = sms__walk(baseline->set->results[i]); sms__next_result(&r); baseline->values++)
            if (keep)
                baseline->value[baseline->values] =
                    (struct value){{sms_scenario_name(sms_results_scenario(r.results)), sms__result_policy(&r),
                                    sms__result_word(&r), sms__result_subject(&r), sms__result_metric(&r)},
                                   r,
                                   baseline->values,
                                   false};
}

/* The first value whose first words are those of the row, or NULL. */
static struct value *find(const struct baseline *baseline, int words)
{
    struct value row;
    size_t low = 0, high = baseline->values;
    for (int i = 0; i < words; i++)
        row.word[i] = baseline->field[i];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_words(&baseline->value[middle], &row, words) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct value *found = &baseline->value[low];
    return low < baseline->values && compare_words(found, &row, words) == 0 ? found : NULL;
}

/* The value as CSV has it, with twelve digits; NAN if there is none. */
static double as_written(const struct value *value)
{
    char text[40];
    double actual = value ? sms__result_shown(&value->result, -1).mean : NAN;
    snprintf(text, sizeof text, "%.12g", actual);
    return strtod(text, NULL);
}

static const char *policy_at(const void *results, size_t p) { return sms_results_policy(results, p); }

static void describe_row(const struct baseline *baseline, const struct sms_results *results, struct sms__check *check,
                         double actual, double expected)
{
    const char(*const field)[SMS__FIELD_BYTES] = baseline->field;
    const bool named = strcmp(field[WORD], field[SUBJECT]) != 0;
    const int digits = sms__digits(expected, 6);
    char number[24];
    snprintf(number, sizeof number, "%zu", sms_results_replications(results));
    snprintf(check->name, sizeof check->name, "%s of %s%s%s under %s", field[METRIC], field[WORD], named ? " " : "",
             named ? field[SUBJECT] : "", field[POLICY]);
    if (isnan(actual) && !find(baseline, POLICY + 1)) {
        const char *near = sms__nearest(field[POLICY], sms_results_policies(results), policy_at, results);
        snprintf(check->message, sizeof check->message, "the run has no such policy%s%s%s; the baseline is %.*g",
                 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", digits, expected);
    } else if (isnan(actual))
        snprintf(check->message, sizeof check->message, "the run has no such value; the baseline is %.*g", digits,
                 expected);
    else
        snprintf(check->message, sizeof check->message, "%.*g, baseline %.*g", sms__digits(actual, 6), actual, digits,
                 expected);
    if (!isnan(actual) && expected != 0)
        sms__append(check->message, sizeof check->message, " (%+.3g %%)", 100 * (actual / expected - 1));
    if (strcmp(field[REPLICATIONS], number) != 0)
        sms__append(check->message, sizeof check->message, "; replications: %s, baseline %.20s", number,
                    field[REPLICATIONS]);
}

/* Rows of scenarios that were not run are skipped, and those of metrics without a value. */
static void check_row(struct baseline *baseline)
{
    const struct value *scenario = find(baseline, SCENARIO + 1);
    char(*const field)[SMS__FIELD_BYTES] = baseline->field, *rest;
    if (!scenario || !field[MEAN][0])
        return;
    if (baseline->left-- == 0) {
        sms__csv_complain(&baseline->csv, 1, "there are far more rows than the results have values; some are repeated");
        return;
    }
    double expected = strtod(field[MEAN], &rest);
    struct value *value = find(baseline, METRIC + 1);
    double actual = as_written(value);
    if (value)
        value->listed = true;
    if (*rest || !isfinite(expected) || strpbrk(field[MEAN], "xX")) { /* strtod reads hexadecimal numbers, too */
        sms__csv_complain(&baseline->csv, MEAN + 1, "the mean is not a number");
        return;
    }
    struct sms__check *check = new_check(baseline->checks, scenario->word[SCENARIO],
                                         fabs(actual - expected) <= baseline->tolerance * fabs(expected) + 1e-12);
    baseline->failed |= !check;
    if (check)
        describe_row(baseline, scenario->result.results, check, actual, expected);
}

static void take_field(struct sms__csv *csv, const char *text, size_t length)
{
    struct baseline *baseline = csv->user;
    if (csv->column <= COLUMNS)
        snprintf(baseline->field[csv->column - 1], SMS__FIELD_BYTES, "%.*s", (int)length, text);
}

static void take_row(struct sms__csv *csv)
{
    struct baseline *baseline = csv->user;
    if (csv->column < COLUMNS || csv->column > COLUMNS_MOST)
        sms__csv_complain(csv, 1, "is not a baseline: rows have the columns that 'smsched run --format csv' writes");
    for (size_t i = 0; csv->rows == 0 && i < COLUMNS && csv->code == SMS_OK; i++)
        if (strcmp(baseline->field[i], columns[i]))
            sms__csv_complain(csv, (int)i + 1,
                              "is not a baseline: its columns are not those of 'smsched run --format csv'");
    if (csv->rows > 0 && csv->code == SMS_OK)
        check_row(baseline);
}

/* A baseline that was cut, or is of fewer policies, would otherwise pass for a whole one. */
static size_t count_unlisted(const struct baseline *baseline)
{
    size_t count = 0;
    for (size_t i = 0; i < baseline->values; i++) {
        const struct value *value = &baseline->value[i];
        const bool first = i == 0 || compare_words(value - 1, value, METRIC + 1) != 0;
        count += first && !value->listed && !isnan(as_written(value));
    }
    return count;
}

static int read_rows(void *user)
{
    struct baseline *baseline = user;
    list_values(baseline, false);
    baseline->value = SMS__NEW(&baseline->arena, struct value, baseline->values + 1);
    list_values(baseline, true);
    qsort(baseline->value, baseline->values, sizeof *baseline->value, by_words);
    baseline->left = ROWS_LEAST + ROWS_A_VALUE * baseline->values;
    const int code = sms__csv_read(&baseline->csv);
    baseline->checks->unlisted = count_unlisted(baseline);
    return code;
}

int sms__check_baseline(const struct sms__set *set, const char *path, double tolerance, struct sms__checks *checks,
                        struct sms_errors *errors)
{
    struct baseline baseline = {.set = set, .checks = checks, .tolerance = tolerance};
    size_t before = checks->count;
    baseline.csv = (struct sms__csv){
        .path = path, .errors = errors, .user = &baseline, .field = take_field, .row = take_row, .most = FIELD_BYTES};
    int code = sms__guard(&baseline.arena, read_rows, &baseline);
    if (code == SMS_ENOMEM)
        sms__fail(errors, SMS_ENOMEM, path, "no memory");
    sms__arena_release(&baseline.arena);
    if (!errors->count && baseline.csv.rows < 2)
        sms__fail(errors, SMS_EINPUT, path, "holds no values");
    else if (!errors->count && !baseline.failed && checks->count == before)
        sms__fail(errors, SMS_EINPUT, path, "holds no value of a scenario that ran");
    return errors->count || baseline.failed ? -1 : 0;
}
