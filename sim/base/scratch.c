/* The scratch arena shares the guard of the other one, so that either of them leaves the body by the same way. */
#include "scratch.h"

struct use {
    struct sms__arena *arena, scratch;
    int (*body)(void *user, struct sms__arena *scratch);
    void *user;
};

static int use_scratch(void *user)
{
    struct use *use = user;
    use->scratch.most = use->arena->most;
    use->scratch.out_of_memory = use->arena->out_of_memory;
    return use->body(use->user, &use->scratch);
}

int sms__scratch(struct sms__arena *arena, int (*body)(void *user, struct sms__arena *scratch), void *user)
{
    struct use use = {.arena = arena, .body = body, .user = user};
    int code = sms__guard(arena, use_scratch, &use);
    sms__arena_release(&use.scratch);
    return code;
}
