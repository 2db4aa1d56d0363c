/* Checks the invariants of the block level after every change, if sms_run_options.check is set. It computes usage and
 * counts from the resident blocks and compares them with the stored ones. A violation is a fault of the library or of a
 * plug-in, never of the input: the run ends with SMS_EBUG and a message. */
#include "oracle.h"

#include "../../sim/levels/block/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void report(struct sms__blocks *device, uint64_t now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Stores the first violation and stops the run. */
static void report(struct sms__blocks *device, uint64_t now, const char *format, ...)
{
    char *why = device->setup.run->why;
    va_list args;
    if (*why)
        return;
    int n = snprintf(why, sizeof device->setup.run->why, "at %llu ps, device %zu: ", (unsigned long long)now,
                     device->setup.idx);
    va_start(args, format);
    vsnprintf(why + n, sizeof device->setup.run->why - (size_t)n, format, args);
    va_end(args);
    device->setup.engine->stopped = true;
}

/* The usage of an SM as its background load and its groups add up to. */
struct expected {
    double usage[SMS_RESOURCES_MAX], pressure[SMS_RESOURCES_MAX];
    uint64_t used[SMS_LIMITS];
};

static void add_group(struct expected *expected, const struct sms__block_group *group)
{
    const struct sms__footprint *fit = group->fit;
    for (int r = 0; r < SMS_RESOURCES_MAX; r++) {
        expected->usage[r] += (double)group->blocks * fit->demand[r];
        expected->pressure[r] += (double)group->blocks * fit->pressure[r];
    }
    for (int l = 0; l < SMS_LIMITS; l++)
        expected->used[l] += group->blocks * fit->needs[l];
}

static struct expected sum_usage(const struct sms__sm_state *sm)
{
    struct expected expected = {0};
    sms__add_background(sm->device->setup.model, sm->idx, expected.usage);
    sms__add_background(sm->device->setup.model, sm->idx, expected.pressure);
    for (size_t g = 0; g < sm->groups; g++)
        add_group(&expected, &sm->group[g]);
    return expected;
}

/* A group has as many residents as it counts, sorted by their ends, and no block is overdue. */
static void check_residents(struct sms__sm_state *sm, const struct sms__block_group *group, uint64_t now)
{
    uint64_t blocks = 0;
    double last = 0;
    for (uint16_t i = group->first; i != SMS__NONE; i = sm->resident[i].next) {
        blocks += sm->resident[i].blocks;
        if (i != group->first && sm->resident[i].end < last)
            report(sm->device, now, "SM %u: blocks out of order", sm->idx);
        last = sm->resident[i].end;
    }
    if (blocks != group->blocks || blocks == 0)
        report(sm->device, now, "SM %u: %llu blocks are resident, %u are counted", sm->idx, (unsigned long long)blocks,
               group->blocks);
    if (blocks && sms__group_due(group, sm->resident[group->first].end) < now)
        report(sm->device, now, "SM %u: a block should have left", sm->idx);
    if (!(group->speed > 0 && group->speed <= 1))
        report(sm->device, now, "SM %u: speed %g", sm->idx, group->speed);
}

/* Returns the launch of the group's first block. */
static struct sms__launch *first_launch(const struct sms__sm_state *sm, const struct sms__block_group *group)
{
    return sm->cold[group->first].launch;
}

/* Blocks that came before the SMs of their kernel were changed may be elsewhere. */
static bool has_come(const struct sms__sm_state *sm, const struct sms__block_group *group, uint64_t since)
{
    bool come = false;
    for (uint16_t i = group->first; i != SMS__NONE; i = sm->resident[i].next)
        come |= sm->cold[i].start > since;
    return come;
}

static void check_allowed(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__shape *const *shape = sm->device->search.shape;
    for (size_t g = 0; g < sm->groups; g++)
        if (!sms__may_use(shape[sm->group[g].shape]->allowed, sm->idx) &&
            has_come(sm, &sm->group[g], shape[sm->group[g].shape]->allowed_ps))
            report(sm->device, now, "SM %u: a block of %s, which may not use it", sm->idx,
                   first_launch(sm, &sm->group[g])->vm);
}

