/* Which SM takes the next block of a kernel. An SM that refused a kind of block
 * is not asked again until a block has left it: a policy's no may not turn into
 * a yes by more usage (smsched/policy.h). */
#include "block.h"

int sms__verdict(const struct sms__blocks *device, size_t sm, const struct sms__fit *fit)
{
    const struct sms__sm_state *state = &device->sm[sm];
    const uint64_t *capacity = device->model->view.capacity;
    double patched[SMS_RESOURCES_MAX];
    for (int l = 0; l < SMS_LIMITS; l++)
        if (state->used[l] + fit->needs[l] > capacity[l])
            return SMS__REFUSED_BY_LIMIT + l;
    int refusing = fit->hard ? sms__hard_refuses(device->model, fit, state->usage) : -1;
    if (refusing >= 0 || !device->policy->policy->admits)
        return refusing >= 0 ? refusing : SMS__ALLOWED;
    struct sms_sm_view view = {sm, sms__seen_usage(state, patched), state->used};
    struct sms_block_request request = {fit->adds, fit->needs};
    return device->policy->policy->admits(device->policy->param, &device->model->view, &view, &request);
}

/* Asks the SM; remembers a no, unless it is for a resource of the whole device,
 * of which a block that leaves any SM frees some. */
static bool ask(struct sms__blocks *device, const struct sms__launch *launch, size_t sm)
{
    int verdict = sms__verdict(device, sm, launch->fit);
    if (verdict == SMS__ALLOWED)
        return true;
    bool remember = verdict >= SMS__REFUSED_BY_LIMIT || device->model->resource[verdict].scope == SMS_SCOPE_SM;
    if (remember)
        device->candidate[launch->kind * device->words + sm / 64] &= ~((uint64_t)1 << (sm % 64));
    return false;
}

/* The first SM in [from, to) that says yes, or -1. */
static long first_of(struct sms__blocks *device, const struct sms__launch *launch, size_t from, size_t to)
{
    const uint64_t *row = &device->candidate[launch->kind * device->words];
    size_t word = from / 64;
    uint64_t bits = from < to ? row[word] & (~(uint64_t)0 << (from % 64)) : 0;
    while (word * 64 < to) {
        for (; bits; bits &= bits - 1) {
            size_t sm = word * 64 + (size_t)__builtin_ctzll(bits);
            if (sm >= to)
                return -1;
            if (ask(device, launch, sm))
                return (long)sm;
        }
        bits = ++word < device->words ? row[word] : 0;
    }
    return -1;
}

static long search_ring(struct sms__blocks *device, const struct sms__launch *launch)
{
    long sm = first_of(device, launch, device->ring, device->sms);
    if (sm < 0)
        sm = first_of(device, launch, 0, device->ring);
    if (sm >= 0)
        device->ring = (size_t)sm + (device->policy->policy->search == SMS_SEARCH_RING);
    if (device->ring == device->sms)
        device->ring = 0;
    return sm;
}

static double score(const struct sms__blocks *device, const struct sms__launch *launch, size_t sm)
{
    double patched[SMS_RESOURCES_MAX];
    const struct sms__sm_state *state = &device->sm[sm];
    struct sms_sm_view view = {sm, sms__seen_usage(state, patched), state->used};
    struct sms_block_request request = {launch->fit->adds, launch->fit->needs};
    return device->policy->policy->score(device->policy->param, &device->model->view, &view, &request);
}

static long search_best(struct sms__blocks *device, const struct sms__launch *launch)
{
    long best = -1;
    double highest = 0;
    for (long sm = first_of(device, launch, 0, device->sms); sm >= 0;
         sm = first_of(device, launch, (size_t)sm + 1, device->sms)) {
        double own = score(device, launch, (size_t)sm);
        if (best >= 0 && own <= highest)
            continue;
        best = sm;
        highest = own;
    }
    return best;
}

long sms__search(struct sms__blocks *device, struct sms__launch *launch)
{
    if (launch->refused_at == device->leaves + 1)
        return -1;
    long sm =
        device->policy->policy->search == SMS_SEARCH_BEST ? search_best(device, launch) : search_ring(device, launch);
    if (sm < 0)
        launch->refused_at = device->leaves + 1;
    return sm;
}
