/* Blocks on SMs over time: a figure a scenario, a panel a policy. An SM is a stack
 * of lanes, each of which holds one block at a time. Only a window at the
 * beginning is drawn, of the first SMs: as much as can be told apart in print. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMS_MOST = 8,        /* SMs drawn */
    SMS_LEAST = 4,       /* unless there are fewer */
    LANES_PANEL = 72,    /* lanes drawn in a panel, unless SMS_LEAST SMs have more */
    LANES_SM = 128,      /* blocks of an SM beyond these are not drawn */
    PIECES_PANEL = 1500, /* blocks drawn in a panel */
    PIECES_MOST = 20000, /* blocks looked at */
    STEPS = 4            /* typical durations drawn once all VMs have begun */
};

/* One block. */
struct piece {
    double start_ns, end_ns;
    size_t sm, lane, vm;
};

/* What one policy did. */
struct course {
    size_t policy;
    struct piece *piece;
    size_t pieces;
    double known_ns; /* until when nothing that began is missing from the file */
    double step_ns;  /* a typical duration of a block */
};

struct timeline {
    struct sms__plot *plot;
    const struct sms__group_of *bars; /* of the scenario */
    struct sms__groups boxes;
    struct course *course; /* those of its policies */
    size_t courses;
    struct sms__names vm;
    double (*busy)[LANES_SM]; /* [SMS_MOST]: until when each lane is */
    size_t sms;               /* drawn */
    double from_ns, to_ns;
    struct sms__figure_files files;
};

static int by_start(const void *a, const void *b)
{
    const struct sms__box *x = *(const struct sms__box *const *)a, *y = *(const struct sms__box *const *)b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x > y) - (x < y);
}

/* The boxes of a policy, by start. */
static const struct sms__box **sort_boxes(struct timeline *timeline, size_t policy, size_t *count)
{
    struct sms__plot *plot = timeline->plot;
    const struct sms__group_of *group = sms__group_of(&timeline->boxes, policy);
    *count = group ? group->count : 0;
    const struct sms__box **sorted = SMS__NEW(&plot->arena, const struct sms__box *, *count + 1);
    for (size_t i = 0; i < *count; i++)
        sorted[i] = (const struct sms__box *)plot->box.row + group->from + i;
    qsort((void *)sorted, *count, sizeof *sorted, by_start);
    return sorted;
}

/* The file is in order of ends and may be cut: what was running at its last end
 * is not in it. What began one longest duration earlier is. The typical duration
 * weighs blocks by their time, as the eye does. */
static void measure(struct course *course, const struct sms__box **box, size_t count)
{
    double last = 0, longest = 0, time = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        double duration = box[i]->end_ns - box[i]->start_ns;
        last = fmax(last, box[i]->end_ns);
        longest = fmax(longest, duration);
        time += duration;
        square += duration * duration;
    }
    course->known_ns = fmax(last - longest, last / 4);
    course->step_ns = time > 0 ? square / time : 1;
}

/* The lowest lane of an SM that is free at `start`; LANES_SM if there is none. */
static size_t take_lane(double (*busy)[LANES_SM], const struct sms__box *box)
{
    for (size_t lane = 0; lane < LANES_SM; lane++)
        if (busy[box->sm][lane] <= box->start_ns) {
            busy[box->sm][lane] = box->end_ns;
            return lane;
        }
    return LANES_SM;
}

static void add_pieces(struct timeline *timeline, struct course *course, const struct sms__box *box)
{
    struct sms__plot *plot = timeline->plot;
    size_t vm = sms__name_index(&plot->arena, &timeline->vm, plot->vm.name[box->vm]);
    for (size_t i = 0; i < box->blocks && course->pieces < PIECES_MOST; i++) {
        size_t lane = take_lane(timeline->busy, box);
        if (lane == LANES_SM)
            return;
        *SMS__APPEND(&plot->arena, course->piece, course->pieces) =
            (struct piece){box->start_ns, box->end_ns, box->sm, lane, vm};
        timeline->sms = box->sm + 1 > timeline->sms ? box->sm + 1 : timeline->sms;
    }
}

static void add_course(struct timeline *timeline, size_t policy)
{
    struct course *course = SMS__APPEND(&timeline->plot->arena, timeline->course, timeline->courses);
    size_t count;
    memset(timeline->busy, 0, SMS_MOST * sizeof *timeline->busy);
    const struct sms__box **box = sort_boxes(timeline, policy, &count);
    *course = (struct course){.policy = policy};
    measure(course, box, count);
    for (size_t i = 0; i < count; i++)
        if (box[i]->sm < SMS_MOST)
            add_pieces(timeline, course, box[i]);
}

/* The VMs and policies of a scenario, in its own order. `seen`: [policies], scenarios for which each was seen last. */
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
            add_course(timeline, bar[i].row.policy);
        seen[bar[i].row.policy] = group->scenario + 1;
    }
}

