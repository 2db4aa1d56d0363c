/* What processes do over time: a figure a policy, a row a process, a colour a state. Pods on GPUs are drawn so, too. */
#include "plot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MOST = 120,   /* processes drawn: more cannot be told apart on a page */
    PIECES_ROW = 300,  /* spans of a process that are drawn one by one */
    COLUMNS = 1200,    /* with more, each of so many intervals takes the state that lasted longest in it */
    NAME_LETTERS = 100 /* of a policy, in a file's name */
};

struct piece {
    double start_ns, end_ns;
    size_t row, state, lane, lanes;
};

struct chart {
    struct sms__plot *plot;
    const struct sms__chart_of *of;
    size_t *process;        /* [processes]: numbers of names, in order */
    size_t *spans;          /* [processes]: how many each has */
    size_t rows, processes; /* the first `rows` are drawn */
    struct piece *piece;
    size_t pieces;
    bool used[SMS__STATES_MAX];
    double from_ns, to_ns;
    double (*time)[SMS__STATES_MAX]; /* [COLUMNS]: of one row */
    struct sms__figure_files files;
};

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The processes that there are: of all names, most may belong to other figures. */
static void find_processes(struct chart *chart)
{
    const struct sms__chart_of *of = chart->of;
    chart->process = SMS__NEW(&chart->plot->arena, size_t, of->stretches + 1);
    for (size_t i = 0; i < of->stretches; i++)
        chart->process[i] = of->stretch[i].process;
    qsort(chart->process, of->stretches, sizeof *chart->process, by_number);
    for (size_t i = 0; i < of->stretches; i++)
        if (i == 0 || chart->process[i] != chart->process[chart->processes - 1])
            chart->process[chart->processes++] = chart->process[i];
    chart->spans = SMS__NEW(&chart->plot->arena, size_t, chart->processes + 1);
    chart->rows = chart->processes < ROWS_MOST ? chart->processes : ROWS_MOST;
}

/* Which process of the figure it is: its row, if it has one. */
static size_t row_of(const struct chart *chart, const struct sms__stretch *stretch)
{
    const size_t *found =
        bsearch(&stretch->process, chart->process, chart->processes, sizeof *chart->process, by_number);
    return (size_t)(found - chart->process);
}

static void measure(struct chart *chart)
{
    const struct sms__chart_of *of = chart->of;
    chart->from_ns = INFINITY;
    for (size_t i = 0; i < of->stretches; i++) {
        const struct sms__stretch *stretch = &of->stretch[i];
        chart->spans[row_of(chart, stretch)]++;
        chart->from_ns = fmin(chart->from_ns, stretch->start_ns);
        chart->to_ns = fmax(chart->to_ns, stretch->end_ns);
    }
    if (chart->from_ns < chart->to_ns / 2) /* the axis begins with the run, unless that leaves half of it empty */
        chart->from_ns = 0;
}

static void add_piece(struct chart *chart, struct piece piece)
{
    *SMS__APPEND(&chart->plot->arena, chart->piece, chart->pieces) = piece;
    chart->used[piece.state] = true;
}

/* One by one, but what belongs to crowded rows. */
static void add_whole_pieces(struct chart *chart)
{
    const struct sms__chart_of *of = chart->of;
    for (size_t i = 0; i < of->stretches; i++) {
        const struct sms__stretch *stretch = &of->stretch[i];
        const size_t row = row_of(chart, stretch);
        if (row < chart->rows && chart->spans[row] <= PIECES_ROW && stretch->end_ns > stretch->start_ns)
            add_piece(chart, (struct piece){stretch->start_ns, stretch->end_ns, row, stretch->state, stretch->lane,
                                            stretch->lanes});
    }
}

/* Gives each column that a span touches its time there. */
static void spread(struct chart *chart, const struct sms__stretch *stretch)
{
    double width = (chart->to_ns - chart->from_ns) / COLUMNS, start = stretch->start_ns - chart->from_ns;
    double end = stretch->end_ns - chart->from_ns;
    for (size_t c = (size_t)(start / width); c < COLUMNS && (double)c * width < end; c++) {
        double from = fmax(start, (double)c * width), to = fmin(end, (double)(c + 1) * width);
        chart->time[c][stretch->state] += to > from ? to - from : 0;
    }
}

/* SMS__STATES_MAX if there is none. */
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

