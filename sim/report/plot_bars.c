/* Grouped bars with error bars: a panel for each scenario, a group for each VM or resource, a bar for each policy. Each
 * block of the data file has the bars of one panel and policy. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROCESSES_MOST = 12, /* maximum number of processes of a scenario with a group each */
    BLOCKS_MOST = 5000   /* maximum number of blocks that gnuplot finds in a file within seconds */
};

/* The position of a policy in the panel that had it last. */
struct place {
    size_t panel, idx; /* panel: scenario + 1 */
};

struct chart {
    struct sms__plot *plot;
    const struct sms__rows *bars;
    const char *unit_of;           /* the axis label, without its unit */
    const struct sms__unit *units; /* descending; the first that the highest bar reaches is used, or the last */
    double least;                  /* groups are left out if all bars are below */
    bool *together;                /* [scenarios]: only the host is drawn */
    bool *apart;                   /* [scenarios]: the host is not drawn */
    bool is_answer;                /* each panel has a metric of its own, and a question */
    size_t lines;                  /* of the longest question, in number */
    const char *empty;             /* text of a panel without values */
    struct sms__figure_files files;
    size_t panels, blocks, tics;
    bool *used;          /* [policies]: has bars */
    struct place *place; /* [policies] */
};

/* A bar, and its position in its panel. */
struct entry {
    const struct sms__bar *bar;
    size_t policy, group;
};

/* One scenario of a chart. */
struct panel {
    size_t scenario;
    const char **group;
    size_t groups;
    bool host; /* the last group is the host */
    size_t *policy;
    size_t policies;
    struct entry *entry; /* by policy and group */
    size_t entries;
    double top; /* greatest end of a bar with its error bar */
};

static double end_of(const struct sms__bar *bar) { return bar->mean + (isnan(bar->ci95) ? 0 : bar->ci95); }

/* The groups of a panel, by name. Index 1 has the groups that are hosts, which have names of their own. */
struct by_name {
    struct sms__names name[2];
    bool *worth[2];   /* whether any policy's bar is at least `least` */
    size_t *place[2]; /* position in the panel, from 1; 0: none yet */
};

static struct by_name find_names(struct chart *chart, const struct sms__bar *bar, size_t count)
{
    struct sms__arena *arena = &chart->plot->arena;
    struct by_name by = {.name = {{0}}};
    for (size_t i = 0; i < count; i++)
        sms__name_index(arena, &by.name[bar[i].host], bar[i].group);
    for (size_t h = 0; h < 2; h++) {
        by.worth[h] = SMS__NEW(arena, bool, by.name[h].count + 1);
        by.place[h] = SMS__NEW(arena, size_t, by.name[h].count + 1);
    }
    for (size_t i = 0; i < count; i++)
        if (bar[i].mean >= chart->least)
            by.worth[bar[i].host][sms__name_index(arena, &by.name[bar[i].host], bar[i].group)] = true;
    return by;
}

static size_t policy_in(struct chart *chart, struct panel *panel, size_t policy)
{
    struct place *place = &chart->place[policy];
    if (place->panel != panel->scenario + 1) {
        *place = (struct place){panel->scenario + 1, panel->policies};
        *SMS__APPEND(&chart->plot->arena, panel->policy, panel->policies) = policy;
    }
    return place->idx;
}

/* The host is the last group, so its number follows from the others. */
static void add_to_panel(struct chart *chart, struct panel *panel, const struct sms__bar *bar, size_t *place)
{
    struct sms__arena *arena = &chart->plot->arena;
    size_t policy = policy_in(chart, panel, bar->row.policy);
    if (!bar->host && *place == 0) {
        *SMS__APPEND(arena, panel->group, panel->groups) = bar->group;
        *place = panel->groups;
    }
    panel->host |= bar->host;
    *SMS__APPEND(arena, panel->entry, panel->entries) = (struct entry){bar, policy, bar->host ? SIZE_MAX : *place - 1};
    if (end_of(bar) > panel->top)
        panel->top = end_of(bar);
}

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->policy != y->policy)
        return x->policy < y->policy ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->bar > y->bar) - (x->bar < y->bar);
}

