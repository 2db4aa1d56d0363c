/* Whether a file is a plan. */
#include "sweep.h"

#include "../report/memory.h"

struct look {
    struct sms__arena arena;
    const char *path;
};

static int look_for_plan(void *user)
{
    struct look *look = user;
    struct sms__doc doc = {0};
    struct sms_errors errors = {0};
    int code = sms__doc_load(&look->arena, look->path, &doc, &errors);
    for (size_t i = 0; i < doc.roots && code == SMS_OK; i++)
        if (sms__node_get(doc.root[i], "plan"))
            return SMS_OK;
    return code == SMS_ENOMEM ? code : SMS_EINPUT;
}

bool sms__has_plan(const char *path)
{
    struct look look = {.path = path};
    int code = sms__guard(&look.arena, look_for_plan, &look);
    sms__arena_release(&look.arena);
    if (code == SMS_ENOMEM)
        sms__note_memory(NULL);
    return code == SMS_OK;
}