/* Columns of one state make one piece. */
static void add_columns(struct chart *chart, size_t row)
{
    double width = (chart->to_ns - chart->from_ns) / COLUMNS;
    for (size_t c = 0, end; c < COLUMNS; c = end) {
        size_t state = longest_state(chart->time[c]);
        for (end = c + 1; end < COLUMNS && longest_state(chart->time[end]) == state;)
            end++;
        if (state < SMS__STATES_MAX)
            add_piece(chart, (struct piece){chart->from_ns + (double)c * width, chart->from_ns + (double)end * width,
                                            row, state, 0, 1});
    }
}

static void add_crowded_pieces(struct chart *chart)
{
    const struct sms__chart_of *of = chart->of;
    chart->time = sms__alloc(&chart->plot->arena, COLUMNS, sizeof *chart->time);
    for (size_t row = 0; row < chart->rows; row++) {
        if (chart->spans[row] <= PIECES_ROW)
            continue;
        memset(chart->time, 0, COLUMNS * sizeof *chart->time);
        for (size_t i = 0; i < of->stretches; i++)
            if (of->stretch[i].process == chart->process[row])
                spread(chart, &of->stretch[i]);
        add_columns(chart, row);
    }
}

static void write_data(const struct chart *chart)
{
    const struct sms__chart_of *of = chart->of;
    FILE *to = chart->files.data;
    const bool lanes = of->state == &chart->plot->ending;
    fprintf(to, "# policy %s\n# start_ns end_ns row state_idx state%s\n", chart->plot->policy.name[of->policy],
            lanes ? " lane lanes" : "");
    for (size_t i = 0; i < chart->pieces; i++) {
        const struct piece *piece = &chart->piece[i];
        fprintf(to, "%.3f %.3f %zu %zu %s", piece->start_ns, piece->end_ns, piece->row, piece->state,
                of->state->name[piece->state]);
        if (lanes)
            fprintf(to, " %zu %zu", piece->lane, piece->lanes);
        fputc('\n', to);
    }
}

static void write_rows(const struct chart *chart)
{
    const struct sms__chart_of *of = chart->of;
    FILE *to = chart->files.variables;
    fprintf(to, "kind = '%s'\nrows_drawn = %zu\nprocesses = %zu\narray row_name[%zu]\n", of->kind, chart->rows,
            chart->processes, chart->rows);
    for (size_t row = 0; row < chart->rows; row++)
        sms__print_text(to, "row_name", row + 1, of->row->name[chart->process[row]], 20);
}

static void write_axes(const struct chart *chart)
{
    FILE *to = chart->files.variables;
    struct sms__unit unit = sms__time_unit(chart->to_ns);
    fprintf(to, "unit = '%s'\nunit_ns = %g\nfrom_ns = %.3f\nto_ns = %.3f\narray panel_title[1]\n", unit.name, unit.size,
            chart->from_ns, chart->to_ns);
    sms__print_text(to, "panel_title", 1, chart->plot->policy.name[chart->of->policy], 46);
    struct sms__names states = *chart->of->state;
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

/* Of letters that file names may have; of two policies that would be called the same, the second gets a number. */
static const char *name_figure(const struct chart *chart)
{
    struct sms__plot *plot = chart->plot;
    const char *scenario = sms__figure_name(plot, chart->of->kind, plot->scenario.name[chart->of->scenario]);
    char *name = sms__print(&plot->arena, "%s-%.*s", scenario, NAME_LETTERS, plot->policy.name[chart->of->policy]);
    for (char *at = name + strlen(scenario) + 1; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_-.", *at))
            *at = '+';
    const char *base = name;
    for (size_t i = 2; is_taken(plot, name); i++)
        name = sms__print(&plot->arena, "%s-%zu", base, i);
    return name;
}

int sms__write_chart(struct sms__plot *plot, const struct sms__chart_of *of)
{
    struct chart chart = {.plot = plot, .of = of};
    find_processes(&chart);
    measure(&chart);
    if (!(chart.to_ns > chart.from_ns))
        return SMS_OK;
    add_whole_pieces(&chart);
    add_crowded_pieces(&chart);
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
    const struct sms__chart_of of = {
        "processes",  group->scenario, group->policy, (const struct sms__stretch *)plot->stretch.row + group->from,
        group->count, &plot->process,  &plot->state};
    return sms__write_chart(plot, &of);
}

int sms__write_processes(struct sms__plot *plot)
{
    int code = sms__figures_check(plot, plot->stretch.groups.count);
    for (size_t g = 0; g < plot->stretch.groups.count && code == SMS_OK; g++)
        code = write_processes(plot, &plot->stretch.groups.item[g]);
    return code;
}
