/* Blocks on SMs over time: a figure for each scenario, a panel for each policy. An SM is a stack of lanes, each of
 * which holds one block at a time. Only the first SMs and a window at the beginning are drawn, because more cannot be
 * told apart in print. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMS_MOST = 8,        /* maximum number of SMs drawn */
    SMS_LEAST = 4,       /* minimum, unless there are fewer */
    LANES_PANEL = 72,    /* lanes drawn in a panel, unless SMS_LEAST SMs have more */
    LANES_SM = 128,      /* blocks of an SM beyond these are not drawn */
    DRAWN_PANEL = 1500,  /* maximum number of blocks drawn in a panel */
    BLOCKS_MOST = 20000, /* maximum number of blocks kept for a panel */
    STEPS = 4            /* typical durations drawn once all VMs have begun */
};

/* One block. */
struct block {
    double start_ns, end_ns;
    size_t sm, lane, vm;
};

/* The blocks of one policy. */
struct panel {
    size_t policy;
    struct block *block;
    size_t blocks;
    double known_ns; /* the file has all blocks that began before */
    double step_ns;  /* a typical duration of a block */
};

struct timeline {
    struct sms__plot *plot;
    const struct sms__group_of *bars; /* of the scenario */
    struct sms__groups spans;
    struct panel *panel; /* [panels] */
    size_t panels;
    struct sms__names vm;
    double (*busy)[LANES_SM]; /* [SMS_MOST]: when each lane becomes free */
    size_t sms;               /* drawn */
    double from_ns, to_ns;
    struct sms__figure_files files;
};

static int by_start(const void *a, const void *b)
{
    const struct sms__block_span *x = *(const struct sms__block_span *const *)a,
                                 *y = *(const struct sms__block_span *const *)b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x > y) - (x < y);
}

/* The spans of a policy, by start. */
static const struct sms__block_span **sort_spans(struct timeline *timeline, size_t policy, size_t *count)
{
    struct sms__plot *plot = timeline->plot;
    const struct sms__group_of *group = sms__group_of(&timeline->spans, policy);
    *count = group ? group->count : 0;
    const struct sms__block_span **sorted = SMS__NEW(&plot->arena, const struct sms__block_span *, *count + 1);
    for (size_t i = 0; i < *count; i++)
        sorted[i] = (const struct sms__block_span *)plot->block_span.row + group->from + i;
    qsort((void *)sorted, *count, sizeof *sorted, by_start);
    return sorted;
}

/* The file is sorted by end and may be cut, so it lacks the blocks that were running at its last end. It has all blocks
 * that began at least the longest duration earlier. The typical duration weighs blocks by their duration. */
static void measure(struct panel *panel, const struct sms__block_span **span, size_t count)
{
    double last = 0, longest = 0, time = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        double duration = span[i]->end_ns - span[i]->start_ns;
        last = fmax(last, span[i]->end_ns);
        longest = fmax(longest, duration);
        time += duration;
        square += duration * duration;
    }
    panel->known_ns = fmax(last - longest, last / 4);
    panel->step_ns = time > 0 ? square / time : 1;
}

/* Takes the lowest lane of the SM that is free at the span's start. Returns LANES_SM if all are busy. */
static size_t take_lane(double (*busy)[LANES_SM], const struct sms__block_span *span)
{
    for (size_t lane = 0; lane < LANES_SM; lane++)
        if (busy[span->sm][lane] <= span->start_ns) {
            busy[span->sm][lane] = span->end_ns;
            return lane;
        }
    return LANES_SM;
}

static void add_blocks(struct timeline *timeline, struct panel *panel, const struct sms__block_span *span)
{
    struct sms__plot *plot = timeline->plot;
    size_t vm = sms__name_index(&plot->arena, &timeline->vm, plot->vm.name[span->vm]);
    for (size_t i = 0; i < span->blocks && panel->blocks < BLOCKS_MOST; i++) {
        size_t lane = take_lane(timeline->busy, span);
        if (lane == LANES_SM)
            return;
        *SMS__APPEND(&plot->arena, panel->block, panel->blocks) =
            (struct block){span->start_ns, span->end_ns, span->sm, lane, vm};
        timeline->sms = span->sm + 1 > timeline->sms ? span->sm + 1 : timeline->sms;
    }
}

