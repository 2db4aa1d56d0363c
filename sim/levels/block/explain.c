/* Explains a decision of the block policy: asks again the SMs that refused the block, and writes down why. Runs only if
 * there is an observer, and changes nothing that the run computes. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_SMS_MAX = 8 };

static const uint64_t WAITS_FOR_DISPATCHER = UINT64_MAX; /* as the `explained` of a launch */

struct text {
    char chars[1024];
    size_t used;
};

static void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->chars + text->used, sizeof text->chars - text->used, format, args);
    va_end(args);
    text->used += n > 0 ? (size_t)n : 0;
    if (text->used >= sizeof text->chars)
        text->used = sizeof text->chars - 1;
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
    struct sms_sm_view view = {sm->idx, sms__visible_usage(sm, buffer), sm->used};
    struct sms_block_request request = sms__full_request(device, sm, launch);
    if (policy->reason)
        policy->reason(device->setup.policy->param, &device->setup.model->view, &view, &request, reason, sizeof reason);
    append(text, "%s", *reason ? reason : policy->name);
}

static void append_refusal(struct text *text, const struct sms__blocks *device, size_t sm,
                           const struct sms__launch *launch, int verdict)
{
    const struct sms__footprint *fit = launch->fit;
    const struct sms__sm_state *state = &device->sm[sm];
    double buffer[SMS_RESOURCES_MAX];
    append(text, "%sSM %zu: ", text->used ? "; " : "", sm);
    if (verdict >= SMS__REFUSED_BY_LIMIT) {
        int limit = sms__refusing_limit(device, state, fit);
        double unit = limit_unit(limit);
        append(text, "%s %.0f + %.0f > %.0f", sms__limit_names[limit], (double)state->used[limit] / unit,
               (double)fit->needs[limit] / unit, (double)device->setup.model->view.capacity[limit] / unit);
        return;
    }
    if (verdict >= SMS_NOT_HERE) {
        append_reason(text, device, state, launch);
        return;
    }
    enum sms_class cls = device->setup.model->resource_view[verdict].cls;
    append(text, "%s at %.6g %%, the block takes", device->setup.model->resource[verdict].name,
           sms__visible_usage(state, buffer)[verdict] / SMS_FULL * 100);
    append_demand(text, device, fit, cls);
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
    const struct sms_run_options *options = device->setup.options;
    return is_known || now < options->explain_from_ps || now > options->explain_to_ps;
}

static void emit(const struct sms__blocks *device, const struct sms__launch *launch, long sm, size_t passed,
                 const char *why, uint64_t now)
{
    const struct sms_run_options *options = device->setup.options;
    struct sms_decision decision = {
        now, device->setup.idx, sm, launch->vm, launch->kernel->name, launch->blocks - launch->waiting + 1, passed,
        why};
    options->on_decision(options->user, device->setup.label, &decision);
}

void sms__explain_wait(struct sms__blocks *device, struct sms__launch *launch, uint64_t now)
{
    struct text text = {.used = 0};
    if (is_left_out(device, launch->explained == WAITS_FOR_DISPATCHER, now))
        return;
    launch->explained = WAITS_FOR_DISPATCHER;
    append(&text, "the dispatcher: it starts a block every %.6g ns", (double)device->dispatcher.interval_ps / 1e3);
    emit(device, launch, -1, 0, text.chars, now);
}

void sms__explain(struct sms__blocks *device, struct sms__launch *launch, size_t ring_start, long sm, uint64_t now)
{
    bool is_known = launch->explained == device->search.departures + 1; /* it still waits for the same reason */
    launch->explained = sm < 0 ? device->search.departures + 1 : 0;
    if (is_left_out(device, is_known, now))
        return;
    struct text text = {.used = 0};
    size_t passed = 0;
    for (size_t i = 0; i < device->sms; i++) {
        size_t asked = ith_sm(device, ring_start, i);
        if ((long)asked == sm && device->setup.policy->policy->search != SMS_SEARCH_BEST)
            break;
        int verdict = sms__verdict(device, &device->sm[asked], launch);
        if (verdict == SMS__ALLOWED || !sms__may_use(launch->shape->allowed, asked))
            continue;
        if (passed++ < NAMED_SMS_MAX)
            append_refusal(&text, device, asked, launch, verdict);
    }
    if (passed > NAMED_SMS_MAX)
        append(&text, "; and %zu more", passed - NAMED_SMS_MAX);
    emit(device, launch, sm, passed, text.chars, now);
}
