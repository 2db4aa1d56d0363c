/* Reads the question of each scenario from comparison.json, and the values that answer it from the CSV file of their
 * subject. Without comparison.json there is no figure. */
#include "plot_table.h"

#include "output.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { LINE = 50, LINES = SMS__ASKED_LINES }; /* characters that fit the width of a panel */

/* Copies text, with blanks for control characters. */
static char *printable(struct sms__arena *arena, const char *text)
{
    char *copy = sms__copy(arena, text, strlen(text));
    for (char *at = copy; *at; at++)
        *at = (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at;
    return copy;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Breaks text into lines at blanks. Text that is too long for all lines ends in an ellipsis. */
static void break_lines(struct sms__arena *arena, const char *text, struct sms__asked *asked)
{
    for (asked->lines = 0; *text && asked->lines < LINES; asked->lines++) {
        size_t length = strlen(text), cut = length < LINE ? length : LINE;
        while (cut < length && cut > 0 && text[cut] != ' ')
            cut--;
        while (cut == 0 || (cut < length && ((unsigned char)text[cut] & 0xc0) == 0x80))
            cut++; /* a word that is longer than a line is not cut within a character */
        bool more = text[cut] && asked->lines + 1 == LINES;
        asked->line[asked->lines] = sms__print(arena, "%.*s%s", (int)cut, text, more ? "…" : "");
        text += cut;
        text += strspn(text, " ");
    }
}

static enum sms_subject subject_of(const char *word)
{
    int s = 0;
    while (s < SMS_SUBJECTS && strcmp(sms__subject_word((enum sms_subject)s), word) != 0)
        s++;
    return (enum sms_subject)s;
}

/* Only some metrics of the host have a bound. */
static double bound_of(const json_t *scenario, const struct sms__asked *asked)
{
    const json_t *bound = json_object_get(json_object_get(scenario, "bounds"), asked->metric);
    const json_t *run = json_object_get(bound, "run");
    return asked->subject == SMS_HOST && json_is_number(run) ? json_number_value(run) : NAN;
}

static void take_scenario(struct sms__plot *plot, const json_t *scenario)
{
    struct sms__arena *arena = &plot->arena;
    const json_t *answer = json_object_get(scenario, "answer");
    struct sms__asked asked = {.subject = subject_of(text_of(answer, "subject"))};
    long metric = asked.subject < SMS_SUBJECTS ? sms_metric_index(asked.subject, text_of(answer, "metric")) : -1;
    size_t count, idx = sms__name_index(arena, &plot->scenario, printable(arena, text_of(scenario, "scenario")));
    if (idx >= plot->asked_count)
        return; /* it has no values */
    asked.unlike = json_is_false(json_object_get(scenario, "kernels_alike"));
    if (metric >= 0) {
        asked.metric = sms_metrics(asked.subject, &count)[metric].name;
        asked.name = printable(arena, text_of(answer, "name"));
        asked.bound = bound_of(scenario, &asked);
        const char *question = text_of(scenario, "question");
        if (!*question)
            question =
                sms__print(arena, "Which policy has the %s %s of %s?",
                           strcmp(text_of(answer, "better"), "lower") ? "highest" : "lowest", asked.metric, asked.name);
        break_lines(arena, printable(arena, question), &asked);
    }
    plot->asked[idx] = asked;
}

struct comparison {
    struct sms__plot *plot;
    json_t *list;
};

/* One scenario is an object; several are an array. */
static int take_scenarios(void *user)
{
    const struct comparison *comparison = user;
    struct sms__plot *plot = comparison->plot;
    const json_t *all = json_array_get(comparison->list, 0), *scenario;
    size_t i;
    plot->asked = SMS__NEW(&plot->arena, struct sms__asked, plot->scenario.count);
    plot->asked_count = plot->scenario.count;
    if (json_is_object(all))
        take_scenario(plot, all);
    json_array_foreach(all, i, scenario) take_scenario(plot, scenario);
    return SMS_OK;
}

/* Leaves out values that the scenario does not ask for. */
static const char *check_value(struct sms__plot *plot, const struct sms__csv_table *table, void *row)
{
    const struct sms__bar *bar = row;
    const struct sms__asked *asked = bar->row.scenario < plot->asked_count ? &plot->asked[bar->row.scenario] : NULL;
    return asked && asked->metric && !strcmp(asked->metric, table->column[3].name) &&
                   !strcmp(sms__subject_word(asked->subject), table->column[2].name) && !strcmp(asked->name, bar->group)
               ? NULL
               : "";
}

/* True if an earlier scenario has the same metric and kind of subject: one pass over the file reads both. */
static bool is_read(const struct sms__plot *plot, size_t scenario)
{
    const struct sms__asked *asked = &plot->asked[scenario];
    for (size_t s = 0; s < scenario; s++)
        if (plot->asked[s].metric == asked->metric && plot->asked[s].subject == asked->subject)
            return true;
    return false;
}

static int read_values(struct sms__plot *plot, const struct sms__asked *asked)
{
    const struct sms__csv_table table = {SMS__CSV_BARS(sms__subject_file(asked->subject), NULL, answer,
                                                       sms__subject_word(asked->subject), asked->metric,
                                                       sms__print(&plot->arena, "ci95_%s", asked->metric)),
                                         .check = check_value};
    return sms__plot_has(plot, table.file) ? sms__csv_read(plot, &table) : SMS_OK;
}

int sms__read_answers(struct sms__plot *plot)
{
    struct comparison comparison = {plot, NULL};
    if (!sms__plot_has(plot, "comparison.json"))
        return SMS_OK;
    comparison.list = json_array();
    int code =
        sms__read_json(sms__print(&plot->arena, "%s/comparison.json", plot->folder), comparison.list, &plot->errors);
    if (code == SMS_OK)
        code = sms__guard(&plot->arena, take_scenarios, &comparison);
    json_decref(comparison.list);
    for (size_t s = 0; s < plot->asked_count && code == SMS_OK; s++)
        if (plot->asked[s].metric && !is_read(plot, s))
            code = read_values(plot, &plot->asked[s]);
    return code;
}
