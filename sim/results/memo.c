/* A table of finished runs in two halves. New runs go to the young half; when that is full, the old half is emptied and
 * becomes the young one. Invariant: a run that is not finished has a thread that simulates it and will call
 * sms__memo_put. The memory is not that of malloc: what is kept among the memory of runs would keep it from being
 * returned to the system. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "memo.h"

#include "../base/hash.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HALF_BYTES = 128 * 1024 * 1024, ALL_BYTES = 2 * HALF_BYTES, CHAINS = 65536 };

struct kept_run {
    struct kept_run *next; /* of its chain */
    const char *key;
    size_t size;
    bool finished;
    char bytes[]; /* `size` of them; then the key */
};

struct half {
    struct kept_run **chain; /* [CHAINS]; the runs are behind it */
    size_t used, unfinished;
};

struct sms__memo {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct half half[2];
    int young;
    struct sms__memo_count count;
};

static size_t chain_of(const char *key) { return sms__hash_text(0, key, strlen(key)) % CHAINS; }

/* Returns the place of the pointer to the run, and the half in which it is; or NULL. */
static struct kept_run **find(struct sms__memo *memo, const char *key, struct half **half)
{
    for (*half = memo->half; *half < memo->half + 2; ++*half) {
        struct kept_run **run = &(*half)->chain[chain_of(key)];
        while (*run && strcmp((*run)->key, key) != 0)
            run = &(*run)->next;
        if (*run)
            return run;
    }
    return NULL;
}

/* Empties the older half if the younger one is full. */
static struct half *half_with_room(struct sms__memo *memo, size_t size)
{
    struct half *young = &memo->half[memo->young], *old = &memo->half[!memo->young];
    if (young->used + size <= HALF_BYTES)
        return young;
    if (old->unfinished)
        return NULL;
    memset(old->chain, 0, CHAINS * sizeof *old->chain);
    old->used = CHAINS * sizeof *old->chain;
    memo->young = !memo->young;
    return old->used + size <= HALF_BYTES ? old : NULL;
}

/* Without room, another thread simulates the same. */
static void add(struct sms__memo *memo, const char *key, size_t size)
{
    size_t length = strlen(key) + 1, all = sizeof(struct kept_run) + size + length;
    size_t chain = chain_of(key);
    all += alignof(struct kept_run) - all % alignof(struct kept_run);
    struct half *half = half_with_room(memo, all);
    if (!half)
        return;
    struct kept_run *run = (struct kept_run *)(void *)((char *)half->chain + half->used);
    *run = (struct kept_run){.next = half->chain[chain], .size = size};
    run->key = memcpy(run->bytes + size, key, length);
    half->chain[chain] = run;
    half->used += all;
    half->unfinished++;
}

bool sms__memo_take(struct sms__memo *memo, const char *key, void *out, size_t size)
{
    struct half *half;
    pthread_mutex_lock(&memo->lock);
    struct kept_run **run = find(memo, key, &half);
    for (; run && !(*run)->finished; run = find(memo, key, &half))
        pthread_cond_wait(&memo->changed, &memo->lock);
    if (run)
        memcpy(out, (*run)->bytes, size);
    else
        add(memo, key, size);
    memo->count.shared += run != NULL;
    memo->count.simulated += run == NULL;
    pthread_mutex_unlock(&memo->lock);
    return run;
}

void sms__memo_put(struct sms__memo *memo, const char *key, const void *left)
{
    struct half *half;
    pthread_mutex_lock(&memo->lock);
    struct kept_run **run = find(memo, key, &half);
    if (run && !(*run)->finished) {
        half->unfinished--;
        (*run)->finished = left;
        if (left)
            memcpy((*run)->bytes, left, (*run)->size);
        else
            *run = (*run)->next;
    }
    pthread_cond_broadcast(&memo->changed);
    pthread_mutex_unlock(&memo->lock);
}

struct sms__memo_count sms__memo_count(struct sms__memo *memo)
{
    pthread_mutex_lock(&memo->lock);
    struct sms__memo_count count = memo->count;
    pthread_mutex_unlock(&memo->lock);
    return count;
}

struct sms__memo *sms__memo_new(void)
{
    struct sms__memo *memo = calloc(1, sizeof *memo);
    char *bytes = mmap(NULL, ALL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!memo || bytes == MAP_FAILED) {
        free(memo);
        if (bytes != MAP_FAILED)
            munmap(bytes, ALL_BYTES);
        return NULL;
    }
    for (size_t i = 0; i < 2; i++)
        memo->half[i] = (struct half){.chain = (struct kept_run **)(void *)(bytes + i * HALF_BYTES),
                                      .used = CHAINS * sizeof(struct kept_run *)};
    pthread_mutex_init(&memo->lock, NULL);
    pthread_cond_init(&memo->changed, NULL);
    return memo;
}

void sms__memo_free(struct sms__memo *memo)
{
    if (!memo)
        return;
    munmap(memo->half[0].chain, ALL_BYTES);
    pthread_cond_destroy(&memo->changed);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}
