/* Paths of changes that lead into a workload, which may be in the library:
 * "workloads.v100/cfd_097k.kernels.0.block_time".
 */
#include "change.h"

#include <string.h>

/* Names may contain dots, so this tries ever longer prefixes of the path. */
static const struct sms__node *find_workload(struct sms__reader *reader, struct sms_file *library,
                                             const struct sms_load_options *options, const char *rest,
                                             const char **name)
{
    const struct sms__node *node[SMS__SOURCE_DOCUMENTS];
    size_t found = 0;
    for (const char *end = rest; *end && !found; end++) {
        end += strcspn(end, ".");
        *name = sms__copy(reader->arena, rest, (size_t)(end - rest));
        found = sms__library_documents(library, options, false, *name, node);
        if (!*end)
            break;
    }
    return found ? node[0] : NULL;
}

const struct sms__node *sms__take_workload(struct sms__reader *reader, struct sms_file *library,
                                           const struct sms_load_options *options, struct sms__change *change,
                                           const char **name)
{
    const struct sms__node *node = find_workload(reader, library, options, change->rest, name);
    const char missing[] = "a path into a workload has the form 'workloads.NAME.FIELD'";
    struct sms__node named = *change->path;
    named.text = sms__copy(reader->arena, change->rest, strcspn(change->rest, "."));
    if (!*change->rest) {
        sms__complain(reader, change->path, "%s", missing);
        return NULL;
    }
    if (!node) {
        sms__find_workload(reader->user, named.text, &named); /* reports the unknown name */
        return NULL;
    }
    change->rest += strlen(*name);
    change->rest += *change->rest == '.';
    if (*change->rest && !sms__path_after(change->rest, "workload"))
        return node;
    sms__complain(reader, change->path, "%s", missing);
    return NULL;
}