static struct panel gather(struct chart *chart, const struct sms__group_of *rows)
{
    struct panel panel = {.scenario = rows->scenario};
    const struct sms__bar *bar = (const struct sms__bar *)chart->bars->row + rows->from;
    struct by_name by = find_names(chart, bar, rows->count);
    const char *host = "";
    for (size_t i = 0; i < rows->count; i++) {
        bool wanted = bar[i].host ? !chart->apart[panel.scenario] : !chart->together[panel.scenario];
        size_t name = sms__name_index(&chart->plot->arena, &by.name[bar[i].host], bar[i].group);
        if (!wanted || !by.worth[bar[i].host][name])
            continue;
        host = bar[i].host && !panel.host ? bar[i].group : host;
        add_to_panel(chart, &panel, &bar[i], &by.place[bar[i].host][name]);
    }
    if (panel.host)
        *SMS__APPEND(&chart->plot->arena, panel.group, panel.groups) = host;
    if (chart->is_answer && panel.top < chart->plot->asked[panel.scenario].bound)
        panel.top = chart->plot->asked[panel.scenario].bound;
    if (panel.entries)
        qsort(panel.entry, panel.entries, sizeof *panel.entry, by_place);
    return panel;
}

/* The position of a group's middle. The host is set a little apart. */
static double middle(const struct panel *panel, size_t group)
{
    return (double)(group + 1) + (panel->host && group + 1 == panel->groups ? 0.2 : 0);
}

static double bar_width(const struct panel *panel)
{
    double width = 0.8 / (double)panel->policies;
    return width > 0.4 ? 0.4 : width;
}

static void write_bar(struct chart *chart, const struct panel *panel, const struct entry *entry)
{
    const struct sms__bar *bar = entry->bar;
    double offset = ((double)entry->policy - (double)(panel->policies - 1) / 2) * bar_width(panel);
    size_t group = bar->host ? panel->groups - 1 : entry->group;
    if (isnan(bar->mean) || (bar->host && strcmp(bar->group, panel->group[group]) != 0))
        return;
    fprintf(chart->files.data, "%s %.4f %.10g ", bar->group, middle(panel, group) + offset, bar->mean);
    fprintf(chart->files.data, isnan(bar->ci95) ? "NaN\n" : "%.10g\n", bar->ci95);
}

/* Returns the index of the next policy's first entry. */
static size_t write_block(struct chart *chart, const struct panel *panel, size_t policy, size_t entry)
{
    struct sms__plot *plot = chart->plot;
    fprintf(chart->files.variables, "block_colour[%zu] = %zu\n", ++chart->blocks, panel->policy[policy]);
    chart->used[panel->policy[policy]] = true;
    fprintf(chart->files.data, "# scenario %s, policy %s\n# group x mean ci95\n", plot->scenario.name[panel->scenario],
            plot->policy.name[panel->policy[policy]]);
    for (; entry < panel->entries && panel->entry[entry].policy == policy; entry++)
        write_bar(chart, panel, &panel->entry[entry]);
    fprintf(chart->files.data, "\n\n");
    return entry;
}

static bool is_time(const char *metric)
{
    size_t length = strlen(metric);
    return length > 3 && !strcmp(metric + length - 3, "_ns");
}

static struct sms__unit unit_for(const struct chart *chart, const struct panel *panel)
{
    static const struct sms__unit counts[] = {{"billions", 1e9}, {"millions", 1e6}, {"thousands", 1e3}, {"", 1}, {0}};
    bool counted = chart->is_answer && !is_time(chart->plot->asked[panel->scenario].metric);
    const struct sms__unit *unit = counted ? counts : chart->units;
    while (unit[1].name && panel->top < unit->size)
        unit++;
    return *unit;
}

/* Between single quotes, gnuplot gives no character a meaning except the quote, which is doubled. */
static void put_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++)
        fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, to);
    fputc('\'', to);
}

static void write_question(struct chart *chart, const struct sms__asked *asked, size_t idx)
{
    FILE *to = chart->files.variables;
    fprintf(to, "panel_question[%zu] = ''", idx);
    for (size_t i = 0; asked && i < asked->lines; i++) {
        fputs(i ? " . \"\\n\" . " : " . ", to);
        put_quoted(to, asked->line[i]);
    }
    fputc('\n', to);
    if (asked && asked->lines > chart->lines)
        chart->lines = asked->lines;
}

