/* Max-min fairness across SMs. The users of a full resource of scope device rise together, and stop at one speed, its
 * level. Until then no SM is slowed by another. So the level follows from the speeds that each SM alone allows, which
 * its composition knows, and from how many SMs have that composition. What users at a speed take is counted in whole
 * numbers, so that a sum does not depend on its order, and SMs with equal blocks are one term. Speeds are compared in
 * whole numbers, too, so which users are slower than the level does not depend on where the search begins. Sums over
 * the slower and over the others are kept while SMs change, until one comes to lie on the other side.
 *
 * If a second resource of scope device is full, the compositions of which the first level slows a block are rated below
 * that level to find the second, and so on. Often this is not needed: if the second would not be full even if all such
 * blocks rose to the first level, it has no level. Where all blocks of an SM use the same resources of scope device and
 * have one speed, they rise no further than that level, so the levels of both tell.
 *
 * Groups that a level stops follow a device clock. A level that changes concerns an SM only if one of its groups starts
 * or stops following the clock, which device_clock.c finds, or if the SM is coupled: a group that the level does not
 * stop gets what those that it stops leave. Such a group G uses the resource of its SM that stops it together with a
 * group F that a level stops earlier. So F's level is below what the SM allows F, that is at most what it allows G, and
 * this is at most G's own level. Hence with several full resources, too, the SM is coupled as long as F follows a
 * clock, in whatever order the levels change. */
#include "internal.h"

#include <string.h>

/* Speeds are counted in parts of 2^-48, so that speed x demand is a whole number. */
static const double ONE = 281474976710656.0;

/* Nobody uses the resource. Users whose speed is below `cut` will count as the slower ones. */
static void empty(const struct sms__blocks *device, struct sms__water *water, uint64_t cut)
{
    *water = (struct sms__water){
        .cut = cut, .above = UINT64_MAX, .left = (sms__integral)((uint64_t)SMS_FULL * device->sms) << 48};
}

void sms__levels_init(struct sms__blocks *device)
{
    struct sms__levels *levels = &device->rating.levels;
    size_t limit = device->setup.model->sm.blocks, most = device->sms * limit;
    levels->own_slow = SMS__NEW(device->arena, double, most);
    levels->user = SMS__NEW(device->arena, struct sms__level_user, most);
    levels->equal = SMS__NEW(device->arena, struct sms__equal_blocks, limit);
    levels->blocks = SMS__NEW(device->arena, struct sms__user, limit);
    for (int r = 0; r < SMS_RESOURCES_MAX; r++)
        empty(device, &levels->water[r], 0);
}

/* Returns by how much the resources of scope device slow the block. */
static double slow_of(const struct sms__levels *levels, const struct sms__footprint *fit)
{
    double slow = 1;
    for (uint32_t left = fit->of_device; left; left &= left - 1) {
        double by = levels->slow[__builtin_ctz(left)];
        slow = by > slow ? by : slow;
    }
    return slow;
}

/* Finds the speeds of the blocks listed by the resources of their SM, no faster than the levels allow if `within` is
 * set. Equal blocks are one user, in the order of shapes, so that the answer depends on the composition alone. */
static void rate_listed(struct sms__levels *levels, uint32_t resources, bool within)
{
    for (size_t i = 0; i < levels->shapes; i++) {
        struct sms__equal_blocks *equal = &levels->equal[i];
        double slow = within ? slow_of(levels, equal->fit) : 1;
        levels->blocks[i] = (struct sms__user){.count = (double)equal->blocks,
                                               .most = slow > 1 ? 1 / slow : 1,
                                               .demand = equal->fit->pressure,
                                               .rate = &equal->speed};
    }
    sms__users_share(levels->blocks, levels->shapes, resources);
}

