/* Reads models/trust.yaml, and finds the data sets that bear on a metric of a scenario. */
#include "trust.h"
#include "walk.h"

#include "../model/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(member) offsetof(struct sms__trust_set, member)

static void read_names(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__trust_names *names = at;
    names->name = SMS__NEW(reader->arena, const char *, node->items + 1);
    for (size_t i = 0; i < node->items; i++) {
        const char *name = sms__read_name(reader, node->item[i]);
        if (name)
            names->name[names->count++] = name;
    }
}

static const char *const kernel_words[] = {"blocks", "whole", NULL};

static const struct sms__field set_fields[] = {
    {"set", SMS__NAME, 0, F(set), .required = true, .help = "its folder"},
    {"title", SMS__TEXT, 0, F(title), .required = true, .help = "what it compares"},
    {"gpu", SMS__TEXT, 0, F(gpu), .required = true, .help = "on what it was measured"},
    {"devices", SMS__NAME, 0, F(devices), .required = true, .read = read_names, .holds = SMS__MANY, .help = "devices"},
    {"kernels", SMS__CHOICE, 0, F(kernels), .required = true, .choices = kernel_words, .help = "given by these"},
    {"modes", SMS__NAME, 0, F(modes), .read = read_names, .holds = SMS__MANY, .help = "sharing modes"},
    {"contention", SMS__NAME, 0, F(contention), .read = read_names, .holds = SMS__MANY, .help = "contention models"},
    {"metrics", SMS__NAME, 0, F(metrics), .required = true, .read = read_names, .holds = SMS__MANY,
     .help = "metrics that it bears on"},
    {"metric", SMS__TEXT, 0, F(metric), .required = true, .help = "what is compared"},
    {"values", SMS__TEXT, 0, F(values), .required = true, .help = "values held back"},
    {"fitted", SMS__TEXT, 0, F(fitted), .help = "parameters fitted"},
    {"median", SMS__TEXT, 0, F(median), .required = true, .help = "median error"},
    {"p90", SMS__TEXT, 0, F(p90), .help = "error that 9 of 10 values stay within"},
    {"r2", SMS__TEXT, 0, F(r2), .help = "R2"},
    {"naive", SMS__TEXT, 0, F(naive), .help = "the best naive model"},
    {"naive_median", SMS__TEXT, 0, F(naive_median), .help = "its median error"},
    {"naive_r2", SMS__TEXT, 0, F(naive_r2), .help = "its R2"},
    {0}};

static void read_sets(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__trust *trust = at;
    trust->set = SMS__NEW(reader->arena, struct sms__trust_set, node->items + 1);
    trust->sets = node->items;
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++)
        sms__read_fields(reader, node->item[i], set_fields, &trust->set[i]);
}

static const struct sms__field file_fields[] = {{"trust", SMS__FIELDS, .required = true, .read = read_sets,
                                                 .holds = SMS__MANY, .fields = set_fields, .help = "data sets"},
                                                {0}};

struct load {
    struct sms__trust *trust;
    const struct sms_load_options *options;
    struct sms_errors *errors;
};

bool sms__trust_exists(const struct sms_load_options *options)
{
    char path[SMS__MODELS_BYTES];
    return sms__find_in_models(options, "trust.yaml", path);
}

static int load_body(void *user)
{
    struct load *load = user;
    struct sms__doc *doc = SMS__NEW(&load->trust->arena, struct sms__doc, 1);
    struct sms__reader reader = {.arena = &load->trust->arena, .errors = load->errors};
    char *path = SMS__NEW(&load->trust->arena, char, SMS__MODELS_BYTES); /* which marks keep */
    sms__find_in_models(load->options, "trust.yaml", path);
    int code = sms__doc_load(&load->trust->arena, path, doc, load->errors);
    if (code)
        return code;
    if (doc->roots != 1)
        return sms__fail(load->errors, SMS_EINPUT, path, "is not one document with 'trust:'");
    sms__read_fields(&reader, doc->root[0], file_fields, load->trust);
    return load->errors->count ? SMS_EINPUT : SMS_OK;
}

int sms__trust_load(const struct sms_load_options *options, struct sms__trust **out, struct sms_errors *errors)
{
    struct load load = {calloc(1, sizeof *load.trust), options, errors};
    *out = NULL;
    *errors = (struct sms_errors){0};
    if (!load.trust)
        return sms__fail(errors, SMS_ENOMEM, NULL, "out of memory");
    int code = sms__guard(&load.trust->arena, load_body, &load);
    if (code == SMS_ENOMEM && !errors->count)
        sms__fail(errors, code, NULL, "out of memory");
    if (code)
        sms__trust_free(load.trust);
    else
        *out = load.trust;
    return code;
}

