/* Reads `plan:` documents. It reports all problems of a plan at once, and a plan that has one is never returned. */
#include "sweep.h"

#include "../model/names.h"
#include "../report/trust.h"

#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { BASES_MAX = 1000, SCENARIOS_MAX = 2000 };

/* Words of `keep`: by enum sms_subject, then the bound, then NULL. */
enum { KEEPABLE = SMS_SUBJECTS + 1 };
static const char *const subjects[KEEPABLE + 1] = {"host",    "vm",   "resource", "kernel", "process", "device",
                                                   "cluster", "node", "class",    "bound",  NULL};

static const struct sms__field plan_fields[] = {
    {"plan", SMS__NAME, 0, F(sms__plan, name), .required = true, .help = "names the plan"},
    {"question", SMS__TEXT, 0, F(sms__plan, question), .help = "states the question that the plan answers"},
    {"base", SMS__CUSTOM, 0, F(sms__plan, bases_node), .read = sms__keep, .form = SMS__FORM_FILES, .least = 1,
     .most = BASES_MAX, .help = "lists files with scenarios, relative to the plan; default: the plan's own file"},
    {"axes", SMS__CUSTOM, 0, F(sms__plan, axes_node), .read = sms__keep, .form = SMS__FORM_AXES,
     .most = SMS__COLUMNS_MAX, .help = "lists the axes along which the plan varies; each entry multiplies the points"},
    {"search", SMS__FIELDS, 0, F(sms__plan, search_node), .read = sms__keep, .fields = sms__search_fields,
     .help =
         "finds, at each point of the axes, how far a value may go until it misses a limit, or which values are best"},
    {"labels", SMS__CUSTOM, 0, F(sms__plan, labels), .read = sms__keep_map, .form = SMS__FORM_LABELS,
     .help = "sets the words of figures and pages for a path of the axes, by PATH"},
    {"policies", SMS__CUSTOM, 0, F(sms__plan, fixed[SMS__PLAN_POLICIES]), .read = sms__keep, .form = SMS__FORM_POLICIES,
     .help = "replaces the policies of the scenarios"},
    {"answer", SMS__FIELDS, 0, F(sms__plan, fixed[SMS__PLAN_ANSWER]), .read = sms__keep, .fields = sms__answer_fields,
     .help = "replaces the answer of the scenarios, which decides which policy is best"},
    {"replications", SMS__INTEGER, SMS__COUNT, F(sms__plan, fixed[SMS__PLAN_REPLICATIONS]), 1, SMS__REPLICATIONS_MAX,
     .read = sms__keep, .help = "replaces the replications of the scenarios"},
    {"until", SMS__CUSTOM, SMS__RATIO, F(sms__plan, fixed[SMS__PLAN_UNTIL]), SMS__PRECISION_LEAST, 1, .read = sms__keep,
     .fields = sms__until_fields, .form = SMS__FORM_NUMBER_OR_FIELDS,
     .help = "replaces the precision of the scenarios"},
    {"seed", SMS__INTEGER, SMS__COUNT, F(sms__plan, seed), 1, 9007199254740992.0,
     .help = "replaces the seed of the scenarios, and seeds random draws of the plan, for which the default is 1"},
    {"keep", SMS__CHOICE, 0, F(sms__plan, keep_node), .read = sms__keep, .choices = subjects, .holds = SMS__MANY,
     .help = "lists which results to keep: host, vm, resource, kernel, process, device, cluster, node, class, bound; "
             "default: all but resource, kernel, node"},
    {0}};

const struct sms__table sms__plan_tables[] = {{"plan", plan_fields},
                                              {"plan: axes: PATH", sms__range_fields},
                                              {"plan: axes: sobol, random", sms__spread_fields},
                                              {"plan: axes: mixes", sms__mix_fields},
                                              {"plan: search", sms__search_fields},
                                              {NULL, NULL}};

static void read_keep(struct sms__reader *reader, struct sms__plan *plan)
{
    plan->keep = 1u << SMS_HOST | 1u << SMS_VM | 1u << SMS_PROCESS | 1u << SMS_DEVICE | 1u << SMS_CLUSTER |
                 1u << SMS_CLASS | SMS__KEEP_BOUND;
    if (!plan->keep_node || !sms__expect_list(reader, plan->keep_node, 100))
        return;
    plan->keep = 0;
    for (size_t i = 0; i < plan->keep_node->items; i++) {
        const int s = sms__read_choice(reader, plan->keep_node->item[i], "subject", subjects);
        plan->keep |= s < 0 ? 0 : 1U << s;
    }
}