static void add_panel(struct timeline *timeline, size_t policy)
{
    struct panel *panel = SMS__APPEND(&timeline->plot->arena, timeline->panel, timeline->panels);
    size_t count;
    memset(timeline->busy, 0, SMS_MOST * sizeof *timeline->busy);
    const struct sms__block_span **span = sort_spans(timeline, policy, &count);
    *panel = (struct panel){.policy = policy};
    measure(panel, span, count);
    for (size_t i = 0; i < count; i++)
        if (span[i]->sm < SMS_MOST)
            add_blocks(timeline, panel, span[i]);
}

/* Finds the VMs and policies of the scenario, in its order. `seen`: [policies], scenario + 1 that each was last seen
 * in. */
static void gather(struct timeline *timeline, size_t *seen)
{
    struct sms__plot *plot = timeline->plot;
    const struct sms__group_of *group = timeline->bars;
    const struct sms__bar *bar = (const struct sms__bar *)plot->throughput.row + group->from;
    for (size_t i = 0; i < group->count; i++)
        if (!bar[i].host)
            sms__name_index(&plot->arena, &timeline->vm, bar[i].group);
    for (size_t i = 0; i < group->count; i++) {
        if (seen[bar[i].row.policy] != group->scenario + 1)
            add_panel(timeline, bar[i].row.policy);
        seen[bar[i].row.policy] = group->scenario + 1;
    }
}

/* The number of lanes in use before `to_ns`. */
static size_t count_lanes(const struct panel *panel, size_t sms, double to_ns)
{
    size_t lanes = 0;
    for (size_t i = 0; i < panel->blocks; i++) {
        const struct block *block = &panel->block[i];
        if (block->sm < sms && block->start_ns < to_ns && block->lane >= lanes)
            lanes = block->lane + 1;
    }
    return lanes;
}

/* Chooses as many SMs as fit LANES_PANEL lanes, by the SM with most lanes. */
static void choose_sms(struct timeline *timeline)
{
    size_t lanes = 1;
    for (size_t c = 0; c < timeline->panels; c++) {
        size_t own = count_lanes(&timeline->panel[c], SMS_MOST, INFINITY);
        lanes = own > lanes ? own : lanes;
    }
    size_t most = LANES_PANEL / lanes;
    most = most < SMS_LEAST ? SMS_LEAST : most;
    timeline->sms = timeline->sms < most ? timeline->sms : most;
}

/* The start of the first block beyond DRAWN_PANEL. */
static double crowded_ns(const struct timeline *timeline, const struct panel *panel)
{
    size_t drawn = 0;
    for (size_t i = 0; i < panel->blocks; i++)
        if (panel->block[i].sm < timeline->sms && ++drawn > DRAWN_PANEL)
            return panel->block[i].start_ns;
    return INFINITY;
}

/* The time by which all VMs on the drawn SMs have had a block. `seen`: [VMs], panel + 1 that each was last seen in. */
static double all_begun_ns(const struct timeline *timeline, const struct panel *panel, size_t *seen)
{
    const size_t number = (size_t)(panel - timeline->panel) + 1;
    double last = 0;
    for (size_t i = 0; i < panel->blocks; i++) {
        const struct block *block = &panel->block[i];
        if (block->sm >= timeline->sms || seen[block->vm] == number)
            continue;
        seen[block->vm] = number;
        last = block->start_ns;
    }
    return last;
}