static const char *label_of(struct chart *chart, const struct sms__asked *asked, const struct sms__unit *unit)
{
    const char *what = asked ? asked->metric : chart->unit_of;
    size_t length = strlen(what) - (asked && is_time(what) ? 3 : 0);
    return sms__print(&chart->plot->arena, unit->name[0] ? "%.*s (%s)" : "%.*s%s", (int)length, what, unit->name);
}

static void write_label(struct chart *chart, const struct panel *panel, size_t idx, const struct sms__unit *unit)
{
    FILE *to = chart->files.variables;
    const struct sms__asked *asked = chart->is_answer ? &chart->plot->asked[panel->scenario] : NULL;
    sms__print_text(to, "panel_label", idx, label_of(chart, asked, unit), 30);
    fprintf(to, "panel_unit[%zu] = %g\npanel_bound[%zu] = %g\n", idx, unit->size, idx,
            asked && asked->bound > 0 ? asked->bound / unit->size : 0);
    write_question(chart, asked, idx);
}

static void write_axes(struct chart *chart, const struct panel *panel, size_t idx)
{
    FILE *to = chart->files.variables;
    struct sms__unit unit = unit_for(chart, panel);
    double top = panel->top / unit.size * 1.06;
    if (chart->least > 0 && top < 108)
        top = 108;
    sms__print_text(to, "panel_title", idx, chart->plot->scenario.name[panel->scenario], 46);
    write_label(chart, panel, idx, &unit);
    fprintf(to, "panel_top[%zu] = %g\npanel_empty[%zu] = %d\n", idx, top > 0 ? top : 1, idx, !(top > 0));
    fprintf(to, "panel_right[%zu] = %g\npanel_bar[%zu] = %g\n", idx, middle(panel, panel->groups - 1) + 0.5, idx,
            bar_width(panel));
    fprintf(to, "panel_rule[%zu] = %g\n", idx,
            panel->host && panel->groups > 1 ? middle(panel, panel->groups - 1) - 0.6 : 0);
}

static void write_tics(struct chart *chart, const struct panel *panel, size_t idx)
{
    FILE *to = chart->files.variables;
    fprintf(to, "panel_first_tic[%zu] = %zu\npanel_last_tic[%zu] = %zu\n", idx, chart->tics + 1, idx,
            chart->tics + panel->groups);
    for (size_t g = 0; g < panel->groups; g++) {
        sms__print_text(to, "tic_name", ++chart->tics, panel->group[g], 20);
        fprintf(to, "tic_at[%zu] = %g\n", chart->tics, middle(panel, g));
    }
}

static void write_panel(struct chart *chart, const struct sms__group_of *rows)
{
    struct panel panel = gather(chart, rows);
    if (panel.groups == 0)
        return;
    size_t idx = ++chart->panels;
    write_axes(chart, &panel, idx);
    write_tics(chart, &panel, idx);
    fprintf(chart->files.variables, "panel_first_block[%zu] = %zu\n", idx, chart->blocks + 1);
    for (size_t p = 0, entry = 0; p < panel.policies; p++)
        entry = write_block(chart, &panel, p, entry);
    fprintf(chart->files.variables, "panel_last_block[%zu] = %zu\n", idx, chart->blocks);
}

static void declare(const struct chart *chart)
{
    static const char *const per_panel[] = {"title",     "label",    "unit",        "top",       "right",
                                            "bar",       "question", "bound",       "rule",      "empty",
                                            "first_tic", "last_tic", "first_block", "last_block"};
    FILE *to = chart->files.variables;
    for (size_t i = 0; i < sizeof per_panel / sizeof *per_panel; i++)
        fprintf(to, "array panel_%s[%zu]\n", per_panel[i], chart->plot->scenario.count);
    fprintf(to, "array tic_name[%zu]\narray tic_at[%zu]\n", chart->bars->count, chart->bars->count);
    fprintf(to, "array block_colour[%zu]\n", chart->bars->count);
    fprintf(to, "full_line = %d\nempty_text = '%s'\n", chart->least > 0,
            chart->empty ? chart->empty : "no kernel ended");
}

