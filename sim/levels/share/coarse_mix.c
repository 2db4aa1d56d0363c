/* A table of mixes. Their order counts, because sums are rounded. */
#include "coarse_mix.h"

#include "../../base/hash.h"

enum { SLOTS = 256, KERNELS_MOST = 4, WORDS_OF_CONTEXT = 3, WORDS_OF_KERNEL = 4 };

struct key {
    uint64_t hash; /* of the kernels */
    size_t words;  /* 0: of no mix */
    uint64_t word[WORDS_OF_CONTEXT + KERNELS_MOST * WORDS_OF_KERNEL];
};

struct sms__mix {
    struct key key;
    double rate[KERNELS_MOST], present[KERNELS_MOST], power_w;
    uint64_t excess[SMS_RESOURCES_MAX], active;
};

struct sms__mixes {
    bool is_off;
    struct sms__arena *arena;
    struct sms__mix *slot; /* [SLOTS]; a mix displaces another that has the same slot; NULL until needed */
};

struct sms__mixes *sms__mixes_new(struct sms__arena *arena, bool is_off)
{
    struct sms__mixes *mixes = SMS__NEW(arena, struct sms__mixes, 1);
    *mixes = (struct sms__mixes){.is_off = is_off, .arena = arena};
    return mixes;
}

static void add_word(struct key *key, uint64_t word) { key->word[key->words++] = word; }

static void add_number(struct key *key, double number)
{
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    add_word(key, word);
}

/* A footprint on a part of the SMs is written anew when the part changes, so that its address says nothing. What the
 * kernel is on the whole device follows from `of` and the context's device. */
static void add_kernel(struct key *key, const struct sms__coarse_kernel *kernel, bool waits)
{
    const struct sms__footprint *fit = kernel->fit;
    const uintptr_t of = (uintptr_t)(fit->of ? fit->of : fit);
    key->hash = sms__hash(key->hash, of + fit->sms);
    add_word(key, of);
    add_word(key, fit->sms);
    add_number(key, kernel->active);
    if (waits)
        add_word(key, kernel->process);
}

/* All that rates, power and use depend on. */
static void write_key(struct key *key, const struct sms__coarse_kernels *kernels)
{
    const struct sms__rater *rater = &kernels->rater;
    key->hash = key->words = 0;
    add_word(key, (uintptr_t)kernels->type);
    add_number(key, rater->launch_wait_ps);
    add_number(key, rater->other_w);
    for (const struct sms__flow *flow = kernels->fluid.first; flow; flow = flow->next)
        add_kernel(key, (const struct sms__coarse_kernel *)flow, rater->launch_wait_ps > 0);
}

static struct sms__mix *slot_of(const struct sms__mixes *mixes, const struct key *key)
{
    return &mixes->slot[key->hash % SLOTS];
}

static bool is_same(const struct key *a, const struct key *b)
{
    return a->words == b->words && memcmp(a->word, b->word, a->words * sizeof *a->word) == 0;
}

bool sms__mix_take(struct sms__mixes *mixes, struct sms__coarse_kernels *kernels)
{
    struct key key;
    size_t i = 0;
    if (!mixes->slot || kernels->fluid.count > KERNELS_MOST)
        return false;
    write_key(&key, kernels);
    const struct sms__mix *mix = slot_of(mixes, &key);
    if (!is_same(&mix->key, &key))
        return false;
    for (struct sms__flow *flow = kernels->fluid.first; flow; flow = flow->next) {
        flow->rate = mix->rate[i];
        ((struct sms__coarse_kernel *)flow)->present = mix->present[i++];
    }
    memcpy(kernels->excess, mix->excess, sizeof mix->excess);
    kernels->active = mix->active;
    kernels->rater.power_w = mix->power_w;
    return true;
}

void sms__mix_keep(struct sms__mixes *mixes, const struct sms__coarse_kernels *kernels)
{
    struct key key;
    size_t i = 0;
    if (mixes->is_off || kernels->fluid.count > KERNELS_MOST)
        return;
    if (!mixes->slot)
        mixes->slot = SMS__NEW(mixes->arena, struct sms__mix, SLOTS);
    write_key(&key, kernels);
    struct sms__mix *mix = slot_of(mixes, &key);
    mix->key = key;
    for (const struct sms__flow *flow = kernels->fluid.first; flow; flow = flow->next) {
        mix->rate[i] = flow->rate;
        mix->present[i++] = ((const struct sms__coarse_kernel *)flow)->present;
    }
    memcpy(mix->excess, kernels->excess, sizeof mix->excess);
    mix->active = kernels->active;
    mix->power_w = kernels->rater.power_w;
}