/* A shared composition has as many blocks of each shape as the SM's groups. */
static void check_shapes(struct sms__sm_state *sm, uint64_t now)
{
    for (size_t i = 0; sm->device->compositions.shared && i < sm->device->search.shapes; i++) {
        uint32_t blocks = 0;
        for (size_t g = 0; g < sm->groups; g++)
            blocks += sm->group[g].shape == i ? sm->group[g].blocks : 0;
        if (blocks != sm->composition->shape[i].blocks)
            report(sm->device, now, "SM %u: the blocks by shape are not those of its residents", sm->idx);
    }
}

static void check_sm(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    struct expected expected = sum_usage(sm);
    const struct sms__composition *has = sm->composition;
    check_allowed(sm, now);
    check_shapes(sm, now);
    for (size_t g = 0; g < sm->groups; g++)
        check_residents(sm, &sm->group[g], now);
    for (size_t r = 0; r < device->setup.model->resources; r++)
        if (expected.usage[r] != has->usage[r] || expected.pressure[r] != has->pressure[r])
            report(device, now, "SM %u: usage of %s is %.0f parts, its residents' demands add up to %.0f", sm->idx,
                   device->setup.model->resource[r].name, has->usage[r], expected.usage[r]);
    for (int l = 0; l < SMS_LIMITS; l++)
        if (expected.used[l] != has->used[l] || has->used[l] > device->setup.model->view.capacity[l])
            report(device, now, "SM %u: %s: %llu used, the residents need %llu of %llu", sm->idx, sms__limit_names[l],
                   (unsigned long long)has->used[l], (unsigned long long)expected.used[l],
                   (unsigned long long)device->setup.model->view.capacity[l]);
}

static double speed_of(const struct sms__block_group *group)
{
    return group->clock ? group->clock->speed : group->speed;
}

/* What the SM's blocks get of a resource: the sum of demand x speed. 1 is all that an SM has. */
static double delivered(const struct sms__sm_state *sm, size_t r)
{
    double sum = 0;
    for (size_t g = 0; g < sm->groups; g++) {
        const struct sms__block_group *group = &sm->group[g];
        sum += (double)group->blocks * group->fit->pressure[r] / SMS_FULL * speed_of(group);
    }
    return sum;
}

/* No resource delivers more than its model allows, up to rounding. */
static void check_delivery(struct sms__blocks *device, size_t r, double sum, double usage, double background,
                           uint64_t now)
{
    const struct sms_contention *model = device->setup.contention;
    double most = (usage - background) / SMS_FULL;
    if (!model->delivers || most <= 0)
        return;
    double limit = model->delivers(&device->setup.contention_view, r, background / SMS_FULL, most);
    if (!(sum <= limit * (1 + 1e-9)))
        report(device, now, "%s delivers %.12g of an SM's, 'delivers' of contention model '%s' says at most %.12g",
               device->setup.model->resource[r].name, sum, model->name, isnan(limit) ? NAN : limit);
}

static void check_deliveries(struct sms__blocks *device, uint64_t now)
{
    for (size_t r = 0; r < device->setup.model->resources; r++) {
        bool device_scope = device->setup.model->resource[r].scope == SMS_SCOPE_DEVICE;
        double sum = 0, usage = 0, load = 0;
        for (size_t s = 0; s < device->sms; s++) {
            double background[SMS_RESOURCES_MAX] = {0};
            sms__add_background(device->setup.model, s, background);
            sum = (device_scope ? sum : 0) + delivered(&device->sm[s], r);
            usage = (device_scope ? usage : 0) + device->sm[s].composition->pressure[r];
            load = (device_scope ? load : 0) + background[r];
            if (!device_scope)
                check_delivery(device, r, sum, usage, load, now);
        }
        double sms = (double)device->sms;
        if (device_scope)
            check_delivery(device, r, sum / sms, usage / sms, load / sms, now);
    }
}

/* What the users of each resource get together, 1 being all that there is, and the speed of the fastest. */
struct shares {
    double delivered[SMS_RESOURCES_MAX], fastest[SMS_RESOURCES_MAX];
};