/* Chooses one window for all policies: the longest that each can show. */
static void choose_window(struct timeline *timeline)
{
    double from = INFINITY, to = INFINITY, longest = 0, begun = 0;
    size_t *seen = SMS__NEW(&timeline->plot->arena, size_t, timeline->vm.count + 1);
    for (size_t c = 0; c < timeline->panels; c++)
        if (timeline->panel[c].blocks)
            from = fmin(from, timeline->panel[c].block[0].start_ns);
    for (size_t c = 0; c < timeline->panels; c++) {
        const struct panel *panel = &timeline->panel[c];
        if (panel->blocks == 0)
            continue;
        longest = fmax(longest, panel->step_ns);
        begun = fmax(begun, all_begun_ns(timeline, panel, seen));
        to = fmin(to, fmin(panel->known_ns, crowded_ns(timeline, panel)));
    }
    double width = fmin(to, fmax(begun, from) + STEPS * longest) - from;
    timeline->from_ns = from;
    timeline->to_ns = from + (width > 0 ? width : longest);
}

static size_t write_panel(const struct timeline *timeline, const struct panel *panel)
{
    FILE *to = timeline->files.data;
    size_t rows = 0;
    for (size_t i = 0; i < panel->blocks; i++) {
        const struct block *block = &panel->block[i];
        if (block->sm >= timeline->sms || block->start_ns >= timeline->to_ns)
            continue;
        if (rows++ == 0)
            fprintf(to, "# policy %s\n# start_ns end_ns sm lane vm_idx vm\n",
                    timeline->plot->policy.name[panel->policy]);
        fprintf(to, "%.3f %.3f %zu %zu %zu %s\n", block->start_ns, block->end_ns, block->sm, block->lane, block->vm,
                timeline->vm.name[block->vm]);
    }
    if (rows)
        fprintf(to, "\n\n");
    return rows;
}

static void write_panels(struct timeline *timeline)
{
    FILE *to = timeline->files.variables;
    size_t written = 0;
    fprintf(to, "panels = %zu\narray panel_title[%zu]\narray panel_block[%zu]\narray panel_lanes[%zu]\n",
            timeline->panels, timeline->panels, timeline->panels, timeline->panels);
    for (size_t c = 0; c < timeline->panels; c++) {
        struct panel *panel = &timeline->panel[c];
        bool drawn = write_panel(timeline, panel) > 0;
        written += drawn;
        sms__print_text(to, "panel_title", c + 1, timeline->plot->policy.name[panel->policy], 46);
        fprintf(to, "panel_block[%zu] = %zu\n", c + 1, drawn ? written : 0);
        fprintf(to, "panel_lanes[%zu] = %zu\n", c + 1, count_lanes(panel, timeline->sms, timeline->to_ns));
    }
}

static void write_axes(const struct timeline *timeline)
{
    FILE *to = timeline->files.variables;
    struct sms__unit unit = sms__time_unit(timeline->to_ns);
    fprintf(to, "unit = '%s'\nunit_ns = %g\nfrom_ns = %.3f\nto_ns = %.3f\nsms = %zu\n", unit.name, unit.size,
            timeline->from_ns, timeline->to_ns, timeline->sms);
    sms__print_legend(to, &timeline->vm, NULL, 24);
}

static int write_timeline(struct timeline timeline, size_t *seen)
{
    struct sms__plot *plot = timeline.plot;
    const size_t scenario = timeline.bars->scenario;
    const char *name = sms__figure_name(plot, "timeline", plot->scenario.name[scenario]);
    timeline.spans = sms__groups_of(&plot->block_span.groups, scenario);
    gather(&timeline, seen);
    if (timeline.sms == 0)
        return sms__name_index(&plot->arena, &plot->left_out, name), SMS_OK;
    choose_sms(&timeline);
    choose_window(&timeline);
    int code = sms__figure_open(plot, "timeline.gp", name, &timeline.files);
    if (code)
        return code;
    write_panels(&timeline);
    write_axes(&timeline);
    return sms__figure_close(plot, &timeline.files);
}

int sms__write_timelines(struct sms__plot *plot)
{
    int code = SMS_OK;
    struct timeline timeline = {.plot = plot, .busy = sms__alloc(&plot->arena, SMS_MOST, sizeof *timeline.busy)};
    size_t *seen = SMS__NEW(&plot->arena, size_t, plot->policy.count + 1);
    for (size_t s = 0; s < plot->throughput.groups.count && code == SMS_OK; s++) {
        timeline.bars = &plot->throughput.groups.item[s];
        code = write_timeline(timeline, seen);
    }
    return code;
}
