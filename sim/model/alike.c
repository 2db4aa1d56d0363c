/* What results would call the same: kernels are VM/KERNEL in them, streams PROCESS/NUMBER, and names may hold slashes.
 */
#include "scenario.h"
#include "tenant.h"

#include <stdlib.h>
#include <string.h>

/* A kernel's name there, in two parts. */
struct full {
    const char *part[2];
    const struct sms__node *node; /* of its VM */
    size_t order;
};

/* The byte at `at` of the name. */
static unsigned char byte_at(const struct full *name, size_t length, size_t at)
{
    return (unsigned char)(at < length ? name->part[0][at] : at == length ? '/' : name->part[1][at - length - 1]);
}

static int compare(const struct full *x, const struct full *y)
{
    size_t x_length = strlen(x->part[0]), y_length = strlen(y->part[0]);
    for (size_t i = 0;; i++) {
        unsigned char a = byte_at(x, x_length, i), b = byte_at(y, y_length, i);
        if (a != b || a == 0)
            return a - b;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct full *x = a, *y = b;
    int order = compare(x, y);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static bool any_slash(const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++)
        if (strchr(scenario->vm[v].name, '/'))
            return true;
    return false;
}

static void check_kernels(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    size_t count = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        count += scenario->vm[v].workload->kernels;
    struct full *name = SMS__NEW(reader->arena, struct full, count + 1);
    count = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++, count++)
            name[count] = (struct full){
                {scenario->vm[v].name, scenario->vm[v].workload->kernel[k].name}, scenario->vm[v].node, count};
    qsort(name, count, sizeof *name, by_name);
    for (size_t i = 1; i < count && reader->errors->count <= SMS_ERRORS_MAX; i++)
        if (compare(&name[i - 1], &name[i]) == 0)
            sms__complain(reader, name[i].node,
                          "kernel '%.60s' of '%.60s' has the name in results that '%.60s' of '%.60s' has",
                          name[i].part[1], name[i].part[0], name[i - 1].part[1], name[i - 1].part[0]);
}

/* The process is one of the several streams of the other. */
static bool is_stream(const struct sms__vm *process, const struct sms__vm *other)
{
    size_t length = strlen(other->name);
    char *end;
    if (other->streams < 2 || strncmp(process->name, other->name, length) != 0 || process->name[length] != '/')
        return false;
    const char *number = process->name + length + 1;
    unsigned long long stream = strtoull(number, &end, 10);
    return *number >= '1' && *number <= '9' && !*end && stream <= other->streams;
}

static void check_streams(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t w = 0; w < scenario->vms && reader->errors->count <= SMS_ERRORS_MAX; w++)
            if (is_stream(&scenario->vm[v], &scenario->vm[w]))
                sms__complain(reader, scenario->vm[v].node, "process '%.60s' is also a stream of '%.60s'",
                              scenario->vm[v].name, scenario->vm[w].name);
}

void sms__check_alike(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    if (!any_slash(scenario))
        return;
    if (!scenario->drawn) /* else kernels have no rows */
        check_kernels(reader, scenario);
    if (scenario->shares)
        check_streams(reader, scenario);
}
