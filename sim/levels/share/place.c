#include "share.h"

#include <string.h>

static const struct sms__mode *mode_of(const struct sms_share *share) { return &share->use->mode; }

static void init_units(struct sms__place *place)
{
    struct sms_share *share = place->share;
    bool sliced = sms__is_sliced(share);
    place->units = sliced ? place->clients_most : 1;
    place->view = sms__contention_view(share->arena, share->scenario, place->model);
    place->unit = SMS__NEW(share->arena, struct sms__unit, place->units);
    for (size_t u = 0; u < place->units; u++)
        sms__unit_init(&place->unit[u], share, place, sliced ? &share->client[place->first_client + u] : NULL);
    if (sliced)
        sms__slicer_init(place);
}

/* The records of slots are their own. */
static void init_board(struct sms_share *share, size_t b)
{
    const struct sms__device *model = share->scenario->device[share->setup.model[b]];
    struct sms__record *record = share->spec->record;
    bool own = share->setup.slots > 0;
    share->board[b] = (struct sms__board){
        .model = model,
        .in = {.capacity = model->link_bandwidth / 1e12},
        .out = {.capacity = model->link_bandwidth / 1e12, .spread = model->copy_out_spread},
        .record = own ? SMS__NEW(share->arena, struct sms__shared_record, 1) : &record->shared[b],
        .blocks = own ? SMS__NEW(share->arena, struct sms__device_record, 1) : &record->device[b],
    };
}

static size_t first_sm_of(const struct sms_share *share, size_t board)
{
    size_t sms = share->setup.first_sm;
    for (size_t b = 0; b < board; b++)
        sms += share->board[b].model->sms;
    return sms;
}

/* `fit`: of the scenario's devices, or of the policy's instances. */
static void init_place(struct sms_share *share, size_t p, size_t board, size_t fit)
{
    const struct sms__instances *instances = share->use->instances;
    struct sms__place *place = &share->place[p];
    place->share = share;
    place->idx = p;
    place->model = instances ? instances->device[fit] : share->board[board].model;
    place->board = board;
    place->fit = fit;
    place->first_sm = first_sm_of(share, board);
    place->first_client = board * share->setup.slots;
    place->clients_most = share->setup.slots ? share->setup.slots : share->clients;
    init_units(place);
}

size_t sms__places_each(const struct sms__setup *setup)
{
    const struct sms__instances *instances = setup->spec->policy->instances;
    return instances ? instances->count / setup->spec->scenario->devices : 1;
}

void sms__places_init(struct sms_share *share)
{
    size_t each = sms__places_each(&share->setup);
    share->board = SMS__NEW(share->arena, struct sms__board, share->boards);
    share->place = SMS__NEW(share->arena, struct sms__place, share->places);
    for (size_t b = 0; b < share->boards; b++)
        init_board(share, b);
    for (size_t p = 0; p < share->places; p++) {
        size_t b = p / each;
        init_place(share, p, b, share->setup.model[b] * each + p % each);
    }
}

struct sms__unit *sms__place_unit(struct sms__place *place, const struct sms__client *client)
{
    return &place->unit[sms__is_sliced(place->share) ? client->idx - place->first_client : 0];
}

const struct sms__fit *sms__place_fits(const struct sms__place *place, size_t vm)
{
    const struct sms__instances *instances = place->share->use->instances;
    return instances ? instances->fit[vm][place->fit] : place->share->setup.vm[vm].fit[place->fit];
}

const struct sms__fit *sms__place_fit(const struct sms__place *place, const struct sms__client *client, size_t kernel)
{
    size_t k = client->first_kernel + kernel;
    if (client->leader->limited && client->place == place && client->workload->kernel[kernel].whole)
        return &client->leader->capped[k];
    return &sms__place_fits(place, client->number)[k];
}

double sms__place_kernel_ps(const struct sms__place *place, const struct sms__client *client, size_t kernel)
{
    const struct sms__fit *fit = sms__place_fit(place, client, kernel);
    const struct sms__kernel *of = &client->workload->kernel[kernel];
    const struct sms__client *leader = client->leader;
    bool limited = leader->limited && client->place == place;
    double slots = (double)fit->per_sm * (double)(limited ? leader->sms : place->model->sms);
    if (of->whole || slots <= 0)
        return fit->work_ps;
    uint64_t waves = (uint64_t)((double)of->blocks / slots);
    return fit->work_ps * (double)(waves + ((double)waves * slots < (double)of->blocks));
}

