/* Reads `failures:` of a cluster: nodes and GPUs that fail and return, at times given or drawn. */
#include "../scenario.h"

#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { ENTRIES_MAX = 100000, UNITS_MAX = 1000000 };

/* Less than that, and a run could do nothing but fail. */
#define DRAWN_LEAST_PS 1e9
#define DRAWN_MOST_PS 1e24

struct entry {
    const struct sms__node *of, *gpu;
    struct sms__failure failure;
};

const struct sms__field sms__failure_fields[] = {
    {"node", SMS__REFERENCE, 0, F(entry, of), .help = "a node, or an entry, each node by itself; default: each node"},
    {"gpu", SMS__REFERENCE, 0, F(entry, gpu), .help = "a GPU of it, from 0, or each; default: the node"},
    {"at", SMS__QUANTITY, SMS__TIME, F(entry, failure.at_ps), 0, 1.8e19, .help = "time of the failure"},
    {"for", SMS__QUANTITY, SMS__TIME, F(entry, failure.for_ps), 1, SMS__TIME_MAX_PS,
     .help = "time that it lasts; default: for ever"},
    {"mtbf", SMS__QUANTITY, SMS__TIME, F(entry, failure.mtbf_ps), DRAWN_LEAST_PS, DRAWN_MOST_PS,
     .help = "mean of exponential times to failure, instead of at"},
    {"mttr", SMS__QUANTITY, SMS__TIME, F(entry, failure.mttr_ps), DRAWN_LEAST_PS, DRAWN_MOST_PS,
     .help = "mean of exponential times to return"},
    {0}};

const struct sms__table sms__failure_tables[2] = {{"scenario: failures", sms__failure_fields}, {NULL, NULL}};

struct reading {
    struct sms__reader *reader;
    struct sms__cluster *cluster;
    const struct sms__nodes **named; /* [kinds], by name */
    uint32_t *drawn; /* [nodes]: bit i: the failures of GPU i are drawn already; SMS_NODE_GPUS_MAX: its own */
    double units;
};

