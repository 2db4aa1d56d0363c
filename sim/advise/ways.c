/* The ways to share a GPU that are compared, and their scenarios. */
#include "advise.h"

#include "../model/layout.h"
#include "../model/limits.h"
#include "../model/policy/modes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LAYOUTS_MOST = 8, LISTED_MOST = 4096 };
enum {
    REPLICATIONS = 3,
    JOBS = 500,             /* of each program alone in a run: enough for p99 where it is slowed five times */
    SLICES = 200,           /* of time slices in a run, so that no program had more of them than another by chance */
    LAUNCHES_MOST = 400000, /* in a run: seconds for all ways */
    LAUNCHES_FIRST = 40000, /* in the shortest, so that a first estimate comes soon */
};

struct lister {
    struct sms__arena *arena;
    const struct sms__programs *programs;
    const struct sms__device *device;
    struct sms__ways *out;
    uint64_t *copies;                                       /* [programs]: of the ways at hand */
    size_t processes;                                       /* their sum */
    size_t instances;                                       /* of MIG: fewer than processes are shared by MPS */
    const struct sms__mig_profile *layout[SMS__SLICES_MAX]; /* the one at hand */
    struct layout {
        const struct sms__mig_profile *profile[SMS__SLICES_MAX]; /* the roomiest first */
    } * found;                                                   /* [layouts], of `instances` each */
    size_t layouts;
};

/* The name, with a number if ways before have it: those of long names may agree. */
static const char *unlike(const struct lister *l, const char *name)
{
    const size_t before = l->out->count - 1;
    const char *own = name;
    for (size_t n = 2; sms__find_name(own, before, SMS__NAMES(l->out->way, name)) < before; n++)
        own = sms__print(l->arena, "%s-%zu", name, n);
    return own;
}

static struct sms__way *add(const struct lister *l, const char *label, const char *name, const char *policy)
{
    struct sms__way *way = SMS__APPEND(l->arena, l->out->way, l->out->count);
    const char *copies = "", *suffix = "";
    for (size_t p = 0; p < l->programs->count; p++)
        if (l->programs->program[p].most > 1) {
            copies = sms__print(l->arena, "%s%s%llu %s", copies, *copies ? ", " : "", (unsigned long long)l->copies[p],
                                l->programs->count > 1 ? l->programs->program[p].name : "copies");
            suffix = sms__print(l->arena, "%s-%llu", suffix, (unsigned long long)l->copies[p]);
        }
    *way = (struct sms__way){.label = *copies ? sms__print(l->arena, "%s, %s", label, copies) : label,
                             .name = unlike(l, sms__print(l->arena, "%s%s", name, suffix)),
                             .policy = policy,
                             .number = l->out->count - 1,
                             .copies = l->copies};
    return way;
}

/* ---- caps of MPS ---- */

/* `first`: per cent for the first of two programs; 0: all processes have as much. MPS takes whole per cent. */
static void add_caps(const struct lister *l, uint64_t first)
{
    const char *label = "mps", *name = "mps-caps";
    double *cap = SMS__NEW(l->arena, double, l->programs->count);
    for (size_t p = 0; p < l->programs->count; p++) {
        const unsigned long long each = first ? (p ? 100 - first : first) / l->copies[p] : 100 / l->processes;
        if (each == 0)
            return;
        cap[p] = (double)each / 100;
        label = sms__print(l->arena, "%s%s %llu %%", label, p ? " /" : "", each);
        name = sms__print(l->arena, "%s-%llu", name, each);
    }
    add(l, label, name, "{mode: mps}")->cap = cap;
}

/* For whose jobs there is a target, blocks may go before those of all others. */
static void add_priorities(const struct lister *l)
{
    for (size_t p = 0; p < l->programs->count && l->programs->count > 1; p++) {
        if (!l->programs->program[p].target.metric)
            continue;
        struct sms__way *way =
            add(l, sms__print(l->arena, "mps, %s first", l->programs->program[p].name),
                sms__print(l->arena, "mps-%.40s-first", l->programs->program[p].name), "{mode: mps}");
        way->paired = true;
        way->above = p + 1;
    }
}

/* As many chunks for each process, so that the most are used. */
static void add_partition(const struct lister *l)
{
    const uint64_t chunk = l->device->mps.chunk, each = chunk ? l->device->sms / chunk / l->processes : 0;
    uint64_t *chunks = SMS__NEW(l->arena, uint64_t, l->programs->count);
    for (size_t p = 0; p < l->programs->count; p++)
        chunks[p] = each;
    if (each > 0)
        add(l, sms__print(l->arena, "partitions, %llu SMs", (unsigned long long)each * chunk), "partition",
            "{mode: partition}")
            ->chunks = chunks;
}

