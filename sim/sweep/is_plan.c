/* Tells whether a file is a plan. It reports no errors: whoever loads the file does. */
#include "sweep.h"

#include "../report/memory.h"

struct search {
    struct sms__arena arena;
    const char *path;
};

static int search_plan(void *user)
{
    struct search *search = user;
    struct sms__doc doc = {0};
    struct sms_errors errors = {0};
    int code = sms__doc_load(&search->arena, search->path, &doc, &errors);
    for (size_t i = 0; i < doc.roots && code == SMS_OK; i++)
        if (sms__node_get(doc.root[i], "plan"))
            return SMS_OK;
    return code == SMS_ENOMEM ? code : SMS_EINPUT;
}

bool sms__is_plan(const char *path)
{
    struct search search = {.path = path};
    int code = sms__guard(&search.arena, search_plan, &search);
    sms__arena_release(&search.arena);
    if (code == SMS_ENOMEM)
        sms__note_memory(NULL);
    return code == SMS_OK;
}
