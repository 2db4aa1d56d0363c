/* Under mps a process may be kept to a share of the SMs (active_threads). Block by block, it has SMs of its own
 * choice: those that fewest others have chosen, the first of equal ones. As a whole, a kernel that asks for more of a
 * compute resource than its share runs slower by as much, and so asks for less of everything. */
#include "share.h"

#include <math.h>
#include <string.h>

static const struct sms__device *model_of(const struct sms__client *client) { return client->place->model; }

/* How many SMs it may use; a whole number of granules, and at least one SM. */
static size_t count_sms(const struct sms__client *client)
{
    double granule = (double)client->share->use->mode.granule;
    double granules = client->vm->active_threads * (double)model_of(client)->sms / granule;
    size_t sms = (size_t)(floor(granules + 1e-9) * granule); /* 29 % of 100 are 29 */
    return sms > 0 ? sms : 1;
}

/* SMs that `level` others have chosen, as many as are wanted. */
static void choose_at(struct sms__client *client, uint32_t level, size_t *wanted)
{
    uint32_t *claims = client->place->claims;
    uint64_t *row = client->allowed.row;
    for (size_t s = 0; s < model_of(client)->sms && *wanted; s++) {
        if (claims[s] != level || (row[s / 64] >> (s % 64) & 1))
            continue;
        claims[s]++;
        row[s / 64] |= (uint64_t)1 << (s % 64);
        --*wanted;
    }
}

static void choose_sms(struct sms__client *client)
{
    size_t words = (model_of(client)->sms + 63) / 64, wanted = client->sms;
    memset(client->allowed.row, 0, words * sizeof *client->allowed.row);
    for (uint32_t level = 0; wanted; level++)
        choose_at(client, level, &wanted);
}

static struct sms__fit capped(const struct sms__client *client, struct sms__fit fit)
{
    const struct sms__device *model = model_of(client);
    double part = (double)client->sms / (double)model->sms, slow = 1;
    for (size_t r = 0; r < model->resources; r++)
        if (model->resource[r].cls == SMS_COMPUTE)
            slow = fmax(slow, fit.demand[r] / SMS_FULL / part);
    slow = fmax(slow, fit.room / part);
    fit.room /= slow;
    for (size_t r = 0; r < model->resources; r++)
        fit.adds[r] = fit.demand[r] = nearbyint(fit.demand[r] / slow);
    fit.work_ps *= slow;
    fit.work = (uint64_t)(fmin(fit.work_ps, SMS__TIME_MAX_PS) + 0.5);
    return fit;
}

static void limit_kernels(struct sms__client *leader, const struct sms__client *client)
{
    struct sms__unit *unit = sms__place_unit(client->place, client);
    for (size_t i = 0; i < client->workload->kernels; i++) {
        size_t k = client->first_kernel + i;
        if (client->workload->kernel[i].whole)
            leader->capped[k] = capped(leader, client->vm->fit[client->place->fit][k]);
        else if (unit->in_blocks)
            sms__blocks_update_allowed(&unit->blocks, client->first_kind + k);
    }
}

void sms__limit_enter(struct sms__client *leader)
{
    if (!leader->limited)
        return;
    leader->sms = count_sms(leader);
    choose_sms(leader);
    for (const struct sms__client *client = leader; client; client = client->next_stream)
        limit_kernels(leader, client);
}

void sms__limit_leave(struct sms__client *client)
{
    for (size_t s = 0; client->limited && s < model_of(client)->sms; s++)
        client->place->claims[s] -= client->allowed.row[s / 64] >> (s % 64) & 1;
}

static size_t most_sms(const struct sms_share *share)
{
    size_t most = 0;
    for (size_t p = 0; p < share->places; p++)
        most = share->place[p].model->sms > most ? share->place[p].model->sms : most;
    return most;
}

static bool is_limited(const struct sms__vm *vm) { return vm->active_threads < 1; }

bool sms__limits_any(const struct sms_share *share)
{
    bool any = false;
    for (size_t v = 0; v < share->scenario->vms; v++)
        any |= is_limited(&share->setup.vm[v]) && (share->spec->only_vm < 0 || (size_t)share->spec->only_vm == v);
    return any && share->use->mode.kind == SMS__MODE_MPS;
}

void sms__limit_set(struct sms__client *client) { client->limited = client->share->limited && is_limited(client->vm); }

static size_t most_kernels(const struct sms_share *share)
{
    size_t most = 0;
    for (size_t v = 0; v < share->scenario->vms; v++)
        most = share->setup.vm[v].workload->kernels > most ? share->setup.vm[v].workload->kernels : most;
    return most;
}

static void init_client(struct sms__client *client, size_t words, size_t kernels)
{
    client->allowed.owner = client->idx;
    client->allowed.row = SMS__NEW(client->share->arena, uint64_t, words);
    client->capped = SMS__NEW(client->share->arena, struct sms__fit, kernels);
}

void sms__limits_init(struct sms_share *share)
{
    size_t words = (most_sms(share) + 63) / 64, kernels = most_kernels(share);
    for (size_t c = 0; share->limited && c < share->clients; c++) {
        struct sms__client *client = &share->client[c];
        if (!share->setup.slots && client->running)
            sms__limit_set(client);
        if (share->setup.slots || client->limited)
            init_client(client, words, kernels);
    }
    for (size_t p = 0; share->limited && p < share->places; p++)
        share->place[p].claims = SMS__NEW(share->arena, uint32_t, share->place[p].model->sms);
}

/* Of the kernels of one VM. */
static void allow(const struct sms_share *share, const struct sms__client *client, size_t vm, size_t first_kind,
                  const struct sms__allowed **allowed)
{
    for (size_t k = 0; is_limited(&share->setup.vm[vm]) && k < share->setup.vm[vm].workload->kernels; k++)
        allowed[first_kind + k] = &client->allowed;
}

const struct sms__allowed *const *sms__limits_of(const struct sms_share *share)
{
    const size_t *first = share->spec->record->first_kernel;
    size_t vms = share->scenario->vms;
    if (!share->limited)
        return NULL;
    const struct sms__allowed **allowed = SMS__NEW(share->arena, const struct sms__allowed *, share->kinds);
    for (size_t c = 0; c < share->clients; c++)
        for (size_t v = 0; share->setup.slots && v < vms; v++)
            allow(share, &share->client[c], v, c * first[vms] + first[v], allowed);
    for (size_t c = 0; !share->setup.slots && c < share->clients; c++)
        if (share->client[c].limited)
            allow(share, &share->client[c], c, first[c], allowed);
    return allowed;
}