/* ---- MIG ---- */

/* Whether the layout is no better than the other, instance for instance, and worse in one. */
static bool is_dominated(const struct lister *l, const struct layout *a, const struct layout *b)
{
    bool worse = false;
    for (size_t i = 0; i < l->instances; i++) {
        if (a->profile[i]->sms > b->profile[i]->sms || a->profile[i]->memory > b->profile[i]->memory)
            return false;
        worse |= a->profile[i]->sms < b->profile[i]->sms || a->profile[i]->memory < b->profile[i]->memory;
    }
    return worse;
}

/* The roomiest comes first, because that is where the first process goes. */
static bool is_before(const struct sms__mig_profile *a, const struct sms__mig_profile *b)
{
    return a->memory != b->memory ? a->memory > b->memory : a->sms > b->sms;
}

static bool has_room(const struct lister *l, const struct sms__mig_profile *const *profile, size_t count)
{
    struct sms__layout layout = {.count = count};
    uint64_t sms = 0, memory = 0;
    for (size_t i = 0; i < count; i++) {
        layout.profile[i] = profile[i];
        sms += profile[i]->sms;
        memory += profile[i]->memory;
    }
    return sms <= l->device->sms && memory <= l->device->memory && sms__place_layout(&layout);
}

static void find_layouts(struct lister *l, size_t count)
{
    const struct sms__mig *mig = l->device->mig.sheet;
    if (count == l->instances) {
        struct layout *found = l->layouts < LISTED_MOST ? SMS__APPEND(l->arena, l->found, l->layouts) : NULL;
        if (found)
            memcpy(found->profile, l->layout, sizeof found->profile);
        return;
    }
    for (size_t i = 0; i < mig->profiles; i++) {
        l->layout[count] = &mig->profile[i];
        const bool sorted = count == 0 || !is_before(&mig->profile[i], l->layout[count - 1]);
        if (sorted && has_room(l, l->layout, count + 1))
            find_layouts(l, count + 1);
    }
}

/* The profile without its memory, "4g", if no other of the device begins so. */
static const char *short_name(const struct lister *l, const struct sms__mig_profile *profile)
{
    const size_t length = strcspn(profile->name, ".");
    size_t alike = 0;
    for (size_t i = 0; i < l->device->mig.sheet->profiles; i++)
        alike += !strncmp(l->device->mig.sheet->profile[i].name, profile->name, length + 1);
    return alike > 1 ? profile->name : sms__copy(l->arena, profile->name, length);
}

/* Gives the i-th instance to so many processes, and returns how many these are. */
static size_t give_instance(size_t i, uint64_t processes, size_t *instance)
{
    for (uint64_t process = 0; process < processes; process++)
        instance[process] = i;
    return (size_t)processes;
}

/* Which program each instance has; processes of one program are alike, so they have theirs in order. */
struct assignment {
    size_t program[SMS__SLICES_MAX]; /* [instances] */
};

static void add_layout(const struct lister *l, const struct layout *layout, const struct assignment *as)
{
    const bool shared = l->instances < l->processes;
    const char *list = "", *label = shared ? "mps in mig" : "mig";
    size_t *instance = SMS__NEW(l->arena, size_t, l->processes);
    size_t process = 0;
    for (size_t i = 0; i < l->instances; i++)
        list = sms__print(l->arena, shared ? "%s%s{%s: {mps: {clients: %llu}}}" : "%s%s%s", list, i ? ", " : "",
                          layout->profile[i]->name, (unsigned long long)l->copies[as->program[i]]);
    for (size_t p = 0; p < l->programs->count; p++)
        for (size_t i = 0; i < l->instances; i++)
            if (as->program[i] == p) {
                process += give_instance(i, shared ? l->copies[p] : 1, &instance[process]);
                label = sms__print(l->arena, "%s %s", label, short_name(l, layout->profile[i]));
            }
    const char *name = sms__print(l->arena, "%s", label);
    for (char *at = (char *)(uintptr_t)name; *at; at++)
        *at = *at == ' ' ? '-' : *at;
    struct sms__way *way = add(l, label, name, sms__print(l->arena, "{mode: {mig: {instances: [%s]}}}", list));
    way->instance = instance;
}

/* Gives instances from the i-th on to programs that have fewer than their copies. Equal instances are given in order of
 * the programs, because it is no matter which of them a process has. */