/* Lists the blocks of a shared composition by shape, with the speeds that an SM alone allows them. */
static void list_composition(struct sms__blocks *device, const struct sms__composition *composition)
{
    struct sms__levels *levels = &device->rating.levels;
    levels->shapes = 0;
    for (uint32_t i = 0; i < device->search.shapes; i++)
        if (composition->shape[i].blocks)
            levels->equal[levels->shapes++] = (struct sms__equal_blocks){
                i, composition->shape[i].blocks, device->search.shape[i]->fit, composition->shape[i].speed};
}

/* Adds the group to those of its shape. */
static void list_group(struct sms__levels *levels, const struct sms__block_group *group)
{
    size_t at = 0;
    while (at < levels->shapes && levels->equal[at].shape < group->shape)
        at++;
    if (at == levels->shapes || levels->equal[at].shape != group->shape) {
        memmove(&levels->equal[at + 1], &levels->equal[at], (levels->shapes - at) * sizeof *levels->equal);
        levels->equal[at] = (struct sms__equal_blocks){group->shape, 0, group->fit, 0};
        levels->shapes++;
    }
    levels->equal[at].blocks += group->blocks;
}

/* Returns by how much the SM alone slows its blocks, in the order of shapes, if its composition is its own. */
static double *own_slow(const struct sms__sm_state *sm)
{
    return sm->device->rating.levels.own_slow + sm->idx * sm->device->setup.model->sm.blocks;
}

/* Lists the blocks of an SM by shape, with the speeds that it alone allows them. */
static void list_sm(const struct sms__sm_state *sm)
{
    struct sms__levels *levels = &sm->device->rating.levels;
    struct sms__composition *own = sm->composition;
    levels->shapes = 0;
    for (size_t g = 0; g < sm->groups; g++)
        list_group(levels, &sm->group[g]);
    if (!own->is_rated)
        rate_listed(levels, sm->device->rating.sm_scope, false);
    for (size_t i = 0; i < levels->shapes; i++) {
        own_slow(sm)[i] = own->is_rated ? own_slow(sm)[i] : 1 / levels->equal[i].speed;
        levels->equal[i].speed = 1 / own_slow(sm)[i];
    }
    own->is_rated = true;
}

static size_t count_alike(const struct sms__blocks *device)
{
    return device->compositions.shared ? device->compositions.present : device->sms;
}

/* Lists the blocks of one of the i-th equal SMs, those of a shared composition or one, and returns how many they are.
 */
static uint64_t list_alike(struct sms__blocks *device, size_t i)
{
    if (!device->compositions.shared) {
        list_sm(&device->sm[i]);
        return 1;
    }
    list_composition(device, device->compositions.with_sms[i]);
    return device->compositions.with_sms[i]->sms;
}

/* True if a level slows one of the blocks listed. */
static bool is_slowed(const struct sms__levels *levels)
{
    bool slowed = false;
    for (size_t i = 0; i < levels->shapes; i++)
        slowed |= slow_of(levels, levels->equal[i].fit) * levels->equal[i].speed > 1;
    return slowed;
}

/* True if no level makes the blocks listed run apart: they have one speed and use the same resources of scope device,
 * or use none. */
static bool is_even(const struct sms__levels *levels)
{
    bool alike = true;
    uint32_t wide = 0;
    for (size_t i = 0; i < levels->shapes; i++) {
        alike &= levels->equal[i].speed == levels->equal[0].speed &&
                 levels->equal[i].fit->of_device == levels->equal[0].fit->of_device;
        wide |= levels->equal[i].fit->of_device;
    }
    return alike || !wide;
}

/* Which speeds to reckon with, where a level slows a block of the SM: those of its SM alone, those that none of its
 * blocks exceeds within the levels, or those within the levels. */
enum speeds { ALONE, AT_MOST, WITHIN };

static void find_speeds(struct sms__blocks *device, enum speeds speeds)
{
    struct sms__levels *levels = &device->rating.levels;
    if (speeds == WITHIN)
        rate_listed(levels, device->rating.sm_scope, true);
    for (size_t i = 0; speeds == AT_MOST && i < levels->shapes; i++)
        levels->equal[i].speed = 1 / slow_of(levels, levels->equal[i].fit);
}