static void add_shares(struct shares *shares, const struct sms__sm_state *sm, double capacity)
{
    for (size_t r = 0; r < sm->device->setup.model->resources; r++)
        shares->delivered[r] += delivered(sm, r) / capacity;
    for (size_t g = 0; g < sm->groups; g++)
        for (uint32_t left = sm->group[g].fit->of_sm | sm->group[g].fit->of_device; left; left &= left - 1)
            shares->fastest[__builtin_ctz(left)] = fmax(shares->fastest[__builtin_ctz(left)], speed_of(&sm->group[g]));
}

/* True if one of the resources is full, and nobody gets more of it than this speed gives. */
static bool is_stopped(const struct shares *shares, uint32_t resources, double speed)
{
    bool stopped = false;
    for (; resources; resources &= resources - 1) {
        int r = __builtin_ctz(resources);
        stopped |= shares->delivered[r] >= 1 - 1e-9 && shares->fastest[r] <= speed * (1 + 1e-9);
    }
    return stopped;
}

/* Max-min fairness: a block can be faster only if one that is no faster gets slower. */
static void check_fairness(struct sms__blocks *device, uint64_t now)
{
    struct shares of_device = {0};
    for (size_t s = 0; s < device->sms; s++)
        add_shares(&of_device, &device->sm[s], (double)device->sms);
    for (size_t s = 0; s < device->sms; s++) {
        struct shares of_sm = {0};
        add_shares(&of_sm, &device->sm[s], 1);
        for (size_t g = 0; g < device->sm[s].groups; g++) {
            const struct sms__footprint *fit = device->sm[s].group[g].fit;
            double speed = speed_of(&device->sm[s].group[g]);
            if (speed < 1 - 1e-9 && !is_stopped(&of_sm, fit->of_sm, speed) &&
                !is_stopped(&of_device, fit->of_device, speed))
                report(device, now, "SM %zu: a block of %s could be faster than %g", s,
                       first_launch(&device->sm[s], &device->sm[s].group[g])->vm, speed);
        }
    }
}

static void check_total(struct sms__blocks *device, uint64_t now)
{
    for (size_t r = 0; r < device->setup.model->resources; r++) {
        double sum = 0, pressure = 0;
        for (size_t s = 0; s < device->sms; s++) {
            sum += device->sm[s].composition->usage[r];
            pressure += device->sm[s].composition->pressure[r];
        }
        if (device->setup.model->resource[r].scope == SMS_SCOPE_DEVICE && device->setup.device_scope &&
            (sum != device->rating.total[r] || pressure != device->rating.pressure[r]))
            report(device, now, "usage of %s is %.0f parts, its SMs' add up to %.0f",
                   device->setup.model->resource[r].name, device->rating.total[r], sum);
    }
}

static void check_launch(struct sms__blocks *device, const struct sms__launch *launch, uint64_t now)
{
    if (launch->notes.counted != launch->resident ||
        launch->waiting + launch->resident + launch->left != launch->blocks)
        report(device, now, "%s/%s: %llu blocks wait, %llu are resident (%llu found), %llu have left, of %llu",
               launch->vm, launch->kernel->name, (unsigned long long)launch->waiting,
               (unsigned long long)launch->resident, (unsigned long long)launch->notes.counted,
               (unsigned long long)launch->left, (unsigned long long)launch->blocks);
}

enum pass { CLEAR, COUNT, CHECK, PASSES };

static void pass_residents(struct sms__sm_state *sm, const struct sms__block_group *group, enum pass pass, uint64_t now)
{
    for (uint16_t i = group->first; i != SMS__NONE; i = sm->resident[i].next) {
        struct sms__launch *launch = sm->cold[i].launch;
        launch->notes.counted = pass == CLEAR ? 0 : launch->notes.counted;
        launch->notes.counted += pass == COUNT ? sm->resident[i].blocks : 0;
        if (pass == CHECK)
            check_launch(sm->device, launch, now);
    }
}

/* Blocks are conserved: the blocks of a launch that wait, are resident and have left add up to its grid. */
static void check_launches(struct sms__blocks *device, uint64_t now)
{
    size_t waiting = 0;
    for (enum pass pass = CLEAR; pass < PASSES; pass++)
        for (size_t s = 0; s < device->sms; s++)
            for (size_t g = 0; g < device->sm[s].groups; g++)
                pass_residents(&device->sm[s], &device->sm[s].group[g], pass, now);
    for (const struct sms__dispatch_queue *queue = device->queues.first; queue; queue = queue->next)
        for (const struct sms__launch *launch = queue->list.first; launch; launch = launch->in[SMS__QUEUE].next)
            waiting += launch->waiting > 0;
    if (waiting != device->queues.waiting)
        report(device, now, "%zu kernels wait, %zu are counted", waiting, device->queues.waiting);
}

