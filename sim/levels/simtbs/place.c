/* Places blocks on SMs as simtbs does, ends them, and reports them to observers. Invariant: the use of an SM and of the
 * device equals the sum over their entries. */
#include "simtbs.h"

#include <math.h>
#include <stdio.h>

static const struct sms__tenant *vm_of(const struct sms__simtbs *run, size_t launch)
{
    return &run->spec->scenario->vm[launch];
}

static void count_excess(struct sms__simtbs *run, const struct sms__simtbs_sm *sm, uint64_t sign)
{
    for (size_t r = 0; r < run->shape.sm; r++) {
        if (sm->used[r] <= run->max[r])
            continue;
        run->overload.excess[r] += sign * (sm->used[r] - run->max[r]);
        run->overload.over[r] += sign;
    }
}

/* Adds the use of so many equal blocks; modulo 2^64, so that -1 subtracts one. */
static void account(struct sms__simtbs *run, struct sms__simtbs_sm *sm, const struct sms__footprint *fit,
                    uint64_t times)
{
    count_excess(run, sm, (uint64_t)-1);
    for (size_t r = 0; r < run->shape.sm; r++)
        sm->used[r] += times * fit->count[r];
    for (size_t r = 0; r < run->resources; r++)
        run->used[r] += times * fit->count[r];
    count_excess(run, sm, 1);
    sm->changed = true;
}

static void make_room(struct sms__simtbs *run, struct sms__simtbs_sm *sm)
{
    if (sm->entries < sm->room)
        return;
    sm->room = sm->room ? 2 * sm->room : 8;
    sm->left = sms__enlarge(run->arena, sm->left, sm->entries, sm->room, sizeof *sm->left);
    sm->entry = sms__enlarge(run->arena, sm->entry, sm->entries, sm->room, sizeof *sm->entry);
}

static void add_entry(struct sms__simtbs *run, struct sms__simtbs_sm *sm, size_t kernel)
{
    struct sms__simtbs_entry *newest = sm->entries ? &sm->entry[sm->entries - 1] : NULL;
    if (newest && newest->kernel == kernel && newest->since == run->t) {
        newest->blocks++;
        return;
    }
    if (!newest) {
        sm->busy_at = run->busies;
        run->busy[run->busies++] = (size_t)(sm - run->sm);
    }
    make_room(run, sm);
    sm->left[sm->entries] = (float)run->launch[kernel].work;
    sm->entry[sm->entries++] = (struct sms__simtbs_entry){(uint32_t)kernel, 1, run->t};
}

static bool runs_out_of_memory(struct sms__simtbs *run, size_t kernel)
{
    const struct sms__footprint *fit = run->launch[kernel].fit;
    for (size_t r = run->shape.sm; r < run->resources; r++) {
        uint64_t after = run->used[r] + fit->count[r];
        if (after <= run->max[r])
            continue;
        snprintf(
            run->spec->record->why, sizeof run->spec->record->why,
            "out of memory under policy %s, as in simtbs: at tick %llu a block of VM '%.60s' takes '%.40s' to %llu "
            "of %llu units",
            run->spec->policy->label, (unsigned long long)run->t, vm_of(run, kernel)->name,
            run->device->resource[r].name, (unsigned long long)after, (unsigned long long)run->max[r]);
        run->code = SMS_EINPUT;
        return true;
    }
    return false;
}

static void emit_decision(const struct sms__simtbs *run, size_t kernel, long sm)
{
    const struct sms__simtbs_launch *launch = &run->launch[kernel];
    uint64_t now = run->t * SMS__TICK_PS;
    if (!sms__explains(run->spec->observer, SMS_RUN_DECISION, now))
        return;
    struct sms_decision decision = {
        now,
        0,
        sm,
        vm_of(run, kernel)->name,
        vm_of(run, kernel)->workload->kernel[0].name,
        vm_of(run, kernel)->workload->kernel[0].blocks - launch->waiting + 1,
        0,
        sm < 0 ? "the policy of simtbs gives up for this tick, and all that came later waits" : "",
        sm < 0 ? "refused by the policy of simtbs" : ""};
    sms__observe(run->spec->observer, (struct sms_run_event){SMS_RUN_DECISION, .decision = &decision});
}

static void place(struct sms__simtbs *run, size_t kernel, size_t idx)
{
    struct sms__simtbs_launch *launch = &run->launch[kernel];
    struct sms__simtbs_sm *sm = &run->sm[idx];
    struct sms__kernel_record *record = &run->spec->record->kernel[kernel];
    run->last = idx;
    run->placed = true;
    run->events++;
    run->last_event = run->t;
    if (runs_out_of_memory(run, kernel))
        return;
    account(run, sm, launch->fit, 1);
    add_entry(run, sm, kernel);
    launch->waiting--;
    launch->start = launch->start ? launch->start : run->t;
    record->placed++;
    record->wait_ps += (double)((run->t - launch->enter) * SMS__TICK_PS);
}

static bool is_full(const struct sms__simtbs *run)
{
    bool full = false;
    for (size_t r = 0; r < run->shape.hard; r++)
        full |= run->used[r] == run->max[r] * run->sms;
    return full;
}

bool sms__simtbs_is_stopped(struct sms__simtbs *run)
{
    const struct sms_run_options *options = run->spec->options;
    if (run->code)
        return true;
    if (options->max_events && run->events >= options->max_events)
        run->code = SMS_ELIMIT;
    if (sms__is_canceled(options, run->spec->observer))
        run->code = SMS_ECANCELED;
    return run->code != SMS_OK;
}

