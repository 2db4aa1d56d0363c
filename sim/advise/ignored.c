/* What of a scenario's file does not count for advice. A key counts if it is in a table here; all others are named,
 * so that a key that is new is, too. */
#include "advise.h"

#include <string.h>

/* Keys that count, [up to one without a name], and those inside of them, or NULL: all that is there. */
struct counted {
    const char *key;
    const struct counted *inside;
};

static const struct counted in_stream[] = {{"workload", NULL}, {"count", NULL}, {NULL, NULL}};

/* A deadline and arrivals have lines of their own, because options say them. A list to draw from has one workload. */
static const struct counted in_tenant[] = {{"name", NULL},         {"workload", NULL}, {"count", NULL},
                                           {"streams", in_stream}, {"arrivals", NULL}, {"deadline", NULL},
                                           {"draw", NULL},         {NULL, NULL}};

/* --device says which. */
static const struct counted in_device[] = {{"model", NULL}, {NULL, NULL}};

/* Advice has policies, runs and answers of its own. */
static const struct counted in_scenario[] = {{"scenario", NULL}, {"question", NULL},       {"plugins", NULL},
                                             {"policies", NULL}, {"alone", NULL},          {"answer", NULL},
                                             {"run", NULL},      {"expect", NULL},         {"devices", in_device},
                                             {"vms", in_tenant}, {"processes", in_tenant}, {NULL, NULL}};

struct naming {
    FILE *to;
    const char *before;
};

/* Jobs of a program follow each other for ever, unless they arrive. */
static bool says_forever(const struct sms__node *key, const struct sms__node *value)
{
    return !strcmp(key->text, "repeat") && value->kind == SMS__SCALAR && !strcmp(value->text, "forever");
}

static void name_key(struct naming *naming, const struct sms__node *key, const char *name)
{
    fprintf(naming->to, "%s%s:%u:%u: %s", naming->before, key->mark.file, key->mark.line, key->mark.column, name);
    naming->before = ", ";
}

/* Names keys of a map, or of the maps of a list, that are not in the table. `of`: what they are keys of. */
static void name_ignored(struct naming *naming, const struct sms__node *node, const struct counted *counted,
                         const char *of)
{
    const struct sms__node *name = node->kind == SMS__MAP ? sms__node_get(node, "name") : NULL;
    char inner[250];
    of = name ? name->text : of;
    for (size_t i = 0; i < node->items && node->kind == SMS__LIST; i++)
        name_ignored(naming, node->item[i], counted, of);
    for (size_t i = 0; i + 1 < node->items && node->kind == SMS__MAP; i += 2) {
        const struct sms__node *key = node->item[i], *value = node->item[i + 1];
        const struct counted *found = counted;
        while (found->key && strcmp(found->key, key->text) != 0)
            found++;
        snprintf(inner, sizeof inner, "%s%s%s", key->text, *of ? " of " : "", of);
        if (found->inside)
            name_ignored(naming, value, found->inside, inner);
        else if (!found->key && !says_forever(key, value))
            name_key(naming, key, inner);
    }
}

static bool is_first_of_file(const struct sms__programs *programs, size_t p)
{
    return p == 0 || programs->program[p - 1].file != programs->program[p].file;
}

static void print_keys(const struct sms__programs *programs, FILE *to)
{
    struct naming naming = {to, "  ignored: "};
    for (size_t p = 0; p < programs->count; p++)
        if (programs->program[p].written && is_first_of_file(programs, p))
            name_ignored(&naming, programs->program[p].written, in_scenario, "");
    fputs(*naming.before == ',' ? "\n" : "", to);
}

void sms__print_ignored(const struct sms__programs *programs, FILE *to)
{
    for (size_t p = 0; p < programs->count; p++) {
        const struct sms__program *program = &programs->program[p];
        const double deadline_ms = program->tenant->deadline_ps / 1e9;
        if (program->file->scenarios > 1 && is_first_of_file(programs, p))
            fprintf(to, "  ignored in %s: scenarios after the first, of %zu\n", program->path,
                    program->file->scenarios);
        if (program->tenant->arrivals != SMS__CLOSED && !(program->per_s > 0))
            fprintf(to, "  ignored in %s: when jobs of %s arrive, because %s; use --load %s:RATE/s\n", program->path,
                    program->name,
                    program->tenant->arrivals == SMS__POISSON ? "the rate is not from 1e-5/s to 1e7/s"
                                                              : "they are not random",
                    program->name);
        if (deadline_ms > 0 && !program->target.metric)
            fprintf(to, "  ignored in %s: the deadline of %s; use --slo '%s:p99<%.6gms'\n", program->path,
                    program->name, program->name, deadline_ms);
    }
    print_keys(programs, to);
}