static int compare_names(const void *a, const void *b)
{
    const struct sms__nodes *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int compare_text(const void *key, const void *at)
{
    return strcmp(key, (*(const struct sms__nodes *const *)at)->name);
}

static const struct sms__nodes *find(const struct reading *reading, const char *name)
{
    const struct sms__nodes **found =
        bsearch(name, reading->named, reading->cluster->kinds, sizeof(struct sms__nodes *), compare_text);
    return found ? *found : NULL;
}

/* NAME17 of an entry NAME of several. */
static bool find_numbered(const struct reading *reading, const char *name, struct sms__failure *failure)
{
    size_t length = strlen(name);
    for (size_t end = length; end > 1 && end + 7 > length && strchr("0123456789", name[end - 1]); end--) {
        const char *stem = sms__print(reading->reader->arena, "%.*s", (int)end - 1, name);
        const struct sms__nodes *kind = find(reading, stem);
        double number = strtod(name + end - 1, NULL);
        if (!kind || kind->count == 1 || name[end - 1] == '0' || number > (double)kind->count)
            continue;
        failure->first = kind->first + (size_t)number - 1;
        failure->nodes = 1;
        return true;
    }
    return false;
}

static const char *kind_name(const void *user, size_t i) { return ((const struct sms__cluster *)user)->node[i].name; }

static void find_nodes(const struct reading *reading, const struct sms__node *name, struct sms__failure *failure)
{
    const struct sms__cluster *cluster = reading->cluster;
    const struct sms__nodes *kind = name ? find(reading, name->text) : NULL;
    failure->first = kind ? kind->first : 0;
    failure->nodes = kind ? kind->count : cluster->nodes;
    if (name && !kind && !find_numbered(reading, name->text, failure)) {
        sms__complain_unknown(reading->reader, name, "node", cluster->kinds, kind_name, cluster);
        failure->nodes = 0;
    }
}

static long read_gpu(struct sms__reader *reader, const struct sms__node *node)
{
    struct sms__quantity number;
    if (!node)
        return SMS__NO_GPU;
    if (!strcmp(node->text, "each"))
        return SMS__EACH_GPU;
    if (strspn(node->text, "0123456789") != strlen(node->text))
        sms__complain(reader, node, "'%.40s' is neither the number of a GPU nor 'each'", node->text);
    else if (sms__read_number(reader, node, SMS__COUNT, 0, SMS_NODE_GPUS_MAX - 1, &number))
        return (long)number.value;
    return 0;
}

uint32_t sms__units_of(const struct sms__nodes *kind, const struct sms__failure *failure)
{
    if (failure->gpu == SMS__NO_GPU)
        return (uint32_t)1 << SMS_NODE_GPUS_MAX;
    if (failure->gpu == SMS__EACH_GPU)
        return ((uint32_t)1 << kind->gpus) - 1;
    return (uint64_t)failure->gpu < kind->gpus ? (uint32_t)1 << failure->gpu : 0;
}

/* Notes what it lets fail. Returns how many that is; `twice`: some of it had its failures drawn before. */
static double mark_units(struct reading *reading, const struct sms__failure *failure, bool *twice)
{
    double units = 0;
    *twice = false;
    const struct sms__nodes *kind = sms__node_kind(reading->cluster, failure->first);
    for (size_t n = failure->first; n < failure->first + failure->nodes; n++) {
        kind += n == kind->first + kind->count;
        uint32_t bits = sms__units_of(kind, failure);
        units += __builtin_popcount(bits);
        *twice |= failure->mtbf_ps > 0 && (reading->drawn[n] & bits);
        reading->drawn[n] |= failure->mtbf_ps > 0 ? bits : 0;
    }
    return units;
}

static void check_times(struct sms__reader *reader, const struct sms__node *node, const struct entry *entry)
{
    bool at = sms__node_get(node, "at") != NULL, mtbf = sms__node_get(node, "mtbf") != NULL;
    if (at == mtbf)
        sms__complain(reader, node, "a failure has either at or mtbf");
    else if (mtbf != (sms__node_get(node, "mttr") != NULL))
        sms__complain(reader, node, "mtbf and mttr stand together");
    if (mtbf && sms__node_get(node, "for"))
        sms__complain(reader, sms__node_get(node, "for"), "for is of failures at given times");
    if (entry->failure.at_ps + entry->failure.for_ps > 1.8e19)
        sms__complain(reader, node, "it would return beyond the clock's 213 days");
}

static void add_failure(struct reading *reading, const struct sms__node *node)
{
    struct sms__reader *reader = reading->reader;
    struct entry entry = {0};
    bool twice;
    sms__read_fields(reader, node, sms__failure_fields, &entry);
    if (node->kind != SMS__MAP)
        return;
    struct sms__failure *failure = &entry.failure;
    failure->node = node;
    failure->gpu = read_gpu(reader, entry.gpu);
    check_times(reader, node, &entry);
    find_nodes(reading, entry.of, failure);
    double units = mark_units(reading, failure, &twice);
    if (failure->nodes && units == 0)
        sms__complain(reader, entry.gpu ? entry.gpu : node, "there is no such GPU that could fail");
    if (twice)
        sms__complain(reader, node, "of some of them an entry before draws the failures");
    failure->units = units;
    reading->units += units;
    reading->cluster->failure[reading->cluster->failures++] = *failure;
}

void sms__read_failures(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__cluster *cluster = ((struct sms_scenario *)at)->cluster;
    struct reading reading = {.reader = reader, .cluster = cluster};
    if (!sms__expect_list(reader, node, ENTRIES_MAX) || cluster->nodes == 0 || cluster->nodes > UNITS_MAX)
        return;
    cluster->failure = SMS__NEW(reader->arena, struct sms__failure, node->items);
    reading.drawn = SMS__NEW(reader->arena, uint32_t, cluster->nodes);
    reading.named = SMS__NEW(reader->arena, const struct sms__nodes *, cluster->kinds);
    for (size_t k = 0; k < cluster->kinds; k++)
        reading.named[k] = &cluster->node[k];
    if (cluster->kinds > 1)
        qsort(reading.named, cluster->kinds, sizeof(struct sms__nodes *), compare_names);
    bool few = true;
    for (size_t i = 0; i < node->items && few && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        add_failure(&reading, node->item[i]);
        few = reading.units <= UNITS_MAX;
    }
    if (!few)
        sms__complain(reader, node, "more than %d failures of nodes and GPUs", UNITS_MAX);
    cluster->failing = reading.units;
}