/* Lanes that are in use before `to_ns`. */
static size_t count_lanes(const struct course *course, size_t sms, double to_ns)
{
    size_t lanes = 0;
    for (size_t i = 0; i < course->pieces; i++) {
        const struct piece *piece = &course->piece[i];
        if (piece->sm < sms && piece->start_ns < to_ns && piece->lane >= lanes)
            lanes = piece->lane + 1;
    }
    return lanes;
}

/* As many SMs as give LANES_PANEL lanes where an SM has most. */
static void choose_sms(struct timeline *timeline)
{
    size_t lanes = 1;
    for (size_t c = 0; c < timeline->courses; c++) {
        size_t own = count_lanes(&timeline->course[c], SMS_MOST, INFINITY);
        lanes = own > lanes ? own : lanes;
    }
    size_t most = LANES_PANEL / lanes;
    most = most < SMS_LEAST ? SMS_LEAST : most;
    timeline->sms = timeline->sms < most ? timeline->sms : most;
}

/* When the piece begins that would be one too many. */
static double crowded_ns(const struct timeline *timeline, const struct course *course)
{
    size_t drawn = 0;
    for (size_t i = 0; i < course->pieces; i++)
        if (course->piece[i].sm < timeline->sms && ++drawn > PIECES_PANEL)
            return course->piece[i].start_ns;
    return INFINITY;
}

/* When the last of the VMs that are seen on the SMs drawn has its first piece. `seen`: [VMs], for which course last. */
static double all_begun_ns(const struct timeline *timeline, const struct course *course, size_t *seen)
{
    const size_t number = (size_t)(course - timeline->course) + 1;
    double last = 0;
    for (size_t i = 0; i < course->pieces; i++) {
        const struct piece *piece = &course->piece[i];
        if (piece->sm >= timeline->sms || seen[piece->vm] == number)
            continue;
        seen[piece->vm] = number;
        last = piece->start_ns;
    }
    return last;
}

/* One window for all policies: the longest that each can show. */
static void choose_window(struct timeline *timeline)
{
    double from = INFINITY, to = INFINITY, longest = 0, begun = 0;
    size_t *seen = SMS__NEW(&timeline->plot->arena, size_t, timeline->vm.count + 1);
    for (size_t c = 0; c < timeline->courses; c++)
        if (timeline->course[c].pieces)
            from = fmin(from, timeline->course[c].piece[0].start_ns);
    for (size_t c = 0; c < timeline->courses; c++) {
        const struct course *course = &timeline->course[c];
        if (course->pieces == 0)
            continue;
        longest = fmax(longest, course->step_ns);
        begun = fmax(begun, all_begun_ns(timeline, course, seen));
        to = fmin(to, fmin(course->known_ns, crowded_ns(timeline, course)));
    }
    double width = fmin(to, fmax(begun, from) + STEPS * longest) - from;
    timeline->from_ns = from;
    timeline->to_ns = from + (width > 0 ? width : longest);
}

static size_t write_block(const struct timeline *timeline, const struct course *course)
{
    FILE *to = timeline->files.data;
    size_t rows = 0;
    for (size_t i = 0; i < course->pieces; i++) {
        const struct piece *piece = &course->piece[i];
        if (piece->sm >= timeline->sms || piece->start_ns >= timeline->to_ns)
            continue;
        if (rows++ == 0)
            fprintf(to, "# policy %s\n# start_ns end_ns sm lane vm_idx vm\n",
                    timeline->plot->policy.name[course->policy]);
        fprintf(to, "%.3f %.3f %zu %zu %zu %s\n", piece->start_ns, piece->end_ns, piece->sm, piece->lane, piece->vm,
                timeline->vm.name[piece->vm]);
    }
    if (rows)
        fprintf(to, "\n\n");
    return rows;
}

static void write_panels(struct timeline *timeline)
{
    FILE *to = timeline->files.variables;
    size_t blocks = 0;
    fprintf(to, "panels = %zu\narray panel_title[%zu]\narray panel_block[%zu]\narray panel_lanes[%zu]\n",
            timeline->courses, timeline->courses, timeline->courses, timeline->courses);
    for (size_t c = 0; c < timeline->courses; c++) {
        struct course *course = &timeline->course[c];
        bool drawn = write_block(timeline, course) > 0;
        blocks += drawn;
        sms__print_text(to, "panel_title", c + 1, timeline->plot->policy.name[course->policy], 46);
        fprintf(to, "panel_block[%zu] = %zu\n", c + 1, drawn ? blocks : 0);
        fprintf(to, "panel_lanes[%zu] = %zu\n", c + 1, count_lanes(course, timeline->sms, timeline->to_ns));
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
    timeline.boxes = sms__groups_of(&plot->box.groups, scenario);
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
