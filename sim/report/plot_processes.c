/* The states of processes over time: one figure for each policy, with a row for each process and a colour for each
 * state. Figures of pods use the same drawing. */
#include "plot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MOST = 120,      /* maximum number of processes drawn; more cannot be told apart on a page */
    RECTANGLES_ROW = 300, /* maximum number of spans of a process that are drawn one by one */
    COLUMNS = 1200,       /* otherwise the number of intervals, each with the state that lasted longest in it */
    NAME_LETTERS = 100    /* of a policy, in a file's name, at most */
};

struct rectangle {
    double start_ns, end_ns;
    size_t row, state, lane, lanes;
};

struct chart {
    struct sms__plot *plot;
    const struct sms__chart_spec *spec;
    size_t *process;        /* [processes]: indices of names, in order */
    size_t *spans;          /* [processes]: number of spans of each */
    size_t rows, processes; /* the first `rows` are drawn */
    struct rectangle *rectangle;
    size_t rectangles;
    bool used[SMS__STATES_MAX];
    double from_ns, to_ns;
    double (*time)[SMS__STATES_MAX]; /* [COLUMNS], of one row */
    struct sms__figure_files files;
};

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Finds the processes of this figure. Other names may belong to other figures. */
static void find_processes(struct chart *chart)
{
    const struct sms__chart_spec *spec = chart->spec;
    chart->process = SMS__NEW(&chart->plot->arena, size_t, spec->spans + 1);
    for (size_t i = 0; i < spec->spans; i++)
        chart->process[i] = spec->span[i].process;
    qsort(chart->process, spec->spans, sizeof *chart->process, by_number);
    for (size_t i = 0; i < spec->spans; i++)
        if (i == 0 || chart->process[i] != chart->process[chart->processes - 1])
            chart->process[chart->processes++] = chart->process[i];
    chart->spans = SMS__NEW(&chart->plot->arena, size_t, chart->processes + 1);
    chart->rows = chart->processes < ROWS_MOST ? chart->processes : ROWS_MOST;
}

/* The index of the process in the figure, which is its row if it is drawn. */
static size_t row_of(const struct chart *chart, const struct sms__state_span *span)
{
    const size_t *found = bsearch(&span->process, chart->process, chart->processes, sizeof *chart->process, by_number);
    return (size_t)(found - chart->process);
}

static void measure(struct chart *chart)
{
    const struct sms__chart_spec *spec = chart->spec;
    chart->from_ns = INFINITY;
    for (size_t i = 0; i < spec->spans; i++) {
        const struct sms__state_span *span = &spec->span[i];
        chart->spans[row_of(chart, span)]++;
        chart->from_ns = fmin(chart->from_ns, span->start_ns);
        chart->to_ns = fmax(chart->to_ns, span->end_ns);
    }
    if (chart->from_ns < chart->to_ns / 2) /* the axis begins with the run, unless that leaves half of it empty */
        chart->from_ns = 0;
}

static void add_rectangle(struct chart *chart, struct rectangle rectangle)
{
    *SMS__APPEND(&chart->plot->arena, chart->rectangle, chart->rectangles) = rectangle;
    chart->used[rectangle.state] = true;
}

/* Adds the spans of rows that are not crowded. */
static void add_whole_spans(struct chart *chart)
{
    const struct sms__chart_spec *spec = chart->spec;
    for (size_t i = 0; i < spec->spans; i++) {
        const struct sms__state_span *span = &spec->span[i];
        const size_t row = row_of(chart, span);
        if (row < chart->rows && chart->spans[row] <= RECTANGLES_ROW && span->end_ns > span->start_ns)
            add_rectangle(chart,
                          (struct rectangle){span->start_ns, span->end_ns, row, span->state, span->lane, span->lanes});
    }
}

/* Adds the span's time to each column that it overlaps. */
static void spread(struct chart *chart, const struct sms__state_span *span)
{
    double width = (chart->to_ns - chart->from_ns) / COLUMNS, start = span->start_ns - chart->from_ns;
    double end = span->end_ns - chart->from_ns;
    for (size_t c = (size_t)(start / width); c < COLUMNS && (double)c * width < end; c++) {
        double from = fmax(start, (double)c * width), to = fmin(end, (double)(c + 1) * width);
        chart->time[c][span->state] += to > from ? to - from : 0;
    }
}

/* Returns SMS__STATES_MAX if no state has any time. */
static size_t longest_state(const double *time)
{
    size_t longest = SMS__STATES_MAX;
    double most = 0;
    for (size_t s = 0; s < SMS__STATES_MAX; s++)
        if (time[s] > most) {
            most = time[s];
            longest = s;
        }
    return longest;
}

/* Adds one rectangle for each run of columns of the same state. */
static void add_columns(struct chart *chart, size_t row)
{
    double width = (chart->to_ns - chart->from_ns) / COLUMNS;
    for (size_t c = 0, end; c < COLUMNS; c = end) {
        size_t state = longest_state(chart->time[c]);
        for (end = c + 1; end < COLUMNS && longest_state(chart->time[end]) == state;)
            end++;
        if (state < SMS__STATES_MAX)
            add_rectangle(chart, (struct rectangle){chart->from_ns + (double)c * width,
                                                    chart->from_ns + (double)end * width, row, state, 0, 1});
    }
}