void sms__trust_free(struct sms__trust *trust)
{
    if (!trust)
        return;
    sms__arena_release(&trust->arena);
    free(trust);
}

/* ---- what a scenario has ---- */

/* Names of what the scenario uses, each once. */
struct uses {
    const char *metric;
    struct sms__trust_names devices, modes, contention; /* modes: none for a tenant alone */
    bool kernels[2];                                    /* by enum sms__trust_kernels */
};

static bool has(const struct sms__trust_names *names, const char *name)
{
    return sms__find_name(name, names->count, sms__text_at, names->name) < names->count;
}

static void use(struct sms__arena *arena, struct sms__trust_names *names, const char *name)
{
    if (!has(names, name))
        *SMS__APPEND(arena, names->name, names->count) = name;
}

static void add_modes(struct sms__arena *arena, const struct sms__mode *mode, struct sms__trust_names *names)
{
    const struct sms__mode *shared;
    for (size_t i = 0; (shared = sms__mode_shared(mode, i)); i++)
        use(arena, names, shared->word);
}

/* A tenant alone shares nothing, so no mode matters. VMs run their kernels together. */
static void use_modes(struct sms__arena *arena, const struct sms_scenario *scenario, struct uses *uses)
{
    size_t side_by_side = scenario->vms == 1 ? scenario->vm[0].streams : scenario->vms;
    if (scenario->cluster)
        use(arena, &uses->modes, "cluster");
    if (side_by_side > 1 && !scenario->shares && !scenario->cluster)
        use(arena, &uses->modes, sms_sharing_mode_together.name);
    for (size_t p = 0; p < scenario->policies && side_by_side > 1 && scenario->shares; p++)
        add_modes(arena, &scenario->policy[p].mode, &uses->modes);
}

static bool is_scaled(const struct sms__tenant *vm, size_t devices)
{
    bool scaled = false;
    for (size_t d = 0; vm->fit && d < devices; d++)
        for (size_t k = 0; vm->fit[d] && k < vm->workload->kernels; k++)
            scaled |= vm->fit[d][k].scaled > 0;
    return scaled;
}

/* Kernels that are scaled from another device are of both. */
static void use_devices(struct sms__arena *arena, const struct sms_scenario *scenario, struct uses *uses)
{
    for (size_t d = 0; d < scenario->devices; d++)
        if (!scenario->device[d]->mig.board) /* an instance stands beside its device */
            use(arena, &uses->devices, scenario->device[d]->name);
    for (size_t v = 0; v < scenario->vms; v++)
        if (is_scaled(&scenario->vm[v], scenario->devices))
            use(arena, &uses->devices, scenario->vm[v].workload->device);
}

static struct uses uses_of(struct sms__arena *arena, const struct sms_scenario *scenario, const char *metric)
{
    struct uses uses = {.metric = metric};
    use_devices(arena, scenario, &uses);
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++)
            uses.kernels[scenario->vm[v].workload->kernel[k].whole ? SMS__TRUST_WHOLE : SMS__TRUST_BLOCKS] = true;
    use_modes(arena, scenario, &uses);
    if (scenario->contention.model && scenario->vms > 0)
        use(arena, &uses.contention, scenario->contention.model->name);
    return uses;
}

/* ---- what the data sets say about it ---- */

static bool meets(const struct sms__trust_names *a, const struct sms__trust_names *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (has(b, a->name[i]))
            return true;
    return false;
}

static bool has_all(const struct sms__trust_names *set, const struct sms__trust_names *used)
{
    bool all = true;
    for (size_t i = 0; i < used->count; i++)
        all &= has(set, used->name[i]);
    return all;
}

static bool allows(const struct sms__trust_names *set, const struct sms__trust_names *used)
{
    return set->count == 0 || meets(set, used);
}

static bool allows_modes(const struct sms__trust_set *set, const struct sms__trust_names *used)
{
    return allows(&set->modes, used) || (used->count == 0 && has(&set->modes, "alone"));
}

/* A figure holds on the devices on which it was measured, so all must be among them. */
static bool covers(const struct sms__trust_set *set, const struct uses *uses)
{
    return has(&set->metrics, uses->metric) && has_all(&set->devices, &uses->devices) && uses->kernels[set->kernels] &&
           allows_modes(set, &uses->modes) && allows(&set->contention, &uses->contention);
}

static void say(struct sms__trust *trust, struct sms__trust_names *lines, const char *line)
{
    *SMS__APPEND(&trust->arena, lines->name, lines->count) = line;
}

static const char *known(const char *text) { return text ? text : ""; }