/* The turnaround of processes is drawn one by one if there are few. Their throughput is not drawn. */
static void leave_out_processes(struct chart *chart)
{
    const struct sms__rows *bars = &chart->plot->turnaround;
    bool apart = chart->is_answer || chart->bars == &chart->plot->usage || chart->bars == &chart->plot->slowdown;
    size_t *processes = SMS__NEW(&chart->plot->arena, size_t, chart->plot->scenario.count);
    for (size_t i = 0; i < bars->count && !apart; i++) {
        const struct sms__bar *all = bars->row, *bar = &all[i];
        processes[bar->row.scenario] += bar->row.policy == all->row.policy && !bar->host;
        if (chart->bars != bars || processes[bar->row.scenario] > PROCESSES_MOST)
            chart->together[bar->row.scenario] = true;
    }
}

/* Kernels per second are not added up where tenants run different kernels. */
static void leave_out_host(struct chart *chart)
{
    const struct sms__plot *plot = chart->plot;
    for (size_t s = 0; s < plot->asked_count; s++)
        chart->apart[s] = chart->bars == &plot->throughput && plot->asked[s].unlike;
}

static int write_chart(struct chart *chart, const char *name)
{
    struct sms__plot *plot = chart->plot;
    if (chart->bars->count == 0)
        return sms__name_index(&plot->arena, &plot->left_out, name), SMS_OK;
    int code = sms__figure_open(plot, "bars.gp", name, &chart->files);
    if (code)
        return code;
    chart->together = SMS__NEW(&plot->arena, bool, plot->scenario.count);
    chart->apart = SMS__NEW(&plot->arena, bool, plot->scenario.count);
    leave_out_processes(chart);
    leave_out_host(chart);
    chart->used = SMS__NEW(&plot->arena, bool, plot->policy.count);
    declare(chart);
    chart->place = SMS__NEW(&plot->arena, struct place, plot->policy.count + 1);
    for (size_t s = 0; s < chart->bars->groups.count && chart->blocks <= BLOCKS_MOST; s++)
        write_panel(chart, &chart->bars->groups.item[s]);
    fprintf(chart->files.variables, "panels = %zu\nquestion_lines = %zu\n", chart->panels, chart->lines);
    sms__print_legend(chart->files.variables, &plot->policy, chart->used, 40);
    if (chart->panels == 0) {
        plot->figures--;
        sms__name_index(&plot->arena, &plot->left_out, name);
    }
    code = sms__figure_close(plot, &chart->files);
    if (code == SMS_OK && chart->blocks > BLOCKS_MOST)
        code =
            sms__fail(&plot->errors, SMS_EINPUT, plot->folder,
                      "has more than %d pairs of a scenario and a policy, too many for one figure; run its scenarios "
                      "into several folders",
                      BLOCKS_MOST);
    return code;
}

/* The metric that each scenario asks for, under all policies. */
int sms__write_answer(struct sms__plot *plot)
{
    static const struct sms__unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}, {0}};
    struct chart chart = {.plot = plot,
                          .bars = &plot->answer,
                          .unit_of = "",
                          .units = units,
                          .is_answer = true,
                          .empty = "0, or no value, under all"};
    return write_chart(&chart, "answer");
}

int sms__write_throughput(struct sms__plot *plot)
{
    static const struct sms__unit units[] = {{"kernels/µs", 1e6}, {"kernels/ms", 1e3}, {"kernels/s", 1}, {0}};
    struct chart chart = {.plot = plot, .bars = &plot->throughput, .unit_of = "Throughput", .units = units};
    return write_chart(&chart, "throughput");
}

/* Only processes, and pods that run workloads, have a turnaround. */
int sms__write_turnaround(struct sms__plot *plot)
{
    static const struct sms__unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}, {0}};
    struct chart chart = {.plot = plot, .bars = &plot->turnaround, .unit_of = "Turnaround", .units = units};
    return plot->turnaround.count ? write_chart(&chart, "turnaround") : SMS_OK;
}

/* Only pods that run workloads have a slowdown. */
int sms__write_slowdown(struct sms__plot *plot)
{
    static const struct sms__unit units[] = {{"times alone", 1}, {0}};
    struct chart chart = {.plot = plot, .bars = &plot->slowdown, .unit_of = "Time on the node", .units = units};
    return plot->slowdown.count ? write_chart(&chart, "slowdown") : SMS_OK;
}

/* A bar below half a percent cannot be seen. */
int sms__write_usage(struct sms__plot *plot)
{
    static const struct sms__unit units[] = {{"%", 0.01}, {0}};
    struct chart chart = {.plot = plot, .bars = &plot->usage, .unit_of = "Usage", .units = units, .least = 0.005};
    return write_chart(&chart, "utilization");
}