bool sms__place_allows(const struct sms__place *place, const struct sms__client *client)
{
    return client->only < 0 || (size_t)client->only == place->board;
}

/* By the mode, by what excludes others, by memory for the context, by where the process may be at all. */
bool sms__place_admits(const struct sms__place *place, const struct sms__client *client)
{
    const struct sms__mode *mode = mode_of(place->share);
    uint64_t most = mode->kind == SMS__MODE_EXCLUSIVE ? 1 : mode->kind == SMS__MODE_MPS ? mode->clients : UINT64_MAX;
    bool alone = place->clients == 0;
    return sms__place_allows(place, client) && place->clients < most && !place->exclusive &&
           (alone || !client->exclusive) && place->model->memory - place->held >= sms__client_context(client);
}

/* Where the fewest processes are; of equal ones, where most memory is free. */
long sms__place_choose(const struct sms_share *share, const struct sms__client *client)
{
    const struct sms__place *best = NULL;
    for (size_t p = 0; p < share->places; p++) {
        const struct sms__place *place = &share->place[p];
        if (!sms__place_admits(place, client))
            continue;
        bool roomier = best && place->clients == best->clients &&
                       place->model->memory - place->held > best->model->memory - best->held;
        if (!best || place->clients < best->clients || roomier)
            best = place;
    }
    return best ? (long)best->idx : SMS_WAIT;
}

/* By the number of processes where the device says what several take, else by the load. */
static double power(const struct sms__device *model, const struct sms__board *board)
{
    double load = board->core < SMS_FULL ? board->core / SMS_FULL : 1;
    if (model->shared_w <= 0)
        return model->idle_w + (model->busy_w - model->idle_w) * load;
    return board->clients == 0 ? model->idle_w : board->clients == 1 ? model->busy_w : model->shared_w;
}

void sms__board_settle(struct sms_share *share, size_t b, uint64_t now)
{
    struct sms__board *board = &share->board[b];
    uint64_t elapsed = now - board->since_ps;
    board->since_ps = now;
    board->record->busy_ps += board->kernels ? elapsed : 0;
    board->record->held_ps += (sms__integral)board->held * elapsed;
    board->record->energy_j += power(board->model, board) * (double)elapsed / 1e12;
}

void sms__place_hold(struct sms__place *place, int64_t bytes, uint64_t now)
{
    struct sms__board *board = &place->share->board[place->board];
    sms__board_settle(place->share, place->board, now);
    place->held += (uint64_t)bytes;
    board->held += (uint64_t)bytes;
    if (board->held > board->record->peak_held)
        board->record->peak_held = board->held;
    if (bytes < 0)
        sms__share_changed(place->share);
}

static void set_place(struct sms__client *leader, struct sms__place *place)
{
    for (struct sms__client *client = leader; client; client = client->next_stream)
        client->place = place;
}

void sms__place_enter(struct sms__place *place, struct sms__client *client, uint64_t now)
{
    sms__board_settle(place->share, place->board, now);
    place->clients++;
    place->share->board[place->board].clients++;
    if (client->exclusive)
        place->exclusive = client;
    set_place(client, place);
    sms__limit_enter(client);
}

void sms__place_leave(struct sms__place *place, struct sms__client *client, uint64_t now)
{
    sms__board_settle(place->share, place->board, now);
    place->clients--;
    place->share->board[place->board].clients--;
    if (place->exclusive == client)
        place->exclusive = NULL;
    sms__limit_leave(client);
    client->left = place;
    set_place(client, NULL);
    sms__share_changed(place->share);
}

void sms__place_kernel(struct sms__place *place, double core, int count, uint64_t now)
{
    struct sms__board *board = &place->share->board[place->board];
    double part = (double)place->model->sms / (double)board->model->sms;
    sms__board_settle(place->share, place->board, now);
    board->kernels += (size_t)count;
    place->core += count * core;
    board->core += count * (double)(uint64_t)(core * part + 0.5); /* whole parts: sums stay exact */
}