/* Lists the scenarios in the base's file. */
static void list_scenarios(struct sms__plan *plan, struct sms__base *base)
{
    const struct sms_file *file = base->library;
    base->scenarios = sms_file_scenarios(file);
    base->scenario = SMS__NEW(&plan->arena, const struct sms__node *, base->scenarios);
    base->name = SMS__NEW(&plan->arena, const char *, base->scenarios);
    for (size_t i = 0; i < base->scenarios; i++) {
        base->scenario[i] = sms_file_scenario(file, i)->node;
        base->name[i] = sms_scenario_name(sms_file_scenario(file, i));
    }
    plan->scenarios += base->scenarios;
}

/* Errors without a line, such as a missing file, are moved to where the plan names the file. */
static void locate_errors(struct sms_errors *errors, const struct sms__node *node)
{
    for (size_t i = 0; node && i < errors->count && i < SMS_ERRORS_MAX; i++) {
        const struct sms_error error = errors->item[i];
        struct sms_errors placed = {0};
        if (error.line)
            continue;
        sms__error(&placed, error.code, node->mark, "%.100s: %.200s", error.file, error.message);
        errors->item[i] = placed.item[0];
    }
}

static void load_base(struct sms__reader *reader, struct sms__plan *plan, const struct sms__node *node,
                      const char *path)
{
    struct sms_errors errors;
    struct sms__base *base = &plan->base[plan->bases];
    *base = (struct sms__base){.path = path, .node = node};
    if (sms_file_load(path, plan->options, &base->library, &errors)) {
        locate_errors(&errors, node);
        sms__add_errors(reader->errors, &errors);
        return;
    }
    plan->bases++;
    list_scenarios(plan, base);
    if (base->scenarios == 0)
        sms__complain(reader, node ? node : plan->node, "'%.100s' has no scenario", path);
}

/* Names of files are relative to the plan's folder. */
static const char *base_path(struct sms__plan *plan, const char *name)
{
    const char *slash = strrchr(plan->path, '/');
    if (name[0] == '/' || !slash)
        return sms__print(&plan->arena, "%s", name);
    return sms__print(&plan->arena, "%.*s/%s", (int)(slash - plan->path), plan->path, name);
}

static void read_bases(struct sms__reader *reader, struct sms__plan *plan)
{
    const struct sms__node *node = plan->bases_node;
    bool list = node && node->kind == SMS__LIST;
    if (list && !sms__expect_list(reader, node, BASES_MAX))
        return;
    plan->base = SMS__NEW(&plan->arena, struct sms__base, list ? node->items : 1);
    if (!node)
        load_base(reader, plan, NULL, plan->path);
    for (size_t i = 0; node && i < (list ? node->items : 1); i++) {
        const struct sms__node *one = list ? node->item[i] : node;
        if (sms__expect_kind(reader, one, SMS__SCALAR))
            load_base(reader, plan, one, base_path(plan, one->text));
    }
    if (list && node->items == 0)
        sms__complain(reader, node, "the list of files is empty");
}

static void check_bases(struct sms__reader *reader, struct sms__plan *plan)
{
    size_t count = 0;
    if (plan->scenarios > SCENARIOS_MAX) {
        sms__complain(reader, plan->node, "more than %d scenarios", SCENARIOS_MAX);
        return;
    }
    struct sms__named *named = SMS__NEW(&plan->arena, struct sms__named, plan->scenarios);
    for (size_t b = 0; b < plan->bases; b++)
        for (size_t i = 0; i < plan->base[b].scenarios; i++)
            named[count++] = (struct sms__named){plan->base[b].name[i],
                                                 plan->base[b].node ? plan->base[b].node : plan->node, 0, false};
    sms__check_names(reader, named, count, "scenario");
}

/* The sweep's folder has the plan's name. */
static void check_name(struct sms__reader *reader, const struct sms__plan *plan)
{
    if (plan->name && (plan->name[0] == '.' || strchr(plan->name, '/')))
        sms__complain(reader, sms__node_get(plan->node, "plan"),
                      "'%.60s' cannot name a folder: it begins with '.' or contains '/'", plan->name);
}

