/* Folds decisions about blocks into lines. */
#include "stretches.h"

#include <string.h>

static const uint64_t UNEVEN = UINT64_MAX; /* as the gap between starts */

static bool is_of(const struct stretch *stretch, const struct sms_decision *decision)
{
    return !stretch->ended && stretch->device == decision->device && strcmp(stretch->vm, decision->vm) == 0 &&
           strcmp(stretch->kernel, decision->kernel) == 0;
}

/* True if the block fits, and only the dispatcher is busy. */
static bool waits_for_dispatcher(const struct sms_decision *decision)
{
    return decision->sm < 0 && decision->passed == 0;
}

/* SMs that a block passed over before it started do not end a stretch. */
static bool continues(const struct stretch *stretch, const struct sms_decision *decision)
{
    bool refused = decision->sm < 0 && !waits_for_dispatcher(decision);
    bool other = refused && stretch->waits && strcmp(stretch->cause, decision->cause) != 0;
    return !other && decision->block >= stretch->last_block;
}

static void add_start(struct stretch *stretch, const struct sms_decision *decision)
{
    const uint64_t gap = decision->time_ps - stretch->started_ps;
    const long sm = decision->sm;
    if (stretch->starts++ == 0) {
        stretch->first_block = decision->block;
        stretch->least_sm = stretch->most_sm = sm;
        stretch->in_turn = true;
    } else {
        stretch->in_turn = stretch->in_turn && (sm > stretch->last_sm || sm <= stretch->least_sm);
        stretch->gap_ps = stretch->starts == 2 || stretch->gap_ps == gap ? gap : UNEVEN;
        stretch->least_sm = sm < stretch->least_sm ? sm : stretch->least_sm;
        stretch->most_sm = sm > stretch->most_sm ? sm : stretch->most_sm;
    }
    stretch->last_sm = sm;
    stretch->started_ps = decision->time_ps;
}

static void add(struct stretch *stretch, const struct sms_decision *decision)
{
    stretch->to_ps = decision->time_ps;
    if (decision->sm >= 0)
        add_start(stretch, decision);
    else if (waits_for_dispatcher(decision))
        snprintf(stretch->dispatcher, sizeof stretch->dispatcher, "%s", decision->reasons);
    else
        stretch->waits++;
    if (decision->sm >= 0 || stretch->starts == 0)
        stretch->last_block = decision->block;
    if (decision->passed && (decision->sm < 0 || stretch->waits == 0))
        snprintf(stretch->cause, sizeof stretch->cause, "%s", decision->cause);
    if (decision->passed > stretch->passed)
        stretch->passed = decision->passed;
}

bool stretches_add(struct stretches *all, const struct sms_decision *decision)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!is_of(&all->at[i], decision))
            continue;
        all->at[i].ended = !continues(&all->at[i], decision);
        if (all->at[i].ended)
            break;
        add(&all->at[i], decision);
        return true;
    }
    if (all->count == STRETCHES_MAX)
        return false;
    struct stretch *stretch = &all->at[all->count++];
    *stretch = (struct stretch){.kernel = decision->kernel,
                                .device = decision->device,
                                .from_ps = decision->time_ps,
                                .first_block = decision->block};
    snprintf(stretch->vm, sizeof stretch->vm, "%s", decision->vm);
    snprintf(stretch->reasons, sizeof stretch->reasons, "%s", decision->reasons);
    add(stretch, decision);
    return true;
}

static void print_range(const char *one, const char *several, uint64_t first, uint64_t last, FILE *to)
{
    if (first == last)
        fprintf(to, "%s %llu", one, (unsigned long long)first);
    else
        fprintf(to, "%s %llu to %llu", several, (unsigned long long)first, (unsigned long long)last);
}

struct moment moment_in(bool in_s, uint64_t time_ps)
{
    struct moment own;
    snprintf(own.text, sizeof own.text, "%.*f", in_s ? 9 : 6, (double)time_ps / (in_s ? 1e12 : 1e9));
    return own;
}

static void print_starts(const struct stretch *stretch, bool in_s, FILE *to)
{
    fprintf(to, " -> device %zu", stretch->device);
    print_range(" SM", " SMs", (uint64_t)stretch->least_sm, (uint64_t)stretch->most_sm, to);
    if (stretch->starts == 1)
        return;
    if (stretch->in_turn && stretch->least_sm != stretch->most_sm)
        fputs(" in turn", to);
    if (stretch->gap_ps && stretch->gap_ps != UNEVEN)
        fprintf(to, ", one every %.6g ns", (double)stretch->gap_ps / 1e3);
    else if (stretch->gap_ps == 0 && stretch->from_ps < stretch->to_ps)
        fprintf(to, ", all at %s %s", moment_in(in_s, stretch->started_ps).text, in_s ? "s" : "ms");
}

/* What kept blocks waiting, and from SMs. */
static void print_causes(const struct stretch *stretch, FILE *to)
{
    const char *what = stretch->starts == 0 ? "" : stretch->waits ? "; in between waits" : "; passed over";
    if (stretch->passed && stretch->starts + stretch->waits == 1)
        fprintf(to, "%s: %s", what, stretch->reasons);
    else if (stretch->passed)
        fprintf(to, "%s: %s on up to %zu SM%s", what, stretch->cause, stretch->passed, stretch->passed == 1 ? "" : "s");
}

void stretches_print(struct stretches *all, bool in_s, FILE *to)
{
    const struct stretch *stretch = &all->at[0];
    fprintf(to, "%s/%s", stretch->vm, stretch->kernel);
    print_range(" block", " blocks", stretch->first_block, stretch->last_block, to);
    if (stretch->starts > stretch->last_block - stretch->first_block + 1) /* of several streams */
        fputs(" of several launches", to);
    if (stretch->starts)
        print_starts(stretch, in_s, to);
    else
        fprintf(to, " waits on device %zu", stretch->device);
    print_causes(stretch, to);
    if (*stretch->dispatcher && !all->dispatcher_said)
        fprintf(to, "%s %s", stretch->starts ? "; waits for" : " for", stretch->dispatcher);
    all->dispatcher_said |= *stretch->dispatcher != 0;
    fputc('\n', to);
    memmove(all->at, all->at + 1, --all->count * sizeof *all->at);
}