static void say_set(struct sms__trust *trust, const struct sms__trust_set *set, struct sms__trust_names *lines)
{
    struct sms__arena *arena = &trust->arena;
    const char *r2 = *known(set->r2) ? sms__print(arena, ", R2 %s", set->r2) : "";
    const char *naive_r2 = *known(set->naive_r2) ? sms__print(arena, ", R2 %s", set->naive_r2) : "";
    const char *naive = *known(set->naive) ? sms__print(arena, "; naive model '%s': %s%s", set->naive,
                                                        known(set->naive_median), naive_r2)
                                           : "";
    const char *fitted = *known(set->fitted) ? set->fitted : "0";
    say(trust, lines,
        sms__print(arena, "%s (%s, %s): median error of %s %s%s, %s values, %s parameters fitted%s", set->title,
                   set->gpu, set->set, set->metric, set->median, r2, set->values, fitted, naive));
}

/* What a scenario uses that none of some data sets has. */
struct outside {
    struct sms__trust *trust;
    const struct uses *uses;
    const struct sms__trust_set *set;
    size_t sets;
    bool covering;    /* only those of the sets count that bear on the scenario */
    const char *text; /* so far, "" for nothing */
};

static void add_outside(struct outside *outside, const char *format, const char *name)
{
    struct sms__arena *arena = &outside->trust->arena;
    char what[SMS__NAME_MAX + 40];
    snprintf(what, sizeof what, format, name);
    outside->text = sms__print(arena, "%s%s%s", outside->text, *outside->text ? ", " : "", what);
}

static const struct sms__trust_names *names_at(const struct sms__trust_set *set, size_t offset)
{
    return (const struct sms__trust_names *)((const char *)set + offset);
}

static bool counts(const struct outside *outside, const struct sms__trust_set *set)
{
    return !outside->covering || covers(set, outside->uses);
}

/* `offset`: of the names in a data set. */
static void find_names(struct outside *outside, const struct sms__trust_names *used, size_t offset, const char *format)
{
    for (size_t i = 0; i < used->count; i++) {
        bool found = false;
        for (size_t s = 0; s < outside->sets && !found; s++)
            found = counts(outside, &outside->set[s]) && has(names_at(&outside->set[s], offset), used->name[i]);
        if (!found)
            add_outside(outside, format, used->name[i]);
    }
}

static void find_kernels(struct outside *outside)
{
    static const char *const words[] = {"kernels given by their blocks", "kernels given by their time"};
    for (int kind = 0; kind < 2; kind++) {
        bool found = !outside->uses->kernels[kind];
        for (size_t s = 0; s < outside->sets && !found; s++)
            found = counts(outside, &outside->set[s]) && outside->set[s].kernels == kind;
        if (!found)
            add_outside(outside, "%s", words[kind]);
    }
}

static const char *find_outside(struct outside outside)
{
    outside.text = "";
    find_names(&outside, &outside.uses->devices, F(devices), "device %s");
    find_kernels(&outside);
    find_names(&outside, &outside.uses->modes, F(modes), "sharing mode %s");
    find_names(&outside, &outside.uses->contention, F(contention), "contention model %s");
    return outside.text;
}

struct saying {
    struct sms__trust *trust;
    const struct sms_scenario *scenario;
    const char *metric;
    struct sms__trust_names *lines;
    size_t policy;
    struct sms__trust_line *line;
};

static void say_none(struct sms__trust *trust, const char *metric, struct sms__trust_names *lines)
{
    say(trust, lines, sms__print(&trust->arena, "no measurement covers %s", sms__metric_words(metric)));
}

static int say_body(void *user)
{
    struct saying *saying = user;
    struct sms__trust *trust = saying->trust;
    struct uses uses = uses_of(&trust->arena, saying->scenario, saying->metric);
    for (size_t s = 0; s < trust->sets; s++)
        if (covers(&trust->set[s], &uses))
            say_set(trust, &trust->set[s], saying->lines);
    bool covered = saying->lines->count > 0;
    if (!covered)
        say_none(trust, saying->metric, saying->lines);
    const char *outside = find_outside((struct outside){trust, &uses, trust->set, trust->sets, covered, ""});
    if (*outside)
        say(trust, saying->lines,
            sms__print(&trust->arena, "%s: %s", covered ? "these data do not cover" : "no measurement covers",
                       outside));
    return SMS_OK;
}

int sms__trust_say(struct sms__trust *trust, const struct sms_scenario *scenario, const char *metric,
                   struct sms__trust_names *lines)
{
    *lines = (struct sms__trust_names){0};
    return sms__guard(&trust->arena, say_body, &(struct saying){trust, scenario, metric, lines, 0, NULL});
}