/* Returns the users of this speed among those from `first` on. */
static struct sms__level_user *users_at(struct sms__levels *levels, size_t first, double speed, uint32_t resources)
{
    struct sms__level_user *user = levels->user + first, *end = levels->user + levels->users;
    while (user < end && user->speed != speed)
        user++;
    if (user < end)
        return user;
    levels->users++;
    user->speed = speed;
    user->parts = (uint64_t)(speed * ONE);
    for (; resources; resources &= resources - 1)
        user->demand[__builtin_ctz(resources)] = 0;
    return user;
}

/* Adds the blocks listed, of so many SMs, to the users of resources of scope device. */
static void add_listed(struct sms__blocks *device, uint64_t sms)
{
    struct sms__levels *levels = &device->rating.levels;
    size_t first = levels->users;
    for (size_t i = 0; i < levels->shapes; i++) {
        const struct sms__equal_blocks *equal = &levels->equal[i];
        if (!equal->fit->of_device)
            continue;
        struct sms__level_user *user = users_at(levels, first, equal->speed, device->rating.device_scope);
        for (uint32_t left = equal->fit->of_device; left; left &= left - 1)
            user->demand[__builtin_ctz(left)] +=
                (uint64_t)equal->fit->pressure[__builtin_ctz(left)] * equal->blocks * sms;
    }
}

/* Lists the users of resources of scope device and their speeds. Those of shared compositions are known already. */
static void find_users(struct sms__blocks *device, enum speeds speeds)
{
    struct sms__levels *levels = &device->rating.levels;
    levels->users = 0;
    if (speeds == ALONE && device->compositions.shared)
        return;
    levels->uneven = device->compositions.shared ? levels->uneven : 0;
    for (size_t a = 0; a < count_alike(device); a++) {
        uint64_t sms = list_alike(device, a);
        levels->uneven += !device->compositions.shared && !is_even(levels);
        if (speeds != ALONE && is_slowed(levels))
            find_speeds(device, speeds);
        add_listed(device, sms);
    }
}

void sms__levels_rate_composition(struct sms__blocks *device, struct sms__composition *composition)
{
    struct sms__levels *levels = &device->rating.levels;
    list_composition(device, composition);
    rate_listed(levels, device->rating.sm_scope, false);
    for (size_t i = 0; i < levels->shapes; i++) {
        struct sms__composed *shape = &composition->shape[levels->equal[i].shape];
        shape->slow = 1 / levels->equal[i].speed;
        shape->speed = levels->equal[i].speed = 1 / shape->slow;
    }
    composition->even = is_even(levels);
    levels->users = 0;
    add_listed(device, 1);
    composition->users = levels->users;
    if (levels->users)
        memcpy(composition->user, levels->user, levels->users * sizeof *levels->user);
}

/* Adds a user on so many SMs, or takes it away if negative. Bounds stay as they are if they are not exceeded. */
static inline void add_user(struct sms__water *water, const struct sms__level_user *user, int r, int64_t sms)
{
    int64_t demand = (int64_t)user->demand[r] * sms;
    bool slower = user->parts < water->cut;
    water->left -= slower ? (sms__integral)demand * (int64_t)user->parts : 0;
    water->demand += slower ? 0 : demand;
    water->below = slower && user->parts > water->below ? user->parts : water->below;
    water->above = !slower && user->parts < water->above ? user->parts : water->above;
}

void sms__levels_count(struct sms__blocks *device, const struct sms__composition *composition, int64_t sms)
{
    struct sms__levels *levels = &device->rating.levels;
    levels->uneven += composition->even ? 0 : sms;
    for (size_t u = 0; u < composition->users; u++)
        for (uint32_t left = device->rating.device_scope; left; left &= left - 1)
            add_user(&levels->water[__builtin_ctz(left)], &composition->user[u], __builtin_ctz(left), sms);
}

/* The users are those listed. If the list is empty, they are those of the shared compositions, at the speeds that SMs
 * alone allow. */
