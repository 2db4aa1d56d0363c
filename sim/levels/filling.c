/* Progressive filling. A round stops at least the users that can reach least. */
#include "filling.h"

#include <smsched/contention.h>

#include <math.h>

static double demand_of(const struct sms__user *user, size_t p) { return user->demand ? user->demand[p] : 1; }

static void add(const struct sms__user *user, double count)
{
    for (size_t p = 0; p < user->pools; p++)
        if (user->pool[p])
            user->pool[p]->rising += demand_of(user, p) * count;
}

void sms__users_open(struct sms__user *first)
{
    for (struct sms__user *user = first; user; user = user->next) {
        user->rises = true;
        for (size_t p = 0; p < user->pools; p++)
            if (user->pool[p])
                *user->pool[p] = (struct sms__pool){user->pool[p]->capacity, user->pool[p]->capacity, 0};
    }
    for (struct sms__user *user = first; user; user = user->next)
        add(user, user->count);
}

/* Returns how far the user can rise. */
static double reach(const struct sms__user *user, double least)
{
    double level = user->most;
    for (size_t p = 0; p < user->pools; p++) {
        const struct sms__pool *pool = user->pool[p];
        if (pool && pool->capacity > 0 && pool->rising > 0 && demand_of(user, p) > 0)
            level = fmin(level, pool->left / pool->rising);
    }
    return fmax(level, least);
}

/* Finds how far each user can rise, and returns the lowest of these rates; negative if none rises. */
static double find_lowest(struct sms__user *first, double least)
{
    double lowest = -1;
    for (struct sms__user *user = first; user; user = user->next) {
        if (!user->rises)
            continue;
        user->level = reach(user, least);
        lowest = lowest < 0 ? user->level : fmin(lowest, user->level);
    }
    return lowest;
}

static void stop(struct sms__user *user)
{
    *user->rate = user->level;
    user->rises = false;
    for (size_t p = 0; p < user->pools; p++)
        if (user->pool[p])
            user->pool[p]->left = fmax(user->pool[p]->left - demand_of(user, p) * user->count * user->level, 0);
    add(user, -user->count);
}

void sms__users_fill(struct sms__user *first, double least)
{
    for (double lowest; (lowest = find_lowest(first, least)) >= 0;)
        for (struct sms__user *user = first; user; user = user->next)
            if (user->rises && user->level <= lowest * (1 + 1e-12))
                stop(user);
}

/* A resource that is not scarce never stops a user: those that stop at less than 1 leave more to the rest. */
void sms__users_share(struct sms__user *user, size_t users, uint32_t resources)
{
    struct sms__pool pool[SMS_RESOURCES_MAX] = {{0}}, *scarce[SMS_RESOURCES_MAX] = {NULL};
    if (users == 0)
        return;
    for (uint32_t left = resources; left; left &= left - 1) {
        scarce[__builtin_ctz(left)] = &pool[__builtin_ctz(left)];
        pool[__builtin_ctz(left)].capacity = SMS_FULL;
    }
    for (size_t u = 0; u < users; u++) {
        user[u].pool = scarce;
        user[u].pools = SMS_RESOURCES_MAX;
        user[u].next = u + 1 < users ? &user[u + 1] : NULL;
    }
    sms__users_open(user);
    for (size_t r = 0; r < SMS_RESOURCES_MAX; r++)
        scarce[r] = scarce[r] && pool[r].rising > SMS_FULL ? scarce[r] : NULL;
    sms__users_fill(user, SMS_SLOWEST);
}