/* Counts the blocks that started after the last check, and finds the latest start. */
static size_t count_starts(const struct sms__sm_state *sm, const struct sms__dispatcher *dispatcher, uint64_t *latest)
{
    size_t starts = 0;
    for (size_t g = 0; g < sm->groups; g++)
        for (uint16_t i = sm->group[g].first; i != SMS__NONE; i = sm->resident[i].next) {
            uint64_t start = sm->cold[i].start;
            bool is_new = !dispatcher->checked || start > dispatcher->checked_start_ps;
            starts += is_new ? sm->resident[i].blocks : 0;
            *latest = is_new && start > *latest ? start : *latest;
        }
    return starts;
}

/* Blocks start no closer to each other than the device allows, and launches wait in the order of their costs' ends. */
static void check_dispatcher(struct sms__blocks *device, uint64_t now)
{
    struct sms__dispatcher *dispatcher = &device->dispatcher;
    uint64_t latest = 0;
    size_t starts = 0;
    for (size_t s = 0; dispatcher->interval_ps && s < device->sms; s++)
        starts += count_starts(&device->sm[s], dispatcher, &latest);
    if (starts > 1 ||
        (starts && dispatcher->checked && latest - dispatcher->checked_start_ps < dispatcher->interval_ps))
        report(device, now, "%zu blocks started since %llu ps, with %llu ps between two", starts,
               (unsigned long long)dispatcher->checked_start_ps, (unsigned long long)dispatcher->interval_ps);
    dispatcher->checked_start_ps = starts ? latest : dispatcher->checked_start_ps;
    dispatcher->checked |= starts > 0;
    if (device->setup.model->grids && dispatcher->grids > device->setup.model->grids)
        report(device, now, "%zu grids, and at most %llu at once", dispatcher->grids,
               (unsigned long long)device->setup.model->grids);
    if (dispatcher->grids < device->queues.waiting)
        report(device, now, "%zu kernels wait, of %zu grids", device->queues.waiting, dispatcher->grids);
    for (const struct sms__launch *launch = dispatcher->costing.first; launch; launch = launch->in[SMS__PENDING].next)
        if (launch->pending.ready_ps < now ||
            (launch->in[SMS__PENDING].next &&
             launch->in[SMS__PENDING].next->pending.ready_ps < launch->pending.ready_ps))
            report(device, now, "%s/%s: a launch should have joined its queue at %llu ps", launch->vm,
                   launch->kernel->name, (unsigned long long)launch->pending.ready_ps);
}

void sms__check_queued(struct sms__blocks *device, const struct sms_queued *queued, double rank, uint64_t turn)
{
    const struct sms_queue_discipline *discipline = device->setup.discipline;
    const uint64_t now = device->setup.engine->now;
    if (!isfinite(rank))
        report(device, now, "'%.60s' gives a rank that is not finite", discipline->name);
    else if ((discipline->rank && discipline->rank(queued) != rank) ||
             (discipline->turn && discipline->turn(queued) != turn))
        report(device, now, "'%.60s' answers the same question differently", discipline->name);
}

static void check_promises(struct sms__blocks *device, uint64_t now)
{
    const char *who, *wrong = sms__broken_promise(device, &who);
    if (wrong)
        report(device, now, "'%.60s' %s", who, wrong);
}

void sms__check(struct sms__blocks *device, uint64_t now)
{
    if (now < device->checked_ps)
        report(device, now, "time ran back from %llu ps", (unsigned long long)device->checked_ps);
    device->checked_ps = now;
    for (size_t s = 0; s < device->sms; s++)
        check_sm(&device->sm[s], now);
    check_total(device, now);
    check_deliveries(device, now);
    if (device->setup.contention->is_max_min)
        check_fairness(device, now);
    check_launches(device, now);
    check_dispatcher(device, now);
    check_promises(device, now);
}