static void fill(const struct sms__blocks *device, struct sms__water *water, int r, uint64_t cut)
{
    const struct sms__levels *levels = &device->rating.levels;
    empty(device, water, cut);
    for (size_t u = 0; u < levels->users; u++)
        add_user(water, &levels->user[u], r, 1);
    for (size_t c = 0; levels->users == 0 && c < device->compositions.present; c++) {
        const struct sms__composition *composition = device->compositions.with_sms[c];
        for (size_t u = 0; u < composition->users; u++)
            add_user(water, &composition->user[u], r, (int64_t)composition->sms);
    }
}

/* Returns the speed in parts that the users who are not slower reach if nobody else is, rounded up. */
static uint64_t reached_parts(const struct sms__water *water)
{
    const sms__integral most = (sms__integral)1 << 49;
    if (water->left <= 0 || water->demand <= 0)
        return 0;
    sms__integral parts = (water->left + water->demand - 1) / water->demand;
    return (uint64_t)(parts < most ? parts : most);
}

/* True if the slower users are below what the others reach, and the others are not. What users below a speed take rises
 * ever slower with it, so this is true of one set. */
static inline bool is_level(const struct sms__water *water)
{
    return (sms__integral)water->below * water->demand < water->left &&
           (water->demand == 0 || (sms__integral)water->above * water->demand >= water->left);
}

/* Returns the speed at which the resource stops its users, more than 1 if it does not. Each step but the first raises
 * the level, because slower users leave more to the others (Newton's method on a concave function). */
static double find_level(struct sms__blocks *device, int r)
{
    struct sms__levels *levels = &device->rating.levels;
    struct sms__water listed, *water = levels->users ? &listed : &levels->water[r];
    if (levels->users)
        fill(device, water, r, levels->water[r].cut);
    while (!is_level(water))
        fill(device, water, r, reached_parts(water));
    return water->demand > 0 ? (double)water->left / ONE / (double)water->demand : 2;
}

/* Finds the lowest level of the resources. Returns its resource, or -1 if no resource is full. */
static int find_lowest(struct sms__blocks *device, uint32_t resources)
{
    int first = -1;
    double lowest = 1;
    for (uint32_t left = resources; left; left &= left - 1) {
        double level = find_level(device, __builtin_ctz(left));
        first = level < lowest ? __builtin_ctz(left) : first;
        lowest = level < lowest ? level : lowest;
    }
    if (first >= 0)
        device->rating.levels.slow[first] = 1 / lowest;
    return first;
}

static uint32_t find_oversubscribed(const struct sms__blocks *device)
{
    uint32_t over = 0;
    for (uint32_t left = device->rating.device_scope; left; left &= left - 1) {
        int r = __builtin_ctz(left);
        over |= (uint32_t)(device->rating.pressure[r] > SMS_FULL * (double)device->sms) << r;
    }
    return over;
}

/* True if all users of resource r use resource `first` as well, and do not fill r at the speed that it lets them have.
 * `even`: those that it slows stay at that speed, and r's own level is not lower. */
static bool is_relieved(const struct sms__blocks *device, int r, int first, bool even)
{
    bool only_its_users = true;
    for (size_t c = 0; c < device->clocks; c++)
        only_its_users &= !(device->clock[c].resources >> r & 1) || device->clock[c].resources >> first & 1;
    return only_its_users &&
           (even || device->rating.pressure[r] <= SMS_FULL * (double)device->sms * device->rating.levels.slow[first]);
}

/* Returns those of the resources that may be full although `first` and perhaps others have levels. */
static uint32_t may_be_full(struct sms__blocks *device, uint32_t resources, int first, bool even)
{
    struct sms__water water;
    uint32_t full = 0;
    for (uint32_t rest = resources; rest; rest &= rest - 1)
        resources &= is_relieved(device, __builtin_ctz(rest), first, even) ? ~(rest & -rest) : ~0u;
    if (resources)
        find_users(device, AT_MOST);
    for (uint32_t rest = resources; rest; rest &= rest - 1) {
        fill(device, &water, __builtin_ctz(rest), UINT64_MAX);
        full |= water.left < 0 ? rest & -rest : 0;
    }
    return full;
}

