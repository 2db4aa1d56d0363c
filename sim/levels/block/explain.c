/* Why a block went where it went: looks again at the SMs that a search passed
 * over, and says what refused. Only while somebody watches. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_SMS = 8 };

struct text {
    char chars[1024];
    size_t used;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...)
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

/* What the block takes of a class: a policy may compare any of it. */
static void say_demand(struct text *text, const struct sms__blocks *device, const struct sms__fit *fit,
                       enum sms_class cls)
{
    const char *between = " ";
    for (size_t r = 0; r < device->model->resources; r++) {
        if (device->model->resource_view[r].cls != cls || fit->adds[r] <= 0)
            continue;
        say(text, "%s%s %.6g %%", between, device->model->resource[r].name, fit->adds[r] / SMS_FULL * 100);
        between = ", ";
    }
    say(text, " (%s)", cls == SMS_COMPUTE ? "compute" : "memory");
}

/* The policy's own reason. */
static void say_reason(struct text *text, const struct sms__blocks *device, const struct sms__sm_state *sm,
                       const struct sms__launch *launch)
{
    const struct sms_block_policy *policy = device->policy->policy;
    double patched[SMS_RESOURCES_MAX];
    char reason[256] = "";
    struct sms_sm_view view = {sm->idx, sms__seen_usage(sm, patched), sm->used};
    struct sms_block_request request = sms__full_request(device, sm, launch);
    if (policy->reason)
        policy->reason(device->policy->param, &device->model->view, &view, &request, reason, sizeof reason);
    say(text, "%s", *reason ? reason : policy->name);
}

static void say_refusal(struct text *text, const struct sms__blocks *device, size_t sm,
                        const struct sms__launch *launch, int verdict)
{
    const struct sms__fit *fit = launch->fit;
    const struct sms__sm_state *state = &device->sm[sm];
    double patched[SMS_RESOURCES_MAX];
    say(text, "%sSM %zu: ", text->used ? "; " : "", sm);
    if (verdict >= SMS__REFUSED_BY_LIMIT) {
        int limit = sms__refusing_limit(device, state, fit);
        double unit = limit_unit(limit);
        say(text, "%s %.0f + %.0f > %.0f", sms__limit_names[limit], (double)state->used[limit] / unit,
            (double)fit->needs[limit] / unit, (double)device->model->view.capacity[limit] / unit);
        return;
    }
    if (verdict >= SMS_NOT_HERE) {
        say_reason(text, device, state, launch);
        return;
    }
    enum sms_class cls = device->model->resource_view[verdict].cls;
    say(text, "%s at %.6g %%, the block takes", device->model->resource[verdict].name,
        sms__seen_usage(state, patched)[verdict] / SMS_FULL * 100);
    say_demand(text, device, fit, cls);
}

/* The i-th SM that the search looked at. */
static size_t looked_at(const struct sms__blocks *device, size_t ring, size_t i)
{
    bool from_ring = device->policy->policy->search != SMS_SEARCH_BEST;
    return from_ring ? (ring + i) % device->sms : i;
}

void sms__explain(struct sms__blocks *device, struct sms__launch *launch, size_t ring, long sm, uint64_t now)
{
    const struct sms_run_options *options = device->options;
    bool told = launch->explained == device->leaves + 1; /* that it waits */
    launch->explained = sm < 0 ? device->leaves + 1 : 0;
    if (told || now < options->explain_from_ps || now > options->explain_to_ps)
        return;
    struct text text = {.used = 0};
    size_t passed = 0;
    for (size_t i = 0; i < device->sms; i++) {
        size_t at = looked_at(device, ring, i);
        if ((long)at == sm && device->policy->policy->search != SMS_SEARCH_BEST)
            break;
        int verdict = sms__verdict(device, &device->sm[at], launch);
        if (verdict == SMS__ALLOWED || !sms__may_use(launch->shape->allowed, at))
            continue;
        if (passed++ < NAMED_SMS)
            say_refusal(&text, device, at, launch, verdict);
    }
    if (passed > NAMED_SMS)
        say(&text, "; and %zu more", passed - NAMED_SMS);
    struct sms_decision decision = {
        now,    device->idx, sm, launch->vm, launch->kernel->name, launch->blocks - launch->waiting + 1,
        passed, text.chars};
    options->on_decision(options->user, device->label, &decision);
}