static void count_points(struct sms__reader *reader, struct sms__plan *plan)
{
    double points = (double)plan->scenarios * (double)plan->search.stages;
    bool known = reader->errors->count == 0;
    for (size_t i = 0; i < plan->axes; i++)
        points *= (double)plan->axis[i].count;
    if (points > SMS__POINTS_MAX)
        sms__complain(reader, plan->axes_node ? plan->axes_node : plan->node, "%s%.6g points; a plan has at most %d",
                      known ? "" : "at least ", points, SMS__POINTS_MAX);
    plan->points = points <= SMS__POINTS_MAX ? (uint64_t)points : 0;
}

/* If all bases are other files, nothing uses the other documents of the plan's file. */
static void check_unused_documents(struct sms__reader *reader, const struct sms__plan *plan, const struct sms__doc *doc)
{
    for (size_t i = 0; i < plan->bases; i++)
        if (!plan->base[i].node || !strcmp(plan->base[i].path, plan->path))
            return;
    for (size_t i = 0; plan->bases_node && i < doc->roots; i++)
        if (!sms__node_get(doc->root[i], "plan"))
            sms__complain(reader, doc->root[i], "nothing uses this document: the plan's scenarios come from 'base'");
}

static bool find_plan(struct sms__reader *reader, struct sms__plan *plan, const struct sms__doc *doc)
{
    for (size_t i = 0; i < doc->roots; i++) {
        if (!sms__node_get(doc->root[i], "plan"))
            continue;
        if (plan->node)
            sms__complain(reader, doc->root[i], "a file can have only one plan");
        else
            plan->node = doc->root[i];
    }
    const char *slash = strrchr(doc->path, '/');
    if (!plan->node)
        sms__fail(reader->errors, SMS_EINPUT, doc->path,
                  "has no document with 'plan:'; 'smsched run' runs a scenario, and a plan is a file beside it: "
                  "'{plan: NAME, base: %s, axes: [{run.seed: [1, 2]}]}'",
                  slash ? slash + 1 : doc->path);
    return plan->node != NULL;
}

struct load {
    struct sms__plan *plan;
    struct sms_errors *errors;
};

static int load_plan(void *user)
{
    struct load *load = user;
    struct sms__plan *plan = load->plan;
    struct sms__reader reader = {.arena = &plan->arena, .errors = load->errors};
    struct sms__doc *doc = SMS__NEW(&plan->arena, struct sms__doc, 1);
    int code = sms__doc_load(&plan->arena, plan->path, doc, load->errors);
    if (code)
        return code;
    if (find_plan(&reader, plan, doc)) {
        sms__read_fields(&reader, plan->node, plan_fields, plan);
        plan->fixed[SMS__PLAN_SEED] = sms__node_get(plan->node, "seed");
        read_keep(&reader, plan);
        read_bases(&reader, plan);
        check_name(&reader, plan);
        check_bases(&reader, plan);
        check_unused_documents(&reader, plan, doc);
        sms__read_search(&reader, plan);
        sms__read_axes(&reader, plan);
        sms__check_search(&reader, plan);
        sms__check_labels(&reader, plan);
        count_points(&reader, plan);
        sms__plan_check(plan, load->errors);
        sms__errors_sort(load->errors, plan->path);
    }
    if (load->errors->count == 0)
        return SMS_OK;
    return load->errors->item[0].code ? load->errors->item[0].code : SMS_EINPUT;
}

int sms__plan_load(const char *path, const struct sms_load_options *options, struct sms__plan **out,
                   struct sms_errors *errors)
{
    *out = NULL;
    *errors = (struct sms_errors){0};
    struct sms__plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return sms__fail(errors, SMS_ENOMEM, path, "out of memory");
    plan->path = path;
    plan->options = options;
    plan->seed = 1;
    plan->search.stages = 1;
    struct load load = {plan, errors};
    int code = sms__guard(&plan->arena, load_plan, &load);
    if (code == SMS_ENOMEM && !errors->count)
        sms__fail(errors, code, path, "out of memory");
    if (code == SMS_OK && sms__trust_exists(options))
        code = sms__trust_load(options, &plan->trust, errors);
    if (code)
        sms__plan_free(plan);
    else
        *out = plan;
    return code;
}

const char *sms__plan_asks(const struct sms__plan *plan, const char *key)
{
    const struct sms__node *answer = plan->fixed[SMS__PLAN_ANSWER];
    const struct sms__node *value = answer ? sms__node_get(answer, key) : NULL;
    return value ? value->text : NULL;
}

void sms__plan_free(struct sms__plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->bases; i++)
        sms_file_free(plan->base[i].library);
    sms__trust_free(plan->trust);
    sms__arena_release(&plan->arena);
    free(plan);
}
