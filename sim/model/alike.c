/* What results would call the same: streams are PROCESS/NUMBER in them, and names may hold slashes. */
#include "scenario.h"
#include "tenant.h"

#include <stdlib.h>
#include <string.h>

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

void sms__check_alike(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms && scenario->shares; v++) {
        const struct sms__vm *process = &scenario->vm[v];
        for (size_t w = 0; w < scenario->vms && strchr(process->name, '/'); w++)
            if (is_stream(process, &scenario->vm[w]) && reader->errors->count <= SMS_ERRORS_MAX)
                sms__complain(reader, process->node, "process '%.60s' is also a stream of '%.60s'", process->name,
                              scenario->vm[w].name);
    }
}