static void assign(const struct lister *l, const struct layout *layout, struct assignment *as, size_t i, uint64_t *left,
                   size_t *added)
{
    if (i == l->instances) {
        if (++*added <= LAYOUTS_MOST)
            add_layout(l, layout, as);
        else
            l->out->left_out++;
        return;
    }
    for (size_t p = 0; p < l->programs->count; p++) {
        const bool same = i > 0 && layout->profile[i] == layout->profile[i - 1];
        if (left[p] == 0 || (same && p < as->program[i - 1]))
            continue;
        left[p]--;
        as->program[i] = p;
        assign(l, layout, as, i + 1, left, added);
        left[p]++;
    }
}

/* Layouts with so many instances, of which each program has its parts, [programs]. */
static void add_layouts(struct lister *l, const uint64_t *parts, size_t instances)
{
    size_t added = 0;
    l->instances = instances;
    l->found = NULL;
    l->layouts = 0;
    if (!l->device->mig.sheet || instances > SMS__SLICES_MAX)
        return;
    find_layouts(l, 0);
    for (size_t i = 0; i < l->layouts; i++) {
        bool dominated = false;
        for (size_t j = 0; j < l->layouts; j++)
            dominated |= is_dominated(l, &l->found[i], &l->found[j]);
        uint64_t *left = SMS__NEW(l->arena, uint64_t, l->programs->count);
        memcpy(left, parts, l->programs->count * sizeof *left);
        if (!dominated)
            assign(l, &l->found[i], &(struct assignment){{0}}, 0, left, &added);
    }
}

/* An instance for each process, and one for each program, whose copies share it. */
static void add_mig(struct lister *l)
{
    const size_t programs = l->programs->count;
    uint64_t *one = SMS__NEW(l->arena, uint64_t, programs);
    for (size_t p = 0; p < programs; p++)
        one[p] = 1;
    add_layouts(l, l->copies, l->processes);
    if (programs > 1 && programs < l->processes)
        add_layouts(l, one, programs);
}

/* Two and more processes in each of two and more equal instances, of the largest kind that has so many. */
static void add_mig_mps(const struct lister *l)
{
    const struct sms__mig *mig = l->device->mig.sheet;
    for (size_t n = 2; mig && n <= l->processes / 2 && n <= SMS__SLICES_MAX; n++) {
        const struct sms__mig_profile *best = NULL, *all[SMS__SLICES_MAX];
        for (size_t i = 0; i < mig->profiles && l->processes % n == 0; i++) {
            for (size_t j = 0; j < n; j++)
                all[j] = &mig->profile[i];
            if (has_room(l, all, n) && (!best || is_before(&mig->profile[i], best)))
                best = &mig->profile[i];
        }
        const char *list = best ? best->name : "";
        for (size_t j = 1; best && j < n; j++)
            list = sms__print(l->arena, "%s, %s", list, best->name);
        if (best)
            add(l, sms__print(l->arena, "mps in mig %zu x %s", n, best->name), sms__print(l->arena, "mig-mps-%zu", n),
                sms__print(l->arena, "{mode: {mig: {instances: [%s], inside: mps}}}", list));
    }
}

/* ---- all ways ---- */

/* A family says how many clients MPS has, and without that has none, because MPS is NVIDIA's. A device that does not
 * say its family is taken to have it. */
static bool has_mps(const struct sms__device *device) { return !*device->about.family || device->mps.clients > 0; }

/* Caps of threads, as static partitions, came with Volta. A device that does not say is taken to have them. */
static bool has_caps(const struct sms__device *device) { return device->mps.clients == 0 || device->mps.chunk > 0; }

static void add_mps(const struct lister *l)
{
    static const uint64_t first[] = {70, 50, 30};
    add(l, "mps", "mps", "{mode: mps}")->paired = true;
    if (!has_caps(l->device))
        return;
    add_priorities(l);
    for (size_t i = 0; i < 3 && l->programs->count == 2; i++)
        add_caps(l, first[i]);
    if (l->programs->count != 2)
        add_caps(l, 0);
    add_partition(l);
}

static void add_shared(struct lister *l)
{
    if (l->processes < 2 || sms__find_exclusive(l->programs))
        return;
    add(l, "time slices", "time-slices", "{mode: time_slice}")->sliced = true;
    if (has_mps(l->device))
        add_mps(l);
    add_mig(l);
    add_mig_mps(l);
}

static void keep_only(const size_t *only, struct sms__ways *ways)
{
    struct sms__way kept[1 + SMS__ONLY] = {ways->way[0]};
    size_t count = 1;
    for (size_t i = 0; i < SMS__ONLY; i++)
        if (only[i] < ways->count)
            kept[count++] = ways->way[only[i]];
    memcpy(ways->way, kept, count * sizeof *kept);
    ways->count = count;
}

