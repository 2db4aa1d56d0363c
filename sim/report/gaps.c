/* The gap of each policy to the bound, which no policy can exceed in the same run (docs/explanation/bound.md): as a
 * table, as CSV and as JSON. */
#include "memory.h"
#include "output.h"
#include "walk.h"

#include <jansson.h>

/* Returns the bound. If it cannot be computed it is infinite, with the error as the reason. */
static struct sms_bound bound_of(const struct sms_results *results, enum sms_bounded metric, struct sms_errors *errors)
{
    struct sms_bound bound;
    int code = sms_results_bound(results, metric, &bound, errors);
    if (code == SMS_ENOMEM)
        sms__note_memory(NULL);
    if (code)
        bound = (struct sms_bound){INFINITY, INFINITY, errors->item[0].message, 0, {{"", 0}}};
    return bound;
}

static struct sms_estimate gap_of(const struct sms_results *results, size_t policy, enum sms_bounded metric,
                                  const struct sms_bound *bound)
{
    const struct sms__result row = sms__result_of(results, SMS_HOST, 0, sms_bound_metric(metric));
    struct sms_estimate e = sms__result_estimate(&row, policy);
    e.mean = sms_bound_gap(bound, e.mean);
    double scale = isnan(e.mean) ? NAN : bound->run_per_s;
    e.sd /= scale;
    e.ci95 /= scale;
    return e;
}

/* ---- for people ---- */

static void add_gap(struct sms__table_out *table, struct sms_estimate gap)
{
    if (isnan(gap.mean))
        sms__table_add(table, "-");
    else
        sms__table_add(table, "%s", sms__percent(false, 100 * gap.mean, 100 * gap.ci95).text);
}

static void add_gaps(struct sms__table_out *table, const struct sms_results *results, enum sms_bounded metric,
                     const struct sms_bound *bound)
{
    sms__table_add(table, "host %s", sms_bound_metric(metric));
    if (bound->reason)
        sms__table_add(table, "none");
    else
        sms__table_value(table, sms_bound_metric(metric), bound->run_per_s, NAN);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        add_gap(table, gap_of(results, p, metric, bound));
}

static void print_what_binds(const struct sms_bound *bound, const char *metric, FILE *to)
{
    if (bound->reason) {
        fprintf(to, "  no bound: %s\n\n", bound->reason);
        return;
    }
    fprintf(to, "  what limits %s: ", metric);
    for (size_t i = 0; i < bound->parts && (i == 0 || bound->part[i].share > 0.005); i++)
        fprintf(to, "%s%s (%.0f %%)", i ? ", " : "", bound->part[i].name, 100 * bound->part[i].share);
    fputs("\n", to);
    if (bound->run_per_s > bound->steady_per_s * 1.0005)
        fprintf(to,
                "  in the long run no policy exceeds %.5g %s; the start and end of this run and its random draws may "
                "add the rest (docs/explanation/bound.md)\n",
                bound->steady_per_s, metric);
    fputs("  each metric's bound may be reached by a different policy, which may starve a tenant\n", to);
    fputs("\n", to);
}

void sms__print_gaps(const struct sms_results *results, const struct sms__screen *screen)
{
    size_t policies = sms_results_policies(results);
    struct sms_errors errors[SMS_BOUNDED];
    struct sms_bound bound[SMS_BOUNDED];
    struct sms__table_out *table = sms__table_new(2 + policies);
    sms__table_add(table, "gap to the bound");
    sms__table_add(table, "bound");
    for (size_t p = 0; p < policies; p++)
        sms__table_add(table, "%s", sms_results_policy(results, p));
    for (int m = 0; m < SMS_BOUNDED; m++)
        bound[m] = bound_of(results, (enum sms_bounded)m, &errors[m]);
    const bool any = !bound[SMS_BOUND_KERNELS].reason || !bound[SMS_BOUND_STP].reason;
    for (int m = SMS_BOUNDED - 1; m >= 0 && any; m--) /* kernels, which are not alike, come last */
        if (m != SMS_BOUND_STP || !bound[m].reason)
            add_gaps(table, results, (enum sms_bounded)m, &bound[m]);
    if (policies > SMS__POLICY_COLUMNS)
        sms__table_transpose(table);
    sms__table_print(table, screen);
    enum sms_bounded first = bound[SMS_BOUND_STP].reason ? SMS_BOUND_KERNELS : SMS_BOUND_STP;
    print_what_binds(&bound[first], sms_bound_metric(first), screen->to);
}

/* ---- rows ---- */

static struct sms_estimate exactly(double value)
{
    return (struct sms_estimate){1, isfinite(value) ? value : NAN, 0, NAN};
}

/* The bounds are rows of the policy "bound"; the gaps are those of the policies. */
void sms__print_gap_rows(const struct sms_results *results, FILE *to)
{
    for (int m = 0; m < SMS_BOUNDED; m++) {
        struct sms_errors errors;
        struct sms_bound bound = bound_of(results, (enum sms_bounded)m, &errors);
        char name[64];
        snprintf(name, sizeof name, "steady_%s", sms_bound_metric((enum sms_bounded)m));
        sms__print_tidy_value(results, "bound", name, exactly(bound.steady_per_s), true, to);
        snprintf(name, sizeof name, "run_%s", sms_bound_metric((enum sms_bounded)m));
        sms__print_tidy_value(results, "bound", name, exactly(bound.run_per_s), true, to);
        snprintf(name, sizeof name, "gap_%s_ratio", sms_bound_metric((enum sms_bounded)m));
        for (size_t p = 0; p < sms_results_policies(results); p++)
            sms__print_tidy_value(results, sms_results_policy(results, p), name,
                                  gap_of(results, p, (enum sms_bounded)m, &bound), sms_results_exact(results), to);
    }
}

/* ---- JSON ---- */

static json_t *json_binds(const struct sms_bound *bound)
{
    json_t *list = json_array();
    for (size_t i = 0; i < bound->parts; i++)
        json_array_append_new(list, json_pack("{ss so}", "name", bound->part[i].name, "share_ratio",
                                              sms__json_number(bound->part[i].share)));
    return list;
}

static json_t *json_bound(const struct sms_results *results, enum sms_bounded metric)
{
    struct sms_errors errors;
    struct sms_bound bound = bound_of(results, metric, &errors);
    json_t *gaps = json_object();
    for (size_t p = 0; p < sms_results_policies(results); p++)
        json_object_set_new(gaps, sms_results_policy(results, p),
                            sms__json_number(gap_of(results, p, metric, &bound).mean));
    return json_pack("{so so ss? so so}", "steady", sms__json_number(bound.steady_per_s), "run",
                     sms__json_number(bound.run_per_s), "no_bound_because", bound.reason, "binds", json_binds(&bound),
                     "gap_ratio", gaps);
}

struct json_t *sms__json_gaps(const struct sms_results *results)
{
    json_t *object = json_object();
    for (int m = 0; m < SMS_BOUNDED; m++)
        json_object_set_new(object, sms_bound_metric((enum sms_bounded)m), json_bound(results, (enum sms_bounded)m));
    return object;
}
