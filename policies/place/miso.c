/* MISO: all pods of a GPU get the instances under which their mean slowdown is least, found by trying every layout and
 * every way to deal it out. A pod that comes may move the others, and so may one that ends. It goes to the GPU with the
 * fewest pods on which all find an instance.
 *
 * Wins if pods differ in what a small instance costs them, and last long beside a change. Fails if they are short,
 * since each move costs one. Source: Li et al., SoCC 2022; its repository boringlee24/socc22-miso,
 * mps/scheduler/simulator/utils.py (miso_optimize) and exp_miso.py (try_schedule). There a U-Net predicts times from
 * 30 s under MPS; here they are known. Of equal means the one that moves fewer pods wins. Pods that ask for a profile
 * or for GPUs take the first node that fits. */
#include <smsched/place.h>

#include <math.h>

enum { LAYOUTS };
enum { PUBLISHED, ALL };

static const char *const layouts[] = {"published", "all", NULL};

static const struct sms_param params[] = {
    {"layouts", SMS_UNIT_CHOICE, 0, 1, PUBLISHED,
     "says which layouts are tried: MISO's 18 (published), in which one pod has the whole GPU and two have equal "
     "instances, never 4g with 3g, or every split of the GPU (all)",
     .choices = layouts},
    {0},
};

/* Where each pod is, and what that comes to. Slowdowns are whole numbers of billionths, so that the sums of equal
 * numbers are equal in any order. */
struct deal {
    uint64_t slowdown;
    uint32_t moved; /* pods */
    uint32_t profile[SMS_SLICES_MAX], slice[SMS_SLICES_MAX];
};

struct search {
    const struct sms_mig_view *mig;
    const struct sms_open_pod *pod;
    uint32_t pods;
    bool published;                                          /* and no other pod is in the way */
    uint64_t slowdown[SMS_SLICES_MAX][SMS_PROFILES_MAX + 1]; /* 0: the pod does not fit */
    uint64_t least[SMS_SLICES_MAX + 1];                      /* of the pods from this one on, at best */
    struct deal now, best;
};

/* The profile of which the pod has the whole GPU; 0: it does not fit that. */
static uint32_t whole_of(const struct sms_mig_view *mig, const struct sms_open_pod *pod)
{
    uint32_t whole = 0;
    for (uint32_t p = 1; p <= SMS_PROFILES_MAX && !whole; p++)
        whole = pod->time_ps[p] > 0 && mig->profile[p].slices == mig->slices ? p : 0;
    return whole;
}

/* The time on the whole GPU; of a pod that does not fit that, the shortest. */
static double full_time(const struct sms_mig_view *mig, const struct sms_open_pod *pod)
{
    const uint32_t whole = whole_of(mig, pod);
    double least = whole ? pod->time_ps[whole] : INFINITY;
    for (uint32_t p = 1; p <= SMS_PROFILES_MAX && !whole; p++)
        if (pod->time_ps[p] > 0 && mig->profile[p].slices && pod->time_ps[p] < least)
            least = pod->time_ps[p];
    return least;
}

/* Fills in the slowdowns. An instance may be no larger than leaves each other pod a slice. */
static void weigh(struct search *search)
{
    const struct sms_mig_view *mig = search->mig;
    for (uint32_t i = search->pods; i-- > 0;) {
        const struct sms_open_pod *pod = &search->pod[i];
        const double full = full_time(mig, pod);
        const uint32_t only = search->published && search->pods == 1 ? whole_of(mig, pod) : 0;
        uint64_t least = UINT32_MAX;
        for (uint32_t p = 1; p <= SMS_PROFILES_MAX; p++) {
            const uint32_t slices = mig->profile[p].slices;
            if (slices == 0 || pod->time_ps[p] <= 0 || slices + search->pods - 1 > mig->slices || (only && p != only))
                continue;
            search->slowdown[i][p] = (uint64_t)(pod->time_ps[p] / full * 1e9 + 0.5);
            least = search->slowdown[i][p] < least ? search->slowdown[i][p] : least;
        }
        search->least[i] = search->least[i + 1] + least;
    }
}

static void deal_out(struct search *search, uint32_t i, uint32_t busy);

/* Gives pod i the instance, if it is free, and goes on with the others. */
static void give(struct search *search, uint32_t i, uint32_t profile, uint32_t slice, uint32_t busy)
{
    struct deal *now = &search->now, before = *now;
    const struct sms_open_pod *pod = &search->pod[i];
    const uint32_t slices = sms_instance_slices(search->mig, profile, slice);
    if (!(search->mig->profile[profile].starts >> slice & 1) || (busy & slices))
        return;
    now->slowdown += search->slowdown[i][profile];
    now->moved += pod->profile != 0 && (pod->profile != profile || pod->slice != slice);
    now->profile[i] = profile;
    now->slice[i] = slice;
    deal_out(search, i + 1, busy | slices);
    *now = before;
}

/* Tries all instances for pod i, the one that it has first. */
static void deal_out(struct search *search, uint32_t i, uint32_t busy)
{
    struct deal *best = &search->best;
    const struct deal *now = &search->now;
    const uint64_t slowdown = now->slowdown + search->least[i];
    if (slowdown > best->slowdown || (slowdown == best->slowdown && now->moved >= best->moved))
        return;
    if (i == search->pods) {
        *best = *now;
        return;
    }
    const struct sms_open_pod *pod = &search->pod[i];
    const bool equal = search->published && search->pods == 2 && i == 1;
    if (pod->profile && search->slowdown[i][pod->profile] && (!equal || pod->profile == now->profile[0]))
        give(search, i, pod->profile, pod->slice, busy);
    for (uint32_t p = 1; p <= SMS_PROFILES_MAX; p++)
        for (uint32_t s = 0; search->slowdown[i][p] && (!equal || p == now->profile[0]) && s < search->mig->slices; s++)
            give(search, i, p, s, busy);
}

static double arrange(const struct sms_place_view *view, const struct sms_mig_view *mig, uint32_t taken,
                      struct sms_open_pod *pod, uint32_t pods, double beat)
{
    if (-(double)pods <= beat)
        return -INFINITY;
    struct search search = {.mig = mig,
                            .pod = pod,
                            .pods = pods,
                            .published = view->params[LAYOUTS] == PUBLISHED && !taken,
                            .best.slowdown = UINT64_MAX};
    weigh(&search);
    deal_out(&search, 0, taken);
    if (search.best.slowdown == UINT64_MAX)
        return -INFINITY;
    for (uint32_t i = 0; i < pods; i++) {
        pod[i].profile = search.best.profile[i];
        pod[i].slice = search.best.slice[i];
    }
    return -(double)pods;
}

const struct sms_place_policy sms_place_policy_miso = {
    .name = "miso",
    .help = "gives all pods of a GPU the instances under which their mean slowdown is smallest; pods move",
    .params = params,
    .search = SMS_PLACE_FIRST,
    .arrange = arrange,
};