void sms__ways_list(struct sms__arena *arena, const struct sms__programs *programs, const struct sms__device *device,
                    const size_t *only, struct sms__ways *out)
{
    uint64_t most = 1;
    struct lister alone = {.arena = arena, .programs = programs, .device = device, .out = out};
    alone.copies = SMS__NEW(arena, uint64_t, programs->count);
    for (size_t p = 0; p < programs->count; p++) {
        alone.copies[p] = 1;
        most = programs->program[p].most > most ? programs->program[p].most : most;
    }
    *out = (struct sms__ways){0};
    *SMS__APPEND(arena, out->way, out->count) =
        (struct sms__way){.label = programs->count > 1 ? "exclusive, a GPU each" : "exclusive",
                          .name = "exclusive",
                          .policy = "{mode: mps}",
                          .copies = alone.copies,
                          .alone = true};
    for (uint64_t n = 1; n <= most; n++) {
        struct lister l = {.arena = arena, .programs = programs, .device = device, .out = out};
        bool new = n == 1;
        l.copies = SMS__NEW(arena, uint64_t, programs->count);
        for (size_t p = 0; p < programs->count; p++) {
            const struct sms__program *program = &programs->program[p];
            l.copies[p] = n < program->least ? program->least : n > program->most ? program->most : n;
            l.processes += l.copies[p];
            new |= n > program->least &&n <= program->most;
        }
        if (new)
            add_shared(&l);
    }
    if (only)
        keep_only(only, out);
}

/* ---- scenarios ---- */

size_t sms__way_first(const struct sms__way *way, size_t p)
{
    size_t first = 0;
    for (size_t i = 0; i < p; i++)
        first += way->copies[i];
    return first;
}

void sms__write_work(const struct sms__program *program, FILE *to)
{
    const struct sms__tenant *tenant = program->tenant;
    if (!tenant->own || tenant->choices < 2) {
        fprintf(to, "workload: '%s'", program->name);
        if (tenant->streams > 1)
            fprintf(to, ", streams: %llu", (unsigned long long)tenant->streams);
        return;
    }
    fputs("streams: [", to);
    for (size_t i = 0; i < tenant->choices; i++)
        fprintf(to, i ? ", {workload: '%s-%zu'}" : "{workload: '%s'}", program->name, i + 1);
    fputs("]", to);
}

static void write_process(const struct sms__way *way, const struct sms__programs *programs, size_t p, uint64_t copy,
                          size_t process, FILE *to)
{
    const struct sms__program *program = &programs->program[p];
    fprintf(to, "  - {name: '%s", program->name);
    if (way->copies[p] > 1)
        fprintf(to, "-%llu", (unsigned long long)copy + 1);
    fputs("'", to);
    fputs(", ", to);
    sms__write_work(program, to);
    fprintf(to, ", class: '%s'", program->name); /* of all copies */
    if (program->per_s > 0)
        fprintf(to, ", arrivals: {poisson: %.9g us}", 1e6 * (double)way->copies[p] / program->per_s);
    else
        fputs(", repeat: forever", to);
    if (program->target.metric)
        fprintf(to, ", deadline: %.9g us", program->target.ns / 1e3);
    if (way->cap)
        fprintf(to, ", active_threads: %.6g %%", 100 * way->cap[p]);
    if (way->chunks)
        fprintf(to, ", chunks: %llu", (unsigned long long)way->chunks[p]);
    if (way->above == p + 1)
        fputs(", priority: 1", to);
    if (way->instance)
        fprintf(to, ", instance: %zu", way->instance[process]);
    if (way->alone)
        fprintf(to, ", device: %zu", p);
    fputs("}\n", to);
}

/* Programs are classes by number, because names of classes have letters and digits only. The processes beside one slow
 * it by equal parts. */
static void write_slowdowns(const struct sms__way *way, const struct sms__programs *programs, const double *slow,
                            FILE *to)
{
    const double others = (double)sms__way_first(way, programs->count) - 1;
    fputs("contention: {model: pairwise, slowdown: {", to);
    for (size_t p = 0; p < programs->count; p++) {
        fprintf(to, "%sc%zu: {", p ? ", " : "", programs->program[p].number);
        for (size_t q = 0; q < programs->count; q++)
            fprintf(to, "%sc%zu: %.6g", q ? ", " : "", programs->program[q].number, 1 + (slow[p] - 1) / others);
        fputs("}", to);
    }
    fputs("}}   # as they do block by block\n", to);
}