void sms__levels_find(struct sms__blocks *device)
{
    struct sms__levels *levels = &device->rating.levels;
    memset(levels->slow, 0, sizeof levels->slow);
    uint32_t over = find_oversubscribed(device);
    if (over)
        find_users(device, ALONE);
    bool even = levels->uneven == 0;
    for (int r; over && (r = find_lowest(device, over)) >= 0; even = false) {
        over = may_be_full(device, over & ~((uint32_t)1 << r), r, even);
        if (over)
            find_users(device, WITHIN);
    }
}

void sms__levels_mark(struct sms__blocks *device)
{
    const struct sms__levels *levels = &device->rating.levels;
    for (size_t s = 0; levels->coupled && s < device->sms; s++)
        if (device->sm[s].coupled)
            sms__mark_changed(&device->sm[s]);
}

/* Returns the entry of the group's shape among those listed. */
static const struct sms__equal_blocks *listed(const struct sms__levels *levels, const struct sms__block_group *group)
{
    const struct sms__equal_blocks *equal = levels->equal;
    while (equal->shape != group->shape)
        equal++;
    return equal;
}

/* Writes by how much the SM alone slows each group. */
static void find_own_slow(const struct sms__sm_state *sm, double *slow)
{
    if (!sm->device->compositions.shared)
        list_sm(sm);
    for (size_t g = 0; g < sm->groups; g++)
        slow[g] =
            sm->device->compositions.shared
                ? sm->composition->shape[sm->group[g].shape].slow
                : own_slow(sm)[listed(&sm->device->rating.levels, &sm->group[g]) - sm->device->rating.levels.equal];
}

/* Returns by how much a level slows the group if the group follows a device clock for that, otherwise 1. As in rate.c,
 * a group of which both slowdowns are equal keeps following what it follows. */
static double slow_of_follower(const struct sms__sm_state *sm, size_t g, double own)
{
    double slow = slow_of(&sm->device->rating.levels, sm->group[g].fit);
    return slow > own || (slow == own && sm->group[g].clock) ? slow : 1;
}

/* True if a level stops a group, and the SM stops another at a speed that may be above this level. */
static bool is_coupled(const struct sms__sm_state *sm, const double *own)
{
    double most = 1;
    bool coupled = false;
    for (size_t g = 0; g < sm->groups; g++) {
        double slow = slow_of_follower(sm, g, own[g]);
        most = slow > most ? slow : most;
    }
    for (size_t g = 0; most > 1 && g < sm->groups; g++)
        coupled |= own[g] > 1 && slow_of_follower(sm, g, own[g]) == 1 &&
                   slow_of(&sm->device->rating.levels, sm->group[g].fit) < most;
    return coupled;
}

/* Returns the slowdown by the SM of blocks that were rated within the levels. */
static double slow_within(const struct sms__levels *levels, const struct sms__equal_blocks *rated, double own)
{
    double level = slow_of(levels, rated->fit);
    bool by_device = level > 1 && rated->speed >= 1 / level;
    if (!by_device)
        return 1 / rated->speed;
    return own < level ? own : 1;
}

const double *sms__levels_rate(struct sms__sm_state *sm)
{
    struct sms__rating *rating = &sm->device->rating;
    double *slow = rating->speed;
    find_own_slow(sm, slow);
    if (!sm->device->clocks)
        return slow;
    bool coupled = is_coupled(sm, slow);
    rating->levels.coupled += (size_t)coupled - (size_t)sm->coupled;
    sm->coupled = coupled;
    if (!coupled)
        return slow;
    if (sm->device->compositions.shared)
        list_composition(sm->device, sm->composition);
    rate_listed(&rating->levels, rating->sm_scope, true);
    for (size_t g = 0; g < sm->groups; g++)
        slow[g] = slow_within(&rating->levels, listed(&rating->levels, &sm->group[g]), slow[g]);
    return slow;
}
