/* Checks what policies, modes and contention models promise (smsched/policy.h, contention.h, mode.h), if
 * sms_run_options.check is set: the same question has the same answer, more usage is no reason to take a block, a
 * slowdown is a number that does not fall, and a mode gives no more SMs than there are. The engine relies on all of
 * that when it remembers answers. */
#include "oracle.h"

#include "../../sim/levels/block/internal.h"

#include <math.h>
#include <string.h>

/* A policy's question about one SM, and a copy of the usage that may be changed. */
struct question {
    const struct sms__blocks *device;
    struct sms_sm_view sm;
    struct sms_block_request storage;
    const struct sms_block_request *request;
    double usage[SMS_RESOURCES_MAX];
    uint64_t used[SMS_LIMITS];
};

static void ask_about(struct question *question, const struct sms__sm_state *sm, const struct sms__launch *launch)
{
    const struct sms__blocks *device = sm->device;
    double buffer[SMS_RESOURCES_MAX];
    const double *usage = sms__visible_usage(device, sm->composition, buffer);
    question->device = device;
    question->request = sms__request(device, sm, launch, &question->storage);
    memcpy(question->usage, usage, device->setup.model->resources * sizeof *usage);
    memcpy(question->used, sm->composition->used, sizeof question->used);
    question->sm = (struct sms_sm_view){device->policy.pure ? 0 : sm->idx, question->usage, question->used};
}

static int admits(const struct question *question)
{
    const struct sms__policy_use *use = question->device->setup.policy;
    return use->policy->admits(use->param, &question->device->setup.model->view, &question->sm, question->request);
}

static double score(const struct question *question)
{
    const struct sms__policy_use *use = question->device->setup.policy;
    return use->policy->score(use->param, &question->device->setup.model->view, &question->sm, question->request);
}

/* Two NANs are one answer. */
static bool differ(double a, double b) { return a != b && !(isnan(a) && isnan(b)); }

/* Adds the demand of so many blocks to the usage of resources of the device's scope, or of all. */
static void use_more(struct question *question, bool of_device, double blocks)
{
    const struct sms_device_view *view = &question->device->setup.model->view;
    for (size_t r = 0; r < view->resources; r++)
        if (!of_device || view->resource[r].scope == SMS_SCOPE_DEVICE)
            question->usage[r] +=
                blocks * (question->request->adds[r] > 0 ? question->request->adds[r] : SMS_FULL / 64);
    for (int l = 0; !of_device && l < SMS_LIMITS; l++) {
        const uint64_t more = question->used[l] + (uint64_t)blocks * question->request->needs[l];
        question->used[l] = more < view->capacity[l] ? more : view->capacity[l]; /* which no SM exceeds */
    }
}

static const char *wrong_admission(struct question *question, unsigned promises)
{
    const int answer = admits(question);
    if (admits(question) != answer)
        return "answers the same question differently";
    if ((promises & SMS_PURE) && (promises & SMS_LOCAL)) {
        use_more(question, true, 1);
        if (admits(question) != answer)
            return "promises SMS_LOCAL, and looks at the usage of a resource of scope device";
    }
    for (double blocks = 1; (promises & SMS_MONOTONE) && answer != SMS_ADMIT && blocks <= 64; blocks *= 4) {
        use_more(question, false, blocks);
        if (admits(question) == SMS_ADMIT)
            return "promises SMS_MONOTONE, and takes a block because more is used";
    }
    return NULL;
}

static const char *wrong_score(struct question *question, unsigned promises)
{
    const double first = score(question);
    if (differ(first, score(question)))
        return "scores the same SM differently";
    use_more(question, true, 1);
    if ((promises & SMS_PURE) && (promises & SMS_LOCAL) && differ(first, score(question)))
        return "promises SMS_LOCAL, and scores by the usage of a resource of scope device";
    return NULL;
}

/* Returns what is wrong with the policy's answers about the SM, or NULL. */
static const char *wrong_policy(const struct sms__sm_state *sm, const struct sms__launch *launch)
{
    const struct sms_block_policy *policy = sm->device->setup.policy->policy;
    struct question question;
    const char *wrong = NULL;
    ask_about(&question, sm, launch);
    if (policy->admits)
        wrong = wrong_admission(&question, policy->promises);
    ask_about(&question, sm, launch);
    if (!wrong && policy->search == SMS_SEARCH_BEST)
        wrong = wrong_score(&question, policy->promises);
    return wrong;
}

static const char *wrong_slowdown(const struct sms__blocks *device, size_t r, double usage)
{
    const struct sms_contention *model = device->setup.contention;
    const struct sms_contention_view *view = &device->setup.contention_view;
    const double slow = model->slowdown(view, r, usage), more = model->slowdown(view, r, usage + SMS_FULL / 8);
    const struct sms_join join = model->joins ? model->joins(view) : (struct sms_join){1, 0};
    if (!(join.exponent >= 1 && join.exponent <= SMS_JOIN_MAX && join.grain >= 0 && join.grain <= 1))
        return "joins slowdowns by an exponent below 1 or above 16, or with a grain that is no part";
    if (!(slow >= 1) || isinf(slow))
        return "has a slowdown that is no number of at least 1";
    if (differ(slow, model->slowdown(view, r, usage)))
        return "slows the same usage differently";
    if (more < slow)
        return "has a slowdown that falls as the usage rises";
    if (model->free_below_full && usage <= SMS_FULL && slow != 1)
        return "promises free_below_full, and slows below 100 %";
    return NULL;
}

static const char *wrong_model(const struct sms__blocks *device, struct sms__sm_state *sm)
{
    const char *wrong = NULL;
    for (size_t r = 0; device->setup.contention->slowdown && r < device->setup.model->resources && !wrong; r++)
        wrong = wrong_slowdown(device, r, sm->composition->pressure[r]);
    return wrong || sms__rates_alike(sm) ? wrong : "answers the same question differently";
}

const char *sms__broken_promise(struct sms__blocks *device, const char **who)
{
    const char *wrong = NULL;
    *who = device->setup.contention->name;
    for (size_t s = 0; s < device->sms && !wrong; s++)
        wrong = wrong_model(device, &device->sm[s]);
    if (wrong)
        return wrong;
    *who = device->setup.policy->policy->name;
    for (const struct sms__dispatch_queue *queue = device->queues.first; queue; queue = queue->next)
        for (size_t s = 0; s < device->sms && queue->list.first && !wrong; s++)
            wrong = wrong_policy(&device->sm[s], queue->list.first);
    return wrong;
}

const char *sms__broken_mode(const struct sms__mode *mode, const struct sms__device *device,
                             const struct sms__tenant *process)
{
    const uint64_t sms = sms__mode_asks(mode, device, process), bytes = sms__mode_bytes(mode, device, process);
    const uint64_t most = sms__mode_most_processes(mode, device);
    const double slice_ps = sms__mode_slice_ps(mode, device, process, 1e9);
    if (sms != sms__mode_asks(mode, device, process) || bytes != sms__mode_bytes(mode, device, process) ||
        most != sms__mode_most_processes(mode, device) ||
        differ(slice_ps, sms__mode_slice_ps(mode, device, process, 1e9)))
        return "answers the same question differently";
    return sms > device->sms ? "gives a process more SMs than the device has" : NULL;
}