const struct sms__buffer *sms__way_text(const struct sms__advice *advice, const struct sms__way *way, enum sms__end end)
{
    return &advice->text[end == SMS__TAKEN_END ? SMS__TAKEN_TEXT : way->paired ? SMS__PAIRED_TEXT : SMS__FREE_TEXT];
}

void sms__way_write(const struct sms__way *way, const struct sms__programs *programs,
                    const struct sms__advise_settings *settings, struct sms__span span, enum sms__end end, FILE *to)
{
    fprintf(to, "scenario: %s\nquestion: How do the programs run under %s?\n", way->name, way->label);
    fprintf(to, "devices: [{model: '%s', count: %zu}]\n", settings->device, way->alone ? programs->count : 1);
    if (settings->cores) { /* of the host of each GPU */
        const uint64_t hosts = way->alone ? programs->count : 1;
        fprintf(to, "host: {cores: %" PRIu64 "}\n", settings->cores * hosts);
    }
    if (way->paired && end != SMS__TAKEN_END)
        write_slowdowns(way, programs, way->slow, to);
    fprintf(to, "policies: [%s]\nprocesses:\n", way->policy);
    for (size_t p = 0, process = 0; p < programs->count; p++)
        for (uint64_t copy = 0; copy < way->copies[p]; copy++)
            write_process(way, programs, p, copy, process++, to);
    size_t asked = 0;
    while (asked < programs->count && !programs->program[asked].target.metric)
        asked++;
    if (asked == programs->count)
        fputs("answer: {metric: stp_ratio, of: host}\n", to);
    else
        fprintf(to, "answer: {metric: %s, of: '%s%s'}\n", programs->program[asked].target.metric,
                programs->program[asked].name, way->copies[asked] > 1 ? "-1" : "");
    fprintf(to, "run: {warmup: %.9g us, duration: %.9g us, seed: %llu, replications: %u}\n", span.warmup_ps / 1e6,
            (span.warmup_ps + span.duration_ps) / 1e6, (unsigned long long)settings->seed, span.replications);
}

/* ---- how long they run ---- */

/* What programs ask of a run. */
struct load {
    double longest_ps, launches_per_ps, jobs_ps; /* jobs: so that each program does JOBS alone */
    double least_ps;                             /* so that each begins and ends a job, even where all take turns */
};

static struct load load_of(const struct sms__programs *programs)
{
    struct load load = {0};
    double copies = 0;
    for (size_t p = 0; p < programs->count; p++) {
        const struct sms__program *program = &programs->program[p];
        const double apart_ps = program->per_s > 0 ? 1e12 / program->per_s : program->job_ps;
        const double at_once = program->per_s > 0 ? 1 : (double)program->most; /* a rate is of all copies */
        /* A job without a launch takes time to simulate, too. */
        load.launches_per_ps += at_once * fmax(program->launches, 1) / fmax(apart_ps, 1);
        load.jobs_ps = fmax(load.jobs_ps, JOBS * apart_ps);
        load.longest_ps = fmax(load.longest_ps, program->job_ps);
        copies += (double)program->most;
    }
    load.least_ps = (2 * copies + 1) * load.longest_ps;
    return load;
}

double sms__programs_crowd(const struct sms__programs *programs)
{
    const struct load load = load_of(programs);
    return load.launches_per_ps * load.least_ps / LAUNCHES_FIRST;
}

const struct sms__program *sms__find_too_long(const struct sms__programs *programs)
{
    const struct load load = load_of(programs);
    size_t longest = 0;
    for (size_t p = 1; p < programs->count; p++)
        if (programs->program[p].job_ps > programs->program[longest].job_ps)
            longest = p;
    return load.longest_ps + load.least_ps > SMS__TIME_MAX_PS ? &programs->program[longest] : NULL;
}

struct sms__span sms__span_for(const struct sms__programs *programs, const struct sms__device *device, double part)
{
    const struct load load = load_of(programs);
    const double most_ps = load.launches_per_ps > 0 ? LAUNCHES_MOST / load.launches_per_ps : load.jobs_ps;
    const double slice_ps = sms__mode_turns(NULL, device).slice_ps;
    const double whole_ps = fmin(fmax(load.jobs_ps, SLICES * slice_ps), most_ps);
    const double most_of_all_ps = SMS__TIME_MAX_PS - fmax(load.longest_ps, 1e6); /* jobs may come once a day */
    const double duration_ps = fmin(fmax(part * whole_ps, load.least_ps), most_of_all_ps);
    return (struct sms__span){fmax(load.longest_ps, 1e6), fmax(duration_ps, 1e6), part < 1 ? 1 : REPLICATIONS};
}
