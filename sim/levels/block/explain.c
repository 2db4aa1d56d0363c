/* Explains a decision of the block policy: asks again the SMs that refused the block, and writes down why. Runs only if
 * there is an observer, and changes nothing that the run computes. */
#include "internal.h"
#include "../../base/buffer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NO_RESOURCE = SMS__CAUSES - 1, OUTSIDE = SMS__CAUSES, RANGES_MAX = 6 };

static const uint64_t WAITS_FOR_DISPATCHER = UINT64_MAX; /* as the `explained` of a launch */

struct text {
    char chars[512];
};

#define append(text, ...) sms__append((text)->chars, sizeof(text)->chars, __VA_ARGS__)

/* The SMs that refused a block for one cause, or that are outside the part of its process or stream. */
struct refusal {
    int cause;
    size_t sms, ranges;
    size_t first, last; /* the range of SMs that is still open */
    size_t first_of_all;
    struct text named;  /* the ranges before it */
    struct text detail; /* numbers of the first SM; none if those of another differ */
};

struct refusals {
    struct refusal by[OUTSIDE + 1]; /* in the order in which they were met */
    size_t causes, sms;             /* of these, SMs that refused */
};

static int cause_of(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch, int verdict)
{
    if (verdict >= SMS__REFUSED_BY_LIMIT)
        return sms__refusing_limit(device, &device->sm[sm], launch->fit);
    return verdict >= SMS_NOT_HERE ? NO_RESOURCE : SMS_LIMITS + verdict;
}

const char *sms__cause_words(const struct sms__blocks *device, int cause, char *out, size_t size)
{
    if (cause == SMS_BLOCKS)
        snprintf(out, size, "too few free block slots");
    else if (cause < SMS_LIMITS)
        snprintf(out, size, "too %s free %s", cause == SMS_SHARED_MEMORY ? "little" : "few", sms__limit_names[cause]);
    else if (cause == NO_RESOURCE)
        snprintf(out, size, "refused by %s", device->setup.policy->policy->name);
    else {
        const struct sms__resource *resource = &device->setup.model->resource[cause - SMS_LIMITS];
        snprintf(out, size, resource->hard ? "too little free %s" : "%s is too busy for the policy", resource->name);
    }
    return out;
}

const char *sms__dispatcher_words(const struct sms__blocks *device, char *out, size_t size)
{
    snprintf(out, size, "the dispatcher, which starts a block every %.6g ns",
             (double)device->dispatcher.interval_ps / 1e3);
    return out;
}

int sms__main_cause(const struct sms__blocks *device, const struct sms__launch *launch, size_t *sms)
{
    size_t refused[SMS__CAUSES] = {0};
    int most = 0;
    for (size_t s = 0; s < device->sms; s++) {
        int verdict = sms__verdict(device, &device->sm[s], launch);
        if (verdict != SMS__ALLOWED && sms__may_use(launch->shape->allowed, s))
            refused[cause_of(device, s, launch, verdict)]++;
    }
    for (int c = 1; c < SMS__CAUSES; c++)
        most = refused[c] > refused[most] ? c : most;
    *sms = refused[most];
    return *sms ? most : -1;
}

static double limit_unit(int limit) { return limit == SMS_REGISTERS ? 1048576.0 : 1.0; }

/* The block's demand on all resources of a class, because a policy may compare any of them. */
static void append_demand(struct text *text, const struct sms__blocks *device, const struct sms__footprint *fit,
                          enum sms_class cls)
{
    const char *between = " ";
    for (size_t r = 0; r < device->setup.model->resources; r++) {
        if (device->setup.model->resource_view[r].cls != cls || fit->adds[r] <= 0)
            continue;
        append(text, "%s%s %.6g %%", between, device->setup.model->resource[r].name, fit->adds[r] / SMS_FULL * 100);
        between = ", ";
    }
    append(text, " (%s)", cls == SMS_COMPUTE ? "compute" : "memory");
}