void sms__simtbs_place_all(struct sms__simtbs *run)
{
    if (run->blocked || is_full(run))
        return;
    while (run->head < run->arrived && !sms__simtbs_is_stopped(run)) {
        long sm = sms__simtbs_pick(run, run->launch[run->head].fit->count);
        emit_decision(run, run->head, sm);
        run->blocked = sm < 0;
        if (sm < 0)
            return;
        place(run, run->head, (size_t)sm);
        run->head += run->launch[run->head].waiting == 0;
    }
}

static void emit_block_span(const struct sms__simtbs *run, const struct sms__simtbs_sm *sm,
                            const struct sms__simtbs_entry *entry)
{
    const struct sms__tenant *vm = vm_of(run, entry->kernel);
    if (!sms__observes(run->spec->observer, SMS_RUN_STAY))
        return;
    struct sms_stay stay = {0,
                            (size_t)(sm - run->sm),
                            vm->name,
                            vm->workload->kernel[0].name,
                            entry->since * SMS__TICK_PS,
                            (run->t + 1) * SMS__TICK_PS,
                            (uint32_t)entry->blocks};
    sms__observe(run->spec->observer, (struct sms_run_event){SMS_RUN_STAY, .stay = &stay});
}

static void end_entry(struct sms__simtbs *run, struct sms__simtbs_sm *sm, const struct sms__simtbs_entry *entry)
{
    struct sms__simtbs_launch *launch = &run->launch[entry->kernel];
    struct sms__kernel_record *record = &run->spec->record->kernel[entry->kernel];
    emit_block_span(run, sm, entry);
    account(run, sm, launch->fit, -entry->blocks);
    run->blocked = false;
    run->last_event = run->t;
    run->record->blocks += entry->blocks;
    record->blocks += entry->blocks;
    record->span->residence_ps += (sms__integral)(run->t + 1 - entry->since) * SMS__TICK_PS * entry->blocks;
    record->span->work_ps += (sms__integral)launch->work * SMS__TICK_PS * entry->blocks;
    launch->left -= entry->blocks;
    if (launch->left > 0)
        return;
    launch->end = run->t;
    run->ended++;
}

void sms__simtbs_leave(struct sms__simtbs *run, struct sms__simtbs_sm *sm)
{
    size_t kept = 0;
    for (size_t i = 0; i < sm->entries; i++) {
        if (sm->left[i] <= 0) {
            end_entry(run, sm, &sm->entry[i]);
            continue;
        }
        sm->left[kept] = sm->left[i];
        sm->entry[kept++] = sm->entry[i];
    }
    sm->entries = kept;
    if (kept)
        return;
    size_t moved = run->busy[--run->busies];
    run->busy[sm->busy_at] = moved;
    run->sm[moved].busy_at = sm->busy_at;
}

/* Adds the residence and the work of blocks that are still on an SM when the run ends. */
static void count_residents(struct sms__simtbs *run)
{
    for (size_t b = 0; b < run->busies; b++) {
        const struct sms__simtbs_sm *sm = &run->sm[run->busy[b]];
        for (size_t i = 0; i < sm->entries; i++) {
            const struct sms__simtbs_entry *entry = &sm->entry[i];
            struct sms__kernel_record *record = &run->spec->record->kernel[entry->kernel];
            double work = (double)run->launch[entry->kernel].work, done = work - (double)sm->left[i];
            done = done >= 0 && done <= work ? done : 0; /* overheads may overflow: what is left is then no number */
            record->span->residence_ps += (sms__integral)(run->t - entry->since) * SMS__TICK_PS * entry->blocks;
            record->span->work_ps += (sms__integral)(done * SMS__TICK_PS) * entry->blocks;
        }
    }
}

static void finish_launch(struct sms__simtbs *run, size_t v)
{
    const struct sms__simtbs_launch *launch = &run->launch[v];
    struct sms__vm_record *vm = &run->spec->record->vm[v];
    struct sms__kernel_record *kernel = &run->spec->record->kernel[v];
    run->record->kernel[v] = (struct sms__simtbs_kernel){launch->start, launch->end, 0};
    if (!launch->end)
        return;
    uint64_t latency = (launch->end + 1 - launch->enter) * SMS__TICK_PS;
    run->record->kernel[v].alone = sms__simtbs_alone(run, launch, vm_of(run, v)->workload->kernel[0].blocks);
    if (isnan(run->record->kernel[v].alone) && run->code == SMS_OK) {
        snprintf(
            run->spec->record->why, sizeof run->spec->record->why,
            "simtbs divides 0 by 0 for the time of VM '%.60s' alone: the overhead curve of a memory that it does not "
            "use begins at 0",
            vm_of(run, v)->name);
        run->code = SMS_EINPUT;
    }
    vm->jobs = kernel->launches = 1;
    vm->ended = true;
    vm->end_ps = (launch->end + 1) * SMS__TICK_PS;
    sms__histogram_add(&vm->latency, latency);
    sms__histogram_add(&kernel->latency, latency);
}

void sms__simtbs_finish(struct sms__simtbs *run)
{
    struct sms__record *record = run->spec->record;
    record->to_ps = run->t * SMS__TICK_PS;
    record->events = run->events;
    record->simtbs = run->record;
    run->record->ticks = run->t;
    count_residents(run);
    for (size_t v = 0; v < run->launches; v++)
        finish_launch(run, v);
    record->device[0].active_ps = (double)run->overload.active_sum * SMS__TICK_PS;
    for (size_t r = 0; r < run->shape.sm; r++) {
        record->device[0].excess[r] =
            (double)run->overload.excess_sum[r] / (double)run->max[r] * SMS_FULL * SMS__TICK_PS;
        record->device[0].over_ps[r] = (double)run->overload.over_sum[r] * SMS__TICK_PS;
    }
}