static void add_crowded_rows(struct chart *chart)
{
    const struct sms__chart_spec *spec = chart->spec;
    chart->time = sms__alloc(&chart->plot->arena, COLUMNS, sizeof *chart->time);
    for (size_t row = 0; row < chart->rows; row++) {
        if (chart->spans[row] <= RECTANGLES_ROW)
            continue;
        memset(chart->time, 0, COLUMNS * sizeof *chart->time);
        for (size_t i = 0; i < spec->spans; i++)
            if (spec->span[i].process == chart->process[row])
                spread(chart, &spec->span[i]);
        add_columns(chart, row);
    }
}

static void write_data(const struct chart *chart)
{
    const struct sms__chart_spec *spec = chart->spec;
    FILE *to = chart->files.data;
    const bool lanes = spec->state == &chart->plot->ending;
    fprintf(to, "# policy %s\n# start_ns end_ns row state_idx state%s\n", chart->plot->policy.name[spec->policy],
            lanes ? " lane lanes" : "");
    for (size_t i = 0; i < chart->rectangles; i++) {
        const struct rectangle *rectangle = &chart->rectangle[i];
        fprintf(to, "%.3f %.3f %zu %zu %s", rectangle->start_ns, rectangle->end_ns, rectangle->row, rectangle->state,
                spec->state->name[rectangle->state]);
        if (lanes)
            fprintf(to, " %zu %zu", rectangle->lane, rectangle->lanes);
        fputc('\n', to);
    }
}

static void write_rows(const struct chart *chart)
{
    const struct sms__chart_spec *spec = chart->spec;
    FILE *to = chart->files.variables;
    fprintf(to, "kind = '%s'\nrows_drawn = %zu\nprocesses = %zu\narray row_name[%zu]\n", spec->kind, chart->rows,
            chart->processes, chart->rows);
    for (size_t row = 0; row < chart->rows; row++)
        sms__print_text(to, "row_name", row + 1, spec->row->name[chart->process[row]], 20);
}

static void write_axes(const struct chart *chart)
{
    FILE *to = chart->files.variables;
    struct sms__unit unit = sms__time_unit(chart->to_ns);
    fprintf(to, "unit = '%s'\nunit_ns = %g\nfrom_ns = %.3f\nto_ns = %.3f\narray panel_title[1]\n", unit.name, unit.size,
            chart->from_ns, chart->to_ns);
    sms__print_text(to, "panel_title", 1, chart->plot->policy.name[chart->spec->policy], 46);
    struct sms__names states = *chart->spec->state;
    states.count = states.count < SMS__STATES_MAX ? states.count : SMS__STATES_MAX;
    sms__print_legend(to, &states, chart->used, 24);
}

static bool is_taken(const struct sms__plot *plot, const char *name)
{
    for (size_t f = 0; f < plot->figures; f++)
        if (!strcmp(plot->figure[f].name, name))
            return true;
    return false;
}

/* A name with only letters that file names may have. If two policies have the same, the second one gets a number. */
static const char *name_figure(const struct chart *chart)
{
    struct sms__plot *plot = chart->plot;
    const char *scenario = sms__figure_name(plot, chart->spec->kind, plot->scenario.name[chart->spec->scenario]);
    char *name = sms__print(&plot->arena, "%s-%.*s", scenario, NAME_LETTERS, plot->policy.name[chart->spec->policy]);
    for (char *at = name + strlen(scenario) + 1; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_-.", *at))
            *at = '+';
    const char *base = name;
    for (size_t i = 2; is_taken(plot, name); i++)
        name = sms__print(&plot->arena, "%s-%zu", base, i);
    return name;
}

int sms__write_chart(struct sms__plot *plot, const struct sms__chart_spec *spec)
{
    struct chart chart = {.plot = plot, .spec = spec};
    find_processes(&chart);
    measure(&chart);
    if (!(chart.to_ns > chart.from_ns))
        return SMS_OK;
    add_whole_spans(&chart);
    add_crowded_rows(&chart);
    int code = sms__figure_open(plot, "processes.gp", name_figure(&chart), &chart.files);
    if (code)
        return code;
    write_data(&chart);
    write_rows(&chart);
    write_axes(&chart);
    return sms__figure_close(plot, &chart.files);
}

static int write_processes(struct sms__plot *plot, const struct sms__group_of *group)
{
    const struct sms__chart_spec spec = {
        "processes",   group->scenario,
        group->policy, (const struct sms__state_span *)plot->state_span.row + group->from,
        group->count,  &plot->process,
        &plot->state};
    return sms__write_chart(plot, &spec);
}

int sms__write_processes(struct sms__plot *plot)
{
    int code = sms__figures_check(plot, plot->state_span.groups.count);
    for (size_t g = 0; g < plot->state_span.groups.count && code == SMS_OK; g++)
        code = write_processes(plot, &plot->state_span.groups.item[g]);
    return code;
}