/* The policy's own reason. */
static void append_reason(struct text *text, const struct sms__blocks *device, const struct sms__sm_state *sm,
                          const struct sms__launch *launch)
{
    const struct sms_block_policy *policy = device->setup.policy->policy;
    double buffer[SMS_RESOURCES_MAX];
    char reason[256] = "";
    struct sms_sm_view view = {sm->idx, sms__visible_usage(device, sm->composition, buffer), sm->composition->used};
    struct sms_block_request request = sms__full_request(device, sm, launch);
    if (policy->reason)
        policy->reason(device->setup.policy->param, &device->setup.model->view, &view, &request, reason, sizeof reason);
    append(text, "%s%s", *reason ? ": " : "", reason);
}

/* The numbers behind a refusal. */
static struct text detail_of(const struct sms__blocks *device, size_t sm, const struct sms__launch *launch, int cause)
{
    const struct sms__footprint *fit = launch->fit;
    const struct sms__sm_state *state = &device->sm[sm];
    struct text text = {""};
    double buffer[SMS_RESOURCES_MAX];
    if (cause < SMS_LIMITS) {
        double unit = limit_unit(cause);
        append(&text, " (%.0f + %.0f > %.0f)", (double)state->composition->used[cause] / unit,
               (double)fit->needs[cause] / unit, (double)device->setup.model->view.capacity[cause] / unit);
    } else if (cause == NO_RESOURCE)
        append_reason(&text, device, state, launch);
    else {
        size_t resource = (size_t)(cause - SMS_LIMITS);
        append(&text, ", at %.6g %%; the block takes",
               sms__visible_usage(device, state->composition, buffer)[resource] / SMS_FULL * 100);
        append_demand(&text, device, fit, device->setup.model->resource_view[resource].cls);
    }
    return text;
}

/* Appends the open range of SMs. */
static void end_range(struct refusal *refusal)
{
    const char *between = refusal->ranges++ ? ", " : refusal->sms > 1 ? "SMs " : "SM ";
    if (refusal->ranges > RANGES_MAX)
        return;
    append(&refusal->named, "%s%zu", between, refusal->first);
    if (refusal->last > refusal->first)
        append(&refusal->named, " to %zu", refusal->last);
}

static struct refusal *refusal_of(struct refusals *all, int cause)
{
    size_t i = 0;
    while (i < all->causes && all->by[i].cause != cause)
        i++;
    if (i == all->causes)
        all->by[all->causes++] = (struct refusal){.cause = cause};
    return &all->by[i];
}

/* True if the SM surely has the same numbers as the first that refused. A policy may have a reason for each SM. */
static bool is_like_first(const struct sms__blocks *device, const struct refusal *refusal, size_t sm)
{
    return device->compositions.shared && refusal->cause != NO_RESOURCE &&
           device->sm[sm].composition == device->sm[refusal->first_of_all].composition;
}

/* Keeps the numbers while those of all SMs are the same. */
static void add_detail(struct refusal *refusal, const struct sms__blocks *device, size_t sm,
                       const struct sms__launch *launch)
{
    if (refusal->sms == 0) {
        refusal->first_of_all = sm;
        refusal->detail = detail_of(device, sm, launch, refusal->cause);
    } else if (*refusal->detail.chars && !is_like_first(device, refusal, sm)) {
        struct text detail = detail_of(device, sm, launch, refusal->cause);
        if (strcmp(refusal->detail.chars, detail.chars) != 0)
            refusal->detail.chars[0] = '\0';
    }
}

static void add_refusal(struct refusals *all, const struct sms__blocks *device, size_t sm,
                        const struct sms__launch *launch, int cause)
{
    struct refusal *refusal = refusal_of(all, cause);
    if (cause != OUTSIDE) {
        add_detail(refusal, device, sm, launch);
        all->sms++;
    }
    if (refusal->sms++ == 0) {
        refusal->first = sm;
    } else if (sm != refusal->last + 1) {
        end_range(refusal);
        refusal->first = sm;
    }
    refusal->last = sm;
}