/* ---- in one line ---- */

enum { SETS_NAMED = 2 };

/* The modes of the scenario that no data set bears on, as " under mig, mps"; "" where modes do not matter. */
static const char *modes_without(struct sms__trust *trust, const struct uses *uses)
{
    const char *text = "";
    for (size_t m = 0; m < uses->modes.count; m++) {
        struct uses one = *uses;
        bool covered = false;
        one.modes = (struct sms__trust_names){&uses->modes.name[m], 1};
        for (size_t s = 0; s < trust->sets; s++)
            covered |= covers(&trust->set[s], &one);
        if (!covered)
            text = sms__print(&trust->arena, "%s%s%s", text, *text ? ", " : " under ", uses->modes.name[m]);
    }
    return text;
}

/* The worst data set counts, among those that bear on the policy's own mode. */
static double within(struct sms__trust *trust, struct uses uses, const struct sms__mode *mode)
{
    double most = NAN;
    if (mode) {
        uses.modes = (struct sms__trust_names){NULL, 0};
        add_modes(&trust->arena, mode, &uses.modes);
    }
    for (size_t s = 0; s < trust->sets; s++)
        if (covers(&trust->set[s], &uses) && trust->set[s].p90)
            most = fmax(most, strtod(trust->set[s].p90, NULL) / 100);
    return most;
}

static int line_body(void *user)
{
    struct saying *saying = user;
    struct sms__trust *trust = saying->trust;
    struct sms__arena *arena = &trust->arena;
    const struct sms_scenario *scenario = saying->scenario;
    const struct uses uses = uses_of(arena, scenario, saying->metric);
    const char *text = "";
    size_t count = 0;
    for (size_t s = 0; s < trust->sets; s++) {
        const struct sms__trust_set *set = &trust->set[s];
        if (covers(set, &uses) && ++count <= SETS_NAMED)
            text = sms__print(arena, "%s%s%s (%s): median error %s of %s held-back values", text, *text ? "; " : "",
                              set->title, set->gpu, set->median, set->values);
    }
    if (count > SETS_NAMED)
        text = sms__print(arena, "%s; and %zu more", text, count - SETS_NAMED);
    if (!count || *modes_without(trust, &uses))
        text = sms__print(arena, "%s%sno measurement covers %s%s", text, count ? "; " : "",
                          sms__metric_words(saying->metric), count ? modes_without(trust, &uses) : "");
    saying->line->text = text;
    saying->line->within =
        within(trust, uses, scenario->shares && uses.modes.count ? &scenario->policy[saying->policy].mode : NULL);
    return SMS_OK;
}

int sms__trust_line(struct sms__trust *trust, const struct sms_scenario *scenario, const char *metric, size_t policy,
                    struct sms__trust_line *line)
{
    *line = (struct sms__trust_line){"", NAN};
    return sms__guard(&trust->arena, line_body, &(struct saying){trust, scenario, metric, NULL, policy, line});
}

/* ---- the nearest ---- */

/* How near a data set is to a scenario: 4 for its sharing mode, 2 for its device, 1 for kernels given as there. */
static int nearness(const struct sms__trust_set *set, const struct uses *uses)
{
    return 4 * meets(&set->modes, &uses->modes) + 2 * meets(&set->devices, &uses->devices) +
           uses->kernels[set->kernels];
}

static int nearest_body(void *user)
{
    struct saying *saying = user;
    struct sms__trust *trust = saying->trust;
    const struct uses uses = uses_of(&trust->arena, saying->scenario, saying->metric);
    const struct sms__trust_set *best = NULL;
    for (size_t s = 0; s < trust->sets; s++)
        if (nearness(&trust->set[s], &uses) >= 4 && (!best || nearness(&trust->set[s], &uses) > nearness(best, &uses)))
            best = &trust->set[s];
    if (!best)
        return SMS_OK;
    const char *outside = find_outside((struct outside){trust, &uses, best, 1, false, ""});
    saying->line->text = sms__print(&trust->arena, "%s (%s), %s: median error %s, 90 %% of values within %s%s%s",
                                    best->title, best->gpu, sms__metric_words(best->metric), best->median,
                                    known(best->p90), *outside ? "; it did not cover " : "", outside);
    return SMS_OK;
}

int sms__trust_nearest(struct sms__trust *trust, const struct sms_scenario *scenario, struct sms__trust_line *line)
{
    *line = (struct sms__trust_line){"", NAN};
    return sms__guard(&trust->arena, nearest_body, &(struct saying){trust, scenario, "", NULL, 0, line});
}
