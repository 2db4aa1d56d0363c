/* Reads `streams:` of a process: either their number, or a list in which each stream has a workload of its own. */
#include "limits.h"
#include "tenant.h"

#define F(struct_, member) offsetof(struct struct_, member)

/* One item of the list. It may stand for several equal streams. */
struct item {
    const struct sms__node *workload;
    uint64_t count;
    struct sms__process_stream stream;
};

const struct sms__field sms__stream_fields[] = {
    {"workload", SMS__REFERENCE, 0, F(item, workload), .required = true,
     .help = "names the workload that each job of the stream does"},
    {"count", SMS__INTEGER, SMS__COUNT, F(item, count), 1, SMS__STREAMS_MAX,
     .help = "sets the number of such streams; default 1"},
    {"priority", SMS__QUANTITY, SMS__COUNT, F(item, stream.priority), -1e6, 1e6,
     .help = "is added to the priority of the process: blocks of a higher sum go first; default 0"},
    {"repeat", SMS__INTEGER, SMS__COUNT, F(item, stream.repeat), 1, SMS__REPEAT_MAX, .word = "forever",
     .otherwise = "a number of jobs", .help = "sets the number of jobs, or forever; default: as for the process"},
    {"sms", SMS__CUSTOM, SMS__COUNT, F(item, stream.green), 1, SMS__GREEN_MAX, .read = sms__read_green,
     .form = SMS__FORM_SMS,
     .help = "sets the green context of the stream: a number of SMs, or a list such as [0-15, 32]; default: all SMs of "
             "the process"},
    {0}};

const struct sms__table sms__stream_tables[2] = {{"scenario: processes: streams", sms__stream_fields}, {NULL, NULL}};

static struct sms__streams new_streams(struct sms__reader *reader, size_t count, bool listed)
{
    struct sms__streams streams = {.stream = SMS__NEW(reader->arena, struct sms__process_stream, count)};
    streams.node = SMS__NEW(reader->arena, const struct sms__node *, count);
    if (listed)
        streams.workload = SMS__NEW(reader->arena, const struct sms__node *, count);
    return streams;
}

static struct sms__streams some(struct sms__reader *reader, const struct sms__node *node, size_t count, uint64_t repeat)
{
    struct sms__streams streams = new_streams(reader, count, false);
    for (; streams.count < count; streams.count++) {
        streams.stream[streams.count] = (struct sms__process_stream){.repeat = repeat};
        streams.node[streams.count] = node;
    }
    return streams;
}

static void add_item(struct sms__reader *reader, const struct sms__node *node, uint64_t repeat,
                     struct sms__streams *streams)
{
    struct item item = {.count = 1, .stream = {.repeat = repeat}};
    sms__read_fields(reader, node, sms__stream_fields, &item);
    if (streams->count + item.count > SMS__STREAMS_MAX) {
        sms__complain(reader, node, "more than %d streams of a process", SMS__STREAMS_MAX);
        return;
    }
    for (uint64_t i = 0; item.workload && i < item.count; i++) {
        streams->stream[streams->count] = item.stream;
        streams->workload[streams->count] = item.workload;
        streams->node[streams->count++] = node;
    }
}

static struct sms__streams listed(struct sms__reader *reader, const struct sms__node *list, uint64_t repeat)
{
    struct sms__streams streams = new_streams(reader, SMS__STREAMS_MAX, true);
    if (!sms__expect_list(reader, list, SMS__STREAMS_MAX))
        return streams;
    if (list->items == 0)
        sms__complain(reader, list, "streams: the list is empty");
    for (size_t i = 0; i < list->items && reader->errors->count <= SMS_ERRORS_MAX; i++)
        add_item(reader, list->item[i], repeat, &streams);
    return streams;
}

struct sms__streams sms__read_streams(struct sms__reader *reader, const struct sms__node *node, uint64_t repeat)
{
    struct sms__quantity number = {.value = 1};
    if (node && node->kind == SMS__LIST)
        return listed(reader, node, repeat);
    if (node && !sms__read_number(reader, node, SMS__COUNT, 1, SMS__STREAMS_MAX, &number))
        number.value = 1;
    return some(reader, node, (size_t)number.value, repeat);
}

const struct sms__kernel *sms__find_kernel(const struct sms__workload *workload, bool whole)
{
    for (size_t k = 0; k < workload->kernels; k++)
        if (workload->kernel[k].whole == whole)
            return &workload->kernel[k];
    return NULL;
}

void sms__complain_mixed(struct sms__reader *reader, const struct sms__node *node, const char *who,
                         const struct sms__kernel *whole, const char *whole_of, const struct sms__kernel *block,
                         const char *block_of)
{
    sms__complain(reader, node,
                  "%s kernels beside each other that are all given by time or all by blocks; "
                  "'%.60s' of '%.60s' is by time, '%.60s' of '%.60s' by blocks",
                  who, whole->name, whole_of, block->name, block_of);
}

/* Streams that run at once have kernels that are all given by time, or all by blocks. */
static bool is_mixed(struct sms__reader *reader, const struct sms__node *node, const struct sms__workload *a,
                     const struct sms__workload *b)
{
    const struct sms__kernel *whole = sms__find_kernel(a, true), *block = sms__find_kernel(b, false);
    if (whole && block)
        sms__complain_mixed(reader, node, "streams run", whole, a->name, block, b->name);
    return whole && block;
}

/* Each with itself, too: it may be of a workload that others do. */
static bool any_mixed(struct sms__reader *reader, const struct sms__streams *streams, const struct sms__choice *choice)
{
    for (size_t i = 0; i < streams->count; i++)
        for (size_t j = 0; j < streams->count; j++)
            if (is_mixed(reader, streams->node[i], choice[i].workload, choice[j].workload))
                return true;
    return false;
}

static void check_priorities(struct sms__reader *reader, const struct sms__streams *streams,
                             const struct sms__choice *choice)
{
    for (size_t i = 0; i < streams->count; i++) {
        const struct sms__node *priority = sms__node_get(streams->node[i], "priority");
        bool first = i == 0 || streams->node[i] != streams->node[i - 1];
        if (streams->stream[i].priority != 0 && first && sms__find_kernel(choice[i].workload, true))
            sms__complain(reader, priority,
                          "priority is of blocks that wait: '%.60s' has kernels given by time, which do not wait",
                          choice[i].workload->name);
    }
}

void sms__check_streams(struct sms__reader *reader, const struct sms__streams *streams,
                        const struct sms__choice *choice, size_t choices)
{
    bool own = streams->workload != NULL;
    if (streams->count > 1 && own && any_mixed(reader, streams, choice))
        return;
    if (own) {
        check_priorities(reader, streams, choice);
        sms__check_greens(reader, streams, choice);
    }
    for (size_t i = 0; i < choices && streams->count > 1 && !own; i++)
        if (is_mixed(reader, streams->node[0], choice[i].workload, choice[i].workload))
            return;
}