static void append_refusal(struct text *text, const struct sms__blocks *device, struct refusal *refusal)
{
    end_range(refusal);
    append(text, "%s", *text->chars ? "; " : "");
    if (refusal->ranges > RANGES_MAX)
        append(text, "%zu SMs", refusal->sms);
    else
        append(text, "%s", refusal->named.chars);
    char words[128];
    if (refusal->cause == OUTSIDE)
        append(text, ": not available to its process");
    else
        append(text, ": %s%s", sms__cause_words(device, refusal->cause, words, sizeof words), refusal->detail.chars);
}

/* The cause for which most SMs refused the block; NULL if none did. */
static const struct refusal *main_refusal(const struct refusals *all)
{
    const struct refusal *most = NULL;
    for (size_t i = 0; i < all->causes; i++)
        if (all->by[i].cause != OUTSIDE && (!most || all->by[i].sms > most->sms))
            most = &all->by[i];
    return most;
}

/* Returns the i-th SM that the search asked. */
static size_t ith_sm(const struct sms__blocks *device, size_t ring_start, size_t i)
{
    bool from_ring = device->setup.policy->policy->search != SMS_SEARCH_BEST;
    return from_ring ? (ring_start + i) % device->sms : i;
}

/* True if a decision about the launch at this time is not to be emitted. `is_known`: it is the same as the last. */
static bool is_left_out(const struct sms__blocks *device, bool is_known, uint64_t now)
{
    return is_known || !sms__explains(device->setup.observer, SMS_RUN_DECISION, now);
}

/* Adds to the decision whose block it is about. */
static void emit(const struct sms__blocks *device, const struct sms__launch *launch, struct sms_decision decision)
{
    decision.device = device->setup.idx;
    decision.vm = launch->vm;
    decision.kernel = launch->kernel->name;
    decision.block = launch->blocks - launch->waiting + 1;
    sms__observe(device->setup.observer, (struct sms_run_event){SMS_RUN_DECISION, .decision = &decision});
}

void sms__explain_wait(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    char words[128];
    if (is_left_out(device, launch->notes.explained == WAITS_FOR_DISPATCHER, now))
        return;
    launch->notes.explained = WAITS_FOR_DISPATCHER;
    sms__dispatcher_words(device, words, sizeof words);
    emit(device, launch,
         (struct sms_decision){.time_ps = now, .sm = -1, .reasons = words, .cause = words, .score = NAN});
}

/* Asks again all SMs before the one that took the block, or all. */
static void ask_again(const struct sms__blocks *device, const struct sms__launch *launch, size_t ring_start, long sm,
                      struct refusals *all)
{
    all->causes = all->sms = 0;
    for (size_t i = 0; i < device->sms; i++) {
        size_t asked = ith_sm(device, ring_start, i);
        if ((long)asked == sm && device->setup.policy->policy->search != SMS_SEARCH_BEST)
            break;
        int verdict = sms__verdict(device, &device->sm[asked], launch);
        if (!sms__may_use(launch->shape->allowed, asked))
            add_refusal(all, device, asked, launch, OUTSIDE);
        else if (verdict != SMS__ALLOWED)
            add_refusal(all, device, asked, launch, cause_of(device, asked, launch, verdict));
    }
}

void sms__explain(struct sms__blocks *device, struct sms__launch *launch, size_t ring_start, long sm, uint64_t now)
{
    /* It still waits for the same reason. A policy may let it start although no block has left. */
    bool is_known = sm < 0 && launch->notes.explained == device->left + 1;
    launch->notes.explained = sm < 0 ? device->left + 1 : 0;
    if (is_left_out(device, is_known, now))
        return;
    struct text text = {""};
    char cause[128] = "";
    struct refusals all;
    ask_again(device, launch, ring_start, sm, &all);
    if (all.sms)
        sms__cause_words(device, main_refusal(&all)->cause, cause, sizeof cause);
    for (size_t i = 0; i < all.causes && (all.sms || sm < 0); i++)
        append_refusal(&text, device, &all.by[i]);
    const bool scores = sm >= 0 && device->setup.policy->policy->search == SMS_SEARCH_BEST;
    emit(device, launch,
         (struct sms_decision){.time_ps = now,
                               .sm = sm,
                               .passed = all.sms,
                               .reasons = text.chars,
                               .cause = cause,
                               .score = scores ? sms__score(device, &device->sm[sm], launch) : NAN});
}
