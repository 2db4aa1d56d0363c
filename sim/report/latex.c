/* Comparisons as a LaTeX table, for the package booktabs: a row for each metric, a column for each policy. */
#include "output.h"

#include <jansson.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Consecutive comparisons of a metric of a subject are a row. */
static bool is_same_row(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"subject", "name", "metric"};
    bool same = a && b;
    for (size_t i = 0; same && i < sizeof keys / sizeof *keys; i++)
        same = !strcmp(text_of(a, keys[i]), text_of(b, keys[i]));
    return same;
}

static void print_cell(FILE *to, const json_t *cell)
{
    const json_t *ratio = json_object_get(cell, "ratio"), *half = json_object_get(cell, "ratio_ci95");
    fputs(" & ", to);
    if (!json_is_number(ratio))
        fputs("--", to);
    else
        fprintf(to, "$%+.1f", 100 * (json_number_value(ratio) - 1));
    if (json_is_number(ratio) && json_is_number(half))
        fprintf(to, " \\pm %.1f", 100 * json_number_value(half));
    if (json_is_number(ratio))
        fputs(strcmp(text_of(cell, "verdict"), "differs") ? "$" : "^{*}$", to);
}

static void print_head(FILE *to, const struct sms_results *results, size_t baseline)
{
    fputs("% Change over ", to);
    sms__print_latex_text(sms_results_policy(results, baseline), to);
    fputs(" in %, with 95 % intervals; * is significant after Holm's correction.\n\\begin{tabular}{ll", to);
    for (size_t p = 0; p < sms_results_policies(results); p++)
        fputs(p == baseline ? "" : "r", to);
    fputs("}\n\\toprule\n\\multicolumn{2}{l}{", to);
    sms__print_latex_text(sms_scenario_name(sms_results_scenario(results)), to);
    fputc('}', to);
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        fputs(p == baseline ? "" : " & ", to);
        sms__print_latex_text(p == baseline ? "" : sms_results_policy(results, p), to);
    }
    fputs(" \\\\\n\\midrule\n", to);
}

/* The cell of a policy in the row of `first`. */
static const json_t *find_cell(const json_t *list, const json_t *first, const char *policy)
{
    const json_t *cell;
    size_t i;
    json_array_foreach(list, i,
                       cell) if (is_same_row(cell, first) && !strcmp(text_of(cell, "policy"), policy)) return cell;
    return NULL;
}

int sms__print_latex_comparison(const struct sms_results *results, size_t baseline, FILE *to)
{
    json_t *list = sms__json_comparisons(results, baseline);
    const json_t *cell, *last = NULL;
    size_t i;
    if (!list)
        return -1;
    print_head(to, results, baseline);
    json_array_foreach(list, i, cell)
    {
        if (is_same_row(cell, last))
            continue;
        last = cell;
        sms__print_latex_text(text_of(cell, "name"), to);
        fputs(" & ", to);
        sms__print_latex_text(text_of(cell, "metric"), to);
        for (size_t p = 0; p < sms_results_policies(results); p++)
            if (p != baseline)
                print_cell(to, find_cell(list, cell, sms_results_policy(results, p)));
        fputs(" \\\\\n", to);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", to);
    json_decref(list);
    return 0;
}
